package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// halo is the ring of columns around a region, as its neighbours tell: what
// bodies, water and mobs see past the border. It implements world.Blocks.
type halo struct {
	pos     world.RegionPos
	columns map[world.ColumnPos]*world.Column
	shared  map[world.ColumnPos]bool // frozen by the neighbour: copy before writing
}

func newHalo(pos world.RegionPos) *halo {
	return &halo{pos: pos, columns: map[world.ColumnPos]*world.Column{}, shared: map[world.ColumnPos]bool{}}
}

// Block implements world.Blocks.
func (h *halo) Block(p world.Pos) (world.Block, bool) {
	switch {
	case p.Y < 0:
		return world.Bedrock, true
	case p.Y >= world.Height:
		return world.Air, true
	}
	c := h.columns[p.Column()]
	if c == nil {
		return world.Air, false
	}
	return c.At(int(p.X&(world.ChunkSize-1)), int(p.Y), int(p.Z&(world.ChunkSize-1))), true
}

// inRing reports whether a column lies next to the region.
func (h *halo) inRing(c world.ColumnPos) bool {
	low := h.pos.Column(0)
	dx, dz := c.X-low.X+1, c.Z-low.Z+1
	const side = world.RegionCols + 2
	return uint32(dx) < side && uint32(dz) < side && c.Region() != h.pos
}

func (h *halo) put(c *world.Column) {
	if c != nil && h.inRing(c.Pos) {
		h.columns[c.Pos], h.shared[c.Pos] = c, true
	}
}

func (h *halo) change(p world.Pos, b world.Block) {
	pos := p.Column()
	c := h.columns[pos]
	if c == nil || !p.InWorld() || b >= world.BlockCount {
		return
	}
	if h.shared[pos] {
		c = c.Clone()
		h.columns[pos], h.shared[pos] = c, false
	}
	c.Set(int(p.X&(world.ChunkSize-1)), int(p.Y), int(p.Z&(world.ChunkSize-1)), b)
}

func (h *halo) clear() {
	clear(h.columns)
	clear(h.shared)
}

// around calls do for the eight regions around pos that are in the world, in a
// fixed order.
func around(pos world.RegionPos, do func(world.RegionPos)) {
	for dz := int32(-1); dz <= 1; dz++ {
		for dx := int32(-1); dx <= 1; dx++ {
			n := world.RegionPos{X: pos.X + dx, Z: pos.Z + dz}
			if n != pos && inWorld(n) {
				do(n)
			}
		}
	}
}

// inWorld reports whether a region lies inside the limit of the world.
func inWorld(p world.RegionPos) bool {
	const far = world.Limit / world.RegionSize
	return p.X >= -far && p.X < far && p.Z >= -far && p.Z < far
}

// ringOf returns which columns of a neighbour n touch the region at pos.
func ringOf(pos, n world.RegionPos) (set watchSet) {
	h := halo{pos: pos}
	for i := range set {
		if h.inRing(n.Column(i)) {
			set[i] = RateEvery
		}
	}
	return set
}

// watchAround asks the neighbours for the ring.
func (r *Region) watchAround() {
	around(r.cfg.Pos, func(n world.RegionPos) {
		r.env.Send(PeerOf(n), &Watch{Rates: ringOf(r.cfg.Pos, n), BlocksOnly: true})
	})
}

// unwatchAround lets the neighbours go.
func (r *Region) unwatchAround() {
	around(r.cfg.Pos, func(n world.RegionPos) {
		r.env.Send(PeerOf(n), &Watch{BlocksOnly: true})
	})
	r.halo.clear()
}

// onColumns takes columns of the ring.
func (r *Region) onColumns(from machine.Peer, m *Columns) {
	pos, ok := RegionOf(from)
	if !ok || !r.ticking {
		r.stats.Refused++
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
	pos, ok := RegionOf(from)
	if !ok {
		r.stats.Refused++
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
	peer  machine.Peer
	want  uint16 // columns
	fresh uint16 // columns that it has to get
}

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
	r.neighbours[i].want, r.neighbours[i].fresh = want, want
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
			r.sendColumns(n.peer, ready, r.tick)
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
			r.env.Send(n.peer, &Blocks{Region: r.cfg.Pos, Tick: tick, Changes: out})
		}
	}
}
