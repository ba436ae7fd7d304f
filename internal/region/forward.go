package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// whereTo returns where a player went from here, as far as is known.
func (r *Region) whereTo(player id.ID) (pointer, bool) {
	if g, ok := r.moved[player]; ok {
		return g.pointer, true
	}
	if b, ok := r.store.small[playerKey(keyPointer, player)]; ok {
		ptr, err := decodePointer(b)
		return ptr, err == nil
	}
	return pointer{}, false
}

// passOn sends what a session says about a player, who is not here any more, to
// the player's new home.
func (r *Region) passOn(from machine.Peer, player id.ID, m machine.Message) {
	g, ok := r.moved[player]
	if !ok || g.session != from {
		r.stats.Refused++
		return
	}
	r.env.Send(PeerOf(g.to), &Forward{player, from, m})
}

// forgetGone forgets who has been gone for long.
func (r *Region) forgetGone() {
	for player, g := range r.moved { // the order does not matter
		if r.env.Now().Sub(g.at) > forgetMoved {
			delete(r.moved, player)
		}
	}
}

// onForward takes what an old home passes on.
func (r *Region) onForward(from machine.Peer, m *Forward) {
	if _, ok := RegionOf(from); !ok {
		r.stats.Refused++
		return
	}
	h := r.homes[m.Player]
	if h == nil {
		if ptr, ok := r.whereTo(m.Player); ok {
			r.env.Send(PeerOf(ptr.to), m)
		}
		return
	}
	switch m.Msg.(type) {
	case *Inputs, *Act, *Leave:
		if m.Session != h.peer {
			r.stats.Refused++
			return
		}
	}
	r.keepOrDo(h, m.Msg)
}

// keepOrDo does what a message about a player who is here asks for. While the
// player is being handed over, what only its home can do is kept for it.
func (r *Region) keepOrDo(h *home, m machine.Message) {
	if h.out != nil {
		switch m.(type) {
		case *Order:
			h.out.kept = append(h.out.kept, m)
			return
		}
	}
	switch m := m.(type) {
	case *Inputs:
		h.heard = r.env.Now()
		r.queueSteps(h, m)
	case *Act:
		r.queueAct(h, m)
	case *Leave:
		r.leave(h, LeftOwn)
	case *Order:
		r.runOrder(h, m)
	case *Locate:
		r.located(h, m)
	default:
		r.stats.Refused++
	}
}
