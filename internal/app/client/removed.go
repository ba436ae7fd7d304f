package client

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// The home may be led by a node that lies, and may say that its player has left, was
// kicked or plays elsewhere. None of that ends the session: kicks come from the lobby
// with an operator's order, the lobby also says that the player has come in by another
// session, and whether the player is idle the session knows by itself. Whatever else
// the home says, the session asks it to be let in again, at a bounded pace.

const (
	// idleFrom is how long a client must have said nothing until the session believes
	// its home that the player is idle; regions wait twice as long.
	idleFrom = 15 * time.Second
	// unsignedFrom is the same of a client that must sign; regions wait longer.
	unsignedFrom = 5 * time.Second

	// A session enters so often because a region says so; whoever takes over the
	// home, or is a step on the way to it, says so once.
	entriesAtOnce    = 8
	entriesPerSecond = 0.5
	// It watches regions anew so often: all of the widest view at once, when a host
	// of all of them has failed.
	rewatchesAtOnce    = 256
	rewatchesPerSecond = 4
)

// paced bounds what regions can make a session do.
type paced struct{ entries, rewatches limit.Budget }

func newPaced() paced {
	return paced{
		entries: limit.NewBudget(entriesPerSecond, entriesAtOnce), rewatches: limit.NewBudget(rewatchesPerSecond, rewatchesAtOnce),
	}
}

func (s *Session) onLeft(m *region.Left) {
	switch {
	case m.Reason == region.LeftClosed:
		s.onCutOff(m)
	case m.Reason == region.LeftIdle && time.Since(s.spoke) >= idleFrom:
		s.end(wire.Idle.Refusal(1))
	case m.Reason == region.LeftUnsigned && time.Since(s.signedAt) >= unsignedFrom:
		s.end(wire.Unsigned.Refusal(0))
	default:
		s.removed()
	}
}

// onCutOff is when a region has taken the player for gone: its node has lost the
// one that the session is at for a while, and with it all of its sessions. The
// session lives, so it comes in again. It has asked to already if it has noticed
// the same; and of a region that is not the home any more it is old news.
func (s *Session) onCutOff(m *region.Left) {
	if m.Region == s.home && s.in {
		s.onNewHost(&region.NewHost{Region: m.Region})
	}
}

// removed is when the home says that the player is not there any more. If the lobby does
// not end the session meanwhile, recover enters again when the home has been silent.
func (s *Session) removed() { s.in = false }

// enterAgain enters the home because a region has said so. What exceeds the budget is
// left to recover.
func (s *Session) enterAgain() {
	if s.paced.entries.Take(1, time.Now()) {
		s.enter(s.home)
	} else {
		s.removed()
	}
}

// onRefused is when the home does not let the player in: it has no time, or it cannot
// save. Who may be in the world is decided by others.
func (s *Session) onRefused(m *region.Refused) {
	switch code := wire.Code(m.Code); {
	case code == wire.Busy:
		s.onBusy(m)
	case s.entered != nil: // it was in before
		s.removed()
	case code == wire.Storage:
		s.end(&wire.Refused{Code: code, Text: textOf(m.Text, m.Code), Retry: 10})
	default:
		s.end(wire.Internal.Refusal(10))
	}
}

// onBusy asks the home again that had no time to find out who wants to come in.
func (s *Session) onBusy(m *region.Refused) {
	if m.Region != s.home || s.admitted == nil || s.waits {
		return
	}
	s.waits = true
	time.AfterFunc(spread(s.busy), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waits = false
		if !s.in && s.home == m.Region && s.over == nil {
			s.enter(m.Region)
		}
	})
	s.busy++
	s.why = &wire.Notice{Code: wire.Busy, Text: wire.Busy.Text()}
}
