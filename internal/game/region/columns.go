package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// allColumns has a bit for each column of a region.
const allColumns = 1<<world.Columns - 1

// columns knows which columns of the region are loaded, and how new they are:
// what those who watch them have to know besides the blocks.
type columns struct {
	component
	area     *regionlog.Area
	loaded   uint16 // columns that are there
	version  [world.Columns]uint64
	blocksAt [world.Columns]uint64 // tick whose frames have the last block change
	unsent   uint16                // columns with changes for the frames of the next tick
}

// complete reports whether all columns are there: the world can move.
func (c *columns) complete() bool { return c.loaded == allColumns }

// add puts a column in its place.
func (c *columns) add(col *world.Column) {
	i := col.Pos.Index()
	c.area.SetColumn(col)
	c.loaded |= 1 << i
	c.version[i]++
}

// change notes that a block of a column has changed.
func (c *columns) change(i int) {
	c.version[i]++
	c.unsent |= 1 << i
}

// endTick notes that the frames of a tick have the blocks that changed since
// the tick before.
func (c *columns) endTick(tick uint64) {
	for i := range c.blocksAt {
		if c.unsent>>i&1 == 1 {
			c.blocksAt[i] = tick
		}
	}
	c.unsent = 0
}

// recent returns a bit for each column whose blocks changed so lately that a
// stream may have the change in this tick.
func (c *columns) recent(tick uint64) uint16 { return c.changed(tick, RateQuart) }

// changed returns a bit for each column whose blocks changed in the last ticks.
func (c *columns) changed(tick, ticks uint64) (bits uint16) {
	for i, at := range c.blocksAt {
		if at != 0 && at+ticks > tick {
			bits |= 1 << i
		}
	}
	return bits
}

// send sends the blocks of columns, as they are after a tick.
func (c *columns) send(to machine.Peer, which uint16, tick uint64, number uint32) {
	out := &Columns{Region: c.cfg.Pos, Tick: tick, Number: number}
	for i := range c.version {
		if which>>i&1 == 1 {
			out.Columns = append(out.Columns, Column{c.area.Share(i), c.version[i]})
			c.stats.ColumnsSent++
		}
	}
	c.env.Send(to, out)
}

// sendSigns sends what is written on the signs of a column.
func (c *columns) sendSigns(to machine.Peer, column int) {
	m := &Signs{Region: c.cfg.Pos, Column: uint8(column)}
	for _, sign := range c.area.Texts(column) {
		m.Texts = append(m.Texts, SignText{frame.Place(sign.At), sign.Text})
	}
	c.env.Send(to, m)
}
