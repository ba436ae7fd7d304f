package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// False views (thesis 4.3.6, 4.8). They can only name nodes that exist no more,
// or leave out nodes that do exist; both destabilise whoever receives them. The
// former a signed view proves; of the latter only that one of two nodes lies.

// Charge is what a view is evidence of.
type Charge uint8

// Charges.
const (
	// Absent: the view names a node that was not there.
	Absent Charge = iota + 1
	// Missing: the view leaves out a neighbour of its sender that is there.
	Missing
)

// Evidence is for the authority.
type Evidence struct {
	Charge Charge
	View   *NetworkView // signed by the accused
	Node   *Contact     // that is absent or missing
	Seen   machine.Time
}

// senderRecord is what is held against a sender of views.
type senderRecord struct {
	faults  int
	since   machine.Time
	ignored machine.Time // until when its views are
}

const (
	// maxFaults is how many absent nodes a sender may name within faultsFor
	// before its views are ignored for as long. Honest nodes name failed ones
	// until they notice, all neighbours of a node if half the network fails.
	maxFaults = 12
	faultsFor = 5 * time.Minute
)

// recordFalseView holds it against the sender of a view that a node it named could not be
// reached.
func (n *Node) recordFalseView(v *NetworkView, absent *Contact) {
	now := n.env.Now()
	r := n.records[v.Source.ID]
	if r == nil || now.Sub(r.since) > faultsFor {
		r = &senderRecord{since: now}
		n.records[v.Source.ID] = r
	}
	if r.faults++; r.faults == maxFaults {
		r.ignored = now.Add(faultsFor)
		r.since, r.faults = now, 0
	}
	n.report(Evidence{Absent, v, absent, now})
}

// ignoresViewsOf reports whether views of a node are ignored now.
func (n *Node) ignoresViewsOf(who id.ID) bool {
	r := n.records[who]
	return r != nil && r.ignored > n.env.Now()
}

// reportOmissions reports neighbours that have left out others for long.
func (n *Node) reportOmissions() {
	for _, p := range n.neighbours {
		if p.view == nil || !n.inconsistentView(p) {
			continue
		}
		for _, q := range n.neighbours {
			if q != p && !p.view.Names(q.Contact) && hasPlace(n.expectedStar(p), q.Pos) {
				n.report(Evidence{Missing, p.view, q.Contact, n.env.Now()})
			}
		}
	}
}

// expectedStar is the star that a neighbour should have by what is known.
func (n *Node) expectedStar(p *peer) []*Contact {
	n.gather(p)
	return n.stars.star()
}

func (n *Node) report(e Evidence) {
	if n.cfg.Events != nil {
		n.cfg.Events.Report(e)
	}
}

// expireSenderRecords drops what was long ago.
func (n *Node) expireSenderRecords() {
	now := n.env.Now()
	for who, r := range n.records { // deleting is the same in every order
		if now.Sub(r.since) > faultsFor && r.ignored <= now {
			delete(n.records, who)
		}
	}
}
