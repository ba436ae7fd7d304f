package client

import (
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// command runs a command that concerns this machine rather than the world, and
// reports whether it was one. Only who is at this machine may, and the node finds out
// who of them is an operator: that is not for other nodes to say.
func (s *Session) command(text string) bool {
	if s.node.cfg.Command == nil || !s.hello.Local || !strings.HasPrefix(text, "/") {
		return false
	}
	answer, mine := s.node.cfg.Command(s.player, strings.Fields(text[1:]))
	if !mine {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say(&wire.Chat{Kind: wire.ChatSystem, Text: answer})
	return true
}
