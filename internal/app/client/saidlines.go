package client

import (
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

const (
	maxSaid  = 8
	saidKept = time.Minute // longer than it takes until another node leads the lobby
)

// saidLines are the last lines of a player that the lobby has not answered, the oldest
// first. They are lost if its host ends before it reads them.
type saidLines struct{ lines []saidLine }

type saidLine struct {
	text string
	at   time.Time
}

func (l saidLine) command() bool { return strings.HasPrefix(l.text, "/") }

func (s *saidLines) add(text string) {
	s.lines = append(s.lines, saidLine{text, time.Now()})
	s.lines = s.lines[max(0, len(s.lines)-maxSaid):]
}

// answered takes out the line to which the lobby may have replied by m; name is the
// player's. A line of chat comes back to all, or is refused; commands are answered in one
// way or another.
func (s *saidLines) answered(m *lobby.Chat, name string) {
	if m.From != "" && m.From != name {
		return
	}
	i := slices.IndexFunc(s.lines, func(l saidLine) bool {
		return l.command() || m.From == name && l.text == m.Text || m.Kind == wire.ChatError
	})
	if i >= 0 {
		s.lines = slices.Delete(s.lines, i, i+1)
	}
}

// take returns the lines without an answer, and forgets them and those of long ago.
func (s *saidLines) take() (lines []saidLine) {
	for _, l := range s.lines {
		if time.Since(l.at) < saidKept {
			lines = append(lines, l)
		}
	}
	s.lines = nil
	return lines
}

// sayAgain sends what the lobby has not answered to the host that leads it now. Chat may
// come twice; a command may not, so that the player is told.
func (s *Session) sayAgain() {
	for _, l := range s.said.take() {
		if l.command() {
			s.say(&wire.Chat{Kind: wire.ChatError, Text: "Another node leads the lobby now. Look whether this was done, and type it again if not: " + l.text})
			continue
		}
		s.said.lines = append(s.said.lines, l)
		s.send(&lobby.Say{Text: l.text})
	}
}
