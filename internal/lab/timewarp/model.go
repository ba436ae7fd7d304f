package timewarp

import (
	"cmp"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/replay"
)

// warpWorld is a world of the kind that the thesis describes (3.1): characters that
// walk and cast spells, which take a second and hit whoever is in reach then, and
// animals that decide four times a second by what is near. Its order matters: a
// cast hits another character if an action before it comes late.
type warpWorld struct {
	characters []warpBody // of players
	animals    []warpBody
	history    uint64 // a digest of all events in their order
}

// warpBody is at (x, y), in millimetres, and walks vx, vy millimetres a second.
type warpBody struct {
	x, y, vx, vy int64
	health       int64
	casts        uint64 // changes with each cast and when one is interrupted
}

// warpEvent is an action ('w' walk, 'c' cast) or a derived event ('h' a spell ends,
// 'd' the animals decide).
type warpEvent struct {
	kind   byte
	who    int
	number uint64 // of the player's action; of the cast
	vx, vy int64
}

const (
	warpCast   = time.Second
	warpDecide = 250 * time.Millisecond
	warpReach  = 6000 // mm
	warpSide   = 40_000
	warpHealth = 100
)

type warpModel struct{ players, animals int }

func (m warpModel) start() *warpWorld {
	w := &warpWorld{}
	for i := range m.players {
		w.characters = append(w.characters, warpBody{x: int64(i) * 3571 % warpSide, y: int64(i) * 7919 % warpSide, health: warpHealth})
	}
	for i := range m.animals {
		w.animals = append(w.animals, warpBody{x: int64(i) * 5077 % warpSide, y: int64(i) * 4999 % warpSide, health: warpHealth})
	}
	return w
}

// Clone implements replay.Model.
func (warpModel) Clone(w *warpWorld) *warpWorld {
	return &warpWorld{append([]warpBody(nil), w.characters...), append([]warpBody(nil), w.animals...), w.history}
}

// Start implements replay.Model.
func (warpModel) Start(_ *warpWorld, at machine.Time, plan *replay.Plan[warpEvent]) {
	every := machine.Time(warpDecide)
	plan.Add((at/every+1)*every, warpEvent{kind: 'd'})
}

// Move implements replay.Model.
func (warpModel) Move(w *warpWorld, from, to machine.Time) *warpWorld {
	for _, list := range [][]warpBody{w.characters, w.animals} {
		for i := range list {
			b := &list[i]
			b.x = walked(b.x, b.vx, to-from)
			b.y = walked(b.y, b.vy, to-from)
		}
	}
	return w
}

// walked is where somebody is after a time, on a square without edges.
func walked(x, v int64, d machine.Time) int64 {
	x = (x + v*int64(d)/int64(time.Second)) % warpSide
	if x < 0 {
		x += warpSide
	}
	return x
}

// Run implements replay.Model.
func (m warpModel) Run(w *warpWorld, e replay.Event[warpEvent], plan *replay.Plan[warpEvent]) *warpWorld {
	what := e.What
	switch what.kind {
	case 'w':
		b := &w.characters[what.who]
		b.vx, b.vy = what.vx, what.vy
		b.casts++ // whoever walks stops casting
	case 'c':
		b := &w.characters[what.who]
		b.vx, b.vy = 0, 0
		b.casts++
		plan.Add(e.At.Add(warpCast), warpEvent{kind: 'h', who: what.who, number: b.casts})
	case 'h':
		if w.characters[what.who].casts == what.number {
			w.hit(what.who)
		}
	case 'd':
		w.decide()
		plan.Add(e.At.Add(warpDecide), what)
	}
	w.history = w.history*1099511628211 + uint64(e.At) ^ uint64(what.kind)<<32 ^ uint64(what.who)<<40 ^ what.number
	return w
}

// Compare implements replay.Model.
func (warpModel) Compare(a, b warpEvent) int {
	return cmp.Or(cmp.Compare(a.who, b.who), cmp.Compare(a.number, b.number))
}

// hit takes health from everything near a character, which comes back elsewhere
// when it has none left.
func (w *warpWorld) hit(who int) {
	c := w.characters[who]
	for _, list := range [][]warpBody{w.characters, w.animals} {
		for i := range list {
			b := &list[i]
			if away(b.x, c.x) > warpReach || away(b.y, c.y) > warpReach {
				continue
			}
			if b.health -= 7; b.health <= 0 {
				b.health, b.x, b.y = warpHealth, (b.y*31+7)%warpSide, (b.x*17+3)%warpSide
			}
		}
	}
}

// decide lets every animal walk to the nearest character, and the hurt ones away.
func (w *warpWorld) decide() {
	for i := range w.animals {
		a := &w.animals[i]
		near, best := 0, int64(1)<<62
		for k := range w.characters {
			if d := away(a.x, w.characters[k].x) + away(a.y, w.characters[k].y); d < best {
				near, best = k, d
			}
		}
		if len(w.characters) == 0 {
			continue
		}
		to, speed := w.characters[near], int64(2500)
		if a.health < warpHealth/2 {
			speed = -speed
		}
		a.vx, a.vy = speed*int64(cmp.Compare(to.x, a.x)), speed*int64(cmp.Compare(to.y, a.y))
	}
}

// away is a distance along one axis.
func away(a, b int64) int64 {
	d := max(a-b, b-a)
	return min(d, warpSide-d)
}

// digest identifies the whole state.
func (w *warpWorld) digest() string {
	return fmt.Sprintf("%x %v %v", w.history, w.characters, w.animals)
}
