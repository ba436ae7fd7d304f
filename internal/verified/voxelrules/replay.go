package voxelrules

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// outcome is a region at the end of a step, before what comes from its
// neighbours. Frozen.
type outcome struct {
	stay  []*state.Object // in the region
	left  []*state.Object // and in others
	rest  regionState     // without notes of this step
	notes []world.Pos     // for others
}

// Replay returns what is in the target at the end of a step (storage.Rules).
func (r *Rules) Replay(s *state.Step) []*state.Object {
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
func inOrder(list []*state.Object) []*state.Object {
	slices.SortFunc(list, func(a, b *state.Object) int {
		return cmp.Or(state.ByID(a, b), bytes.Compare(a.Digest[:], b.Digest[:]))
	})
	return slices.CompactFunc(list, func(a, b *state.Object) bool { return a.ID == b.ID })
}

// finish makes the object of what a region has besides blocks and bodies, nil if
// there is nothing.
func (r *Rules) finish(s *regionState) *state.Object {
	slices.SortFunc(s.notes, comparePos)
	s.notes = slices.Compact(s.notes)
	s.notes = s.notes[:min(len(s.notes), maxNotes)]
	if len(s.notes) == 0 && bytes.Equal(s.area, r.nothing) {
		return nil
	}
	return r.newRegionState(s)
}

// byWhom are actions by player, each player's in order.
type byWhom map[id.ID][]*state.Action

func sortActions(actions []*state.Action) byWhom {
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

// done is a region's replay. What it has seen of the regions around it is a part
// of what it depends on, and often nothing.
type done struct {
	seen []sight
	*outcome
}

// sight is a column of another region that a replay has looked at.
type sight struct {
	at   world.ColumnPos
	hash [2]uint64 // of how it differed from the terrain
}

// maxDone is how many replays of a region are remembered that differ only by what
// lies around it.
const maxDone = 16

// outcome replays one region, or remembers having done so with the same objects
// and actions, and the same of what it looked at beyond its border.
func (r *Rules) outcome(w *window, pos world.RegionPos, s *state.Step, acts byWhom) *outcome {
	k := r.key(w, pos, s, acts)
	list, _ := r.runs.Get(k)
	for _, d := range list {
		if w.shows(d.seen) {
			return d.outcome
		}
	}
	o, around := r.replay(w, pos, TickAt(s.From), TickAt(s.To), acts)
	if len(list) == maxDone {
		list = list[1:]
	}
	r.runs.Put(k, append(slices.Clone(list), done{w.seenBy(around), o}))
	return o
}

// seenBy are the columns that a replay has looked at; around is nil if it has not
// run.
func (w *window) seenBy(around *surroundings) (out []sight) {
	if around == nil {
		return nil
	}
	for i, looked := range around.looked {
		if at := (world.ColumnPos{X: around.low.X + int32(i%12), Z: around.low.Z + int32(i/12)}); looked {
			chunks, _ := w.columnAt(at)
			out = append(out, sight{at, hashOf(chunks)})
		}
	}
	return out
}

// shows reports whether who looks at columns here sees what was seen.
func (w *window) shows(seen []sight) bool {
	for _, s := range seen {
		if chunks, _ := w.columnAt(s.at); hashOf(chunks) != s.hash {
			return false
		}
	}
	return true
}

// key names what a region's replay depends on, but for blocks of the regions
// around it. Of who is in those it is only whether they keep it awake, and get
// what lies in it.
func (r *Rules) key(w *window, pos world.RegionPos, s *state.Step, acts byWhom) state.Digest {
	b := binary.BigEndian.AppendUint64(r.scratch[:0], uint64(s.From))
	b = binary.BigEndian.AppendUint64(b, uint64(s.To))
	b = binary.BigEndian.AppendUint32(b, uint32(pos.X))
	b = binary.BigEndian.AppendUint32(b, uint32(pos.Z))
	own := w.at(pos)
	for _, o := range own.all {
		b = append(b, o.Digest[:]...)
	}
	b = append(b, 0)
	r.around(pos, func(p world.RegionPos) {
		if l := w.at(p); l != nil && p != pos {
			for _, o := range l.letters {
				if m := o.State.(*remoteEdit); m.answered && r.isHere(w, pos, m.remote.Player) {
					b = append(b, o.Digest[:]...)
				}
			}
			b = append(b, 0)
		}
	})
	b = append(b, bit(r.awake(w, pos)))
	for _, o := range own.letters {
		b = append(b, bit(r.isNear(w, pos, o.State.(*remoteEdit).remote.Player)))
	}
	for _, o := range own.arriving {
		b = append(b, bit(r.stands(w, pos, o.Player.ID)))
	}
	for _, list := range [...][]*state.Object{own.characters, own.arriving, own.witnesses} {
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

// replay replays one region from its objects, and says through what it has looked
// at those around it; nil: it has not run.
func (r *Rules) replay(w *window, pos world.RegionPos, from, to uint64, acts byWhom) (*outcome, *surroundings) {
	own, out := w.at(pos), &outcome{rest: regionState{pos: pos, area: r.nothing}}
	if own.rest != nil {
		old := own.rest.State.(*regionState)
		out.rest.area, out.rest.notes = old.area, old.notes
	}
	for _, o := range own.arriving {
		r.put(out, r.arrive(o, acts, r.stands(w, pos, o.Player.ID)))
	}
	g := &region{from: from, to: to}
	for _, o := range own.bundles {
		g.leftInventories = append(g.leftInventories, o.State.(*leftInventory).inventory)
	}
	for _, o := range own.witnesses {
		g.auditors = append(g.auditors, r.startAuditorStep(o.Player, o.State.(*auditor), acts.bodies(o.Player.ID), from, to))
	}
	r.deliver(g, w, pos, out)
	if len(g.remotes) == 0 && len(own.witnesses) == 0 && !r.awake(w, pos) {
		for _, list := range [...][]*state.Object{own.chunks, own.mobs, own.items, own.bundles} {
			out.stay = append(out.stay, list...)
		}
		return out, nil
	}
	r.wake(g, w, own)
	leaving := map[id.ID]bool{}
	g.acts = make([][]world.Command, to-from)
	for _, o := range own.characters {
		var d playerCommands
		d.take(o.State.(*character).body, acts.bodies(o.Player.ID), from, to, g.acts)
		leaving[o.Player.ID] = d.leave
	}
	r.collect(g, g.run(), own, leaving, out)
	return out, g.outside
}
