package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What outlives the network. A node that comes in is told what it has to keep by
// its neighbours; when all nodes of a world have stopped, there is nobody who
// could. Therefore each keeps on its disk what it has, and begins with that. As it
// may be old, and nobody can tell, it is a guess (see tentative.go): where a majority
// of the zones knows better, it counts for nothing; where nobody knows anything,
// a majority that has kept the same makes it known again. For the same reason it
// is no misbehaviour to have kept something else.
//
// As long as that is so a cell stands still (see freeze.go): nodes come back one
// after the other, and whoever went on alone would make a world that nobody else
// has.

// Checkpoint is what the node would like to have when it begins anew; nil: it has
// nothing. It does not say of which update it is: the world may have stood still
// for any time.
func (n *Node) Checkpoint() *messages.Push {
	if n.replica.State == nil || !n.part.Hardened {
		return nil
	}
	s := *n.replica.State
	s.Of, s.Activated = 0, nil
	return &messages.Push{Seen: &s, Area: s.Cover}
}

// SameCheckpoint reports whether two are encoded alike. It costs next to nothing where
// little has changed: objects that stay are the same.
func SameCheckpoint(a, b *messages.Push) bool {
	if a == nil || b == nil {
		return a == b
	}
	s, t := a.Seen, b.Seen
	if !sameArea(&s.Cover, &t.Cover) || s.Whole != t.Whole || s.X != t.X || s.Y != t.Y || s.W != t.W || s.H != t.H {
		return false
	}
	for i, c := range s.Cells {
		x, y := s.X+int32(i)%s.W, s.Y+int32(i)/s.W
		d := t.Cells[i]
		if s.IsUnsure(x, y) != t.IsUnsure(x, y) || s.FreezeOf(x, y) != t.FreezeOf(x, y) || s.IsUnsure(x, y) && (c == nil) != (d == nil) || !state.SameCellContent(c, d) {
			return false
		}
	}
	return true
}

func sameArea(a, b *overlay.Area) bool {
	return a.Circle == b.Circle && slices.Equal(a.Polygon, b.Polygon)
}

// Restore gives the node what it had kept.
func (n *Node) Restore(m *messages.Push) {
	n.replica.Restore(m.Seen)
}
