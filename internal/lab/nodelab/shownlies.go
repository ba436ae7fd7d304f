package nodelab

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// showsGold shows the first player at another node a block of gold that is not there, once.
func showsGold(t *telling, session machine.Peer, m machine.Message) machine.Message {
	f, ok := m.(*region.Frame)
	if !ok || !t.elsewhere(session) || t.whom != (machine.Peer{}) {
		return m
	}
	t.whom = session
	other := *f
	other.Cells = goldCells(t.built.Add(0, 9, 0))
	return &other
}

// showsNothingNew shows all players of another node from then on that nothing happens.
func showsNothingNew(t *telling, session machine.Peer, m machine.Message) machine.Message {
	f, ok := m.(*region.Frame)
	if !ok || !t.elsewhere(session) {
		return m
	}
	if t.whom == (machine.Peer{}) {
		t.whom = session
	}
	if session.Addr != t.whom.Addr {
		return m
	}
	return nothingNew(f)
}

// showsOneNothingNew shows one player of a node with several that nothing happens (decision 244).
func showsOneNothingNew(t *telling, session machine.Peer, m machine.Message) machine.Message {
	f, ok := m.(*region.Frame)
	if !ok || !t.elsewhere(session) {
		return m
	}
	if t.seen == (machine.Peer{}) {
		t.seen = session
	}
	if t.whom == (machine.Peer{}) && session.Addr == t.seen.Addr && session != t.seen {
		t.whom = session
	}
	if session != t.whom {
		return m
	}
	return nothingNew(f)
}

// nothingNew is a frame in which nothing happens.
func nothingNew(f *region.Frame) *region.Frame {
	old := *f
	old.Cells = frame.NoCells
	return &old
}

// sendsGold sends one node a block of gold in each frame, and signs that it has sent something
// else.
func sendsGold(t *telling, to machine.Peer, m machine.Message) machine.Message {
	w, ok := m.(*node.ToWatchers)
	if !ok || w.Region != t.region {
		return m
	}
	if t.whom == (machine.Peer{}) {
		t.whom = to
	}
	if to != t.whom {
		return m
	}
	other := *w
	other.Cells = goldCells(t.built.Add(0, 9, 0))
	return &other
}

// goldCells is the shared part of a frame in which a block has become gold.
func goldCells(at world.Pos) []byte {
	e := frame.CellEncoder{Buf: frame.AppendCount(nil, 1)}
	e.Begin(uint8(at.Column().Index()), false)
	e.Block(frame.Block{Place: frame.Place(at), Block: world.GoldOre})
	e.End()
	return e.Buf
}
