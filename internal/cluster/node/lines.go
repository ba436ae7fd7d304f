package node

import (
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/names"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// saidLines looks whether players have signed what the host of the lobby, at another node,
// shows as their words, and shows each line once (decision 233).
type saidLines struct {
	part.Part
	signed bool         // players sign what they say
	epoch  machine.Time // of the world's ticks
	names  *names.Names
	seen   lobby.Lines
}

// shown is a line as sessions here are shown it; nil: they are not.
func (s *saidLines) shown(f *peers.Remote, m *lobby.Chat) *lobby.Chat {
	if !s.signed || m.Kind != wire.ChatWorld && m.Kind != wire.ChatWhisper {
		return m
	}
	tick := lobby.TickAt(s.Env.Now(), s.epoch)
	if err := m.Check(s.Cfg.World, tick); err != nil {
		s.Counts.Dropped++
		s.Accused.Accuse(f.Peer.ID, "as the lobby's host, %v: %q", err, m.Text)
		return nil
	}
	if m.Signed == nil {
		return m
	}
	if !s.seen.Add(m.Signed, tick) {
		s.Counts.Dropped++ // repeated
		return nil
	}
	name, _ := wire.CleanName(m.Signed.Name) // Check has done so, too
	shown := s.names.Shown(m.Signed.By(), name)
	if shown == name {
		return m
	}
	other := *m
	if other.From != "" {
		other.From = shown
	} else {
		other.Text = shown + strings.TrimPrefix(m.Text, name)
	}
	return &other
}
