package node

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// keyNear searches for a key whose id is nearest to another key.
func keyNear(target id.ID, name string, tries int) (best ed25519.PrivateKey) {
	var nearest id.ID
	for i := range tries {
		key := testKey(fmt.Sprint(name, " ", i))
		who := id.Of(key.Public().(ed25519.PublicKey))
		if best == nil || kademlia.Closer(target, who, nearest) {
			best, nearest = key, who
		}
	}
	return best
}

func inOrder(list []id.ID) []id.ID {
	slices.SortFunc(list, func(a, b id.ID) int { return slices.Compare(a[:], b[:]) })
	return list
}

// TestSearchedKeysInVerifiedWorld: three nodes with ordinary certificates have searched for
// keys next to a region's. Its hosts are the first by the places that the authority drew,
// and so is the one that replaces a host that dies.
func TestSearchedKeysInVerifiedWorld(t *testing.T) {
	r := emptyVerifiedWorld(t, 1, nil)
	random := rng.New(1, 5)
	home := shards.Shard{Region: spawn.Region()}
	for range 7 {
		r.certify(drawPlace(&random))
	}
	for i := range 3 {
		r.certifyKey(keyNear(shards.Key(r.genesis.World(), home), fmt.Sprint("attacker ", i), 300), drawPlace(&random))
	}
	for i := range r.certs {
		r.add(i)
	}
	r.exact("before")
	dir := r.node(0).net.dir
	var order []machine.Peer
	for i := range r.certs {
		order = append(order, r.peer(i))
	}
	byKey := slices.Clone(order)
	order = dir.InOrder(home, order)
	kademlia.SortNearest(dir.KeyOf(home), byKey)
	isEvil := func(p machine.Peer) bool {
		return slices.IndexFunc(r.certs, func(c *identity.Certificate) bool { return c.ID() == p.ID }) >= 7
	}
	if !isEvil(byKey[0]) || !isEvil(byKey[1]) || !isEvil(byKey[2]) || isEvil(order[0]) && isEvil(order[1]) {
		t.Fatal("the attackers are not nearest to the key, or were lucky: another seed")
	}
	// The guest is at the last node in the order, which hosts nothing that is looked at.
	at := slices.IndexFunc(r.certs, func(c *identity.Certificate) bool { return c.ID() == order[len(order)-1].ID })
	var guest *wanderer
	r.s.AddAs(machine.Peer{ID: id.Of([]byte("session"))}, func(env machine.Env) machine.Machine {
		guest = newWanderer(env, r.peer(at), 0, singleNodeGuests)
		return guest
	})
	hosts := func() (names []id.ID) {
		for i := range r.nodes {
			if r.nodes[i].Machine() == nil {
				continue
			}
			if h := r.node(i).net.hosting.replicas[home]; h != nil && h.group.Leading {
				for _, m := range h.group.Raft.Status().Members {
					if m.Voter {
						names = append(names, m.Peer.ID)
					}
				}
			}
		}
		return inOrder(names)
	}
	want := func(of ...machine.Peer) (names []id.ID) {
		for _, p := range of {
			names = append(names, p.ID)
		}
		return inOrder(names)
	}
	first := want(order[:3]...)
	if !r.s.RunUntil(func() bool { return guest.in && slices.Equal(hosts(), first) }, time.Minute) {
		t.Fatalf("hosted by %v, first by place %v", hosts(), first)
	}
	dead := slices.IndexFunc(r.certs, func(c *identity.Certificate) bool { return c.ID() == order[1].ID })
	r.nodes[dead].Crash()
	next := want(order[0], order[2], order[3])
	if !r.s.RunUntil(func() bool { return slices.Equal(hosts(), next) }, time.Minute) {
		t.Fatalf("after one has died hosted by %v, first by place %v", hosts(), next)
	}
}
