package client

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// maxPending bounds the inputs that wait for an acknowledgement: ten seconds.
const maxPending = 200

// me is the own body: predicted with the very steps that the node runs, and
// set right when the node came to another result.
type me struct {
	body    world.Body
	seq     uint32         // of the last input
	pending []pendingInput // not acknowledged
	input   wire.Input     // sent again and again
	step    [1]wire.Step
}

type pendingInput struct {
	seq uint32
	in  world.Input
}

// hear takes the node's word: what it has run, and where the body was then.
func (m *me) hear(c *Copy, own *frame.Own, mode world.Mode) {
	done := 0
	for done < len(m.pending) && own.HasAck && m.pending[done].seq <= own.Ack {
		done++
	}
	m.pending = m.pending[:copy(m.pending, m.pending[done:])]
	if !own.Corrected {
		return
	}
	b := &m.body
	b.Pos, b.Vel = own.Position, own.Velocity
	b.OnGround, b.Flying = own.Body&1 != 0, own.Body&2 != 0
	b.InWater, b.Climbing = own.Body&4 != 0, own.Body&8 != 0
	c.Read(func(w world.Blocks) {
		for _, p := range m.pending {
			world.Step(w, b, p.in, mode)
		}
	})
}

// Step runs one body step (1/20 s): it moves the predicted body and tells the
// node. Moved reports whether others can tell: frames are precise to 1/64 m and
// 1/256 turn.
func (m *Mirror) Step(in world.Input) (moved bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := seen(&m.me.body)
	m.copy.Read(func(w world.Blocks) {
		world.Step(w, &m.me.body, in, world.Mode(m.self.Mode))
	})
	m.me.seq++
	if len(m.me.pending) < maxPending {
		m.me.pending = append(m.me.pending, pendingInput{m.me.seq, in})
	}
	m.me.step[0] = wire.Step{Buttons: wire.Buttons(in.Buttons), Yaw: in.Yaw, Pitch: in.Pitch}
	m.me.input.Seq, m.me.input.Steps, m.me.input.Pos = m.me.seq, m.me.step[:], m.me.body.Pos
	return seen(&m.me.body) != was, m.send(&m.me.input)
}

// seen is a body as frames tell of it.
func seen(b *world.Body) frame.Motion {
	const shift = fixed.Shift - frame.UnitShift
	return frame.Motion{
		X: int32(b.Pos.X >> shift), Y: int32(b.Pos.Y >> shift), Z: int32(b.Pos.Z >> shift),
		Yaw: uint8(b.Yaw >> frame.AngleShift), Pitch: int8(b.Pitch >> frame.AngleShift),
	}
}

// View says how far the client wants to see: columns in full, regions of far
// terrain.
func (m *Mirror) View(columns, far int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.send(&wire.View{Distance: uint8(columns), Far: uint8(far)})
}

// Say says a line, or a command.
func (m *Mirror) Say(text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.send(&wire.Say{Text: text})
}

// Far asks for far tiles; they come to Options.Heard.
func (m *Mirror) Far(regions ...world.RegionPos) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.send(&wire.Far{Regions: regions})
}

// Leave takes leave; Run returns soon.
func (m *Mirror) Leave() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.send(&wire.Leave{})
}

// Act does something that is not moving. The answer comes to the returned
// channel, which has room for it. What it does to a block is in the copy at
// once, and taken back if the node refuses: Place shows what is in the slot, a
// Dig that takes no time shows air.
func (m *Mirror) Act(a wire.Act) (<-chan wire.ActResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.edits.begin(&a)
	switch a.Kind {
	case wire.Place:
		if a.A < uint64(len(m.slots)) && m.slots[a.A].Count > 0 {
			at := a.Pos()
			if against, _ := m.copy.Block(at); !against.Replaceable() {
				at = at.Next(world.Face(a.Face))
			}
			m.edits.show(m.copy, p, at, world.Block(m.slots[a.A].Block))
		}
	case wire.Dig:
		if b, ok := m.copy.Block(a.Pos()); ok {
			if ticks, can := world.DigTicks(b, world.Mode(m.self.Mode), world.Air); can && ticks == 0 {
				m.edits.show(m.copy, p, a.Pos(), world.Air)
			}
		}
	}
	return p.answer, m.send(&a)
}

// AskHosts asks who hosts the world; the answer comes to Options.Heard.
func (m *Mirror) AskHosts() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.send(&wire.AskHosts{})
}

// pings measures round trips.
type pings struct {
	sent  time.Time // zero: none is on its way
	time  uint32
	trips []time.Duration
}

// Ping asks for a Pong, unless one is on its way.
func (m *Mirror) Ping() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.pings.sent.IsZero() {
		return nil
	}
	m.pings.sent = time.Now()
	m.pings.time++
	return m.send(&wire.Ping{Time: m.pings.time})
}

func (p *pings) answered(t uint32, now time.Time) {
	if t == p.time && !p.sent.IsZero() {
		p.trips = append(p.trips, now.Sub(p.sent))
		p.sent = time.Time{}
	}
}

// Trips returns the round trips measured since the last call.
func (m *Mirror) Trips() []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.pings.trips
	m.pings.trips = nil
	return out
}
