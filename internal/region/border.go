package region

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Regions that tick watch the ring of columns around them. A message between
// regions may be lost whenever one of them changes its host: it goes to the node
// that led it before, or comes when nobody leads it. So what a neighbour is told
// has numbers, who watches says from time to time how far it has heard without a
// gap, and is told everything again if that is not far enough; who has not said
// so for long is told nothing more.
const (
	watchEvery   = 10 * time.Second
	watchedUntil = 35 * time.Second
)

// watchAround asks the neighbours for the ring, and says what has come of it.
func (r *Region) watchAround() {
	around(r.cfg.Pos, r.watchBorder)
	r.tendBorder()
}

func (r *Region) watchBorder(n world.RegionPos) {
	r.env.Send(PeerOf(n), &Watch{Rates: ringOf(r.cfg.Pos, n), BlocksOnly: true, Heard: r.halo.heard[n]})
}

// tendBorder sets the timer for the next look at who watches whom.
func (r *Region) tendBorder() {
	if !r.tending {
		r.tending = true
		r.env.SetTimer(r.env.Now().Add(watchEvery), machine.Timer{Kind: timerBorder})
	}
}

func (r *Region) onBorderTimer() {
	r.tending = false
	now := r.env.Now()
	r.neighbours = slices.DeleteFunc(r.neighbours, func(n neighbour) bool { return now.Sub(n.asked) >= watchedUntil })
	switch {
	case r.ticking:
		r.watchAround()
		r.introduce()
	case len(r.neighbours) > 0:
		r.tendBorder()
	}
	r.rest()
}

// unwatchAround lets the neighbours go.
func (r *Region) unwatchAround() {
	around(r.cfg.Pos, func(n world.RegionPos) {
		r.env.Send(PeerOf(n), &Watch{BlocksOnly: true})
	})
	r.halo.clear()
}

// hearAround reports which neighbour a message about the ring comes from, if it
// is watched.
func (r *Region) hearAround(from machine.Peer, number uint32) (world.RegionPos, bool) {
	pos, ok := RegionOf(from)
	switch {
	case !ok || !adjacent(pos, r.cfg.Pos):
		ok = false
		r.stats.Refused++
	case r.ticking:
		r.halo.hear(pos, number)
	default:
		ok = false
		r.env.Send(from, &Watch{BlocksOnly: true})
	}
	return pos, ok
}

// onColumns takes columns of the ring.
func (r *Region) onColumns(from machine.Peer, m *Columns) {
	pos, ok := r.hearAround(from, m.Number)
	if !ok {
		return
	}
	for _, c := range m.Columns {
		if c.Column != nil && c.Column.Pos.Region() == pos {
			r.halo.put(c.Column)
		}
	}
}

// onBlocks takes changes in the ring.
func (r *Region) onBlocks(from machine.Peer, m *Blocks) {
	pos, ok := r.hearAround(from, m.Number)
	if !ok {
		return
	}
	for _, c := range m.Changes {
		if c.Pos.Region() == pos {
			r.halo.change(c.Pos, c.Block)
			r.area.NoteOutside(c.Pos)
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

// anew lets a neighbour be told everything again.
func (n *neighbour) anew(want uint16) { n.want, n.fresh, n.number, n.mark = want, want, 0, 0 }

func (r *Region) onNeighbourWatch(from machine.Peer, pos world.RegionPos, w *Watch) {
	if ringOf(pos, r.cfg.Pos) == (watchSet{}) {
		r.stats.Refused++
		return
	}
	want := watched(&w.Rates)
	i := r.findNeighbour(from)
	switch {
	case i < 0 && want == 0:
		return
	case i < 0:
		r.neighbours = append(r.neighbours, neighbour{peer: from})
		i = len(r.neighbours) - 1
	case want == 0:
		r.neighbours = append(r.neighbours[:i], r.neighbours[i+1:]...)
		r.rest()
		return
	}
	n := &r.neighbours[i]
	if n.asked = r.env.Now(); w.Heard == 0 || w.Heard < n.mark || w.Heard > n.number || want != n.want {
		n.anew(want)
	}
	n.mark = n.number
	r.tendBorder()
	r.loadColumns(want)
	r.feed()
}

func (r *Region) findNeighbour(peer machine.Peer) int {
	for i := range r.neighbours {
		if r.neighbours[i].peer == peer {
			return i
		}
	}
	return -1
}

// feed sends neighbours the columns that they wait for and that are there.
func (r *Region) feed() {
	for i := range r.neighbours {
		n := &r.neighbours[i]
		if ready := n.fresh & r.loaded; ready != 0 {
			n.fresh &^= ready
			n.number++
			r.sendColumns(n.peer, ready, r.tick, n.number)
		}
	}
}

// tellNeighbours sends the block changes of a tick to the neighbours that watch
// their columns.
func (r *Region) tellNeighbours(tick uint64, changes []world.BlockChange) {
	if len(changes) == 0 {
		return
	}
	for i := range r.neighbours {
		n := &r.neighbours[i]
		var out []BlockChange
		for _, c := range changes {
			if bit := uint16(1) << c.At.Column().Index(); n.want&bit != 0 && n.fresh&bit == 0 {
				out = append(out, BlockChange{c.At, c.Now})
			}
		}
		if len(out) > 0 {
			n.number++
			r.env.Send(n.peer, &Blocks{Region: r.cfg.Pos, Tick: tick, Number: n.number, Changes: out})
		}
	}
}
