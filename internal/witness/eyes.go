package witness

import (
	"bytes"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// eyes are the blocks that regions show to the sessions of the node. What
// several sessions are shown is kept once: who is shown something else than
// another has it compared as well, when it comes last.
type eyes struct {
	seen    map[world.ColumnPos]*eye
	watched map[watching][world.Columns]uint8
	frames  frame.Frame // used again and again
	// last is the frame of each watched region that was looked at last, while its
	// columns have not come anew: several sessions are shown the same one.
	last map[world.RegionPos][]byte
}

type watching struct {
	session id.ID
	in      world.RegionPos
}

// eye is a column as it is shown. Version grows with every change; against and
// equal remember the comparison of one version.
type eye struct {
	column  *world.Column
	shared  bool
	version uint64
	against *world.Column
	equal   uint64
}

func newEyes() eyes {
	return eyes{seen: map[world.ColumnPos]*eye{}, watched: map[watching][world.Columns]uint8{}, last: map[world.RegionPos][]byte{}}
}

// watch notes what a session watches, and forgets what nobody does any more.
func (e *eyes) watch(who id.ID, in world.RegionPos, m *region.Watch) {
	if m.Rates == ([world.Columns]uint8{}) {
		delete(e.watched, watching{who, in})
	} else {
		e.watched[watching{who, in}] = m.Rates
	}
	e.drop(in)
}

// drop forgets the columns of a region that nobody watches.
func (e *eyes) drop(in world.RegionPos) {
	var on [world.Columns]bool
	for k, rates := range e.watched {
		for i, rate := range rates {
			on[i] = on[i] || k.in == in && rate > 0
		}
	}
	for i := range on {
		if !on[i] {
			delete(e.seen, in.Column(i))
		}
	}
	if on == ([world.Columns]bool{}) {
		delete(e.last, in)
	}
}

// forget forgets a session.
func (e *eyes) forget(who id.ID) {
	for k := range e.watched {
		if k.session == who {
			delete(e.watched, k)
			e.drop(k.in)
		}
	}
}

func (e *eyes) columns(who id.ID, m *region.Columns) {
	rates, ok := e.watched[watching{who, m.Region}]
	delete(e.last, m.Region)
	for i := range m.Columns {
		c := m.Columns[i].Column
		if c == nil || !ok || c.Pos.Region() != m.Region || rates[c.Pos.Index()] == 0 {
			continue
		}
		version := uint64(1)
		if old := e.seen[c.Pos]; old != nil {
			version = old.version + 1
		}
		e.seen[c.Pos] = &eye{column: c, shared: true, version: version}
	}
}

func (e *eyes) frame(who id.ID, m *region.Frame) {
	if _, ok := e.watched[watching{who, m.Region}]; !ok || len(m.Cells) == 0 || bytes.Equal(m.Cells, e.last[m.Region]) {
		return
	}
	if e.last[m.Region] = m.Cells; e.frames.DecodeCells(m.Cells) != nil {
		return
	}
	for i := range e.frames.Cells {
		c := &e.frames.Cells[i]
		pos := m.Region.Column(int(c.Index))
		for _, b := range c.Blocks {
			if at := frame.PlaceIn(pos, b.Place); at.InWorld() && b.Block < world.BlockCount {
				e.set(at, b.Block)
			}
		}
	}
}

func (e *eyes) set(at world.Pos, b world.Block) {
	y := e.seen[at.Column()]
	if y == nil {
		return
	}
	if y.shared {
		y.column, y.shared = y.column.Clone(), false
	}
	y.column.Set(int(at.X&31), int(at.Y), int(at.Z&31), b)
	y.version++
}

// block is one as it is shown; false: it is not.
func (e *eyes) block(at world.Pos) (world.Block, bool) {
	y := e.seen[at.Column()]
	if y == nil || at.Y < 0 || at.Y >= world.Height {
		return world.Air, false
	}
	return y.column.At(int(at.X&31), int(at.Y), int(at.Z&31)), true
}
