package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Tells returns a digest of what a snapshot, of which an area was sent, says is
// in the cell in column x and row y; false if it does not tell of the whole cell.
// By it answers of different nodes are compared.
func (s *Snapshot) Tells(x, y int32, a *overlay.Area, w World) (Digest, bool) {
	if relate(a, x*w.Cell, y*w.Cell, w.Cell) != inside || s.covers(x, y, w.Cell) != inside {
		return Digest{}, false
	}
	var all []byte
	if c := s.At(x, y); c != nil {
		for _, o := range c.Objects {
			all = append(all, o.Digest[:]...)
		}
	}
	return id.Of(all), true
}

// TellsTo is what the snapshot says of a cell as far as another one that is seen
// through an area tells of it too.
func (s *Snapshot) TellsTo(other *Snapshot, x, y int32, a *overlay.Area, w World) Digest {
	var all []byte
	if c := s.At(x, y); c != nil {
		for _, o := range c.Objects {
			if other.sees(a, o.Pos, &w) {
				all = append(all, o.Digest[:]...)
			}
		}
	}
	return id.Of(all)
}

// Doubts is how many cells of the snapshot are not known.
func (s *Snapshot) Doubts() (n int) {
	for _, on := range s.Unsure {
		if on {
			n++
		}
	}
	return n
}
