package node

import (
	"bytes"
	"maps"
	"net/netip"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Origin is what a session of this node says before anything else: the address that
// its player connects from. It has no encoding: only this node knows it, and compares
// it with the bans of addresses. A session without one is on the node's machine.
type Origin struct{ Address netip.Addr }

// origin is a session whose player has an address.
type origin struct {
	addr   netip.Addr
	player id.ID // zero: it has not asked to come in yet
}

// admits looks at what a session of this node says, and reports whether it goes on to
// the shard that it is for.
func (d *decisions) admits(from machine.Peer, m machine.Message) bool {
	switch m := m.(type) {
	case *Origin:
		d.origins[from] = origin{addr: m.Address}
		return false
	case *lobby.Enter:
		if o, ok := d.origins[from]; ok {
			o.player = m.Player
			d.origins[from] = o
		}
		return !d.refusesAddress(from)
	}
	return true
}

// refusesAddress ends a session from an address that is banned. Operators are not kept
// out.
func (d *decisions) refusesAddress(from machine.Peer) bool {
	o, ok := d.origins[from]
	if !ok || o.player.IsZero() || d.log.IsOperator(o.player) {
		return false
	}
	b := d.log.BannedAddress(o.addr, d.time())
	if b == nil {
		return false
	}
	d.n.env.Send(from, &lobby.Refused{Code: wire.Banned, Text: lobby.BanText(b)})
	d.n.endSession(from)
	return true
}

// enforceAddresses ends the sessions here from addresses that are banned by now.
func (d *decisions) enforceAddresses() {
	for _, from := range slices.SortedFunc(maps.Keys(d.origins), func(a, b machine.Peer) int { return bytes.Compare(a.ID[:], b.ID[:]) }) {
		d.refusesAddress(from)
	}
}
