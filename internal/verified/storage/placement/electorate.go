package placement

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

// Electorate counts the zones that have a vote: what a node knows of who is where.
type Electorate struct {
	*part.Part
	heard    []machine.Time // when somebody of each zone has answered last
	deserted []bool         // the zones without nodes, when the node asked last
	empty    int            // how many these are
}

// AllPresent is where nobody knows of an empty zone.
func AllPresent(c *part.Part) Electorate {
	zones := c.Space.Zones()
	return Electorate{Part: c, heard: make([]machine.Time, zones), deserted: make([]bool, zones)}
}

// UpdateDeserted looks which zones are deserted.
func (el *Electorate) UpdateDeserted() {
	if !el.Hardened {
		return
	}
	for zone := range el.deserted {
		el.SetDeserted(zone, el.Env.Now().Sub(el.heard[zone]) > silentFor && el.Overlay.Deserted(zone))
	}
}

// ZoneAnswered notes that somebody of a zone has answered.
func (el *Electorate) ZoneAnswered(zone int) {
	el.heard[zone] = el.Env.Now()
	el.SetDeserted(zone, false)
}

// SetDeserted says whether a zone has no vote.
func (el *Electorate) SetDeserted(zone int, deserted bool) {
	el.empty += state.Indicator(deserted) - state.Indicator(el.deserted[zone])
	el.deserted[zone] = deserted
}

// Voters is how many zones have a vote.
func (el *Electorate) Voters() int { return el.Space.Zones() - el.empty }

// VotesNeeded is how many zones have to say the same. The thesis is content with half
// of them, rounded up: its text of 5.2.2 has "more than r/2", but by table 6.27
// its program took 2 of 4, 5 of 9 and 8 of 16.
func (el *Electorate) VotesNeeded() int {
	if el.Hardened {
		return el.Quorum()
	}
	return (el.Space.Zones() + 1) / 2
}

// Quorum is more than half of those who have a vote; a certificate has as many
// receipts.
func (el *Electorate) Quorum() int { return el.Voters()/2 + 1 }

// MajorityOfAll is a majority of all zones, deserted ones too.
func (el *Electorate) MajorityOfAll() int { return el.Space.Zones()/2 + 1 }

// IsDeserted reports whether a zone has no vote.
func (el *Electorate) IsDeserted(zone int) bool { return el.deserted[zone] }
