package lobby

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A region on another node than a session's gateway node does not believe
// the gateway node who plays: it asks the lobby, which has seen the player's pass.

const (
	// VouchFor is how long a question waits for a session that is not known:
	// after the lobby has moved to another node, sessions come one by one.
	VouchFor   = 5 * time.Second
	maxVouches = 1 << 12 // that wait
)

// vouch is a question that waits.
type vouch struct {
	*Vouch
	at machine.Time
}

// onVouch answers whether a session is a player's, now or once it has come. Of one
// that does not come in time it says nothing: it may only be late, and that is no
// reason to turn a player away.
func (h *Lobby) onVouch(m *Vouch) {
	switch p := h.sessions[m.Session]; {
	case p != nil && p.here:
		h.answerVouch(m, p)
	case slices.ContainsFunc(h.vouches, func(v vouch) bool { return *v.Vouch == *m }):
		// asked again: it waits already
	case len(h.vouches) >= maxVouches:
		// too much to do: it asks again
	default:
		h.vouches = append(h.vouches, vouch{m, h.env.Now()})
		if p == nil {
			h.askToRejoin(m.Session)
		}
		if len(h.vouches) == 1 {
			h.env.SetTimer(h.env.Now().Add(VouchFor), machine.Timer{Kind: timerVouch})
		}
	}
}

// answerVouch says who a session is: the player that was asked about, or another.
func (h *Lobby) answerVouch(m *Vouch, p *player) {
	a := &Vouched{Region: m.Region, Session: m.Session, Player: m.Player}
	if p.id == m.Player {
		a.OK, a.Entity, a.Name = true, p.rec.Entity, p.rec.Name
		a.New, a.Visitor, a.Mode = p.rec.Epoch == 0, p.invited, h.cfg.Mode
	}
	h.toRegion(a)
}

// answerWaitingVouches answers the questions about a player who has come.
func (h *Lobby) answerWaitingVouches(p *player) {
	h.vouches = slices.DeleteFunc(h.vouches, func(v vouch) bool {
		if v.Session != p.session {
			return false
		}
		h.answerVouch(v.Vouch, p)
		return true
	})
}

// expireVouches forgets questions about sessions that did not enter: a region
// that still waits asks again, and the session is then told again to enter.
func (h *Lobby) expireVouches() {
	now := h.env.Now()
	for len(h.vouches) > 0 && now.Sub(h.vouches[0].at) >= VouchFor {
		h.vouches = h.vouches[1:]
	}
	if len(h.vouches) > 0 {
		h.env.SetTimer(h.vouches[0].at.Add(VouchFor), machine.Timer{Kind: timerVouch})
	}
}
