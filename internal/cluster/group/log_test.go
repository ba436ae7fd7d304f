package group

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// TestLogIsBounded: however much is written, the log keeps what Config says.
func TestLogIsBounded(t *testing.T) {
	net := newNet(t, 12, sim.Config{}, Config{KeepEntries: 20, MaxLogBytes: 10 << 10}, 3)
	net.create(0, 1, 2)
	for range 200 {
		net.write(0, "a")
	}
	big := bytes.Repeat([]byte("x"), 6<<10)
	for i := range 10 {
		tag := uint64(1000 + i)
		net.nodes[0].Call(func() {
			net.node(0).Propose(tag, machine.DiskWrite{Put: []machine.KV{{Key: []byte("big"), Value: big}}})
		})
		net.until("a large write has ended", net.ended(0, tag))
	}
	net.write(0, "a")
	net.sim.Run(time.Second)
	for i := range 3 {
		s := net.node(i).Status()
		if s.LogEntries > 2*20+1 || s.LogBytes > 20<<10 {
			t.Errorf("node %d keeps %d entries, %d bytes", i, s.LogEntries, s.LogBytes)
		}
		kept := 0
		for _, kv := range net.nodes[i].Disk.All(OwnSpace(space)) {
			if kv.Key[0] == 'e' {
				kept++
			}
		}
		if kept != s.LogEntries {
			t.Errorf("node %d has %d entries on its disk, %d in memory", i, kept, s.LogEntries)
		}
	}
}

// TestLinearizableReads: a leader reads everything that was acknowledged, in order with
// what it writes; a follower reads nothing.
func TestLinearizableReads(t *testing.T) {
	net := newNet(t, 13, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	read := func(node int) uint64 {
		net.tags++
		tag := net.tags
		net.nodes[node].Call(func() { net.node(node).Read(tag, machine.DiskRead{Prefix: []byte("a")}) })
		net.until("a read has ended", net.ended(node, tag))
		return tag
	}
	for range 20 {
		w := net.write(0, "a")
		kvs := net.node(0).reads[read(0)]
		if len(kvs) != 1 || string(kvs[0].Value) != fmt.Sprint(w) {
			t.Fatalf("read %v after %d was written", kvs, w)
		}
	}
	if err := net.node(1).results[read(1)]; !errors.Is(err, ErrNotLeader) {
		t.Errorf("a follower's read ended with %v", err)
	}
	w := net.write(0, "a")
	net.nodes[0].Crash()
	net.until("another leads", func() bool { return net.leader() > 0 })
	l := net.leader()
	if kvs := net.node(l).reads[read(l)]; len(kvs) != 1 || string(kvs[0].Value) != fmt.Sprint(w) {
		t.Errorf("the next leader reads %v after %d was written", kvs, w)
	}
}

// TestLargeWrites: a write that is larger than a message is one write all the same,
// and larger still is refused.
func TestLargeWrites(t *testing.T) {
	net := newNet(t, 14, sim.Config{}, Config{}, 4)
	net.create(0, 1, 2)
	k := net.node(0)
	put := func(tag uint64, size int) {
		net.nodes[0].Call(func() {
			k.Propose(tag, machine.DiskWrite{
				DeletePrefix: [][]byte{{}},
				Put:          []machine.KV{{Key: []byte("a"), Value: make([]byte, size)}, {Key: []byte("b"), Value: fmt.Append(nil, tag)}},
			})
		})
	}
	net.write(0, "old")
	put(100, 5<<20)
	put(101, 3<<20)
	net.until("they have ended", net.ended(0, 101))
	if k.results[100] != nil || k.results[101] != nil {
		t.Fatal(k.results)
	}
	put(102, 17<<20)
	net.until("it has ended", net.ended(0, 102))
	if err := k.results[102]; !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large a write ended with %v", err)
	}
	net.nodes[0].Call(func() { _ = k.SetMembers(net.peers(0, 1, 2, 3)) })
	net.until("another has come in", func() bool { return net.settled(0, 1, 2, 3) })
	net.sim.Run(time.Second)
	for i := range 4 {
		if net.has(i, "b") != "101" || len(net.has(i, "a")) != 3<<20 || net.has(i, "old") != "" {
			t.Errorf("node %d has %q, %d bytes, %q", i, net.has(i, "b"), len(net.has(i, "a")), net.has(i, "old"))
		}
	}
}

// TestSameSeedSameRun: elections draw nothing from outside.
func TestSameSeedSameRun(t *testing.T) {
	run := func() (uint64, uint64) {
		c := newChaos(t, 77, Config{})
		c.run(10 * time.Second)
		return c.sim.Trace(), c.nodes[1].Disk.Digest()
	}
	t1, d1 := run()
	if t2, d2 := run(); t1 != t2 || d1 != d2 {
		t.Errorf("two runs of one seed differ: %x %x, %x %x", t1, d1, t2, d2)
	}
}
