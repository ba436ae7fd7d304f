package bot

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// builder raises small houses, one after the other. Each block is put down only
// when the one before was acknowledged. In survival it digs for its material
// first.
type builder struct {
	doing int
	site  world.Pos // the middle of the floor, where the builder stands
	plan  []brick   // that are left
	tries int
	to    world.Vec // where it walks
	steps int       // it has been walking
	pause int       // steps until the next act: rules allow one in three
	asked brick     // what waits for its answer
}

// What a builder does.
const (
	seeking = iota // looks for a site
	going          // walks to it
	gathering
	building
	leaving // through the door
)

// brick is a block of a house and what it is put against.
type brick struct{ at, against world.Pos }

// perAct is one more than the rules ask for between two blocks.
const perAct = 4

func (m *builder) think(b *bot) world.Input {
	body := b.Body()
	if b.Self().Dead {
		respawn(b)
		*m = builder{}
		return world.Input{}
	}
	if m.pause > 0 {
		m.pause--
	}
	switch m.doing {
	case seeking:
		return m.seek(b, &body)
	case going, leaving:
		return m.goOn(b, &body)
	}
	if m.doing == gathering {
		m.gather(b)
	} else {
		m.build(b)
	}
	yaw := uint16(0)
	if len(m.plan) > 0 {
		yaw = towards(body.Pos, centreOf(m.plan[0].at))
	}
	return world.Input{Yaw: yaw}
}

// seek walks about and looks at one place in each step.
func (m *builder) seek(b *bot, body *world.Body) world.Input {
	if m.steps--; m.steps <= 0 {
		m.steps = 40 + b.rng.Intn(60)
		m.to = body.Pos
		m.to.X += numOf(b.rng.Intn(81) - 40)
		m.to.Z += numOf(b.rng.Intn(81) - 40)
	}
	at := body.Pos.Block().Add(int32(b.rng.Intn(17)-8), 0, int32(b.rng.Intn(17)-8))
	if site, ok := m.fits(b, at); ok && b.run.claim(site) {
		m.site, m.doing, m.to, m.steps = site, going, centreOf(site), 0
		m.plan = house(site)
		m.tries = 0
	}
	return walk(b, body, towards(body.Pos, m.to), true)
}

// fits reports a flat dry place of 7×7 with nothing on it, near the height of at.
func (m *builder) fits(b *bot, at world.Pos) (world.Pos, bool) {
	for y := at.Y + 2; y > at.Y-3; y-- {
		if bl, ok := b.block(world.Pos{X: at.X, Y: y - 1, Z: at.Z}); ok && bl.Solid() {
			at.Y = y
			break
		}
	}
	for z := int32(-3); z <= 3; z++ {
		for x := int32(-3); x <= 3; x++ {
			p := at.Add(x, 0, z)
			if ground, ok := b.block(p.Add(0, -1, 0)); !ok || !ground.Opaque() {
				return at, false
			}
			for y := range int32(5) {
				bl, ok := b.block(p.Add(0, y, 0))
				if !ok || bl.Solid() || bl.FluidLevel() > 0 {
					return at, false
				}
			}
		}
	}
	return at, true
}

// goOn walks to the site, or away from it.
func (m *builder) goOn(b *bot, body *world.Body) world.Input {
	if flat(body.Pos, m.to) < 0.25 {
		if m.doing == going {
			m.doing = gathering
		} else {
			m.doing = seeking
		}
		m.steps = 0
	} else if m.steps++; m.steps > 200 {
		*m = builder{} // something is in the way
	}
	in := walk(b, body, towards(body.Pos, m.to), true)
	if flat(body.Pos, m.to) < 1 {
		in.Buttons |= world.ButtonSneak // slowly, so as not to pass it
	}
	return in
}

// build puts down the next brick.
func (m *builder) build(b *bot) {
	if r, done := b.answer(); done {
		m.answered(b, r)
	}
	if b.act != nil || m.pause > 0 {
		return
	}
	for len(m.plan) > 0 {
		if bl, _ := b.block(m.plan[0].at); !bl.Solid() {
			break
		}
		m.plan = m.plan[1:] // is there already
	}
	if len(m.plan) == 0 {
		b.run.count(func(s *Summary) { s.Houses++ })
		m.doing, m.steps = leaving, 0
		m.to = centreOf(m.site.Add(0, 0, 5))
		return
	}
	slot, ok := m.material(b)
	if !ok {
		return
	}
	m.asked = m.plan[0]
	p := m.asked.against
	b.begin(wire.Act{Kind: wire.Place, X: p.X, Y: p.Y, Z: p.Z, Face: uint8(faceFrom(p, m.asked.at)), A: uint64(slot)})
	m.pause = perAct
}

// answered goes on after the node's answer. A block that will not go down is
// tried a few times (somebody may stand there), then left out.
func (m *builder) answered(b *bot, r wire.ActResult) {
	if m.asked == (brick{}) { // it was a pick
		return
	}
	if r.OK {
		if bl, _ := b.block(m.asked.at); !bl.Solid() {
			b.run.failed(errNotThere)
		}
		m.tries = 0
	} else if m.tries++; m.tries > 5 && len(m.plan) > 0 {
		m.plan, m.tries = m.plan[1:], 0
	} else {
		m.pause = 20
	}
	m.asked = brick{}
}

// material returns a slot of the hot bar with something to build with. In
// creative it takes what suits the house.
func (m *builder) material(b *bot) (slot int, ok bool) {
	creative := world.Mode(b.Self().Mode) == world.Creative
	want := m.suits(m.plan[0].at)
	for i := range world.HotBar {
		s := b.Slot(i)
		if have := world.Block(s.Block); s.Count > 0 && (have == want || !creative && have.Opaque()) {
			return i, true
		}
	}
	if !creative {
		*m = builder{} // all is used up: it begins anew, elsewhere
	} else if b.begin(wire.Act{Kind: wire.Pick, A: uint64(want), B: 0}) {
		m.pause = perAct
	}
	return 0, false
}

// styles are what walls and roofs are made of where there is a choice.
var styles = []struct{ wall, roof world.Block }{
	{world.OakPlanks, world.PinePlanks},
	{world.StoneBricks, world.OakPlanks},
	{world.Bricks, world.PinePlanks},
	{world.BirchPlanks, world.Bricks},
	{world.Cobblestone, world.OakPlanks},
}

// suits returns what a block of the house should be: the style depends on where
// the house stands.
func (m *builder) suits(at world.Pos) world.Block {
	style := styles[rng.Hash(uint64(m.site.X), uint64(m.site.Z))%uint64(len(styles))]
	if at.Y == m.site.Y+3 {
		return style.roof
	}
	return style.wall
}

// gather digs the ground around the site until there is enough for the house,
// or until nothing is left within reach.
func (m *builder) gather(b *bot) {
	if _, done := b.answer(); b.act != nil || done || m.pause > 0 {
		return
	}
	have := 0
	for i := range world.HotBar {
		if s := b.Slot(i); world.Block(s.Block).Opaque() {
			have += int(s.Count)
		}
	}
	at, found := m.quarry(b)
	if !found || have >= len(m.plan) || world.Mode(b.Self().Mode) == world.Creative {
		m.doing = building
		return
	}
	if b.begin(wire.Act{Kind: wire.Dig, X: at.X, Y: at.Y, Z: at.Z, Face: uint8(world.FaceUp)}) {
		m.pause = perAct
	}
}

// quarry finds a block of the ground around the house that is within reach.
// What is before the door stays.
func (m *builder) quarry(b *bot) (world.Pos, bool) {
	const far = 4
	for z := int32(-far); z <= far; z++ {
		for x := int32(-far); x <= far; x++ {
			if max(abs(x), abs(z)) < 3 || x*x+z*z > 18 || x == 0 && z > 0 {
				continue
			}
			p := m.site.Add(x, -1, z)
			bl, ok := b.block(p)
			if _, can := world.DigTicks(bl, world.Survival, world.Air); ok && can && bl.Opaque() {
				return p, true
			}
		}
	}
	return world.Pos{}, false
}
