package region

import (
	"errors"
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// incomingHandovers are the handovers of players from other regions to this one.
type incomingHandovers struct {
	component
	store    *store
	sessions *playerSessions
	dedup    *deduplication
	departed *departed

	arriving         map[id.ID]uint64         // epochs of players whose takeover is on its way to the disk
	refusedUnwritten map[id.ID]uint64         // epochs of handovers refused while nothing could be written
	refusals         map[refusal]uint32       // epochs of handovers refused because the player is at home elsewhere
	claims           map[id.ID]*handoverClaim // handovers that wait for the lobby
}

// arrivingWith returns the epoch of a player whose takeover is on its way to the
// disk; 0: none is.
func (in *incomingHandovers) arrivingWith(player id.ID) uint64 { return in.arriving[player] }

// busy reports whether somebody is about to be here.
func (in *incomingHandovers) busy() bool { return len(in.arriving) > 0 || len(in.claims) > 0 }

// onHandover takes a player over, if the sender's region is the player's home: it
// is durable here before the old home hears of it, and does nothing here before
// that.
func (in *incomingHandovers) onHandover(from machine.Peer, m *Handover) {
	if _, ok := RegionOf(from); !ok {
		in.stats.Refused++
		return
	}
	h := in.sessions.at(m.Player)
	p, acts, err := decodeHandover(m)
	offer := &handoverClaim{from: from, m: m, p: p, record: acts}
	switch {
	case err != nil || !in.cfg.plausible(m.Epoch, in.env.Now()):
		in.stats.Refused++
		in.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "malformed"})
	case in.isRefusedForGood(from, m):
		in.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "elsewhere"})
	case in.wentBack(from, m):
		in.env.Send(from, &HandoverRefused{m.Player, m.Epoch, staleCode})
	case in.knowsEpoch(m.Player) >= uint64(m.Epoch):
		if in.arriving[m.Player] == 0 {
			in.env.Send(from, &HandoverOK{m.Player, m.Epoch})
		}
	case h != nil && h.handover == nil: // it is here
		in.refuseClaim(offer)
	case in.claimed(offer):
		in.accept(offer)
	}
}

// decodeHandover returns the player and its act record; nil if the sender only asks.
func decodeHandover(m *Handover) (p *world.Player, acts *actRecord, err error) {
	if p, err = world.DecodePlayer(m.State); err == nil && !m.Asks {
		acts, err = decodeActRecord(m.Acts)
	}
	if err == nil {
		_, err = decision.DecodeExecuted(m.Orders)
	}
	if err == nil && len(m.Log) > 0 {
		_, err = inputlog.DecodeLog(m.Log)
	}
	if err == nil && (p.ID != m.Player || p.Epoch != uint64(m.Epoch)) {
		err = errOtherPlayer
	}
	return p, acts, err
}

var errOtherPlayer = errors.New("a handover with another player's state")

// accept answers a handover by the player's home.
func (in *incomingHandovers) accept(c *handoverClaim) {
	from, m := c.from, c.m
	switch {
	case in.knowsEpoch(m.Player) >= uint64(m.Epoch): // it has come another way meanwhile
	case in.store.readOnly && m.Asks: // it asks again
	case in.store.readOnly:
		in.refusedUnwritten[m.Player] = uint64(m.Epoch)
		in.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "storage"})
	case m.Asks || distanceTo(in.cfg.Pos, c.p.Body.Pos) > slack:
		in.refuseForGood(from, m)
	default:
		in.takeOver(from, m, c.p, c.record)
	}
}

// A Handover may be on its way for long, and in several copies: over links that
// fail, from a machine that led the old home before. A region that refuses one
// must refuse all its copies, or the player would be in two places. So a
// refusal is stored, as a pointer back to the old home with the refused epoch,
// and the old home goes on with that epoch: its next offer has a higher one.

// refuseForGood refuses a player, once it is durable that it will never be taken with
// this epoch.
func (in *incomingHandovers) refuseForGood(from machine.Peer, m *Handover) {
	pos, _ := RegionOf(from)
	ptr := pointer{pos, uint64(m.Epoch)}
	in.store.put(playerKey(keyPointer, m.Player), ptr.encode())
	in.store.then(func(ok bool) {
		if ok {
			in.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "elsewhere"})
		}
	})
	in.store.flush()
}

// isRefusedForGood reports whether a player was refused with this epoch before.
func (in *incomingHandovers) isRefusedForGood(from machine.Peer, m *Handover) bool {
	if in.refusedUnwritten[m.Player] >= uint64(m.Epoch) || in.refusals[refusal{m.Player, from}] >= m.Epoch {
		return true
	}
	pos, _ := RegionOf(from)
	if in.sessions.at(m.Player) != nil || in.arriving[m.Player] != 0 {
		return false
	}
	ptr, ok := in.store.pointer(keyPointer, m.Player)
	return ok && ptr == pointer{pos, uint64(m.Epoch)}
}

// staleCode refuses a handover of a player who has been here since, and went back: the
// home was restored from a copy that is older than that (docs/protocols/hosting.md). It
// goes on with a higher epoch. Were it told that the player is here, nobody would have it.
const staleCode = "stale"

// wentBack reports whether a player is offered with an epoch before that with which it
// went from here to the same region.
func (in *incomingHandovers) wentBack(from machine.Peer, m *Handover) bool {
	if in.sessions.at(m.Player) != nil || in.arriving[m.Player] != 0 {
		return false
	}
	if _, ok := in.store.player(m.Player); ok {
		return false
	}
	ptr, ok := in.store.pointer(keyPointer, m.Player)
	return ok && PeerOf(ptr.to) == from && ptr.epoch > uint64(m.Epoch)
}

// merge stores a player who was at home in a copy of the region, of whom nothing as new is
// known here. Otherwise this region would say that the player is where it came from, and
// that one that it is here.
func (in *incomingHandovers) merge(state []byte) {
	p, err := world.DecodePlayer(state)
	if err != nil || p.Epoch > math.MaxUint32 || !in.cfg.plausible(uint32(p.Epoch), in.env.Now()) ||
		in.knowsEpoch(p.ID) >= p.Epoch || in.sessions.at(p.ID) != nil || distanceTo(in.cfg.Pos, p.Body.Pos) > slack {
		in.stats.Refused++
		return
	}
	in.store.put(playerKey(keyPlayer, p.ID), state)
	in.store.forgetWent(p.ID)
	in.store.del(playerKey(keyIntent, p.ID))
}

// knowsEpoch returns the highest epoch with which a player is or was here.
func (in *incomingHandovers) knowsEpoch(player id.ID) uint64 {
	epoch := in.arriving[player]
	if h := in.sessions.at(player); h != nil {
		epoch = max(epoch, h.p.Epoch)
	}
	if p, ok := in.store.player(player); ok {
		epoch = max(epoch, p.Epoch)
	}
	if ptr, ok := in.store.pointer(keyPointer, player); ok {
		epoch = max(epoch, ptr.epoch)
	}
	return epoch
}

func (in *incomingHandovers) takeOver(from machine.Peer, m *Handover, p *world.Player, acts *actRecord) {
	if h := in.sessions.at(m.Player); h != nil { // an older life of the player
		in.sessions.remove(m.Player)
		in.sessions.attach(h, machine.Peer{})
	}
	in.arriving[m.Player] = uint64(m.Epoch)
	key := playerKey(keyPlayer, m.Player)
	before, had := in.store.small[playerKey(keyPointer, m.Player)]
	went, gone := in.store.small[playerKey(keyWent, m.Player)]
	in.store.put(key, p.AppendBinary(nil))
	in.store.put(playerKey(keyActs, m.Player), m.Acts)
	in.store.put(playerKey(keyOrders, m.Player), m.Orders)
	if len(m.Log) > 0 {
		in.store.put(playerKey(keySigned, m.Player), m.Log)
	}
	in.dedup.adopt(m.Player, acts)
	in.store.forgetWent(m.Player)
	in.store.del(playerKey(keyIntent, m.Player))
	in.store.then(func(ok bool) {
		delete(in.arriving, m.Player)
		if !ok {
			in.store.del(key)
			in.dedup.drop(m.Player)
			if had {
				in.store.put(playerKey(keyPointer, m.Player), before)
			}
			if gone {
				in.store.put(playerKey(keyWent, m.Player), went)
			}
			in.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "storage"})
			return
		}
		in.stats.Arrivals++
		pos, _ := RegionOf(from)
		h := in.sessions.add(p, m.Session, p.Visitor)
		h.came = arrival{true, pos, in.env.Now()}
		h.log = in.sessions.logOf(m.Player)
		in.env.Send(from, &HandoverOK{m.Player, m.Epoch})
	})
	in.store.flush()
}
