package voxelrules

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

const (
	nearBorder         = 32   // metres: how near a player keeps a neighbouring region awake
	remoteEditLifetime = 6000 // ticks until an answer that nobody has come for is thrown away
)

// region is a region that is being replayed, and what is to happen in it in one
// step. It is made anew from objects for each step by Rules, and kept from step
// to step by Sequence.
type region struct {
	area    *world.Area
	outside *surroundings // that area sees, of a region that Rules have made
	from    uint64
	to      uint64

	settles []world.Command   // answers that have found their player: first of all
	remotes []world.Command   // requests of neighbours: first of all
	notes   []world.Pos       // changed places beyond the border
	acts    [][]world.Command // of the ticks after from

	auditors        []*auditorStep // ascending by id
	leftInventories []inventory    // that lie here
}

// effects are what a step of a region has done besides changing it.
type effects struct {
	requests []world.Remote // to be answered by the regions they lie in
	answers  []world.Remote
	notes    []world.Pos                 // changed blocks that lie at the border
	touched  map[chunkAt]map[uint16]bool // blocks that were written to
	Tally
}

// Tally counts what became of acts.
type Tally struct {
	Done    int // acts that the rules accepted
	Refused int
	Blocks  int // changes
	Ticks   int // of regions
}

// Add adds another tally.
func (t *Tally) Add(u Tally) {
	t.Done += u.Done
	t.Refused += u.Refused
	t.Blocks += u.Blocks
	t.Ticks += u.Ticks
}

// config is what the rules of a region need to know. The dead come back in its
// middle, for the world's spawn may be out of reach.
func (r *Rules) config(pos world.RegionPos) world.AreaConfig {
	spawn, ok := r.spawns[pos]
	if !ok {
		middle := pos.Column(0).Origin().Add(world.RegionSize/2, 0, world.RegionSize/2)
		spawn = r.standing(middle.X, middle.Z)
		r.spawns[pos] = spawn
	}
	return world.AreaConfig{Seed: r.cfg.Seed, Spawn: spawn, Mobs: r.cfg.Mobs, Peace: r.cfg.Peace, Static: true}
}

// newArea returns a region without anything in it that sees its surroundings.
func (r *Rules) newArea(pos world.RegionPos, around world.Blocks) *world.Area {
	a := world.NewArea(r.config(pos), pos, around)
	a.SetZones(r.cfg.Zones)
	return a
}

// run replays the ticks of a step.
func (g *region) run() *effects {
	e := &effects{touched: map[chunkAt]map[uint16]bool{}}
	g.area.SetTick(g.from)
	for _, p := range g.notes {
		g.area.NoteOutside(p)
	}
	first := append(g.settles, g.remotes...)
	for tick := g.from + 1; tick <= g.to; tick++ {
		cmds := g.acts[tick-g.from-1]
		if tick == g.from+1 && len(first) > 0 {
			cmds = append(first, cmds...)
		}
		for _, a := range g.auditors {
			cmds = a.commands(g, tick, cmds)
		}
		c := g.area.Tick(tick, cmds)
		for _, a := range g.auditors {
			a.applyResults(c.Results)
		}
		e.collect(g.area, c)
	}
	slices.SortFunc(e.notes, comparePos)
	e.notes = slices.Compact(e.notes)
	e.Ticks = int(g.to - g.from)
	return e
}

// collect takes what is of interest out of a tick's changes.
func (e *effects) collect(a *world.Area, c *world.Changes) {
	for _, b := range c.Blocks {
		in, i := indexIn(b.At)
		if e.touched[in] == nil {
			e.touched[in] = map[uint16]bool{}
		}
		e.touched[in][i] = true
		if atBorder(a.Pos(), b.At) {
			e.notes = append(e.notes, b.At)
		}
	}
	e.Blocks += len(c.Blocks)
	for i := range c.Results {
		switch {
		case c.Results[i].Kind == world.CmdOrder:
		case c.Results[i].Code == world.Done:
			e.Done++
		default:
			e.Refused++
		}
	}
	e.requests = append(e.requests, c.Remotes...)
	e.answers = append(e.answers, c.Answers...)
}

// remoteEdits are the requests and answers that a step has left behind. A request
// beyond the world's edge is answered at once.
func (r *Rules) remoteEdits(e *effects, tick uint64) (out []*remoteEdit) {
	for _, m := range e.requests {
		l := &remoteEdit{tick: tick, remote: m}
		if !r.inWindow(m.At.Region()) {
			l.answered, l.remote.At, l.remote.Code = true, m.Body.Block(), world.NotLoaded
		}
		out = append(out, l)
	}
	for _, m := range e.answers {
		out = append(out, &remoteEdit{answered: true, tick: tick, remote: m})
	}
	return out
}

// atBorder reports whether a block of a region lies beside another region.
func atBorder(r world.RegionPos, p world.Pos) bool {
	x, z := p.X-r.X*world.RegionSize, p.Z-r.Z*world.RegionSize
	return x == 0 || z == 0 || x == world.RegionSize-1 || z == world.RegionSize-1
}

// besides reports whether a block lies directly beside a region that it is not
// in.
func besides(r world.RegionPos, p world.Pos) bool {
	if p.Region() == r {
		return false
	}
	for f := world.FaceNorth; f <= world.FaceEast; f++ {
		if p.Next(f).Region() == r {
			return true
		}
	}
	return false
}

// wakes reports whether a player at a place keeps a region awake.
func wakes(r world.RegionPos, at world.Vec) bool {
	x0, z0 := fixed.Int(int(r.X*world.RegionSize)), fixed.Int(int(r.Z*world.RegionSize))
	size, far := fixed.Int(world.RegionSize), fixed.Int(nearBorder)
	return at.X >= x0-far && at.X < x0+size+far && at.Z >= z0-far && at.Z < z0+size+far
}

// near reports whether two regions are the same or neighbours.
func near(a, b world.RegionPos) bool {
	dx, dz := a.X-b.X, a.Z-b.Z
	return max(dx, -dx, dz, -dz) <= 1
}

func comparePos(a, b world.Pos) int {
	return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X))
}

// settle is the command that gives a player the answer to its request.
func settle(m *world.Remote) world.Command {
	return world.Command{Player: m.Player, Kind: world.CmdSettle, Seq: m.Seq, Remote: m}
}

// request is the command that lets a region answer a neighbour's player.
func request(m *world.Remote) world.Command {
	return world.Command{Player: m.Player, Kind: world.CmdRemote, Seq: m.Seq, Remote: m}
}

// surroundings are the blocks of the eight regions around one.
type surroundings struct {
	low     world.ColumnPos // the lowest of the 3×3 regions
	columns [12 * 12]*world.Column
	load    func(world.ColumnPos) *world.Column // gives a column when it is first looked at; nil: columns has all
	looked  [12 * 12]bool                       // with load
}

// Block implements world.Blocks. What is farther away is not known.
func (s *surroundings) Block(p world.Pos) (world.Block, bool) {
	c := p.Column()
	x, z := uint32(c.X-s.low.X), uint32(c.Z-s.low.Z)
	if x >= 12 || z >= 12 {
		return world.Air, false
	}
	i := z*12 + x
	if s.load != nil && !s.looked[i] {
		s.columns[i], s.looked[i] = s.load(c), true
	}
	switch {
	case s.columns[i] == nil:
		return world.Air, false
	case p.Y < 0:
		return world.Bedrock, true
	case p.Y >= world.Height:
		return world.Air, true
	}
	return s.columns[i].At(int(p.X&31), int(p.Y), int(p.Z&31)), true
}

// set puts the columns of a region into their places.
func (s *surroundings) set(pos world.RegionPos, column func(world.ColumnPos) *world.Column) {
	for i := range world.Columns {
		at := pos.Column(i)
		s.columns[(at.Z-s.low.Z)*12+at.X-s.low.X] = column(at)
	}
}

// playerCommands are what a player's actions ask for in a step.
type playerCommands struct {
	join, leave, watch bool
}

// take sorts a player's commands into ticks. Those after it has left do not
// count.
func (d *playerCommands) take(who *world.Player, bodies [][]byte, from, to uint64, out [][]world.Command) {
	for _, body := range bodies {
		b, err := DecodeBatch(body)
		if err != nil || d.leave {
			continue
		}
		d.join, d.leave, d.watch = d.join || b.Join, b.Leave, d.watch || b.Audit
		if out != nil {
			b.commands(who, from, to, out)
		}
	}
}

// chunks returns the chunks that were written to, in order.
func (e *effects) chunks() []chunkAt {
	out := make([]chunkAt, 0, len(e.touched))
	for at := range e.touched {
		out = append(out, at)
	}
	slices.SortFunc(out, func(a, b chunkAt) int {
		return cmp.Or(cmp.Compare(a.pos.Z, b.pos.Z), cmp.Compare(a.pos.X, b.pos.X), cmp.Compare(a.y, b.y))
	})
	return out
}

// places returns where a chunk was written to, ascending.
func (e *effects) places(at chunkAt) []uint16 {
	out := make([]uint16, 0, len(e.touched[at]))
	for i := range e.touched[at] {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}
