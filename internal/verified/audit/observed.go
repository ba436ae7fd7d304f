package audit

import (
	"bytes"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// observedBlocks are the blocks that regions show to the sessions of the node. There is
// one copy for all sessions, of what was shown last.
type observedBlocks struct {
	columns map[world.ColumnPos]*observedColumn
	watched map[watchKey][world.Columns]uint8
	decoder frame.Frame // used again and again
	// lastFrame is the frame of each watched region that was looked at last, while its
	// columns have not come anew: several sessions are shown the same one.
	lastFrame map[world.RegionPos][]byte
}

type watchKey struct {
	session id.ID
	in      world.RegionPos
}

// observedColumn is a column as it is shown. version grows with every change;
// comparedWith and comparedVersion remember a comparison without differences.
type observedColumn struct {
	column          *world.Column
	shared          bool
	version         uint64
	comparedWith    *world.Column
	comparedVersion uint64
}

func newObservedBlocks() observedBlocks {
	return observedBlocks{columns: map[world.ColumnPos]*observedColumn{}, watched: map[watchKey][world.Columns]uint8{}, lastFrame: map[world.RegionPos][]byte{}}
}

// onWatch notes what a session watches.
func (o *observedBlocks) onWatch(who id.ID, in world.RegionPos, m *region.Watch) {
	if m.Rates == ([world.Columns]uint8{}) {
		delete(o.watched, watchKey{who, in})
	} else {
		o.watched[watchKey{who, in}] = m.Rates
	}
	o.dropUnwatched(in)
}

// dropUnwatched forgets the columns of a region that nobody watches.
func (o *observedBlocks) dropUnwatched(in world.RegionPos) {
	var on [world.Columns]bool
	for k, rates := range o.watched {
		for i, rate := range rates {
			on[i] = on[i] || k.in == in && rate > 0
		}
	}
	for i := range on {
		if !on[i] {
			delete(o.columns, in.Column(i))
		}
	}
	if on == ([world.Columns]bool{}) {
		delete(o.lastFrame, in)
	}
}

// forgetSession forgets a session.
func (o *observedBlocks) forgetSession(who id.ID) {
	for k := range o.watched {
		if k.session == who {
			delete(o.watched, k)
			o.dropUnwatched(k.in)
		}
	}
}

func (o *observedBlocks) onColumns(who id.ID, m *region.Columns) {
	rates, ok := o.watched[watchKey{who, m.Region}]
	delete(o.lastFrame, m.Region)
	for i := range m.Columns {
		c := m.Columns[i].Column
		if c == nil || !ok || c.Pos.Region() != m.Region || rates[c.Pos.Index()] == 0 {
			continue
		}
		version := uint64(1)
		if old := o.columns[c.Pos]; old != nil {
			version = old.version + 1
		}
		o.columns[c.Pos] = &observedColumn{column: c, shared: true, version: version}
	}
}

func (o *observedBlocks) onFrame(who id.ID, m *region.Frame) {
	if _, ok := o.watched[watchKey{who, m.Region}]; !ok || len(m.Cells) == 0 || bytes.Equal(m.Cells, o.lastFrame[m.Region]) {
		return
	}
	if o.lastFrame[m.Region] = m.Cells; o.decoder.DecodeCells(m.Cells) != nil {
		return
	}
	for i := range o.decoder.Cells {
		c := &o.decoder.Cells[i]
		pos := m.Region.Column(int(c.Index))
		for _, b := range c.Blocks {
			if at := frame.PlaceIn(pos, b.Place); at.InWorld() && b.Block.Known() {
				o.set(at, b.Block)
			}
		}
	}
}

func (o *observedBlocks) set(at world.Pos, b world.Block) {
	c := o.columns[at.Column()]
	if c == nil {
		return
	}
	if c.shared {
		c.column, c.shared = c.column.Clone(), false
	}
	c.column.Set(int(at.X&31), int(at.Y), int(at.Z&31), b)
	c.version++
}

// block returns a block as it is shown; false: its column is not.
func (o *observedBlocks) block(at world.Pos) (world.Block, bool) {
	c := o.columns[at.Column()]
	if c == nil || at.Y < 0 || at.Y >= world.Height {
		return world.Air, false
	}
	return c.column.At(int(at.X&31), int(at.Y), int(at.Z&31)), true
}
