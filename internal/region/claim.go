package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// A neighbour may be led by a node that lies. What it says about players who are
// at home there has to be believed: it decides about them. But it must not reach
// other players, nor what only others grant:
//
//   - messages about borders come from the eight regions around;
//   - a Handover is believed only if the lobby, which has followed the player from
//     home to home, says that it is at home in the sender's region (Claim);
//   - who is an operator the signed log of decisions says (Config.Operator);
//   - edits come from within a player's reach, at the border;
//   - epochs are not ahead of the clock.

const (
	// maxClaims bounds the handovers that wait for the lobby.
	maxClaims = 1024
	// claimTime is how long the lobby may take. If it does not answer at all, which
	// happens when its own host has just died, a handover by a neighbour at the
	// common border is believed without; others are offered again.
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

// claim is a handover, decoded, that may wait for the lobby's word.
type claim struct {
	from  machine.Peer
	m     *Handover
	p     *world.Player
	acts  *ledger // nil if the sender only asks
	asked machine.Time
}

// isNeighbour reports whether a logical peer is one of the regions around.
func (r *Region) isNeighbour(p machine.Peer) bool {
	pos, ok := RegionOf(p)
	return ok && adjacent(pos, r.cfg.Pos)
}

func adjacent(a, b world.RegionPos) bool {
	dx, dz := int64(a.X)-int64(b.X), int64(a.Z)-int64(b.Z)
	return max(dx, -dx, dz, -dz) == 1
}

// distanceTo is how far a place is outside of a region; negative: inside.
func distanceTo(n world.RegionPos, p world.Vec) fixed.Num {
	o := n.Column(0).Origin()
	x, z, size := p.X-fixed.Int(int(o.X)), p.Z-fixed.Int(int(o.Z)), fixed.Int(world.RegionSize)
	return max(-x, x-size, -z, z-size)
}

// plausible reports whether a player can have an epoch by now: it begins with the
// seconds of the world's clock and rises by one at most in a tick.
func (r *Region) plausible(epoch uint32) bool {
	return uint64(epoch) <= TickAt(r.env.Now().Add(aheadAtMost), r.cfg.Epoch)+1
}

// claimed reports whether a handover can be believed at once: in a region that the
// player has just left from here. Otherwise the lobby is asked, and the handover
// waits.
func (r *Region) claimed(offer *claim) bool {
	from, m := offer.from, offer.m
	pos, _ := RegionOf(from)
	if g, ok := r.moved[m.Player]; ok && g.to == pos && uint64(m.Epoch) > g.epoch && r.env.Now().Sub(g.at) <= forgetMoved {
		return true
	}
	now := r.env.Now()
	c := r.claims[m.Player]
	switch {
	case c != nil && c.from == from && c.m.Epoch >= m.Epoch:
		return false // it waits already
	case c == nil && len(r.claims) >= maxClaims:
		r.stats.Refused++
		return false // it is offered again
	case c != nil && c.from != from && now.Sub(c.asked) < claimTime:
		return false
	}
	offer.asked = now
	r.claims[m.Player] = offer
	r.env.Send(Hall, &Claim{Region: r.cfg.Pos, From: pos, Player: m.Player, Epoch: m.Epoch})
	r.env.SetTimer(now.Add(claimTime), machine.Timer{Kind: timerClaim})
	return false
}

// onClaimed takes the lobby's word about a handover.
func (r *Region) onClaimed(from machine.Peer, m *Claimed) {
	c := r.claims[m.Player]
	if from != Hall || c == nil || c.from != PeerOf(m.From) || c.m.Epoch != m.Epoch {
		r.stats.Refused++
		return
	}
	delete(r.claims, m.Player)
	if m.OK {
		r.believe(c)
	} else {
		r.refuseClaim(c)
	}
	r.rest()
}

// refuseClaim refuses a player whose home is elsewhere. Copies of the offer are
// refused as well: the sender goes on with the player.
func (r *Region) refuseClaim(c *claim) {
	r.stats.Refused++
	if len(r.refusals) >= maxRefused {
		clear(r.refusals)
	}
	key := refusal{c.m.Player, c.from}
	r.refusals[key] = max(r.refusals[key], c.m.Epoch)
	r.env.Send(c.from, &HandoverRefused{c.m.Player, c.m.Epoch, "elsewhere"})
}

// claimsLate ends the claims that the lobby has not answered.
func (r *Region) claimsLate() {
	now := r.env.Now()
	for _, player := range id.Sorted(r.claims) {
		c := r.claims[player]
		if now.Sub(c.asked) < claimTime {
			continue
		}
		delete(r.claims, player)
		if pos, _ := RegionOf(c.from); !c.m.Asks && adjacent(pos, r.cfg.Pos) && distanceTo(pos, c.p.Body.Pos) <= borderZone {
			r.believe(c)
		}
	}
	r.rest()
}

// reachable reports whether a player of a neighbour can reach a block from there.
func reachable(from world.RegionPos, ask *world.Remote) bool {
	return distanceTo(from, ask.Body) <= borderZone && world.InReach(ask.Body, ask.At)
}
