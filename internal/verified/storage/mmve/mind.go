package mmve

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Mind is somebody who plays: it decides when the character acts and how (thesis
// 6.4.1, Modelling Player Behaviour). It does what it is expected to do whether
// or not its actions come through.
type Mind struct {
	w      *World
	r      rng.Rand
	next   machine.Time
	doing  activity
	until  machine.Time // when it will do something else
	walk   leg
	centre geom.Point      // interacting: of the circle that it stays in
	prey   []*state.Object // NPCs that live near
}

type activity uint8

const (
	absent activity = iota
	idle
	moving
	interacting
)

// ActionSize is what a message is charged for an action, in bytes.
const ActionSize = actionSize

// NewMind returns a player who comes into the world at a time; the character
// lies at place.
func (w *World) NewMind(p *state.Player, at machine.Time, place geom.Point) *Mind {
	return &Mind{
		w: w, r: rng.New(w.cfg.Seed, drawPlayer, uint64(CharacterOf(p)), uint64(at)),
		next: at, walk: standing(place, at),
	}
}

// Next returns when to call Act.
func (m *Mind) Next() machine.Time { return m.next }

// Place returns where the character is at a time.
func (m *Mind) Place(at machine.Time) geom.Point { return m.walk.at(at) }

// Act returns the body of the action that the player does now, at Next; nil if
// it does nothing for a while. The first is to come into the world.
func (m *Mind) Act() []byte {
	now := m.next
	if m.doing == absent {
		m.doing, m.until = idle, now
		m.next = now.Add(m.between(0, time.Second))
		return deed{kind: activate}.body()
	}
	var d deed
	if now >= m.until {
		d = m.choose(now)
	} else {
		d = m.goOn(now)
	}
	switch m.doing {
	case idle:
		m.next = m.until
		return nil
	case moving:
		m.next = now.Add(m.between(walkEvery, walkSpread))
	case interacting:
		m.next = now.Add(m.between(interactEvery, interactSpread))
	}
	m.next = max(now+1, min(m.next, m.until))
	return d.body()
}

// Leave returns the body of the action by which a player leaves the world.
func (m *Mind) Leave() []byte {
	m.doing = absent
	return deed{kind: deactivate}.body()
}

// choose picks what to do next, and begins it.
func (m *Mind) choose(now machine.Time) deed {
	switch n := m.r.Intn(100); {
	case n < idleShare:
		m.doing, m.until = idle, now.Add(idleFor)
		return deed{}
	case n < idleShare+moveShare && len(m.w.points) > 0:
		m.doing = moving
		d := m.goTo(m.w.near(m.anyNearPoint(), around, &m.r), now)
		m.until = m.walk.arrive
		return d
	}
	m.doing, m.until = interacting, now.Add(interactFor)
	m.centre = m.walk.at(now)
	if near := m.w.nearest(m.centre, 1); len(near) > 0 && near[0].Dist2(m.centre) <= around*around {
		m.centre = near[0]
	}
	m.prey = m.w.livingNear(m.centre, around)
	return m.goTo(m.w.near(m.centre, around, &m.r), now)
}

// goOn does one thing more of what it is about.
func (m *Mind) goOn(now machine.Time) deed {
	switch {
	case m.doing == moving:
		return deed{kind: gesture}
	case m.r.OneIn(4):
		return m.goTo(m.w.near(m.centre, around, &m.r), now)
	case len(m.prey) == 0:
		return deed{kind: gesture}
	}
	return deed{kind: strike, target: m.prey[m.r.Intn(len(m.prey))].ID}
}

func (m *Mind) goTo(to geom.Point, now machine.Time) deed {
	m.walk = legTo(m.walk.at(now), to, now, playerSpeed)
	return deed{kind: move, to: to}
}

func (m *Mind) between(least, spread time.Duration) time.Duration {
	return least + time.Duration(m.r.Intn(int(spread)))
}

// anyNearPoint returns one of the ten nearest points of interest.
func (m *Mind) anyNearPoint() geom.Point {
	near := m.w.nearest(m.walk.at(m.next), nearestPoints)
	return near[m.r.Intn(len(near))]
}

// nearest returns the n points of interest that are nearest to a place.
func (w *World) nearest(to geom.Point, n int) []geom.Point {
	all := slices.Clone(w.points)
	slices.SortFunc(all, func(a, b geom.Point) int {
		if geom.Closer(to, a, b) {
			return -1
		}
		if a == b {
			return 0
		}
		return 1
	})
	return all[:min(n, len(all))]
}

// livingNear returns the NPCs whose home is at most far from a place.
func (w *World) livingNear(c geom.Point, far int32) []*state.Object {
	reach := far + wander
	box := geom.Rect{
		Min: geom.Point{X: c.X - reach, Y: c.Y - reach},
		Max: geom.Point{X: c.X + reach + 1, Y: c.Y + reach + 1},
	}
	return slices.DeleteFunc(w.Initial(box), func(o *state.Object) bool {
		n, ok := o.State.(*npc)
		return !ok || n.home.Dist2(c) > int64(far)*int64(far)
	})
}
