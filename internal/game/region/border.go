package region

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Regions that tick watch the ring of columns around them. A message between
// regions may be lost whenever one of them changes its host: it goes to the
// node that led it before, or comes when nobody leads it. So messages to a
// neighbour are numbered; the watching region reports from time to time up to
// which number it has received all, and gets everything again if that is not
// far enough; who has not said so for long is told nothing more.
const (
	watchEvery   = 10 * time.Second
	watchedUntil = 35 * time.Second
)

// border is what the region is told of what lies beyond its border, and what its
// neighbours are told of this side. The columns around are the ring of the area.
type border struct {
	component
	heard   map[world.RegionPos]uint32 // the last number of those that came without a gap
	area    *regionlog.Area
	columns *columns
	list    []neighbour
	tending bool // a timer for the border is set
}

// watchNeighbours asks the neighbours for the ring, and says what has come of it.
func (b *border) watchNeighbours() {
	eachNeighbour(b.cfg.Pos, b.watchBorder)
	b.tend()
}

func (b *border) watchBorder(n world.RegionPos) {
	b.env.Send(PeerOf(n), &Watch{Rates: ringOf(b.cfg.Pos, n), BlocksOnly: true, Heard: b.heard[n]})
}

// tend sets the timer for the next look at who watches whom.
func (b *border) tend() {
	if !b.tending {
		b.tending = true
		b.after(watchEvery, machine.Timer{Kind: timerBorder})
	}
}

// onTimer forgets the neighbours that have not watched for long, and watches
// them again, if the region ticks.
func (b *border) onTimer(ticking bool) {
	b.tending = false
	now := b.env.Now()
	b.list = slices.DeleteFunc(b.list, func(n neighbour) bool { return now.Sub(n.asked) >= watchedUntil })
	switch {
	case ticking:
		b.watchNeighbours()
	case len(b.list) > 0:
		b.tend()
	}
}

// unwatchNeighbours lets the neighbours go.
func (b *border) unwatchNeighbours() {
	eachNeighbour(b.cfg.Pos, func(n world.RegionPos) {
		b.env.Send(PeerOf(n), &Watch{BlocksOnly: true})
	})
	b.area.ClearOutside()
	clear(b.heard)
}

// neighbourOf reports which neighbour a message about the ring comes from, if it
// is watched: while the region ticks.
func (b *border) neighbourOf(from machine.Peer, number uint32, ticking bool) (world.RegionPos, bool) {
	pos, ok := RegionOf(from)
	switch {
	case !ok || !adjacent(pos, b.cfg.Pos):
		ok = false
		b.stats.Refused++
	case ticking:
		b.noteNumber(pos, number)
	default:
		ok = false
		b.env.Send(from, &Watch{BlocksOnly: true})
	}
	return pos, ok
}

// onColumns takes columns of the ring.
func (b *border) onColumns(from machine.Peer, m *Columns, ticking bool) {
	pos, ok := b.neighbourOf(from, m.Number, ticking)
	if !ok {
		return
	}
	for _, c := range m.Columns {
		if c.Column != nil && c.Column.Pos.Region() == pos {
			b.area.PutOutside(c.Column)
		}
	}
}

// onBlocks takes changes in the ring.
func (b *border) onBlocks(from machine.Peer, m *Blocks, ticking bool) {
	pos, ok := b.neighbourOf(from, m.Number, ticking)
	if !ok {
		return
	}
	for _, c := range m.Changes {
		if c.Pos.Region() == pos {
			b.area.SetOutside(c.Pos, c.Block)
		}
	}
}

// neighbour is a region that watches blocks of this one.
type neighbour struct {
	peer   machine.Peer
	want   uint16 // columns
	fresh  uint16 // columns that it has to get
	number uint32 // of the last message to it, from 1
	mark   uint32 // number when it asked last
	asked  machine.Time
}

// restart lets a neighbour be told everything again.
func (n *neighbour) restart(want uint16) { n.want, n.fresh, n.number, n.mark = want, want, 0, 0 }

// onWatch takes which columns a neighbour watches; want is what it gets with the
// next feed, left says that it watches none any more.
func (b *border) onWatch(from machine.Peer, pos world.RegionPos, w *Watch) (want uint16, left bool) {
	if ringOf(pos, b.cfg.Pos) == (watchSet{}) {
		b.stats.Refused++
		return 0, false
	}
	want = watched(&w.Rates)
	i := b.find(from)
	switch {
	case i < 0 && want == 0:
		return 0, false
	case i < 0:
		b.list = append(b.list, neighbour{peer: from})
		i = len(b.list) - 1
	case want == 0:
		b.list = append(b.list[:i], b.list[i+1:]...)
		return 0, true
	}
	n := &b.list[i]
	if n.asked = b.env.Now(); w.Heard == 0 || w.Heard < n.mark || w.Heard > n.number || want != n.want {
		n.restart(want)
	}
	n.mark = n.number
	b.tend()
	return want, false
}

// wanted returns a bit for each column that a neighbour watches.
func (b *border) wanted() (bits uint16) {
	for i := range b.list {
		bits |= b.list[i].want
	}
	return bits
}

// restart begins anew with a neighbour that another machine leads now: it is told
// everything again, and watched again if the region ticks.
func (b *border) restart(from machine.Peer, pos world.RegionPos, tick uint64, ticking bool) {
	if i := b.find(from); i >= 0 { // its Watch may have come before
		b.list[i].restart(b.list[i].want)
		b.sendMissingColumns(tick)
	}
	if delete(b.heard, pos); ticking && ringOf(b.cfg.Pos, pos) != (watchSet{}) {
		b.watchBorder(pos)
	}
}

func (b *border) find(peer machine.Peer) int {
	for i := range b.list {
		if b.list[i].peer == peer {
			return i
		}
	}
	return -1
}

// sendMissingColumns sends neighbours the columns that they wait for and that are there.
func (b *border) sendMissingColumns(tick uint64) {
	for i := range b.list {
		n := &b.list[i]
		if ready := n.fresh & b.columns.loaded; ready != 0 {
			n.fresh &^= ready
			n.number++
			b.columns.send(n.peer, ready, tick, n.number)
		}
	}
}

// sendBlocks sends the block changes of a tick to the neighbours that watch
// their columns.
func (b *border) sendBlocks(tick uint64, changes []world.BlockChange) {
	if len(changes) == 0 {
		return
	}
	for i := range b.list {
		n := &b.list[i]
		var out []BlockChange
		for _, c := range changes {
			if bit := uint16(1) << c.At.Column().Index(); n.want&bit != 0 && n.fresh&bit == 0 {
				out = append(out, BlockChange{c.At, c.Now})
			}
		}
		if len(out) > 0 {
			n.number++
			b.env.Send(n.peer, &Blocks{Region: b.cfg.Pos, Tick: tick, Number: n.number, Changes: out})
		}
	}
}
