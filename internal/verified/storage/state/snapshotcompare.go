package state

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// NewSnapshot returns a snapshot of the whole world, of which the objects are
// given, for comparing with what nodes hold. Static objects are left out.
func NewSnapshot(of int64, objects []*Object, w World) *Snapshot {
	s := &Snapshot{Of: of, Cover: overlay.Area{Polygon: geom.Rect{Max: geom.Point{X: w.Side, Y: w.Side}}.Polygon(nil)}}
	s.Grid = GridOver(&s.Cover, &w, 0)
	cells := make([][]*Object, len(s.Cells))
	for _, o := range objects {
		if !o.Static {
			i := o.Pos.Y/w.Cell*s.W + o.Pos.X/w.Cell
			cells[i] = append(cells[i], o)
		}
	}
	for i, c := range cells {
		s.Cells[i] = NewCell(c)
	}
	return s
}

// Agrees reports whether two snapshots that both cover an area have the same
// objects there. Objects of the whole world have to ascend by ID.
func (s *Snapshot) Agrees(t *Snapshot, a *overlay.Area, w World) bool {
	g := GridOver(a, &w, 0)
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			how := Relate(a, x*w.Cell, y*w.Cell, w.Cell)
			if how != Outside && !SameWithin(a, s.At(x, y), t.At(x, y), how == Inside) {
				return false
			}
		}
	}
	return true
}

// Contradicts reports whether the snapshot takes something for known that is not so in
// another one, which covers as much.
func (s *Snapshot) Contradicts(t *Snapshot, w World) bool {
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			how := s.Covers(x, y, w.Cell)
			if how != Outside && !SameWithin(&s.Cover, s.At(x, y), t.At(x, y), how == Inside) {
				return true
			}
		}
	}
	return false
}

// CellDigest returns a digest of what a snapshot, of which an area was sent, says is
// in the cell in column x and row y; false if it does not tell of the whole cell.
// By it answers of different nodes are compared.
func (s *Snapshot) CellDigest(x, y int32, a *overlay.Area, w World) (Digest, bool) {
	if Relate(a, x*w.Cell, y*w.Cell, w.Cell) != Inside || s.Covers(x, y, w.Cell) != Inside {
		return Digest{}, false
	}
	return s.At(x, y).digest(), true
}

// CellDigestSeenBy is what the snapshot says of a cell as far as another one that is seen
// through an area tells of it too.
func (s *Snapshot) CellDigestSeenBy(other *Snapshot, x, y int32, a *overlay.Area, w World) Digest {
	var all []byte
	if c := s.At(x, y); c != nil {
		for _, o := range c.Objects {
			if other.Sees(a, o.Pos, &w) {
				all = append(all, o.Digest[:]...)
			}
		}
	}
	return id.Of(all)
}

// UnsureCells is how many cells of the snapshot are not known.
func (s *Snapshot) UnsureCells() (n int) {
	for _, on := range s.Unsure {
		if on {
			n++
		}
	}
	return n
}
