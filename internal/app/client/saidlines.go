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

// saidLines are the last lines of a player or a console that the lobby has not answered,
// the oldest first. They are lost if its host ends before it reads them.
type saidLines struct{ lines []saidLine }

type saidLine struct {
	text string // as it is shown
	say  *lobby.Say
	at   time.Time
}

func (l saidLine) command() bool { return strings.HasPrefix(l.text, "/") }

func (s *saidLines) add(text string, say *lobby.Say) {
	s.lines = append(s.lines, saidLine{text, say, time.Now()})
	s.lines = s.lines[max(0, len(s.lines)-maxSaid):]
}

// answered takes out the line to which the lobby may have replied by m. A line of chat comes
// back to all, in the name of from and behind prefix, or is refused; commands are answered
// in one way or another.
func (s *saidLines) answered(m *lobby.Chat, from, prefix string) {
	if m.From != "" && m.From != from {
		return
	}
	i := slices.IndexFunc(s.lines, func(l saidLine) bool { return m.From == from && m.Text == prefix+l.text })
	if i < 0 {
		i = slices.IndexFunc(s.lines, func(l saidLine) bool { return l.command() || m.Kind == wire.ChatError })
	}
	if i >= 0 {
		s.lines = slices.Delete(s.lines, i, i+1)
	}
}

// repeat says what the lobby has not answered to the host that leads it now, unless it is
// of long ago. Signed chat is shown once; a command may not come twice, so that the player is told.
func (s *saidLines) repeat(say func(*lobby.Say), tell func(text string)) {
	lines := s.lines
	s.lines = nil
	for _, l := range lines {
		switch {
		case time.Since(l.at) >= saidKept:
		case l.command():
			tell("Another node leads the lobby now. Look whether this was done, and type it again if not: " + l.text)
		default:
			s.lines = append(s.lines, l)
			say(l.say)
		}
	}
}
