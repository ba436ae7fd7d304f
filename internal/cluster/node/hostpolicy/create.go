package hostpolicy

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// Offer is what a node says about hosting a shard that nobody hosts.
type Offer struct {
	Peer   machine.Peer
	Room   bool
	Stored bool   // it has the shard from when it was the world's only node
	Led    uint32 // how many shards it leads
}

// FirstHosts chooses an odd number of hosts, up to so many replicas: nodes that have the
// shard already, then the nearest with room. The offers are nearest to the key first.
// The first host will lead.
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
	hosts = hosts[:odd(min(len(hosts), replicas))]
	leastLoadedFirst(hosts)
	out := make([]machine.Peer, len(hosts))
	for i, o := range hosts {
		out[i] = o.Peer
	}
	return out
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
