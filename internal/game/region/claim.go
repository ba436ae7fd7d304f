package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A neighbour may be led by a node that lies. What it says about players who are
// at home there has to be believed: it decides about them. But it must not reach
// other players, nor what only others grant:
//
//   - messages about borders come from the eight regions around;
//   - a Handover is believed only if the lobby, which has followed the player from
//     home to home, says that it is at home in the sender's region (Claim);
//   - who only visits the lobby says as well, whatever the sender's region says;
//   - who is an operator the signed log of decisions says (Config.Operator);
//   - edits come from within a player's reach, at the border;
//   - epochs are not ahead of the clock.

const (
	// maxClaims bounds the handovers that wait for the lobby.
	maxClaims = 1024
	// claimTime is how long the lobby may take. If it does not answer at all, which
	// happens when its own host has just died, a handover by a neighbour at the
	// common border is believed without; others are offered again. One that is offered a
	// second time may have gone on from here: that only the lobby can tell.
	claimTime = 2 * time.Second
	// borderZone is how far from a neighbour a player may be who has come on foot.
	borderZone = 16 * fixed.One
	// maxRefused bounds the refusals that are remembered.
	maxRefused = 4096
)

// refusal is a player whom a region cannot give. It says nothing about the player's
// real home.
type refusal struct {
	player id.ID
	from   machine.Peer
}

// handoverClaim is a handover, decoded, that may wait for the lobby's word.
type handoverClaim struct {
	from   machine.Peer
	m      *Handover
	p      *world.Player
	record *actRecord // nil if the sender only asks
	asked  machine.Time
}

// plausible reports whether a player can have an epoch at a time: it begins with
// the seconds of the world's clock and rises by one at most in a tick.
func (c *Config) plausible(epoch uint32, now machine.Time) bool {
	return uint64(epoch) <= TickAt(now.Add(aheadAtMost), c.Epoch)+1
}

// claimed reports whether a handover can be believed at once: in a region that the
// player has just left from here. Otherwise the lobby is asked, and the handover
// waits.
func (in *incomingHandovers) claimed(offer *handoverClaim) bool {
	from, m := offer.from, offer.m
	pos, _ := RegionOf(from)
	if g, ok := in.departed.list[m.Player]; ok && g.to == pos && uint64(m.Epoch) > g.epoch && in.env.Now().Sub(g.at) <= departedLifetime {
		offer.p.Visitor = offer.p.Visitor || g.visitor
		return true
	}
	now := in.env.Now()
	c := in.claims[m.Player]
	switch {
	case c != nil && c.from == from && c.m.Epoch >= m.Epoch:
		return false // it waits already
	case c == nil && len(in.claims) >= maxClaims:
		in.stats.Refused++
		return false // it is offered again
	case c != nil && c.from != from && now.Sub(c.asked) < claimTime:
		return false
	}
	offer.asked = now
	in.claims[m.Player] = offer
	in.env.Send(Lobby, &Claim{Region: in.cfg.Pos, From: pos, Player: m.Player, Epoch: m.Epoch})
	in.after(claimTime, machine.Timer{Kind: timerClaim})
	return false
}

// onClaimed takes the lobby's word about a handover; false if it is about none.
func (in *incomingHandovers) onClaimed(from machine.Peer, m *Claimed) bool {
	c := in.claims[m.Player]
	if from != Lobby || c == nil || c.from != PeerOf(m.From) || c.m.Epoch != m.Epoch {
		in.stats.Refused++
		return false
	}
	delete(in.claims, m.Player)
	c.p.Visitor = c.p.Visitor || m.Visitor
	if m.OK {
		in.accept(c)
	} else {
		in.refuseClaim(c)
	}
	return true
}

// refuseClaim refuses a player whose home is elsewhere. Copies of the offer are
// refused as well: the sender goes on with the player.
func (in *incomingHandovers) refuseClaim(c *handoverClaim) {
	in.stats.Refused++
	if len(in.refusals) >= maxRefused {
		clear(in.refusals)
	}
	key := refusal{c.m.Player, c.from}
	in.refusals[key] = max(in.refusals[key], c.m.Epoch)
	in.env.Send(c.from, &HandoverRefused{c.m.Player, c.m.Epoch, "elsewhere"})
}

// expireClaims ends the claims that the lobby has not answered.
func (in *incomingHandovers) expireClaims() {
	now := in.env.Now()
	for _, player := range id.Sorted(in.claims) {
		c := in.claims[player]
		if now.Sub(c.asked) < claimTime {
			continue
		}
		delete(in.claims, player)
		if pos, _ := RegionOf(c.from); !c.m.Asks && !c.m.Again && adjacent(pos, in.cfg.Pos) && distanceTo(pos, c.p.Body.Pos) <= borderZone {
			in.accept(c)
		}
	}
}
