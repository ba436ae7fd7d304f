package frame

import "github.com/voxelpopuli/voxelpopuli/internal/game/world"

// View is what a client knows of the entities of one region: the far end of
// the streams of its cells. The zero View knows nothing.
type View struct {
	cells [world.Columns][]Seen // by handle
}

// Seen is an entity in a View. A body that crosses from one cell into another
// may be seen in both, or in neither, for a few ticks.
type Seen struct {
	Motion
	Entity  uint64
	Present bool
	Kind    uint8
	Pose    uint8
	Held    world.Block
	Worn    Worn
	Name    string
}

// Apply brings the view to the frame's tick: for each cell forgetting, leaves,
// enters, moves, states and what is worn, in this order. Entries about entities that are not in
// the cell are ignored.
func (v *View) Apply(f *Frame) {
	for i := range f.Cells {
		v.apply(&f.Cells[i])
	}
}

func (v *View) apply(c *Cell) {
	seen := v.cells[c.Index]
	if c.Keyframe {
		clear(seen)
		seen = seen[:0]
	}
	for _, l := range c.Leaves {
		if s := at(seen, l.Handle); s != nil {
			*s = Seen{}
		}
	}
	for i := range c.Enters {
		e := &c.Enters[i]
		for int(e.Handle) >= len(seen) {
			seen = append(seen, Seen{})
		}
		seen[e.Handle] = Seen{
			Motion: e.Motion, Entity: e.Entity, Present: true,
			Kind: e.Kind, Pose: e.Pose, Held: e.Held, Name: string(e.Name),
		}
	}
	for i := range c.Moves {
		if s := at(seen, c.Moves[i].Handle); s != nil {
			c.Moves[i].Apply(&s.Motion)
		}
	}
	for _, st := range c.States {
		if s := at(seen, st.Handle); s != nil {
			s.Pose, s.Held = st.Pose, st.Held
		}
	}
	for _, w := range c.Wears {
		if s := at(seen, w.Handle); s != nil {
			s.Worn = w.Worn
		}
	}
	v.cells[c.Index] = seen
}

func at(seen []Seen, handle uint32) *Seen {
	if int(handle) >= len(seen) || !seen[handle].Present {
		return nil
	}
	return &seen[handle]
}

// Forget forgets the entities of a cell, when its column is no longer watched.
func (v *View) Forget(cell uint8) { v.cells[cell] = nil }

// Get returns the entity that a cell knows by a handle, or nil.
func (v *View) Get(cell uint8, handle uint32) *Seen { return at(v.cells[cell], handle) }

// Each calls do for each entity in the view, ordered by cell and handle.
func (v *View) Each(do func(cell uint8, handle uint32, s *Seen)) {
	for c := range v.cells {
		for h := range v.cells[c] {
			if s := &v.cells[c][h]; s.Present {
				do(uint8(c), uint32(h), s)
			}
		}
	}
}
