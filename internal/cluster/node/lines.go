package node

import (
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/names"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// saidLines looks whether players have signed what hosts of the lobby and, of what is said
// near, of regions at other nodes show as their words, and shows each line once (decision 233).
type saidLines struct {
	part.Part
	signed bool         // players sign what they say
	epoch  machine.Time // of the world's ticks
	names  *names.Names
	seen   line.Seen
}

// shown is a line as sessions here are shown it; nil: they are not.
func (s *saidLines) shown(f *peers.Remote, m *lobby.Chat) *lobby.Chat {
	if !s.signed || m.Kind != wire.ChatWorld && m.Kind != wire.ChatWhisper {
		return m
	}
	if err := m.Check(s.Cfg.World, s.tick()); err != nil {
		s.Counts.Dropped++
		s.Accused.Accuse(f.Peer.ID, "as the lobby's host, %v: %q", err, m.Text)
		return nil
	}
	if m.Signed == nil {
		return m
	}
	if !s.isNew(id.ID{}, m.Signed) {
		return nil
	}
	name, known := s.author(m.Signed)
	if known == name {
		return m
	}
	other := *m
	if other.From != "" {
		other.From = known
	} else {
		other.Text = known + strings.TrimPrefix(m.Text, name)
	}
	return &other
}

// heard is what was said near sessions here as some of them are shown it: a region tells each
// of its own.
func (s *saidLines) heard(f *peers.Remote, sessions []id.ID, m *region.Heard) ([]id.ID, *region.Heard) {
	if !s.signed {
		return sessions, m
	}
	if err := m.Check(s.Cfg.World, s.tick()); err != nil {
		s.Counts.Dropped++
		s.Accused.Accuse(f.Peer.ID, "as a region's host, %v: %q", err, m.Text)
		return nil, m
	}
	sessions = slices.DeleteFunc(slices.Clone(sessions), func(to id.ID) bool { return !s.isNew(to, m.Signed) })
	other := *m
	_, other.Name = s.author(m.Signed)
	return sessions, &other
}

// isNew reports whether a line was not shown yet to a session here, or to all.
func (s *saidLines) isNew(to id.ID, of *line.Signature) bool {
	is := s.seen.Add(to, of, s.tick())
	if !is {
		s.Counts.Dropped++
	}
	return is
}

// author is who has said a line, as signed and as shown here.
func (s *saidLines) author(of *line.Signature) (signed, shown string) {
	signed, _ = wire.CleanName(of.Name) // Check has done so, too
	return signed, s.names.Shown(of.By(), signed)
}

func (s *saidLines) tick() int64 { return lobby.TickAt(s.Env.Now(), s.epoch) }
