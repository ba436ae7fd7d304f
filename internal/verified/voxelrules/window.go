package voxelrules

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// local is what of a step lies in one region, by kind, each ascending by id.
type local struct {
	pos        world.RegionPos
	all        []*state.Object
	chunks     []*state.Object
	mobs       []*state.Object
	items      []*state.Object
	letters    []*state.Object
	characters []*state.Object // who are there
	arriving   []*state.Object // who have only announced to come
	witnesses  []*state.Object
	bundles    []*state.Object
	rest       *state.Object
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

// columnAt is how a column's chunks differ from the terrain; false: it is not of
// the world.
func (w *window) columnAt(pos world.ColumnPos) ([]*state.Object, bool) {
	l := w.at(pos.Region())
	if l == nil {
		return nil, false
	}
	return ofColumn(l.chunks, pos), true
}

// sort puts the objects of a step into their regions.
func (r *Rules) sort(target world.RegionPos, objects []*state.Object) *window {
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
		case *world.Item:
			l.items = append(l.items, o)
		case *remoteEdit:
			l.letters = append(l.letters, o)
		case *regionState:
			l.rest = o
		case *auditor:
			l.witnesses = append(l.witnesses, o)
		case *leftInventory:
			l.bundles = append(l.bundles, o)
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

// around calls f for a region and the eight around it.
func (r *Rules) around(pos world.RegionPos, f func(world.RegionPos)) {
	for dz := int32(-1); dz <= 1; dz++ {
		for dx := int32(-1); dx <= 1; dx++ {
			f(world.RegionPos{X: pos.X + dx, Z: pos.Z + dz})
		}
	}
}

// isHere reports whether a player is in a region at the beginning of the step.
func (r *Rules) isHere(w *window, pos world.RegionPos, who id.ID) bool {
	l := w.at(pos)
	return l != nil && slices.ContainsFunc(l.characters, func(o *state.Object) bool { return o.Player.ID == who })
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
			found = slices.ContainsFunc(l.characters, func(o *state.Object) bool {
				return wakes(pos, o.State.(*character).body.Body.Pos)
			})
		}
	})
	return found
}

// stands reports whether the auditor of a node is in a region or one around.
func (r *Rules) stands(w *window, pos world.RegionPos, who id.ID) (found bool) {
	r.around(pos, func(at world.RegionPos) {
		if l := w.at(at); l != nil {
			found = found || slices.ContainsFunc(l.witnesses, func(o *state.Object) bool { return o.Player.ID == who })
		}
	})
	return found
}
