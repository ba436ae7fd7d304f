package group

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// TestWriteAndFailoverOfThree is the whole way: a group of one takes in two others, writes on
// all, and goes on when the leader is killed.
func TestWriteAndFailoverOfThree(t *testing.T) {
	net := newNet(t, 1, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	tag := net.write(0, "a")
	net.sim.Run(time.Second)
	for i := range 3 {
		if net.has(i, "a") != fmt.Sprint(tag) {
			t.Errorf("node %d has %q", i, net.has(i, "a"))
		}
	}
	net.nodes[0].Crash()
	began := net.sim.Now()
	net.until("another leads", func() bool { return net.leader() > 0 })
	t.Logf("another leads after %v", net.sim.Now().Sub(began))
	l := net.leader()
	tag = net.write(l, "a")
	net.nodes[0].Restart()
	net.until("the first is back", func() bool { return net.has(0, "a") == fmt.Sprint(tag) })
}

// TestExistingSpaceIsReplicated: what is in the space already becomes the group's.
func TestExistingSpaceIsReplicated(t *testing.T) {
	net := newNet(t, 2, sim.Config{}, Config{Chunk: 1000}, 3)
	var kvs []machine.KV
	for i := range 200 {
		kvs = append(kvs, machine.KV{Key: fmt.Appendf(nil, "k%03d", i), Value: make([]byte, 100)})
	}
	net.nodes[0].Call(func() {
		net.node(0).env.Do("other", tagIgnored, machine.DiskWrite{Space: space, Put: kvs})
	})
	net.sim.Run(time.Second)
	net.create(0, 1, 2)
	net.sim.Run(time.Second)
	for i := range 3 {
		if len(net.has(i, "k199")) != 100 {
			t.Errorf("node %d does not have what was there before", i)
		}
	}
}
