package lobby

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
)

// The lobby does not know from which addresses players come: bans of addresses take
// effect at the node where a player connects. An operator reads an address in the
// log of such a node.

func (c *call) banAddress() error {
	if len(c.args) == 0 {
		return errUsage
	}
	if _, err := decision.Network(c.arg(0)); err != nil {
		return userErrorf("%v.", err)
	}
	c.proposeBan(decision.Statement{Topic: decision.AddressBan, Name: c.arg(0)})
	return nil
}

func (c *call) unbanAddress() error {
	if len(c.args) != 1 {
		return errUsage
	}
	b := c.cfg.Decisions.Current(decision.AddressBan, id.ID{}, c.arg(0))
	if b == nil || !b.On || b.Over(c.Lobby.time()) {
		return userErrorf("%q is not banned. /bans lists what is.", c.arg(0))
	}
	c.propose(decision.Statement{Topic: decision.AddressBan, Name: c.arg(0)}, "Players from "+c.arg(0)+" may come in again.")
	return nil
}
