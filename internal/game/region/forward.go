package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// departed are the players who went from here lately.
type departed struct {
	component
	store *store
	list  map[id.ID]departedPlayer
}

// destination returns where a player went from here, as far as is known.
func (d *departed) destination(player id.ID) (pointer, bool) {
	if g, ok := d.list[player]; ok {
		return g.pointer, true
	}
	return d.store.pointer(keyPointer, player)
}

// forwardToHome sends what a session says about a player, who is not here any more, to
// the player's new home.
func (d *departed) forwardToHome(from machine.Peer, player id.ID, m machine.Message) {
	g, ok := d.list[player]
	if !ok || g.session != from || from == (machine.Peer{}) {
		d.stats.Refused++
		return
	}
	d.env.Send(PeerOf(g.to), &Forward{player, from, m})
}

// expire forgets who has been gone for long.
func (d *departed) expire() {
	for player, g := range d.list { // the order does not matter
		if d.env.Now().Sub(g.at) > departedLifetime {
			delete(d.list, player)
		}
	}
}

// onForward takes what an old home passes on: only the region that has given the
// player, for a while after it has, only for the session that plays it, and only
// what a session says. What the lobby wants of a player never comes this way.
func (r *Region) onForward(from machine.Peer, m *Forward) {
	session := false
	switch m.Msg.(type) {
	case *Inputs, *Act, *Segment, *Leave:
		session = m.Session != (machine.Peer{})
	}
	pos, ok := RegionOf(from)
	if h := r.sessions.players[m.Player]; ok && session && h != nil {
		if h.came.by(pos, r.env.Now()) && h.peer == m.Session {
			if in, ok := m.Msg.(*Inputs); ok {
				h.heard = r.env.Now()
				h.queueSteps(in, r.loop.now(), true, &r.stats)
				return
			}
			r.applyOrForward(h, m.Msg)
			return
		}
	} else if g, gone := r.departed.list[m.Player]; ok && session && gone && g.came.by(pos, r.env.Now()) && g.session == m.Session {
		r.env.Send(PeerOf(g.to), m)
		return
	}
	r.stats.Refused++
}

// arrival is how a player came to be at home here.
type arrival struct {
	handed bool // by a region; otherwise it has entered
	from   world.RegionPos
	at     machine.Time
}

// by reports whether a region has handed the player over a moment ago.
func (a arrival) by(from world.RegionPos, now machine.Time) bool {
	return a.handed && a.from == from && now.Sub(a.at) <= departedLifetime
}

// notHere tells the lobby where a player is, that it wants something of.
func (r *Region) notHere(player id.ID, tag uint64, to world.RegionPos) {
	r.env.Send(Lobby, &NotHere{Region: r.cfg.Pos, Player: player, Tag: tag, To: to})
}

// applyOrForward does what a message about a player who is here asks for. While the
// player is being handed over, what only its home can do is kept for it.
func (r *Region) applyOrForward(h *playerSession, m machine.Message) {
	if h.handover != nil {
		switch m.(type) {
		case *Order, *Locate:
			h.handover.queued = append(h.handover.queued, m)
			return
		}
	}
	switch m := m.(type) {
	case *Inputs:
		h.heard = r.env.Now()
		h.queueSteps(m, r.loop.now(), false, &r.stats)
	case *Act, *Segment:
		h.heard = r.env.Now()
		r.signed.receive(h, m)
	case *Leave:
		if h.handover == nil && len(h.proofs) > 0 { // what it has signed is done before
			r.signed.receive(h, m)
			return
		}
		r.sessions.leave(h, LeftOwn)
	case *Order:
		r.runOrder(h, m)
	case *Locate:
		r.located(h, m)
	default:
		r.stats.Refused++
	}
}
