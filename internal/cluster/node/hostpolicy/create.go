package hostpolicy

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Offer is what a node says about hosting a shard that nobody hosts.
type Offer struct {
	Peer   machine.Peer
	Room   bool
	Stored bool   // it has the shard from when it was the world's only node
	Led    uint32 // how many shards it leads

	Invitation id.ID // by which it was admitted; zero: none, or not known
}

// FirstHosts chooses an odd number of hosts, up to so many replicas: nodes that have the
// shard already, then the nearest with room, of those that one invitation admitted only
// one as long as there are others. The offers are nearest to the key first. The first host
// will lead.
func FirstHosts(offers []Offer, replicas int) []machine.Peer {
	var hosts []Offer
	for _, want := range []func(Offer) bool{
		func(o Offer) bool { return o.Stored },
		func(o Offer) bool { return o.Room && !o.Stored },
	} {
		for _, o := range offers {
			if want(o) {
				hosts = append(hosts, o)
			}
		}
	}
	if len(hosts) == 0 {
		return nil
	}
	if !hosts[0].Stored {
		hosts = Apart(hosts, func(o Offer) id.ID { return o.Invitation })
	}
	hosts = hosts[:odd(min(len(hosts), replicas))]
	leastLoadedFirst(hosts)
	out := make([]machine.Peer, len(hosts))
	for i, o := range hosts {
		out[i] = o.Peer
	}
	return out
}

// Apart puts behind the others what came by the same invitation as one before; zero is
// nobody's.
func Apart[T any](list []T, invitation func(T) id.ID) []T {
	var first, behind []T
	for _, x := range list {
		by := invitation(x)
		if !by.IsZero() && slices.ContainsFunc(first, func(o T) bool { return invitation(o) == by }) {
			behind = append(behind, x)
			continue
		}
		first = append(first, x)
	}
	return append(first, behind...)
}

// leastLoadedFirst puts the host first that leads the fewest shards; of several the
// nearest. A node that has the shard already stays first.
func leastLoadedFirst(hosts []Offer) {
	if len(hosts) == 0 || hosts[0].Stored {
		return
	}
	best := 0
	for i, o := range hosts {
		if o.Led < hosts[best].Led {
			best = i
		}
	}
	hosts[0], hosts[best] = hosts[best], hosts[0]
}
