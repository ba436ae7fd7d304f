package voxelrules

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// arrive decides about a character that has announced to come (thesis 5.4.1).
// Stands: its auditor is near already, and is not made a second time.
func (r *Rules) arrive(o *state.Object, acts byWhom, stands bool) *state.Object {
	c := o.State.(*character)
	var d playerCommands
	d.take(c.body, acts.bodies(o.Player.ID), 0, 0, nil)
	switch {
	case d.watch && c.coming == newcomer && stands:
		return nil
	case d.watch && c.coming == newcomer:
		return r.newAuditor(o.Player, &auditor{at: r.regionAt(o.Pos)})
	case d.join && !d.leave:
		return r.newCharacter(o.Player, false, &character{body: freshSession(c.body)})
	case c.coming == newcomer:
		return nil
	}
	return r.newCharacter(o.Player, true, &character{body: c.body})
}

// freshSession is a player who comes back.
func freshSession(p *world.Player) *world.Player {
	q := *p
	q.NewSession()
	q.Arriving = true
	return &q
}

// leaveInventory adds an object to what has become of a region, where it lies now.
func (r *Rules) put(out *outcome, o *state.Object) {
	switch {
	case o == nil:
	case r.regionAt(o.Pos) == out.rest.pos:
		out.stay = append(out.stay, o)
	default:
		out.left = append(out.left, o)
	}
}

// deliver gives answers to those who are near them and requests to the region
// they lie in. The others stay where they are.
func (r *Rules) deliver(g *region, w *window, pos world.RegionPos, out *outcome) {
	r.around(pos, func(at world.RegionPos) {
		l := w.at(at)
		if l == nil {
			return
		}
		for _, o := range l.letters {
			m := o.State.(*remoteEdit)
			switch {
			case !m.answered && at == pos:
				g.remotes = append(g.remotes, request(&m.remote))
			case !m.answered:
			case r.isHere(w, pos, m.remote.Player):
				g.settles = append(g.settles, settle(&m.remote))
			}
			if m.answered && at == pos && m.tick+remoteEditLifetime > g.to && !r.isNear(w, pos, m.remote.Player) {
				out.stay = append(out.stay, o)
			}
		}
	})
}

// wake puts a region together from its objects.
func (r *Rules) wake(g *region, w *window, own *local) {
	g.outside = &surroundings{low: world.RegionPos{X: own.pos.X - 1, Z: own.pos.Z - 1}.Column(0), load: func(c world.ColumnPos) *world.Column {
		if chunks, ok := w.columnAt(c); ok {
			return r.columns.column(c, chunks)
		}
		return nil
	}}
	g.area = r.newArea(own.pos, g.outside)
	for i := range world.Columns {
		at := own.pos.Column(i)
		g.area.SetColumn(r.columns.column(at, ofColumn(own.chunks, at)).Clone())
	}
	if own.rest != nil {
		old := own.rest.State.(*regionState)
		if err := g.area.LoadRest(old.area); err != nil {
			panic("voxelrules: what was checked when it was read cannot be read: " + err.Error())
		}
		g.notes = old.notes
	}
	for _, o := range own.mobs {
		m := *o.State.(*world.Mob)
		g.area.AddMob(&m)
	}
	for _, o := range own.items {
		it := *o.State.(*world.Item)
		g.area.AddItem(&it)
	}
	for _, o := range own.characters {
		p := *o.State.(*character).body
		g.area.AddPlayer(&p)
	}
}

// ofColumn returns the chunks of one column.
func ofColumn(chunks []*state.Object, pos world.ColumnPos) (out []*state.Object) {
	for _, o := range chunks {
		if o.State.(*difference).pos == pos {
			out = append(out, o)
		}
	}
	return out
}

// collect makes objects of what the step has left behind.
func (r *Rules) collect(g *region, e *effects, own *local, leaving map[id.ID]bool, out *outcome) {
	for _, o := range own.characters {
		p := g.area.Player(o.Player.ID)
		r.put(out, r.newCharacter(o.Player, leaving[p.ID], &character{body: p}))
	}
	for _, m := range slices.Clone(g.area.Mobs()) {
		r.put(out, r.newMob(m))
		g.area.RemoveMob(m.Entity)
	}
	for _, it := range slices.Clone(g.area.Items()) {
		r.put(out, r.newItem(it))
	}
	out.rest.area, out.rest.notes, out.notes = g.area.AppendRest(nil), nil, e.notes
	r.collectChunks(g.area, e, own, out)
	for _, l := range r.remoteEdits(e, g.to) {
		r.put(out, r.newRemoteEdit(l))
	}
	for _, a := range g.auditors {
		r.put(out, r.nextAuditor(g, a, out.rest.pos))
	}
	for _, inv := range g.leftInventories {
		r.put(out, r.newLeftInventory(&leftInventory{at: out.rest.pos, inventory: inv}))
	}
}

// collectChunks makes objects of the chunks that were written to.
func (r *Rules) collectChunks(a *world.Area, e *effects, own *local, out *outcome) {
	before := map[chunkAt]*state.Object{}
	for _, o := range own.chunks {
		d := o.State.(*difference)
		before[chunkAt{d.pos, d.y}] = o
		if e.touched[chunkAt{d.pos, d.y}] == nil {
			out.stay = append(out.stay, o)
		}
	}
	for _, at := range e.chunks() {
		var old *difference
		if o := before[at]; o != nil {
			old = o.State.(*difference)
		}
		if d := r.columns.differ(at, old, e.places(at), a.Column(at.pos.Index())); d != nil {
			out.stay = append(out.stay, r.newChunk(d))
		}
	}
}
