package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// maxKicked is how many players' kicks are remembered before those that have
// expired are forgotten.
const maxKicked = 1024

// fromLobby is what a session here hears of what another node says in the name of
// the lobby. That node can end the session, but not in the name of an operator: a
// kick needs an operator's order, which counts once.
func (d *decisions) fromLobby(m machine.Message) machine.Message {
	r, ok := m.(*lobby.Refused)
	if !ok || r.Code != wire.Kicked {
		return m
	}
	o, err := decision.DecodeOrder(r.Order)
	if err == nil && o.Kind == decision.Kick {
		err = o.Verify(d.log.World(), d.time(), d.log.RoleOf)
	} else {
		err = decision.ErrFormat
	}
	if err == nil {
		err = d.kick(o)
	}
	if err != nil {
		return &lobby.Refused{Code: wire.Internal, Retry: 5, Text: "The host of the lobby has sent you out. It says that an operator wants it, but shows no operator's signature."}
	}
	return &lobby.Refused{Code: wire.Kicked, Text: lobby.KickText(o), Order: r.Order}
}

// kick notes a kick, unless it was executed before.
func (d *decisions) kick(o *decision.Order) error {
	if len(d.kicked) >= maxKicked {
		for who, done := range d.kicked { // the order does not matter
			if done[len(done)-1]+uint64(decision.OrderWindow.Milliseconds()) < uint64(d.time().UnixMilli()) {
				delete(d.kicked, who)
			}
		}
	}
	done, err := d.kicked[o.Subject].Add(o.Seq)
	if err == nil {
		d.kicked[o.Subject] = done
	}
	return err
}
