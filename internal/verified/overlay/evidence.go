package overlay

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// False views (thesis 4.3.6, 4.8). They can only name nodes that exist no more,
// or leave out nodes that do exist; both destabilise whoever receives them. The
// former a signed view proves; of the latter only that one of two nodes lies.

// Accusation is what a view is evidence of.
type Accusation uint8

// Charges.
const (
	// Absent: the view names a node that was not there.
	Absent Accusation = iota + 1
	// Missing: the view leaves out a neighbour of its sender that is there.
	Missing
)

// Evidence is for the authority.
type Evidence struct {
	Accusation Accusation
	View       *NetworkView // signed by the accused
	Node       *Contact     // that is absent or missing
	Seen       machine.Time
}

// senderRecord is what is held against a sender of views.
type senderRecord struct {
	faults  int
	since   machine.Time
	ignored machine.Time // until when its views are
}

// viewRecords counts false views by sender and reports them (thesis 4.3.6, 4.8).
type viewRecords struct {
	*core
	hood *neighbourhood

	records map[id.ID]*senderRecord
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
func (vr *viewRecords) recordFalseView(v *NetworkView, absent *Contact) {
	now := vr.env.Now()
	r := vr.records[v.Source.ID]
	if r == nil || now.Sub(r.since) > faultsFor {
		r = &senderRecord{since: now}
		vr.records[v.Source.ID] = r
	}
	if r.faults++; r.faults == maxFaults {
		r.ignored = now.Add(faultsFor)
		r.since, r.faults = now, 0
	}
	vr.report(Evidence{Absent, v, absent, now})
}

// ignoresViewsOf reports whether views of a node are ignored now.
func (vr *viewRecords) ignoresViewsOf(who id.ID) bool {
	r := vr.records[who]
	return r != nil && r.ignored > vr.env.Now()
}

// reportOmissions reports neighbours that have left out others for long. From then on
// their views are completed.
func (vr *viewRecords) reportOmissions() {
	for _, p := range vr.hood.neighbours {
		if p.view != nil && vr.hood.inconsistentView(p) && vr.reportOmission(p) {
			vr.hood.completeView(p)
			vr.hood.stableNow = unknown
		}
	}
}

// reportOmission reports those who have a place beside a neighbour and are neighbours of
// this node, too, and whom the neighbour's view leaves out.
func (vr *viewRecords) reportOmission(p *peer) (found bool) {
	for _, q := range vr.hood.neighbours {
		if q != p && !p.view.Names(q.Contact) && hasPlace(vr.hood.expectedStar(p), q.Pos) {
			vr.report(Evidence{Missing, p.view, q.Contact, vr.env.Now()})
			p.omits = vr.env.Now()
			found = true
		}
	}
	return found
}

// completeView puts into the view of a neighbour that leaves out others whom it should
// name. Otherwise it could keep the node from having its place, and from knowing how far
// the neighbour's cell reaches, for as long as it likes (attack names of the storage).
func (nb *neighbourhood) completeView(p *peer) {
	nb.gather(p)
	if nb.stars.starIs(p.view.Neighbours) {
		return
	}
	v := *p.view
	v.Neighbours = slices.Clone(nb.stars.star())
	p.view = &v
}

func (co *core) report(e Evidence) {
	if co.cfg.Events != nil {
		co.cfg.Events.Report(e)
	}
}

// expireSenderRecords drops what was long ago.
func (vr *viewRecords) expireSenderRecords() {
	now := vr.env.Now()
	for who, r := range vr.records { // deleting is the same in every order
		if now.Sub(r.since) > faultsFor && r.ignored <= now {
			delete(vr.records, who)
		}
	}
}
