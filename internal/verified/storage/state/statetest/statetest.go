// Package statetest has small objects, cells and rules for tests of the storage's
// components.
package statetest

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Thing is a version of an object that nobody looks into.
func Thing(n state.ObjectID, version byte) *state.Object {
	return &state.Object{ID: n, Pos: geom.Point{X: int32(n)}, Digest: state.Digest{version}}
}

// CellOf is a cell with a version of object 1, of object 2 and so on; 0: the object is not
// there.
func CellOf(versions ...byte) *state.Cell {
	var out []*state.Object
	for i, v := range versions {
		if v > 0 {
			out = append(out, Thing(state.ObjectID(i+1), v))
		}
	}
	return state.NewCell(out)
}

// Seen is a world of one cell at t_1, seen as a whole.
func Seen(c *state.Cell) *state.Snapshot {
	return &state.Snapshot{Of: 1, Cover: overlay.Area{Circle: geom.Circle{R: 1000}}, Grid: state.Grid{W: 1, H: 1, Cells: []*state.Cell{c}}}
}

// Answers are those of nodes of which each sees all of its cell.
func Answers(cells ...*state.Cell) (out []*messages.Result) {
	for _, c := range cells {
		out = append(out, &messages.Result{Seen: Seen(c)})
	}
	return out
}

// Rules encode objects in 200 bytes; nothing is in the world at t_0.
type Rules struct{ state.Rules }

// Object is a Thing with a size.
func (Rules) Object(n state.ObjectID, version byte) *state.Object {
	o := Thing(n, version)
	o.Size = 200
	return o
}

func (Rules) Initial(geom.Rect) []*state.Object { return nil }

func (Rules) AppendObject(out []byte, o *state.Object) []byte {
	b := make([]byte, 200)
	b[0], b[100] = byte(o.ID), o.Digest[0]
	return append(out, b...)
}

func (r Rules) DecodeObject(b []byte) (*state.Object, error) {
	if len(b) != 200 || b[0] == 0 {
		return nil, state.ErrDelta
	}
	return r.Object(state.ObjectID(b[0]), b[100]), nil
}

// Frozen is an environment in which time stands still. Timers that are set are forgotten.
type Frozen struct {
	machine.Env
	At machine.Time
}

func (f Frozen) Now() machine.Time                  { return f.At }
func (Frozen) SetTimer(machine.Time, machine.Timer) {}
