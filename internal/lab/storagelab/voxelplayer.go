package storagelab

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// voxelPlayer walks about in a voxel world, digs and builds. Like a client it
// knows the world as of the last time that was agreed on, and goes on from there
// with what it has done since.
type voxelPlayer struct {
	r      rng.Rand
	see    func() (self *world.Player, tick uint64) // as agreed on; nil: not in the world
	around world.Blocks                             // as agreed on
	at     func(world.Vec) geom.Point
	next   machine.Time

	body   world.Body // as the player believes it to be
	mode   world.Mode
	tick   uint64        // of body
	seen   uint64        // tick of the agreed state that body goes on from
	inputs []world.Input // of the ticks after first
	first  uint64

	task    voxelTask
	heading uint16
	until   machine.Time // when it does something else
	where   geom.Point
}

type voxelTask uint8

const (
	voxelWalk voxelTask = iota
	voxelDig
	voxelBuild
	voxelTasks
)

// voxelEvery is how often a player signs what it has done: one action a second.
const voxelEvery = time.Second

func (p *voxelPlayer) Next() machine.Time { return p.next }

func (p *voxelPlayer) Place(machine.Time) geom.Point { return p.where }

// Act returns the batch of the ticks since the last one. Until the player sees
// itself in the world, its batches say that it comes.
func (p *voxelPlayer) Act() []byte {
	now := p.next
	p.next = now.Add(voxelEvery)
	tick := voxelrules.TickAt(now)
	b := voxelrules.Batch{First: tick - uint64(voxelEvery/voxelrules.TickTime) + 1}
	body, agreed := p.see()
	if body == nil {
		b.Join = true
		return b.AppendBinary(nil)
	}
	p.catchUp(body, agreed, b.First-1)
	if now >= p.until {
		p.task, p.until = voxelTask(p.r.Intn(int(voxelTasks))), now.Add(4*time.Second+time.Duration(p.r.Intn(int(8*time.Second))))
		p.heading = uint16(p.r.Uint64())
	}
	for p.tick < tick {
		m := p.moment(body)
		b.Moments = append(b.Moments, m)
		p.step(m.Input)
	}
	p.where = p.at(p.body.Pos)
	return b.AppendBinary(nil)
}

// catchUp goes on from the agreed state with the inputs since.
func (p *voxelPlayer) catchUp(body *world.Player, agreed, now uint64) {
	if agreed == p.seen && p.tick == now {
		return
	}
	p.seen, p.mode = agreed, body.Mode
	p.body, p.tick = body.Body, agreed
	if past := int(min(agreed-min(p.first, agreed), uint64(len(p.inputs)))); past > 0 {
		p.inputs = slices.Delete(p.inputs, 0, past)
	}
	p.first = agreed
	for _, in := range p.inputs {
		world.Step(p.around, &p.body, in, p.mode)
		p.tick++
	}
	for p.tick < now { // it has done nothing yet
		p.step(world.Input{Yaw: p.heading})
	}
}

// step does an input and remembers it.
func (p *voxelPlayer) step(in world.Input) {
	world.Step(p.around, &p.body, in, p.mode)
	p.inputs = append(p.inputs, in)
	p.tick++
}

// moment is what the player does in a tick.
func (p *voxelPlayer) moment(body *world.Player) voxelrules.Moment {
	m := voxelrules.Moment{Input: world.Input{Yaw: p.heading, Pitch: -8000}}
	switch {
	case body.Dead():
		if p.tick%100 == 0 { // the agreed state tells late that it has worked
			m.Act.Kind = world.ActRespawn
		}
	case p.task == voxelWalk:
		m.Input.Buttons = world.ButtonForward
		if p.body.Blocked || p.body.InWater {
			m.Input.Buttons |= world.ButtonJump
		}
		if p.body.Blocked && p.r.OneIn(20) {
			p.heading += uint16(p.r.Intn(20000))
		}
	case p.task == voxelDig && p.tick%20 == 0:
		at := p.beside().Add(0, int32(p.r.Intn(4)-1), 0)
		if b, ok := p.around.Block(at); ok && b != world.Air && !b.IsWater() {
			m.Act = world.Act{Kind: world.ActDig, At: at, Face: world.FaceUp}
		}
	case p.task == voxelBuild && p.tick%10 == 0:
		slot, full := p.hand(body)
		if on, free := p.ground(); full && free {
			m.Act = world.Act{Kind: world.ActPlace, At: on, Face: world.FaceUp, A: slot}
		}
	}
	return m
}

// beside is a block next to the player's feet.
func (p *voxelPlayer) beside() world.Pos {
	at := p.body.Pos.Block()
	if p.r.OneIn(2) {
		return at.Add(int32(2*p.r.Intn(2)-1), 0, 0)
	}
	return at.Add(0, 0, int32(2*p.r.Intn(2)-1))
}

// ground is a block near by that can be built on, if there is one.
func (p *voxelPlayer) ground() (at world.Pos, ok bool) {
	at = p.body.Pos.Block().Add(int32(p.r.Intn(5)-2), 2, int32(p.r.Intn(5)-2))
	for range 6 {
		above, _ := p.around.Block(at.Next(world.FaceUp))
		if b, _ := p.around.Block(at); b.Solid() {
			return at, above.Replaceable()
		}
		at.Y--
	}
	return at, false
}

// hand is a slot of the hot bar with something in it.
func (p *voxelPlayer) hand(body *world.Player) (slot int64, ok bool) {
	from := p.r.Intn(world.HotBar)
	for i := range world.HotBar {
		if n := (from + i) % world.HotBar; body.Items[n].Count > 0 {
			return int64(n), true
		}
	}
	return 0, false
}

// voxelHome is where newcomers stand: not too near to each other.
func voxelHome(r *rng.Rand, side int32, towns []geom.Point) geom.Point {
	t := towns[r.Intn(len(towns))]
	const far = 40 << 6
	return geom.Point{
		X: max(1, min(t.X+int32(r.Intn(2*far)-far), side-2)),
		Y: max(1, min(t.Y+int32(r.Intn(2*far)-far), side-2)),
	}
}
