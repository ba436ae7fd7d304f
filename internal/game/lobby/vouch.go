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

// vouches are the questions who plays.
type vouches struct {
	env      machine.Env
	cfg      *Config
	hall     rejoiner
	sessions map[machine.Peer]*player
	waiting  []vouch // for their sessions, the oldest first
}

// rejoiner brings sessions back (Lobby).
type rejoiner interface {
	toRegion(machine.Message)
	askToRejoin(machine.Peer)
}

// on answers whether a session is a player's, now or once it has come. Of one
// that does not come in time it says nothing: it may only be late, and that is no
// reason to turn a player away.
func (v *vouches) on(m *Vouch) {
	switch p := v.sessions[m.Session]; {
	case p != nil && p.here:
		v.answer(m, p)
	case slices.ContainsFunc(v.waiting, func(w vouch) bool { return *w.Vouch == *m }):
		// asked again: it waits already
	case len(v.waiting) >= maxVouches:
		// too much to do: it asks again
	default:
		v.waiting = append(v.waiting, vouch{m, v.env.Now()})
		if p == nil {
			v.hall.askToRejoin(m.Session)
		}
		if len(v.waiting) == 1 {
			v.env.SetTimer(v.env.Now().Add(VouchFor), machine.Timer{Kind: timerVouch})
		}
	}
}

// answer says who a session is: the player that was asked about, or another.
func (v *vouches) answer(m *Vouch, p *player) {
	a := &Vouched{Region: m.Region, Session: m.Session, Player: m.Player}
	if p.id == m.Player {
		a.OK, a.Entity, a.Name = true, p.rec.Entity, p.rec.Name
		a.New, a.Visitor, a.Mode = p.rec.Epoch == 0, p.invited, v.cfg.Mode
	}
	v.hall.toRegion(a)
}

// answerWaiting answers the questions about a player who has come.
func (v *vouches) answerWaiting(p *player) {
	v.waiting = slices.DeleteFunc(v.waiting, func(w vouch) bool {
		if w.Session != p.session {
			return false
		}
		v.answer(w.Vouch, p)
		return true
	})
}

// expire forgets questions about sessions that did not enter: a region
// that still waits asks again, and the session is then told again to enter.
func (v *vouches) expire() {
	now := v.env.Now()
	for len(v.waiting) > 0 && now.Sub(v.waiting[0].at) >= VouchFor {
		v.waiting = v.waiting[1:]
	}
	if len(v.waiting) > 0 {
		v.env.SetTimer(v.waiting[0].at.Add(VouchFor), machine.Timer{Kind: timerVouch})
	}
}
