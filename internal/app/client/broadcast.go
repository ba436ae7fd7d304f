package client

import (
	"sync/atomic"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// broadcasts keeps the encoding of what the lobby last said to everybody: each
// of a thousand sessions gets the same pointer, about at the same time.
type broadcasts struct{ last atomic.Pointer[broadcast] }

type broadcast struct {
	m   machine.Message
	msg []byte
}

// encoded returns the encoding of a message of the lobby, made by make unless
// it is the one before; nil if clients cannot decode it.
func (b *broadcasts) encoded(m machine.Message, make func() wire.Message) []byte {
	if last := b.last.Load(); last != nil && last.m == m {
		return last.msg
	}
	msg := wire.Encode(make())
	if _, err := wire.DecodeNode(msg); err != nil {
		msg = nil // no client could decode it, and each would end its connection
	}
	b.last.Store(&broadcast{m, msg})
	return msg
}

func (s *Session) onChat(m *lobby.Chat, to Sink) {
	if s.admitted != nil {
		s.said.answered(m, s.admitted.Name, "")
	}
	addBroadcast(to, s.node.broadcasts.encoded(m, func() wire.Message {
		return &wire.Chat{Kind: m.Kind, From: m.From, Text: m.Text}
	}))
}

func (s *Session) onPlayers(m *lobby.Players, to Sink) {
	addBroadcast(to, s.node.broadcasts.encoded(m, func() wire.Message {
		s.node.names.see(m.List)
		out := &wire.Players{Full: m.Full, List: make([]wire.PlayerInfo, 0, len(m.List))}
		for _, p := range m.List {
			out.List = append(out.List, wire.PlayerInfo{Entity: uint64(p.Entity), Name: p.Name, Present: p.Present, Region: p.Region, Skin: p.Skin})
		}
		return out
	}))
}

func addBroadcast(to Sink, msg []byte) {
	if msg != nil {
		to.Add(msg, nil)
	}
}
