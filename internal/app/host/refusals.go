package host

import (
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// refusals is the computation which of some nodes have ended. Behind a router it cannot be
// told: what the router says of a port is not what the node's machine says.
type refusals []machine.Peer

// Run implements machine.Work.
func (r refusals) Run() (any, error) {
	at := make([]netip.AddrPort, len(r))
	for i, p := range r {
		if !traversal.IsRelayed(p.Addr) {
			at[i] = p.Addr.AddrPort()
		}
	}
	return transport.Refused(at), nil
}
