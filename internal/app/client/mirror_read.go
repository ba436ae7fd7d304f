package client

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Welcome returns what the node said at first.
func (m *Mirror) Welcome() *wire.Welcome { return m.welcome }

// Blocks returns the copy of the blocks.
func (m *Mirror) Blocks() *Copy { return m.copy }

// Body returns the own body as predicted.
func (m *Mirror) Body() world.Body {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.me.body
}

// Self returns what the node last said about the own body.
func (m *Mirror) Self() wire.Self {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.self
}

// Slot returns what is in a slot of the inventory.
func (m *Mirror) Slot(i int) wire.SlotItem {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.slots[i]
}

// SignText returns what is written on the sign at a place.
func (m *Mirror) SignText(at world.Pos) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.texts[at.Column()] {
		if t.Place == frame.Place(at) {
			return t.Text
		}
	}
	return ""
}

// Container returns what is in the container that was told of last.
func (m *Mirror) Container() wire.Container {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.container
}

// Selected returns the selected slot.
func (m *Mirror) Selected() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int(m.chosen)
}

// Counts returns the totals so far.
func (m *Mirror) Counts() Counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts
}

// TimeOffset returns the offset of the time of day in ticks.
func (m *Mirror) TimeOffset() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.offset
}

// Players returns who is in the world, by entity.
func (m *Mirror) Players() []wire.PlayerInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]wire.PlayerInfo, 0, len(m.players))
	for _, p := range m.players {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b wire.PlayerInfo) int { return int(int64(a.Entity) - int64(b.Entity)) })
	return out
}

// Being is a body other than the client's own.
type Being struct {
	Entity uint64
	Kind   uint8
	Name   string
	Pos    world.Vec
	Yaw    uint16
	Pose   uint8
	Held   world.Block
	Worn   frame.Worn
}

// Beings returns the bodies in sight, the own one not among them. One that
// crosses from a column into another may be missing, or there twice, for a few
// ticks.
func (m *Mirror) Beings() []Being {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Being
	for r, v := range m.views {
		o := r.Column(0).Origin()
		v.Each(func(_ uint8, _ uint32, s *frame.Seen) {
			if uint64(s.Entity) == m.welcome.Entity {
				return
			}
			const shift = fixed.Shift - frame.UnitShift
			out = append(out, Being{
				Entity: uint64(s.Entity), Kind: s.Kind, Name: s.Name, Pose: s.Pose, Held: s.Held, Worn: s.Worn,
				Yaw: uint16(s.Yaw) << frame.AngleShift,
				Pos: world.Vec{
					X: fixed.Int(int(o.X)) + fixed.Num(s.X)<<shift,
					Y: fixed.Num(s.Y) << shift,
					Z: fixed.Int(int(o.Z)) + fixed.Num(s.Z)<<shift,
				},
			})
		})
	}
	slices.SortFunc(out, func(a, b Being) int { return int(int64(a.Entity) - int64(b.Entity)) })
	return out
}

// LongestGap returns the longest time between two frames since the last call.
func (m *Mirror) LongestGap() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	gap := m.gap
	m.gap = 0
	return gap
}

// Loaded returns how many columns the client has.
func (m *Mirror) Loaded() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.loaded)
}
