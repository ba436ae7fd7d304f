package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// departedPeer is the last view of a failed neighbour: those it names are the ones that
// have to find each other now (thesis 4.3.5, figure 4.9).
type departedPeer struct {
	view  *NetworkView
	until machine.Time

	repaired bool         // mend.go
	cell     geom.Polygon // of the failed node; nil: not calculated yet
}

// onFailed removes a node that closed without a reason, could not be reached or
// was lost (thesis 4.3.5). The neighbours hear of it once those who close the
// gap are connected.
func (n *Node) onFailed(p *peer, view *NetworkView) {
	until := n.env.Now().Add(FailedFor)
	n.failed[p.peer.ID] = until
	if p.why&asNeighbour != 0 {
		n.neighbours = without(n.neighbours, p)
		n.changed()
		n.queueAll(n.neighbours)
		if view != nil {
			n.departed = append(n.departed, departedPeer{view: view, until: until})
			n.lostNeighbours = true
		}
	}
	if p.why&asPending != 0 {
		n.pending = without(n.pending, p)
		if p.namedBy != nil {
			n.recordFalseView(p.namedBy, p.Contact)
		}
	}
	p.namedBy = nil
	if p.why&asReceiver != 0 {
		n.receivers = without(n.receivers, p)
	}
	why := p.why // its link is down: it is no hop
	p.why, p.waiting = 0, nil
	if why&asEntry != 0 {
		n.loseEntry(p)
	}
	n.drop(p)
	n.reconcile()
	n.rerouteAreacasts(p)
	if len(n.neighbours)+len(n.pending) == 0 {
		n.scheduleStabilize()
	}
}

// hasFailed reports whether c is remembered as failed.
func (n *Node) hasFailed(c *Contact) bool {
	until, ok := n.failed[c.ID]
	if ok && until <= n.env.Now() {
		delete(n.failed, c.ID)
		return false
	}
	return ok
}

// namesFailed reports whether a view names a node that failed here: it is not
// answered, its sender will find out (thesis 4.3.5).
func (n *Node) namesFailed(v *NetworkView) bool {
	for _, c := range v.Neighbours {
		if n.hasFailed(c) {
			return true
		}
	}
	return false
}

// expireDeparted drops what has been remembered long enough.
func (n *Node) expireDeparted() {
	now := n.env.Now()
	keep := n.departed[:0]
	for _, g := range n.departed {
		if g.until > now {
			keep = append(keep, g)
		}
	}
	clear(n.departed[len(keep):])
	n.departed = keep
	n.expireSenderRecords()
	n.expireMisbehaviours()
	for who, until := range n.failed { // deleting is the same in every order
		if until <= now {
			delete(n.failed, who)
		}
	}
}
