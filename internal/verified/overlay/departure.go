package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// departedPeer is the last view of a failed neighbour: those it names are the ones that
// have to find each other now (thesis 4.3.5, figure 4.9).
type departedPeer struct {
	view  *NetworkView
	until machine.Time

	repaired bool         // mend.go
	cell     geom.Polygon // of the failed node; nil: not calculated yet
}

// departures removes nodes that have left or failed, and remembers them for a while
// (thesis 4.3.5).
type departures struct {
	*core
	hood       *neighbourhood
	links      *links
	areacasts  *areacaster
	routing    *routingTable
	audits     *auditor
	falseViews *viewRecords
	stabilizer *stabilizer

	failed         map[id.ID]machine.Time // until when
	departed       []departedPeer         // last views of failed neighbours
	lostNeighbours bool                   // neighbours have failed since the last repair
}

// onFailed removes a node that closed without a reason, could not be reached or
// was lost (thesis 4.3.5). The neighbours hear of it once those who close the
// gap are connected.
func (de *departures) onFailed(p *peer, view *NetworkView) {
	until := de.env.Now().Add(FailedFor)
	de.failed[p.peer.ID] = until
	if p.why&asNeighbour != 0 {
		de.hood.neighbours = without(de.hood.neighbours, p)
		de.hood.changed()
		de.hood.queueAll(de.hood.neighbours)
		if view != nil {
			de.departed = append(de.departed, departedPeer{view: view, until: until})
			de.lostNeighbours = true
		}
	}
	if p.why&asPending != 0 {
		de.hood.pending = without(de.hood.pending, p)
		if p.namedBy != nil {
			de.falseViews.recordFalseView(p.namedBy, p.Contact)
		}
	}
	p.namedBy = nil
	if p.why&asReceiver != 0 {
		de.hood.receivers = without(de.hood.receivers, p)
	}
	why := p.why // its link is down: it is no hop
	p.why, p.waiting = 0, nil
	if why&asEntry != 0 {
		de.routing.loseEntry(p)
	}
	de.links.drop(p)
	de.hood.reconcile()
	de.areacasts.rerouteAreacasts(p)
	if len(de.hood.neighbours)+len(de.hood.pending) == 0 {
		de.stabilizer.scheduleStabilize()
	}
}

// hasFailed reports whether c is remembered as failed.
func (de *departures) hasFailed(c *Contact) bool {
	until, ok := de.failed[c.ID]
	if ok && until <= de.env.Now() {
		delete(de.failed, c.ID)
		return false
	}
	return ok
}

// namesFailed reports whether a view names a node that failed here: it is not
// answered, its sender will find out (thesis 4.3.5).
func (de *departures) namesFailed(v *NetworkView) bool {
	for _, c := range v.Neighbours {
		if de.hasFailed(c) {
			return true
		}
	}
	return false
}

// expireDeparted drops what has been remembered long enough.
func (de *departures) expireDeparted() {
	now := de.env.Now()
	keep := de.departed[:0]
	for _, g := range de.departed {
		if g.until > now {
			keep = append(keep, g)
		}
	}
	clear(de.departed[len(keep):])
	de.departed = keep
	de.falseViews.expireSenderRecords()
	de.audits.expireMisbehaviours()
	for who, until := range de.failed { // deleting is the same in every order
		if until <= now {
			delete(de.failed, who)
		}
	}
}
