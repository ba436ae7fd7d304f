package truth

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// local is what of a step lies in one region, by kind, each ascending by id.
type local struct {
	pos        world.RegionPos
	all        []*storage.Object
	chunks     []*storage.Object
	mobs       []*storage.Object
	letters    []*storage.Object
	characters []*storage.Object // who are there
	arriving   []*storage.Object // who have only announced to come
	rest       *storage.Object
}

// outcome is a region at the end of a step, before what comes from its
// neighbours. Frozen.
type outcome struct {
	stay  []*storage.Object // in the region
	left  []*storage.Object // and in others
	rest  rest              // without notes of this step
	notes []world.Pos       // for others
}

// window is the 5×5 regions around a target, row by row; nil outside of the
// world.
type window struct {
	x, z  int32 // the lowest region
	local [25]*local
}

func (w *window) at(p world.RegionPos) *local {
	x, z := p.X-w.x, p.Z-w.z
	if uint32(x) >= 5 || uint32(z) >= 5 {
		return nil
	}
	return w.local[z*5+x]
}

// Replay returns what is in the target at the end of a step (storage.Rules).
func (r *Rules) Replay(s *storage.Step) []*storage.Object {
	target := r.regionAt(s.Target.Min)
	w := r.sort(target, s.Objects)
	acts := sortActions(s.Actions)
	own := r.outcome(w, target, s, acts)
	out := slices.Clone(own.stay)
	last := own.rest
	last.notes = slices.Clone(last.notes)
	for dz := int32(-1); dz <= 1; dz++ {
		for dx := int32(-1); dx <= 1; dx++ {
			pos := world.RegionPos{X: target.X + dx, Z: target.Z + dz}
			if pos == target || !r.inWindow(pos) {
				continue
			}
			o := r.outcome(w, pos, s, acts)
			for _, left := range o.left {
				if r.regionAt(left.Pos) == target {
					out = append(out, left)
				}
			}
			for _, p := range o.notes {
				if besides(target, p) {
					last.notes = append(last.notes, p)
				}
			}
		}
	}
	if one := r.finish(&last); one != nil {
		out = append(out, one)
	}
	return inOrder(out)
}

// inOrder sorts objects by id. Of two with one id, which only a player who signs
// two acts with one number can bring about, one stays.
func inOrder(list []*storage.Object) []*storage.Object {
	slices.SortFunc(list, func(a, b *storage.Object) int {
		switch {
		case a.ID < b.ID:
			return -1
		case a.ID > b.ID:
			return 1
		}
		return bytes.Compare(a.Digest[:], b.Digest[:])
	})
	return slices.CompactFunc(list, func(a, b *storage.Object) bool { return a.ID == b.ID })
}

// finish makes the object of what a region has besides blocks and bodies, nil if
// there is nothing.
func (r *Rules) finish(s *rest) *storage.Object {
	slices.SortFunc(s.notes, comparePos)
	s.notes = slices.Compact(s.notes)
	s.notes = s.notes[:min(len(s.notes), maxNotes)]
	if len(s.notes) == 0 && bytes.Equal(s.area, r.nothing) {
		return nil
	}
	return r.newRest(s)
}

// sort puts the objects of a step into their regions.
func (r *Rules) sort(target world.RegionPos, objects []*storage.Object) *window {
	w := &window{x: target.X - 2, z: target.Z - 2}
	for i := range w.local {
		if p := (world.RegionPos{X: w.x + int32(i%5), Z: w.z + int32(i/5)}); r.inWindow(p) {
			w.local[i] = &local{pos: p}
		}
	}
	for _, o := range objects {
		l := w.at(r.regionAt(o.Pos))
		if l == nil || o.Static {
			continue
		}
		l.all = append(l.all, o)
		switch s := o.State.(type) {
		case *difference:
			l.chunks = append(l.chunks, o)
		case *world.Mob:
			l.mobs = append(l.mobs, o)
		case *letter:
			l.letters = append(l.letters, o)
		case *rest:
			l.rest = o
		case *character:
			if s.coming == present {
				l.characters = append(l.characters, o)
			} else {
				l.arriving = append(l.arriving, o)
			}
		}
	}
	return w
}

// byWhom are actions by player, each player's in order.
type byWhom map[id.ID][]*storage.Action

func sortActions(actions []*storage.Action) byWhom {
	out := make(byWhom)
	for _, a := range actions {
		out[a.Player.ID] = append(out[a.Player.ID], a)
	}
	return out
}

func (b byWhom) bodies(who id.ID) (out [][]byte) {
	for _, a := range b[who] {
		out = append(out, a.Body)
	}
	return out
}

// outcome replays one region, or remembers having done so with the same objects
// and actions.
func (r *Rules) outcome(w *window, pos world.RegionPos, s *storage.Step, acts byWhom) *outcome {
	k := r.key(w, pos, s, acts)
	if o, ok := r.runs.get(k); ok {
		return o
	}
	o := r.replay(w, pos, TickAt(s.From), TickAt(s.To), acts)
	r.runs.put(k, o)
	return o
}

// key names everything that a region's replay depends on.
func (r *Rules) key(w *window, pos world.RegionPos, s *storage.Step, acts byWhom) storage.Digest {
	b := binary.BigEndian.AppendUint64(r.scratch[:0], uint64(s.From))
	b = binary.BigEndian.AppendUint64(b, uint64(s.To))
	b = binary.BigEndian.AppendUint32(b, uint32(pos.X))
	b = binary.BigEndian.AppendUint32(b, uint32(pos.Z))
	digests := func(list []*storage.Object) {
		for _, o := range list {
			b = append(b, o.Digest[:]...)
		}
		b = append(b, 0)
	}
	own := w.at(pos)
	digests(own.all)
	r.around(pos, func(p world.RegionPos) {
		if l := w.at(p); l != nil && p != pos {
			digests(l.chunks)
			digests(l.letters)
			digests(l.characters)
		}
	})
	for _, list := range [...][]*storage.Object{own.characters, own.arriving} {
		for _, o := range list {
			for _, a := range acts[o.Player.ID] {
				b = append(append(b, a.Player.ID[:]...), a.Body...)
				b = binary.BigEndian.AppendUint32(b, uint32(len(a.Body)))
			}
		}
	}
	r.scratch = b
	return id.Of(b)
}

// around calls f for a region and the eight around it.
func (r *Rules) around(pos world.RegionPos, f func(world.RegionPos)) {
	for dz := int32(-1); dz <= 1; dz++ {
		for dx := int32(-1); dx <= 1; dx++ {
			f(world.RegionPos{X: pos.X + dx, Z: pos.Z + dz})
		}
	}
}

// replay replays one region from its objects.
func (r *Rules) replay(w *window, pos world.RegionPos, from, to uint64, acts byWhom) *outcome {
	own, out := w.at(pos), &outcome{rest: rest{pos: pos, area: r.nothing}}
	if own.rest != nil {
		old := own.rest.State.(*rest)
		out.rest.area, out.rest.notes = old.area, old.notes
	}
	for _, o := range own.arriving {
		r.put(out, r.arrive(o, acts))
	}
	g := &region{from: from, to: to}
	r.deliver(g, w, pos, out)
	if len(g.remotes) == 0 && !r.awake(w, pos) {
		for _, list := range [...][]*storage.Object{own.chunks, own.mobs} {
			out.stay = append(out.stay, list...)
		}
		return out
	}
	r.wake(g, w, own)
	leaving := map[id.ID]bool{}
	g.acts = make([][]world.Command, to-from)
	for _, o := range own.characters {
		var d deeds
		d.take(o.State.(*character).body, acts.bodies(o.Player.ID), from, to, g.acts)
		leaving[o.Player.ID] = d.leave
	}
	r.collect(g, g.run(), own, leaving, out)
	return out
}

// arrive decides about a character that has announced to come (thesis 5.4.1).
func (r *Rules) arrive(o *storage.Object, acts byWhom) *storage.Object {
	c := o.State.(*character)
	var d deeds
	d.take(c.body, acts.bodies(o.Player.ID), 0, 0, nil)
	switch {
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

// put adds an object to what has become of a region, where it lies now.
func (r *Rules) put(out *outcome, o *storage.Object) {
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
			m := o.State.(*letter)
			switch {
			case !m.answered && at == pos:
				g.remotes = append(g.remotes, request(&m.remote))
			case !m.answered:
			case r.isHere(w, pos, m.remote.Player):
				g.settles = append(g.settles, settle(&m.remote))
			}
			if m.answered && at == pos && m.tick+letterExpire > g.to && !r.isNear(w, pos, m.remote.Player) {
				out.stay = append(out.stay, o)
			}
		}
	})
}

// isHere reports whether a player is in a region at the beginning of the step.
func (r *Rules) isHere(w *window, pos world.RegionPos, who id.ID) bool {
	l := w.at(pos)
	return l != nil && slices.ContainsFunc(l.characters, func(o *storage.Object) bool { return o.Player.ID == who })
}

// isNear reports whether it is there or in a region around: there it gets the
// answers that lie here.
func (r *Rules) isNear(w *window, pos world.RegionPos, who id.ID) (found bool) {
	r.around(pos, func(at world.RegionPos) { found = found || r.isHere(w, at, who) })
	return found
}

// awake reports whether a player keeps a region going.
func (r *Rules) awake(w *window, pos world.RegionPos) (found bool) {
	r.around(pos, func(at world.RegionPos) {
		if l := w.at(at); l != nil && !found {
			found = slices.ContainsFunc(l.characters, func(o *storage.Object) bool {
				return wakes(pos, o.State.(*character).body.Body.Pos)
			})
		}
	})
	return found
}

// wake puts a region together from its objects.
func (r *Rules) wake(g *region, w *window, own *local) {
	s := &surroundings{low: world.RegionPos{X: own.pos.X - 1, Z: own.pos.Z - 1}.Column(0)}
	r.around(own.pos, func(at world.RegionPos) {
		if l := w.at(at); l != nil && at != own.pos {
			s.set(at, func(c world.ColumnPos) *world.Column { return r.lands.column(c, ofColumn(l.chunks, c)) })
		}
	})
	g.area = r.newArea(own.pos, s)
	for i := range world.Columns {
		at := own.pos.Column(i)
		g.area.SetColumn(r.lands.column(at, ofColumn(own.chunks, at)).Clone())
	}
	if own.rest != nil {
		old := own.rest.State.(*rest)
		if err := g.area.LoadRest(old.area); err != nil {
			panic("truth: what was checked when it was read cannot be read: " + err.Error())
		}
		g.notes = old.notes
	}
	for _, o := range own.mobs {
		m := *o.State.(*world.Mob)
		g.area.AddMob(&m)
	}
	for _, o := range own.characters {
		p := *o.State.(*character).body
		g.area.AddPlayer(&p)
	}
}

// ofColumn returns the chunks of one column.
func ofColumn(chunks []*storage.Object, pos world.ColumnPos) (out []*storage.Object) {
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
	out.rest.area, out.rest.notes, out.notes = g.area.AppendRest(nil), nil, e.notes
	r.collectChunks(g.area, e, own, out)
	for _, l := range r.letters(e, g.to) {
		r.put(out, r.newLetter(l))
	}
}

// collectChunks makes objects of the chunks that were written to.
func (r *Rules) collectChunks(a *world.Area, e *effects, own *local, out *outcome) {
	before := map[chunkAt]*storage.Object{}
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
		if d := r.lands.differ(at, old, e.places(at), a.Column(at.pos.Index())); d != nil {
			out.stay = append(out.stay, r.newChunk(d))
		}
	}
}
