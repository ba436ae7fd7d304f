package voxelrules

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Sequence is the world in one place: every region kept as a world.Area from
// step to step, never taken apart into objects. It is what a storage has to
// agree with, bit for bit, whatever happens to its nodes.
type Sequence struct {
	r           *Rules
	regions     map[world.RegionPos]*kept
	people      map[id.ID]*person
	remoteEdits []*state.Object // by id

	witnesses map[id.ID]*standing
	bundles   map[world.RegionPos][]inventory
}

// standing is an auditor of a Sequence.
type standing struct {
	player *state.Player
	auditor
}

// kept is a region of a Sequence.
type kept struct {
	region
	around *surroundings
	pos    world.RegionPos
}

// person is a player of a Sequence: in the region at, or away.
type person struct {
	player  *state.Player
	at      world.RegionPos
	coming  coming
	present bool
	body    *world.Player // while it is not present
}

// NewSequence returns the world at t_0.
func NewSequence(cfg Config) *Sequence {
	return &Sequence{r: New(cfg), regions: map[world.RegionPos]*kept{}, people: map[id.ID]*person{},
		witnesses: map[id.ID]*standing{}, bundles: map[world.RegionPos][]inventory{}}
}

// Sequence returns the world of the rules at t_0. It shares nothing with them but
// the memory of untouched terrain.
func (r *Rules) Sequence() *Sequence {
	q := NewSequence(r.cfg)
	q.r.columns = r.columns
	return q
}

// Activate announces a player: it takes part in the next step, as after Rules.Activate.
func (q *Sequence) Activate(p *state.Player, place geom.Point) {
	w := q.people[p.ID]
	if w == nil {
		o := q.r.Activate(p, place, nil)
		w = &person{player: p, body: o.State.(*character).body, coming: newcomer}
		q.people[p.ID] = w
	} else if !w.present {
		w.coming = waking
	}
}

// get returns a region, put together from the terrain if it was never needed.
func (q *Sequence) get(pos world.RegionPos) *kept {
	g := q.regions[pos]
	if g == nil {
		g = &kept{pos: pos, around: &surroundings{low: world.RegionPos{X: pos.X - 1, Z: pos.Z - 1}.Column(0)}}
		g.area = q.r.newArea(pos, g.around)
		for i := range world.Columns {
			g.area.SetColumn(q.r.columns.untouched(pos.Column(i)).Clone())
		}
		q.regions[pos] = g
	}
	return g
}

// Advance runs a step with the actions of all players, in order.
func (q *Sequence) Advance(from, to machine.Time, actions []*state.Action) Tally {
	acts := sortActions(actions)
	people := q.sorted()
	awake := q.awake(people)
	for _, g := range awake {
		g.from, g.to = TickAt(from), TickAt(to)
		g.acts, g.settles, g.remotes = make([][]world.Command, g.to-g.from), nil, nil
		g.auditors, g.leftInventories = nil, q.bundles[g.pos]
		q.look(g)
	}
	q.deliver(TickAt(to))
	for _, w := range q.standing() {
		g := q.regions[w.at]
		g.auditors = append(g.auditors, q.r.startAuditorStep(w.player, &w.auditor, acts.bodies(w.player.ID), g.from, g.to))
	}
	stood := map[id.ID]*world.RegionPos{}
	for who, w := range q.witnesses {
		at := w.at
		stood[who] = &at
	}
	leaving := map[id.ID]bool{}
	for _, w := range people {
		q.instruct(w, acts.bodies(w.player.ID), leaving)
	}
	var sum Tally
	var all []*effects
	for _, g := range awake {
		e := g.run()
		g.notes = nil
		sum.Add(e.Tally)
		all = append(all, e)
	}
	for i, g := range awake {
		q.exchange(g, all[i])
	}
	q.arrive(people, leaving, acts, stood)
	q.remoteEdits = inOrder(q.remoteEdits)
	return sum
}

func (q *Sequence) standing() []*standing {
	return slices.SortedFunc(maps.Values(q.witnesses), func(a, b *standing) int { return bytes.Compare(a.player.ID[:], b.player.ID[:]) })
}

func (q *Sequence) sorted() []*person {
	out := make([]*person, 0, len(q.people))
	for _, w := range q.people {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b *person) int { return bytes.Compare(a.player.ID[:], b.player.ID[:]) })
	return out
}

// awake returns the regions that tick in the next step.
func (q *Sequence) awake(people []*person) []*kept {
	on := map[world.RegionPos]bool{}
	for _, w := range people {
		if !w.present {
			continue
		}
		at := q.regions[w.at].area.Player(w.player.ID).Body.Pos
		q.r.around(w.at, func(pos world.RegionPos) {
			if q.r.inWindow(pos) && wakes(pos, at) {
				on[pos] = true
			}
		})
	}
	for _, w := range q.witnesses {
		on[w.at] = true
	}
	for _, o := range q.remoteEdits {
		if e := o.State.(*remoteEdit); !e.answered {
			on[e.remote.At.Region()] = true
		}
	}
	out := make([]*kept, 0, len(on))
	for pos := range on {
		out = append(out, q.get(pos))
	}
	slices.SortFunc(out, func(a, b *kept) int {
		return cmp.Or(cmp.Compare(a.pos.Z, b.pos.Z), cmp.Compare(a.pos.X, b.pos.X))
	})
	return out
}

// look lets a region see its neighbours as they are now.
func (q *Sequence) look(g *kept) {
	q.r.around(g.pos, func(pos world.RegionPos) {
		if pos == g.pos || !q.r.inWindow(pos) {
			return
		}
		n := q.regions[pos]
		g.around.set(pos, func(c world.ColumnPos) *world.Column {
			if n == nil {
				return q.r.columns.untouched(c)
			}
			return n.area.Share(c.Index())
		})
	})
}

// deliver gives out requests and answers.
func (q *Sequence) deliver(to uint64) {
	q.remoteEdits = slices.DeleteFunc(q.remoteEdits, func(o *state.Object) bool {
		e := o.State.(*remoteEdit)
		lies := e.remote.At.Region()
		if !e.answered {
			g := q.regions[lies]
			g.remotes = append(g.remotes, request(&e.remote))
			return true
		}
		if w := q.people[e.remote.Player]; w != nil && w.present && near(w.at, lies) {
			g := q.regions[w.at]
			g.settles = append(g.settles, settle(&e.remote))
			return true
		}
		return e.tick+remoteEditLifetime <= to
	})
}

// instruct gives a player's commands to its region.
func (q *Sequence) instruct(w *person, bodies [][]byte, leaving map[id.ID]bool) {
	if !w.present {
		return
	}
	var d playerCommands
	g := q.regions[w.at]
	d.take(g.area.Player(w.player.ID), bodies, g.from, g.to, g.acts)
	leaving[w.player.ID] = d.leave
}

// exchange lets what has crossed the border of a region arrive.
func (q *Sequence) exchange(g *kept, e *effects) {
	for _, m := range slices.Clone(g.area.Mobs()) {
		if to := q.r.regionAt(q.r.place(m.Body.Pos)); to != g.pos {
			g.area.RemoveMob(m.Entity)
			q.get(to).area.AddMob(m)
		}
	}
	for _, it := range slices.Clone(g.area.Items()) {
		if to := q.r.regionAt(q.r.place(it.Body.Pos)); to != g.pos {
			g.area.RemoveItem(it.Entity)
			q.get(to).area.AddItem(it)
		}
	}
	for _, p := range slices.Clone(g.area.Players()) {
		if to := q.r.regionAt(q.r.place(p.Body.Pos)); to != g.pos {
			g.area.RemovePlayer(p.ID)
			q.add(p, to)
		}
	}
	for _, a := range g.auditors {
		if o := q.r.nextAuditor(&g.region, a, g.pos); o != nil {
			q.witnesses[a.player.ID].auditor = *o.State.(*auditor)
		} else {
			delete(q.witnesses, a.player.ID)
		}
	}
	q.bundles[g.pos] = g.leftInventories
	for _, l := range q.r.remoteEdits(e, g.to) {
		q.remoteEdits = append(q.remoteEdits, q.r.newRemoteEdit(l))
	}
	q.r.around(g.pos, func(pos world.RegionPos) {
		if pos == g.pos || !q.r.inWindow(pos) {
			return
		}
		for _, p := range e.notes {
			if besides(pos, p) {
				n := q.get(pos)
				n.notes = append(n.notes, p)
			}
		}
	})
}

// add puts a player into a region. What it did last is as long ago as before.
func (q *Sequence) add(p *world.Player, to world.RegionPos) {
	last := p.LastInput
	q.get(to).area.AddPlayer(p)
	p.LastInput = last
	q.people[p.ID].at = to
}

// arrive lets players come and go.
func (q *Sequence) arrive(people []*person, leaving map[id.ID]bool, acts byWhom, stood map[id.ID]*world.RegionPos) {
	for _, w := range people {
		switch {
		case leaving[w.player.ID]:
			w.present = false
			w.body = q.regions[w.at].area.RemovePlayer(w.player.ID)
		case w.coming != present:
			var d playerCommands
			d.take(w.body, acts.bodies(w.player.ID), 0, 0, nil)
			if d.watch && w.coming == newcomer {
				at := q.r.regionAt(q.r.place(w.body.Body.Pos))
				if old := stood[w.player.ID]; old == nil || !near(at, *old) {
					q.witnesses[w.player.ID] = &standing{w.player, auditor{at: at}}
				}
				delete(q.people, w.player.ID)
			} else if d.join && !d.leave {
				w.present = true
				q.add(freshSession(w.body), q.r.regionAt(q.r.place(w.body.Body.Pos)))
			} else if w.coming == newcomer {
				delete(q.people, w.player.ID)
			}
		}
		w.coming = present
	}
}

// Player returns a player who is in the world, to look at, nil if it is not.
func (q *Sequence) Player(who id.ID) *world.Player {
	if w := q.people[who]; w != nil && w.present {
		return q.regions[w.at].area.Player(who)
	}
	return nil
}

// TakesPart reports whether the next step looks at what somebody has signed: a player in
// the world or announced, or an auditor.
func (q *Sequence) TakesPart(who id.ID) bool {
	w := q.people[who]
	return w != nil && (w.present || w.coming != present) || q.witnesses[who] != nil
}

// Block reads a block of the world (world.Blocks).
func (q *Sequence) Block(p world.Pos) (world.Block, bool) {
	pos := p.Region()
	if !q.r.inWindow(pos) {
		return world.Air, false
	}
	if g := q.regions[pos]; g != nil {
		return g.area.Block(p)
	}
	switch {
	case p.Y < 0:
		return world.Bedrock, true
	case p.Y >= world.Height:
		return world.Air, true
	}
	return q.r.columns.untouched(p.Column()).At(int(p.X&31), int(p.Y), int(p.Z&31)), true
}

// Place returns where a point of the world is in the storage.
func (q *Sequence) Place(v world.Vec) geom.Point { return q.r.place(v) }

// Cells calls f for every cell of the world.
func (q *Sequence) Cells(f func(geom.Rect)) {
	for y := range q.r.cfg.Regions {
		for x := range q.r.cfg.Regions {
			low := geom.Point{X: x * cellSide, Y: y * cellSide}
			f(geom.Rect{Min: low, Max: geom.Point{X: low.X + cellSide, Y: low.Y + cellSide}})
		}
	}
}

// Objects returns what is in a cell, as Rules would have it; static characters
// too.
func (q *Sequence) Objects(cell geom.Rect) []*state.Object {
	pos := q.r.regionAt(cell.Min)
	var out []*state.Object
	for _, w := range q.sorted() {
		if !w.present && q.r.regionAt(q.r.place(w.body.Body.Pos)) == pos {
			p := *w.body
			out = append(out, q.r.newCharacter(w.player, true, &character{body: &p}))
		}
	}
	for _, w := range q.standing() {
		if w.at == pos {
			as := w.auditor
			out = append(out, q.r.newAuditor(w.player, &as))
		}
	}
	for _, inv := range q.bundles[pos] {
		out = append(out, q.r.newLeftInventory(&leftInventory{at: pos, inventory: inv}))
	}
	for _, o := range q.remoteEdits {
		if q.r.regionAt(o.Pos) == pos {
			out = append(out, o)
		}
	}
	if g := q.regions[pos]; g != nil {
		out = append(out, q.objects(g)...)
	}
	return inOrder(out)
}

func (q *Sequence) objects(g *kept) (out []*state.Object) {
	for _, p := range g.area.Players() {
		copied := *p
		out = append(out, q.r.newCharacter(q.people[p.ID].player, false, &character{body: &copied}))
	}
	for _, it := range g.area.Items() {
		copied := *it
		out = append(out, q.r.newItem(&copied))
	}
	mobs := slices.Clone(g.area.Mobs())
	for _, m := range mobs {
		copied := *m
		out = append(out, q.r.newMob(&copied))
		g.area.RemoveMob(m.Entity)
	}
	last := regionState{pos: g.pos, area: g.area.AppendRest(nil), notes: slices.Clone(g.notes)}
	for _, m := range mobs {
		g.area.AddMob(m)
	}
	if o := q.r.finish(&last); o != nil {
		out = append(out, o)
	}
	for i := range world.Columns {
		out = append(out, q.differences(g.area.Column(i))...)
	}
	return out
}

// differences compares a column with the terrain, block by block.
func (q *Sequence) differences(c *world.Column) (out []*state.Object) {
	wild := q.r.columns.untouched(c.Pos)
	for y := range c.Chunks {
		if c.Chunks[y].Equal(&wild.Chunks[y]) {
			continue
		}
		d := &difference{pos: c.Pos, y: uint8(y)}
		for i := range world.ChunkVolume {
			x, y, z := i&31, i>>10, i>>5&31
			if b := c.Chunks[d.y].At(x, y, z); b != wild.Chunks[d.y].At(x, y, z) {
				d.blocks = append(d.blocks, changed{uint16(i), b})
			}
		}
		out = append(out, q.r.newChunk(d))
	}
	return out
}
