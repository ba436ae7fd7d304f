package client

import (
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

// command runs a command that concerns this machine rather than the world, and
// reports whether it was one. Only an operator at this machine may: that a player is
// an operator is something that other nodes say, and they could lie.
func (s *Session) command(text string) bool {
	if s.node.cfg.Command == nil || !s.hello.Local || !strings.HasPrefix(text, "/") {
		return false
	}
	s.mu.Lock()
	operator := s.operator
	s.mu.Unlock()
	if !operator {
		return false
	}
	answer, mine := s.node.cfg.Command(strings.Fields(text[1:]))
	if !mine {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say(&wire.Chat{Kind: wire.ChatSystem, Text: answer})
	return true
}
