package lobby

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

const (
	// newOfInvitation is how many players who were never in the world may come by one
	// invitation within newPeriod seconds. A node counts those of an address
	// (client/newcomers.go); this also holds for a node that does not count, and for
	// somebody with many addresses.
	newOfInvitation = 120
	newPeriod       = 3600
)

// shown is what the founder says of the invitation that a player shows; nil: the
// player shows none. The node of the lobby has verified it.
func shown(e *Enter) *invitation.Statement {
	s, err := invitation.StatementOf(e.Invitation)
	if err != nil {
		return nil
	}
	return s
}

// judgeInvitation says why a player may not enter by the invitation that it shows.
func (h *Lobby) judgeInvitation(e *Enter) *Refused {
	s := shown(e)
	if s == nil {
		return nil
	}
	if s.Uses != 0 && !h.hasUse(s, e.Player) {
		return refusal(wire.NotInvited, fmt.Sprintf("This invitation is for %d players, and as many have come by it. Ask for another one.", s.Uses))
	}
	if h.players[e.Player] == nil && !h.cfg.Decisions.IsOperator(e.Player) && h.newBy(s.ID()) >= newOfInvitation {
		return &Refused{Code: wire.Full, Text: "Too many new players have come by this invitation within an hour. Try again later, or ask for another one.", Retry: 600}
	}
	return nil
}

// hasUse reports whether a player may enter by an invitation that is for a number of
// players: as one of those who have, or as one more.
func (h *Lobby) hasUse(s *invitation.Statement, who id.ID) bool {
	used := 0
	for _, p := range h.players {
		if p.rec.Invitation == s.ID() {
			if p.id == who {
				return true
			}
			used++
		}
	}
	return used < int(s.Uses)
}

// newBy counts the players who came by an invitation for the first time within
// newPeriod. It counts records, so that a new host of the lobby knows as much.
func (h *Lobby) newBy(invitation id.ID) (n int) {
	for _, p := range h.players {
		if p.rec.Invitation == invitation && h.unix()-p.rec.Since < newPeriod {
			n++
		}
	}
	return n
}
