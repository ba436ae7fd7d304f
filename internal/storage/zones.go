package storage

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Zones without nodes. In a network of a dozen nodes one of four zones is empty now
// and then. A majority of all four is then one of all that are left: as soon as
// somebody leaves another zone, no vote about what was kept there can be won, no
// batch gets enough receipts, and who follows is never told who sleeps there. So with
// Protocol.Majority a zone that is deserted has no vote: three zones decide by two.
//
// Whether one is deserted everybody judges alone, by its own routing table and by
// who has answered it: what others say of a zone counts for nothing. In a network of
// many nodes it never is.

// silentFor is how long nobody of a zone has answered anything if it is deserted.
const silentFor = 30 * time.Second

// zonePresence is what a node knows of who is where.
type zonePresence struct {
	heard    []machine.Time // when somebody of each zone has answered last
	deserted []bool         // the zones without nodes, when the node asked last
	empty    int            // how many these are
}

// allPresent is where nobody knows of an empty zone.
func allPresent(zones int) zonePresence {
	return zonePresence{heard: make([]machine.Time, zones), deserted: make([]bool, zones)}
}

// updateDeserted looks which zones are deserted.
func (n *Node) updateDeserted() {
	if !n.cfg.Protocol.Majority {
		return
	}
	n.empty = 0
	for zone := range n.deserted {
		n.deserted[zone] = n.env.Now().Sub(n.heard[zone]) > silentFor && n.overlay.Deserted(zone)
		n.empty += bit(n.deserted[zone])
	}
}

// zoneAnswered notes that somebody of a zone has answered.
func (n *Node) zoneAnswered(zone int) {
	n.heard[zone] = n.env.Now()
	n.empty -= bit(n.deserted[zone])
	n.deserted[zone] = false
}

// voters is how many zones have a vote.
func (n *Node) voters() int { return n.space.Zones() - n.empty }

// votesNeeded is how many zones have to say the same. The thesis is content with half
// of them, rounded up: its text of 5.2.2 has "more than r/2", but by table 6.27
// its program took 2 of 4, 5 of 9 and 8 of 16.
func (n *Node) votesNeeded() int {
	if n.cfg.Protocol.Majority {
		return n.quorum()
	}
	return (n.space.Zones() + 1) / 2
}

// quorum is more than half of those who have a vote; a certificate has as many
// receipts.
func (n *Node) quorum() int { return n.voters()/2 + 1 }

// majorityOfAll is a majority of all zones, deserted ones too.
func (n *Node) majorityOfAll() int { return n.space.Zones()/2 + 1 }

// silent reports whether no answer of a zone is waited for: it has given its last, or
// is deserted.
func (n *Node) silent(q *query, zone int) bool { return q.zones[zone].over || n.deserted[zone] }

// allSilent reports whether no answer is waited for.
func (n *Node) allSilent(q *query) bool {
	for zone := range q.zones {
		if !n.silent(q, zone) {
			return false
		}
	}
	return true
}
