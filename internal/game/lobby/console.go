package lobby

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// A console is a session of a moderator or an operator who is not in the world: it reads
// what everybody is told, speaks, and commands with the rights of its key. Nobody sees it
// come.

const maxConsoles = 16

// nowhere answers what is about the place or the body of whoever typed it.
const nowhere = "A console stands nowhere: name a player or a place."

// openConsole admits a console, or refuses it.
func (h *Lobby) openConsole(e enter) {
	role := h.cfg.Decisions.RoleOf(e.Player)
	switch {
	case h.failed != nil:
		h.refuse(e.from, refusal(wire.Internal, "This world's list of players cannot be read: "+h.failed.Error()+"."))
		return
	case !role.May(decision.MayKick):
		h.refuse(e.from, refusal(wire.NotAllowed, fmt.Sprintf("A console is for %ss. The id of this one is %s.", decision.MayKick.Needs(), e.Player)))
		return
	case len(h.consoles) >= maxConsoles:
		h.refuse(e.from, refusal(wire.Full, fmt.Sprintf("%s are open.", plural(len(h.consoles), "console"))))
		return
	}
	p := &player{id: e.Player, rec: record{Name: decision.Console}, typed: decision.Console, session: e.from, console: true, here: true, role: role}
	h.sessions[e.from] = p
	h.consoles = append(h.consoles, p)
	h.env.Send(p.session, h.list())
}

func (h *Lobby) toConsoles(m machine.Message) {
	for _, p := range h.consoles {
		h.env.Send(p.session, m)
	}
}

// checkConsoles closes those whose keys have lost the right to one.
func (h *Lobby) checkConsoles() {
	for i := len(h.consoles) - 1; i >= 0; i-- {
		p := h.consoles[i]
		if p.role = h.cfg.Decisions.RoleOf(p.id); !p.role.May(decision.MayKick) {
			h.endSession(p, refusal(wire.NotAllowed, wire.NotAllowed.Text()))
		}
	}
}
