package regionlog

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Record begins to record, for emit; nil ends it.
func (g *Register) Record(s *Signing, emit func(*Output)) { g.rec.begin(s, emit) }

// Recording reports whether somebody follows.
func (g *Register) Recording() bool { return g.rec.emit != nil }

// GiveState lets the state go with the next checkpoint.
func (g *Register) GiveState() { g.rec.give = true }

// Second ends an entry, once a second: with or without events it is sent.
func (g *Register) Second(now machine.Time) {
	if g.Recording() {
		g.event(int64(now)/1e9, 0)
		g.rec.end(g, now)
	}
}

// event begins an event, at a time. Kind 0: only the time passes.
func (g *Register) event(now int64, kind byte) {
	if now != g.time {
		g.time = now
		g.rec.event(evTime)
		if g.rec.on {
			g.rec.writer.int(now)
		}
	}
	if kind != 0 {
		g.rec.event(kind)
	}
}

// The kinds of event of a register.
const (
	evTime    = iota + 1 // Unix seconds
	evClaim              // player, name as typed; pass
	evUnclaim            // player
	evAdmit              // player
	evGone               // player
	evFree               // player, whether it is kept
)

// apply implements part.
func (g *Register) apply(entry []byte) error {
	r := newReader(entry)
	for r.Len() > 0 {
		if err := g.applyOne(r.Byte(), r); err != nil {
			return err
		}
		if r.Bad() {
			return ErrFormat
		}
	}
	return nil
}

func (g *Register) applyOne(kind byte, r *reader) error {
	if kind == evTime {
		g.time = r.Int(maxU62)
		return nil
	}
	player := r.id()
	if r.Bad() {
		return ErrFormat
	}
	if kind == evClaim {
		return g.applyClaim(player, r)
	}
	h := g.holder(player)
	if h == nil {
		return fmt.Errorf("%w: something was done to player %s, whom nobody knows", errRule, player)
	}
	wrong := fmt.Errorf("%w: player %s came and went in another order", errRule, player)
	switch kind {
	case evUnclaim:
		if h.state != holderClaims {
			return wrong
		}
		g.unclaim(player, h)
	case evAdmit:
		if h.state != holderClaims {
			return wrong
		}
		g.admit(player, h)
	case evGone:
		if h.state == holderAway {
			return wrong
		}
		g.gone(player, h)
	case evFree:
		keep := r.Uint(1) == 1
		if r.Bad() {
			return ErrFormat
		}
		if err := g.mayFree(player, h); err != nil {
			return err
		}
		g.free(player, h, keep)
	default:
		return ErrFormat
	}
	return nil
}

func (g *Register) applyClaim(player id.ID, r *reader) error {
	typed := string(r.Bytes(maxBlob))
	var pass *identity.Pass
	if g.signed {
		pass = &identity.Pass{Key: [32]byte(r.Take(32)), Nonce: [32]byte(r.Take(32)), Audience: [32]byte(r.Take(32)), Sig: [64]byte(r.Take(64))}
	}
	if r.Bad() {
		return ErrFormat
	}
	if err := g.mayClaim(player, typed, pass); err != nil {
		return err
	}
	g.claim(player, typed)
	return nil
}
