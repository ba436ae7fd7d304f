package mmve

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// npc wanders about its home, from one random place to the next.
type npc struct {
	home   geom.Point
	walk   leg
	legs   uint32 // walked so far: where the next one leads follows from it
	health uint8

	// What it becomes if nobody does anything to it: it follows from the fields above,
	// and all who replay the same version take the same object.
	next *state.Object
	then machine.Time // when next is; who computes an earlier or later time replaces it
}

// What random numbers are for.
const (
	drawPoint = iota + 1
	drawNPC
	drawCharacter
	drawLeg
	drawBag
	drawPlayer
)

// advance walks on to a time and returns the place there. Who has stood still for
// over an hour, as everybody has before a world's first step, does not make up
// for all of it.
func (w *World) advance(n *npc, who state.ObjectID, to machine.Time) geom.Point {
	if long := to.Add(-catchUp); n.walk.arrive < long {
		n.walk = standing(n.walk.to, long)
	}
	for n.walk.arrive <= to {
		n.legs++
		r := rng.New(w.cfg.Seed, drawLeg, uint64(who), uint64(n.legs))
		next := legTo(n.walk.to, w.near(n.home, wander, &r), n.walk.arrive, npcSpeed)
		next.arrive = max(next.arrive, next.start+1) // a leg of no length takes time too
		n.walk, n.health = next, fullHealth          // it has recovered
	}
	return n.walk.at(to)
}

// hit is a blow that a character deals.
type hit struct {
	at     machine.Time
	from   geom.Point
	target state.ObjectID
}

// replayNPC returns an NPC at a time after those hits that were meant for it, in
// their order, or nil if it is not in the target then.
func (w *World) replayNPC(o *state.Object, hits []hit, to machine.Time, target geom.Rect) *state.Object {
	if len(hits) == 0 {
		return w.walkNPC(o, to, target)
	}
	n := o.State.(*npc).copy()
	for _, h := range hits {
		if place := w.advance(&n, o.ID, h.at); place.Dist2(h.from) <= hitRange*hitRange {
			n.health -= min(n.health, hitStrength)
		}
	}
	place := w.advance(&n, o.ID, to)
	if !target.Holds(place) {
		return nil
	}
	return w.share(newNPC(o.ID, place, n))
}

// walkNPC is replayNPC for one who is left alone. Everybody who replays the same
// version gets the same object.
func (w *World) walkNPC(o *state.Object, to machine.Time, target geom.Rect) *state.Object {
	old := o.State.(*npc)
	if !old.mayEnter(target) {
		return nil // most of them: all around a cell are looked at for those who enter it
	}
	if old.next == nil || old.then != to {
		n := old.copy()
		place := w.advance(&n, o.ID, to)
		w.ahead.set(old, w.share(newNPC(o.ID, place, n)), to)
	}
	if !target.Holds(old.next.Pos) {
		return nil
	}
	return old.next
}

// copy is an NPC that may be changed.
func (n *npc) copy() npc {
	return npc{home: n.home, walk: n.walk, legs: n.legs, health: n.health}
}

// mayEnter reports whether an NPC can ever be in a part of the world: it stays within
// wander of its home, by more than rounding.
func (n *npc) mayEnter(target geom.Rect) bool {
	const far = wander + 2
	near := geom.Point{X: min(max(n.home.X, target.Min.X), target.Max.X-1), Y: min(max(n.home.Y, target.Min.Y), target.Max.Y-1)}
	return near.Dist2(n.home) <= far*far
}

// newNPC makes a version of an NPC.
func newNPC(who state.ObjectID, place geom.Point, n npc) *state.Object {
	both := &struct { // side by side in memory: who reads one reads the other
		o state.Object
		n npc
	}{n: n}
	o := &both.o
	*o = state.Object{ID: who, Pos: place, Size: npcSize, State: &both.n}
	var buf [npcSize]byte
	o.Digest = digest(appendNPC(buf[:0], o, &both.n))
	return o
}
