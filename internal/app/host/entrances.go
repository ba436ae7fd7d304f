package host

import (
	"context"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

// entrancesEvery is how old the list of other nodes may be: the gateway looks at it
// with each request of a foreign page.
const entrancesEvery = time.Second

// entrances is what the gateway is told of other nodes that let players in.
type entrances struct {
	known func(context.Context) ([]node.Entry, error) // asks the node

	mu   sync.Mutex
	made time.Time
	list []gateway.Entrance
}

// all are the other nodes that let players in.
func (e *entrances) all() []gateway.Entrance {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Since(e.made) < entrancesEvery {
		return e.list
	}
	ctx, cancel := context.WithTimeout(context.Background(), hostsTime)
	defer cancel()
	known, err := e.known(ctx)
	if err != nil {
		return e.list // the node is busy, or stopping
	}
	e.made, e.list = time.Now(), nil
	for _, k := range known {
		out := gateway.Entrance{Node: k.Node.ID, Port: k.At.Port, Near: k.Near, Local: k.At.Local, Names: k.At.Names, Linked: k.Linked}
		at := k.Node.Addr.AddrPort()
		if out.Hidden = traversal.IsRelayed(k.Node.Addr); out.Hidden {
			at = traversal.HomeRelay(k.Node.Addr)
		} else {
			out.IP = at.Addr()
		}
		if c := datachannel.Fingerprint(k.At.Certificate); c != (datachannel.Fingerprint{}) && at.IsValid() {
			out.Channels = datachannel.At{Addr: at, Fingerprint: c}
		}
		e.list = append(e.list, out)
	}
	return e.list
}

// otherEntries are the other nodes that let players in, as the node knows them.
func (h *Host) otherEntries(ctx context.Context) (known []node.Entry, err error) {
	err = h.loop.Call(ctx, func() { known = h.node.Entries() })
	return known, err
}

// announce tells the other nodes where players reach this one.
func (h *Host) announce() error {
	if h.peers == nil {
		return nil
	}
	at := h.listeners.playersAt()
	return h.loop.Call(context.Background(), func() { h.node.SetPlayersAt(at) })
}
