package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A region that was restored to an earlier state may have lost a player who came to it
// since, and say that the player is where it went before. That region, or one further on,
// says that the player is here: nobody would have it. So a region keeps each player as it
// went from there, and offers it again to its new home when somebody looks for it in vain.
// A home that has had the player since, with this epoch or a higher one, does nothing.

// offerAgain offers a player, who is looked for by a session, to where it went.
func (g *outgoingHandovers) offerAgain(player id.ID, ptr pointer, session machine.Peer) {
	state, ok := g.store.small[playerKey(keyWent, player)]
	if !ok {
		return
	}
	if p, err := world.DecodePlayer(state); err != nil || p.Epoch != ptr.epoch {
		return // a pointer back to where it was refused
	}
	none := &actRecord{floor: 1, next: 1}
	g.env.Send(PeerOf(ptr.to), &Handover{Player: player, Epoch: uint32(ptr.epoch), State: state, Acts: none.encode(1), Session: session, Again: true})
}

// forgetWent forgets that a player went elsewhere: it has come back.
func (s *store) forgetWent(player id.ID) {
	s.del(playerKey(keyPointer, player))
	s.del(playerKey(keyWent, player))
}
