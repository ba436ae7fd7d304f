package storage

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Zones without nodes. In a network of a dozen nodes one of four zones is empty now
// and then. A majority of all four is then one of all that are left: as soon as
// somebody leaves another zone, no vote about what was kept there can be won, no
// batch gets enough receipts, and who follows is never told who sleeps there. So in
// the hardened protocol a zone that is deserted has no vote: three zones decide by two.
//
// Whether one is deserted everybody judges alone, by its own routing table and by
// who has answered it: what others say of a zone counts for nothing. In a network of
// many nodes it never is.

// silentFor is how long nobody of a zone has answered anything if it is deserted.
const silentFor = 30 * time.Second

// electorate counts the zones that have a vote: what a node knows of who is where.
type electorate struct {
	*part.Part
	heard    []machine.Time // when somebody of each zone has answered last
	deserted []bool         // the zones without nodes, when the node asked last
	empty    int            // how many these are
}

// allPresent is where nobody knows of an empty zone.
func allPresent(c *part.Part) electorate {
	zones := c.Space.Zones()
	return electorate{Part: c, heard: make([]machine.Time, zones), deserted: make([]bool, zones)}
}

// updateDeserted looks which zones are deserted.
func (el *electorate) updateDeserted() {
	if !el.Hardened {
		return
	}
	el.empty = 0
	for zone := range el.deserted {
		el.deserted[zone] = el.Env.Now().Sub(el.heard[zone]) > silentFor && el.Overlay.Deserted(zone)
		el.empty += state.Indicator(el.deserted[zone])
	}
}

// zoneAnswered notes that somebody of a zone has answered.
func (el *electorate) zoneAnswered(zone int) {
	el.heard[zone] = el.Env.Now()
	el.empty -= state.Indicator(el.deserted[zone])
	el.deserted[zone] = false
}

// voters is how many zones have a vote.
func (el *electorate) voters() int { return el.Space.Zones() - el.empty }

// votesNeeded is how many zones have to say the same. The thesis is content with half
// of them, rounded up: its text of 5.2.2 has "more than r/2", but by table 6.27
// its program took 2 of 4, 5 of 9 and 8 of 16.
func (el *electorate) votesNeeded() int {
	if el.Hardened {
		return el.quorum()
	}
	return (el.Space.Zones() + 1) / 2
}

// quorum is more than half of those who have a vote; a certificate has as many
// receipts.
func (el *electorate) quorum() int { return el.voters()/2 + 1 }

// majorityOfAll is a majority of all zones, deserted ones too.
func (el *electorate) majorityOfAll() int { return el.Space.Zones()/2 + 1 }

// silent reports whether no answer of a zone is waited for: it has given its last, or
// is deserted.
func (el *electorate) silent(q *query, zone int) bool { return q.zones[zone].over || el.deserted[zone] }

// allSilent reports whether no answer is waited for.
func (el *electorate) allSilent(q *query) bool {
	for zone := range q.zones {
		if !el.silent(q, zone) {
			return false
		}
	}
	return true
}
