package storage_test

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// toy is a small world for the tests, 2 km wide, units of 1 cm. Its creatures
// wander up to 25 m from home, and have a mood that mixes with that of everybody
// within 40 m, so that one wrong object spoils its surroundings. Characters walk
// up to 60 m in an interval and shout, which changes moods within 40 m.
type toy struct {
	side      int32
	creatures int
	players   []*state.Player
	all       []*state.Object
}

const toyRange = 4000

type being struct {
	home geom.Point
	mood uint64
}

// Actions.
const (
	wakeUp = iota
	sleep
	walk // with dx, dy
	shout
)

func newToy(creatures int) *toy {
	t := &toy{side: 200_000, creatures: creatures}
	for i := range creatures {
		r := rng.New(5, uint64(i))
		home := geom.Point{X: int32(r.Intn(int(t.side))), Y: int32(r.Intn(int(t.side)))}
		t.all = append(t.all, t.object(state.ObjectID(i+1), home, nil, false, being{home, r.Uint64()}))
	}
	return t
}

// mergePushes adds a player with a sleeping character, and returns where it sleeps.
func (t *toy) join(p *state.Player) geom.Point {
	t.players = append(t.players, p)
	i := len(t.players)
	r := rng.New(6, uint64(i))
	at := geom.Point{X: int32(r.Intn(int(t.side))), Y: int32(r.Intn(int(t.side)))}
	t.all = append(t.all, t.object(state.ObjectID(1_000_000+i), at, p, true, being{at, uint64(i)}))
	return at
}

func (t *toy) object(id state.ObjectID, at geom.Point, p *state.Player, static bool, b being) *state.Object {
	o := &state.Object{ID: id, Pos: at, Player: p, Static: static, Size: 41, State: b}
	if p != nil {
		o.Size += 28
	}
	o.Digest = digest(t.AppendObject(nil, o))
	return o
}

func digest(b []byte) state.Digest { return id.Of(b) }

func (t *toy) World() state.World {
	return state.World{Side: t.side, Cell: 10_000, Speed: 600, Range: toyRange}
}

func (t *toy) Initial(cell geom.Rect) (out []*state.Object) {
	for _, o := range t.all {
		if in(cell, o.Pos) {
			out = append(out, o)
		}
	}
	return out
}

func in(r geom.Rect, p geom.Point) bool {
	return p.X >= r.Min.X && p.X < r.Max.X && p.Y >= r.Min.Y && p.Y < r.Max.Y
}

func (t *toy) Replay(s *state.Step) (out []*state.Object) {
	for _, o := range s.Objects {
		if n := t.next(s, o); n != nil && in(s.Target, n.Pos) {
			out = append(out, n)
		}
	}
	return out
}

func (t *toy) next(s *state.Step, o *state.Object) *state.Object {
	b := o.State.(being)
	for _, p := range s.Objects {
		if p != o && near(o.Pos, p.Pos) {
			b.mood += rng.Hash(p.State.(being).mood)
		}
	}
	for _, a := range s.Actions {
		if a.Body[0] == shout && near(o.Pos, at(s, a.Player)) {
			b.mood += rng.Hash(a.Seq, uint64(a.At))
		}
	}
	b.mood = rng.Hash(b.mood)
	if o.Player == nil {
		r := rng.New(uint64(o.ID), uint64(s.To))
		return t.object(o.ID, t.inside(b.home, int32(r.Intn(3000))-1500, int32(r.Intn(3000))-1500), nil, false, b)
	}
	pos, awake := o.Pos, b.home.X >= 0
	for _, a := range s.Actions {
		if a.Player.ID != o.Player.ID {
			continue
		}
		switch a.Body[0] {
		case wakeUp:
			awake, b.home = true, geom.Point{}
		case sleep:
			awake = false
		case walk:
			pos = t.inside(pos, int32(int16(binary.LittleEndian.Uint16(a.Body[1:]))), int32(int16(binary.LittleEndian.Uint16(a.Body[3:]))))
		}
	}
	return t.object(o.ID, pos, o.Player, !awake, b)
}

func at(s *state.Step, p *state.Player) geom.Point {
	for _, o := range s.Objects {
		if o.Player != nil && o.Player.ID == p.ID {
			return o.Pos
		}
	}
	return geom.Point{X: -1 << 20}
}

func near(p, q geom.Point) bool { return p.Dist2(q) <= toyRange*toyRange }

func (t *toy) inside(p geom.Point, dx, dy int32) geom.Point {
	return geom.Point{X: min(max(p.X+dx, 0), t.side-1), Y: min(max(p.Y+dy, 0), t.side-1)}
}

// Activate marks the character as not there for good by a home that is nowhere.
func (t *toy) Activate(_ *state.Player, _ geom.Point, o *state.Object) *state.Object {
	if o == nil {
		return nil
	}
	b := o.State.(being)
	b.home = geom.Point{X: -1}
	return t.object(o.ID, o.Pos, o.Player, false, b)
}

func (t *toy) AppendObject(out []byte, o *state.Object) []byte {
	b := o.State.(being)
	le := binary.LittleEndian
	out = le.AppendUint64(out, uint64(o.ID))
	out = append(out, 0)
	if o.Static {
		out[len(out)-1] = 1
	}
	for _, v := range []int32{o.Pos.X, o.Pos.Y, b.home.X, b.home.Y} {
		out = le.AppendUint32(out, uint32(v))
	}
	out = le.AppendUint64(out, b.mood)
	out = le.AppendUint64(out, 0)
	if o.Player != nil {
		out = append(out, o.Player.ID[:]...)
		out = le.AppendUint32(out, uint32(o.Player.Home.X))
		out = le.AppendUint32(out, uint32(o.Player.Home.Y))
	}
	return out
}

func (t *toy) DecodeObject(b []byte) (*state.Object, error) {
	if len(b) != 41 && len(b) != 69 {
		return nil, errors.New("no object")
	}
	le := binary.LittleEndian
	at := func(i int) geom.Point { return geom.Point{X: int32(le.Uint32(b[i:])), Y: int32(le.Uint32(b[i+4:]))} }
	var p *state.Player
	if len(b) > 41 {
		p = &state.Player{ID: id.ID(b[41:61]), Home: at(61)}
	}
	return t.object(state.ObjectID(le.Uint64(b)), at(9), p, b[8] == 1, being{at(17), le.Uint64(b[25:])}), nil
}

// replayAll is the sequential replay: the whole world in one step.
func (t *toy) replayAll(world []*state.Object, woken []*state.Object, actions []*state.Action, from, to machine.Time) []*state.Object {
	var moving, out []*state.Object
	isWoken := func(o *state.Object) bool {
		return slices.ContainsFunc(woken, func(w *state.Object) bool { return w.ID == o.ID })
	}
	for _, o := range world {
		switch {
		case isWoken(o):
		case o.Static:
			out = append(out, o)
		default:
			moving = append(moving, o)
		}
	}
	moving = append(moving, woken...)
	byID := func(a, b *state.Object) int { return int(int64(a.ID) - int64(b.ID)) }
	slices.SortFunc(moving, byID)
	slices.SortFunc(actions, func(a, b *state.Action) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	out = append(out, t.Replay(&state.Step{
		From: from, To: to, Objects: moving, Actions: actions,
		Target: geom.Rect{Max: geom.Point{X: t.side, Y: t.side}},
	})...)
	slices.SortFunc(out, byID)
	return out
}
