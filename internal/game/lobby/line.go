package lobby

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Check says what is wrong with words that are shown as a player's, at a tick of the world:
// those of ChatWorld, and whispers but the copy that their author gets. Others are never
// wrong.
func (m *Chat) Check(world id.ID, tick int64) error {
	to := line.Everybody
	switch {
	case m.Kind == wire.ChatWhisper && m.From != "":
		to = line.OnePlayer
	case m.Kind != wire.ChatWorld:
		return nil
	}
	return m.Signed.Check(world, tick, m.Line, to, m.From, m.Text)
}

// shown adds to what is shown of a line what its player has signed.
func (m *Say) shown(c Chat) *Chat {
	if m.Signed != nil {
		c.Line, c.Signed = m.Text, m.Signed
	}
	return &c
}

// hasSigned reports whether a player has signed a line that it says here, as it must where
// players sign what they do.
func (h *Lobby) hasSigned(p *player, m *Say) bool {
	if !h.cfg.Signed {
		return true
	}
	s := m.Signed
	return s != nil && s.By() == p.id && s.Name == p.typed && s.IsOf(h.tick()) && s.Verify(h.cfg.Decisions.World(), m.Text)
}
