package attack

import (
	"math/bits"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// plan is what the gang does about one retrieval.
type plan struct {
	g       *Gang
	of      int64
	static  bool
	area    overlay.Area
	world   state.World
	truth   *state.Snapshot // dynamic data; nil: static
	objects []*state.Object // the true ones in the area
	mask    uint32          // zones in whose answers T is tampered with
	targets map[state.ObjectID]bool
	claimed map[id.ID]bool // members that have claimed the area
	sung    bool           // all of them have
	cells   map[*state.Cell]*state.Cell
	snap    *state.Snapshot            // of who claims the area
	said    map[id.ID]*messages.Result // what members have answered
}

// votes reports whether T is tampered with in a zone's answers.
func (p *plan) votes(zone int) bool { return p.mask&(1<<zone) != 0 }

// scheme finds T: of what can be tampered with in the zones in which members get
// the question, the objects that have most zones (figure 6.13). If there are
// none, those who can claim the area tamper with all of it.
func (g *Gang) scheme(q *messages.Retrieve) *plan {
	p := &plan{
		g: g, of: q.Of, static: q.Kind == messages.ForJoin || q.Kind == messages.ForFailure, area: q.Area,
		targets: map[state.ObjectID]bool{}, claimed: map[id.ID]bool{}, said: map[id.ID]*messages.Result{}, cells: map[*state.Cell]*state.Cell{},
	}
	if nodes := g.anyone(); nodes != nil {
		p.world = nodes.World()
	}
	if p.static {
		for _, o := range g.know.Static() {
			if q.Area.Contains(o.Pos) {
				p.objects = append(p.objects, o)
			}
		}
	} else if p.truth = g.know.At(q.Of); p.truth != nil {
		p.objects = p.truth.Objects(&q.Area, p.world, nil)
	}
	masks := make([]uint32, len(p.objects))
	for zone := range g.space.Zones() {
		own, honest := p.receivers(zone)
		if len(own) == 0 || !g.ways.Parts {
			continue
		}
		for i, o := range p.objects {
			if p.free(own, honest, o.Pos) {
				masks[i] |= 1 << zone
			}
		}
	}
	p.choose(masks)
	return p
}

func (g *Gang) anyone() *storage.Node {
	for zone := range g.space.Zones() {
		if list := g.know.Zone(zone); len(list) > 0 {
			return list[0]
		}
	}
	return nil
}

// receivers are the nodes of a zone that get the question, those of the gang and,
// if there are any of these, the honest ones.
func (p *plan) receivers(zone int) (own, honest []*storage.Node) {
	list := p.g.know.Zone(zone)
	gets := func(n *storage.Node) bool { return n.Ready() && p.area.Overlaps(n.Cell()) }
	for _, n := range list {
		if p.g.Has(n.Self().ID) && gets(n) {
			own = append(own, n)
		}
	}
	if own == nil {
		return nil, nil
	}
	for _, n := range list {
		if !p.g.Has(n.Self().ID) && gets(n) {
			honest = append(honest, n)
		}
	}
	return own, honest
}

// free reports whether a member reports what lies at a place, and no honest node
// that is asked too (figure 5.6). Static data is only reported by the one node
// in whose cell it lies.
func (p *plan) free(own, honest []*storage.Node, at geom.Point) bool {
	reports := func(n *storage.Node) bool {
		if p.static {
			return n.Cell().Contains(at)
		}
		return p.sees(n, at)
	}
	return slices.ContainsFunc(own, reports) && (p.static || !slices.ContainsFunc(honest, reports))
}

// sees reports whether a place lies in what a node answers for.
func (p *plan) sees(n *storage.Node, at geom.Point) bool {
	if s := n.State(); s != nil && s.Of == p.of {
		return s.Knows(at, p.world)
	}
	return n.Circle().Contains(at)
}

// choose takes the objects that have most zones; of several sets of zones the
// one with most objects, and then the first.
func (p *plan) choose(masks []uint32) {
	count := map[uint32]int{}
	var order []uint32
	for _, m := range masks {
		if m == 0 {
			continue
		}
		if count[m] == 0 {
			order = append(order, m)
		}
		count[m]++
	}
	for _, m := range order {
		more := bits.OnesCount32(m) - bits.OnesCount32(p.mask)
		if more > 0 || more == 0 && count[m] > count[p.mask] {
			p.mask = m
		}
	}
	for i, o := range p.objects {
		if masks[i]&p.mask == p.mask { // all of them, if there is no zone
			p.targets[o.ID] = true
		}
	}
}

// spoil chooses what a member tampers with whose zone has no part in T, so that
// the zone's result is at least not the right one: what nobody honest reports
// too, and if there is nothing of that, all it has, which makes a tie with a
// single neighbour.
func (p *plan) spoil(n *storage.Node, zone int) map[state.ObjectID]bool {
	own, honest := p.receivers(zone)
	free, all := map[state.ObjectID]bool{}, map[state.ObjectID]bool{}
	for _, o := range p.objects {
		if p.static && n.Cell().Contains(o.Pos) || !p.static && p.sees(n, o.Pos) {
			all[o.ID] = true
			if p.free(own, honest, o.Pos) {
				free[o.ID] = true
			}
		}
	}
	if len(free) > 0 {
		return free
	}
	return all
}

// tamperAll replaces some of a list of objects.
func (p *plan) tamperAll(list []*state.Object, targets map[state.ObjectID]bool) []*state.Object {
	out := slices.Clone(list)
	for i, o := range out {
		if targets[o.ID] {
			out[i] = Tamper(o)
		}
	}
	return out
}

// whole is the answer of who claims the area: the true world but for T.
func (p *plan) whole() *state.Snapshot {
	if p.snap == nil {
		p.snap = p.window(p.truth, p.area, p.targets, true)
		p.snap.Whole = p.g.protocol == storage.ProtocolHardened
	}
	return p.snap
}

// part is the answer of a member with what lies in its own part of the world.
// What it holds itself is right unless it was deceived.
func (p *plan) part(n *storage.Node, own *state.Snapshot, targets map[state.ObjectID]bool) *state.Snapshot {
	if p.truth == nil {
		return nil
	}
	cover := overlay.Area{Circle: n.Circle()}
	if own != nil && own.Of == p.of {
		cover = own.Cover
	} else {
		own = p.truth
	}
	return p.window(own, cover, targets, p.votes(p.g.space.Zone(n.Self().Pos)))
}

// window copies the cells of a snapshot around the area, tampered with; shared:
// the targets are T, with which cells are tampered once for all.
func (p *plan) window(from *state.Snapshot, cover overlay.Area, targets map[state.ObjectID]bool, shared bool) *state.Snapshot {
	x0, y0, x1, y1 := within(&p.area, p.world)
	s := &state.Snapshot{Of: p.of, Cover: cover, Activated: from.Activated, Whole: p.g.protocol == storage.ProtocolHardened}
	s.X, s.Y, s.W, s.H = x0, y0, x1-x0+1, y1-y0+1
	s.Cells = make([]*state.Cell, 0, s.W*s.H)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			c := from.At(x, y)
			if c != nil && slices.ContainsFunc(c.Objects, Tampered) {
				c = p.truth.At(x, y)
			}
			s.Cells = append(s.Cells, p.cell(c, targets, shared))
		}
	}
	return s
}

// cell is a cell with some of its objects tampered with.
func (p *plan) cell(c *state.Cell, targets map[state.ObjectID]bool, shared bool) *state.Cell {
	if c == nil || !slices.ContainsFunc(c.Objects, func(o *state.Object) bool { return targets[o.ID] }) {
		return c
	}
	if bad := p.cells[c]; bad != nil && shared {
		return bad
	}
	bad := state.NewCell(p.tamperAll(c.Objects, targets))
	if shared {
		p.cells[c] = bad
	}
	return bad
}
