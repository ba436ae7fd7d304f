package kademlia_test

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// listener hears the results of a node's lookups.
type listener struct{}

func (listener) Found(_ uint64, r kademlia.Result) {
	fmt.Println(len(r.Closest), "contacts; the nearest is the target:", r.Closest[0].ID == target)
}
func (listener) Stored(uint64, int, map[kademlia.Code]int) {}
func (listener) Renew(*kademlia.Record)                    {}

var target = id.Of([]byte("node 7"))

// Thirty simulated nodes join by the first one; the last looks another one up.
func ExampleNode_Lookup() {
	s := sim.New(1)
	var nodes []*sim.Node
	for i := range 30 {
		self := id.Of(fmt.Append(nil, "node ", i))
		n := s.AddAs(machine.Peer{ID: self}, func(env machine.Env) machine.Machine {
			return kademlia.New(kademlia.Config{Self: self, Events: listener{}}, env)
		})
		nodes = append(nodes, n)
		if i > 0 {
			n.Call(func() { n.Machine().(*kademlia.Node).Join([]machine.Peer{nodes[0].Peer()}) })
		}
		s.Run(time.Second)
	}
	last := nodes[len(nodes)-1]
	last.Call(func() { last.Machine().(*kademlia.Node).Lookup(1, target) })
	s.Run(time.Minute)
	// Output: 20 contacts; the nearest is the target: true
}

// The distance of two ids is their exclusive or (Kademlia, section 2.1).
func ExampleDistance() {
	a, b := id.ID{0b1100}, id.ID{0b1010}
	fmt.Printf("%04b\n", kademlia.Distance(a, b)[0])
	// Output: 0110
}
