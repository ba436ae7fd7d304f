package client

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// onWaiting takes why the node does not find the lobby or a region. Whoever is in
// the world is told at once, whoever waits to come in with the next notice.
func (s *Session) onWaiting(m *lobby.Waiting, to Sink) {
	why := waitNotice(m, time.Now())
	if s.in {
		s.add(to, why)
	} else {
		s.why = why
	}
}

// waitNotice puts the reason into words.
func waitNotice(m *lobby.Waiting, now time.Time) *wire.Notice {
	text := m.Code.Text()
	switch {
	case m.Code == wire.Silent && m.Since != 0:
		text = fmt.Sprintf("The hosts of %s have been silent since %s. It goes on as soon as they are back.", what(m), clockTime(m.Since, now))
	case m.Code == wire.Unreachable && m.Lobby:
		text = "The node that keeps the list of players cannot be reached. Still trying."
	}
	return &wire.Notice{Code: m.Code, Text: text}
}

func what(m *lobby.Waiting) string {
	if m.Lobby {
		return "the list of players"
	}
	return "this part of the world"
}

// clockTime is a time as a person says it, with the day if that is not today's.
func clockTime(t machine.Time, now time.Time) string {
	at := time.Unix(0, int64(t)).In(now.Location())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("2 January 15:04")
}

// reason is why a player is not in yet, as far as is known.
func (s *Session) reason() *wire.Notice {
	if s.why != nil {
		return s.why
	}
	return &wire.Notice{Code: wire.Starting, Text: wire.Starting.Text()}
}

// late asks a client to come again that could not be let in in time.
func (s *Session) late() *wire.Refused {
	if s.why == nil {
		return busy()
	}
	return &wire.Refused{Code: s.why.Code, Text: s.why.Text, Retry: again()}
}
