package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
)

// A session believes what a part says to it. So its node looks whether who says
// something in a part's name is one of those who host it, and asks them if that is
// not known.

// speaker is the part in whose name a message to a session is; false if it is none
// that a session gets.
func speaker(m machine.Message) (p Part, ok bool) {
	switch m := m.(type) {
	case *region.Entered:
		p.Region = m.Region
	case *region.Refused:
		p.Region = m.Region
	case *region.Left:
		p.Region = m.Region
	case *region.Moved:
		p.Region = m.Region
	case *region.Columns:
		p.Region = m.Region
	case *region.ActResult:
		p.Region = m.Region
	case *region.Self:
		p.Region = m.Region
	case *region.Inventory:
		p.Region = m.Region
	case *region.Heard:
		p.Region = m.Region
	case *region.NewHost:
		p.Region = m.Region
	case *region.Notice:
		p.Region = m.Region
	case *region.Frame:
		p.Region = m.Region
	case *hall.Admitted, *hall.Refused, *hall.Players, *hall.Chat, *hall.Notice, *hall.TimeOffset, *hall.Commands, *hall.Propose, *hall.NewHost:
		p = theHall
	default:
		return p, false
	}
	return p, p.inWorld()
}

// toSessions brings what a node says in a part's name to sessions here.
func (w *network) toSessions(f *farNode, sessions []id.ID, m machine.Message) {
	part, ok := speaker(m)
	if !ok {
		w.n.counts.Dropped++
		return
	}
	w.inNameOf(f, part, sessions, func() {
		for _, s := range sessions {
			w.toHere(f, s, m)
		}
	})
}

// toWatchers brings the frame of a far region to sessions here.
func (w *network) toWatchers(f *farNode, m *ToWatchers) {
	sessions := make([]id.ID, len(m.To))
	for i := range m.To {
		sessions[i] = m.To[i].Session
	}
	w.inNameOf(f, Part{Region: m.Region}, sessions, func() {
		for i := range m.To {
			w.toHere(f, m.To[i].Session, &region.Frame{Region: m.Region, Tick: m.Tick, Own: m.To[i].Own, Cells: m.Cells})
		}
	})
}

// inNameOf does what a node says to sessions in a part's name if it hosts the part.
// Who does is asked only for sessions that are here: the others have ended, and the
// sender is told so.
func (w *network) inNameOf(f *farNode, part Part, sessions []id.ID, do func()) {
	here := false
	for _, s := range sessions {
		here = here || w.n.links[machine.Peer{ID: s}]
	}
	switch {
	case !part.inWorld():
		w.n.counts.Dropped++
	case !here || w.speaksFor(f.peer, part):
		do()
	default:
		w.doubt(f, part, do)
	}
}
