package group

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// cutOff separates nodes from the others.
func (net *testnet) cutOff(nodes ...int) {
	in := func(p machine.Peer) bool {
		return slices.ContainsFunc(nodes, func(i int) bool { return net.nodes[i].Peer() == p })
	}
	net.sim.Cut(func(a, b machine.Peer) bool { return in(a) != in(b) })
}

// TestFencing: a leader that is cut off says so before another leads, what it
// had on its way ends, and it can acknowledge nothing.
func TestFencing(t *testing.T) {
	for seed := range uint64(8) {
		net := newNet(t, seed, lan(), Config{}, 3)
		net.create(0, 1, 2)
		net.write(0, "a")
		k := net.node(0)
		net.cutOff(0)
		began := net.sim.Now()
		tag := net.put(0, "a")
		var fenced, other machine.Time
		net.until("another leads", func() bool {
			if !k.leads && fenced == 0 {
				fenced = net.sim.Now()
			}
			if l := net.leader(); l > 0 && other == 0 {
				other = net.sim.Now()
			}
			return other > 0
		})
		if fenced == 0 || fenced > other {
			t.Errorf("seed %d: the old leader was fenced at %v, another led from %v", seed, fenced.Sub(began), other.Sub(began))
		}
		if err := k.results[tag]; !errors.Is(err, ErrUnknown) {
			t.Errorf("seed %d: what was on its way ended with %v", seed, err)
		}
		late := net.put(0, "a")
		net.until("it ends", net.ended(0, late))
		if err := k.results[late]; !errors.Is(err, ErrNotLeader) {
			t.Errorf("seed %d: a later proposal ended with %v", seed, err)
		}
		if why := k.follows; len(why) != 1 || !errors.Is(why[0], ErrLease) {
			t.Errorf("seed %d: the reasons were %v", seed, why)
		}
		l := net.leader()
		tag = net.write(l, "a")
		net.sim.Cut(nil)
		net.until("the old leader has what was written since", func() bool { return net.has(0, "a") == fmt.Sprint(tag) })
	}
}

// TestLeadsAgain: a leader whose lease ends while a write is on its way, and who
// leads again in the same term, finds that write where it reads first: it is in
// its log, and will be done.
func TestLeadsAgain(t *testing.T) {
	net := newNet(t, 1, lan(), Config{}, 3)
	net.create(0, 1, 2)
	net.write(0, "a")
	k := net.node(0)
	term := k.raftStatus().term
	hear := func(deaf func(*Message) bool) { net.node(1).drops, net.node(2).drops = deaf, deaf }
	hear(func(*Message) bool { return true })
	tag := net.put(0, "a")
	net.until("it leads no longer", func() bool { return !k.leads })
	hear(hasEntries) // heartbeats come, what was on its way does not yet
	const read = 1 << 40
	k.onLead = func() { k.Read(read, machine.DiskRead{Prefix: []byte("a")}) }
	net.sim.Run(300 * time.Millisecond)
	if k.leads {
		t.Error("it leads, and what is in its log is not done")
	}
	hear(nil)
	net.until("it has read", net.ended(0, read))
	if now := k.raftStatus(); now.term != term || net.leader() != 0 {
		t.Fatalf("node %d leads in term %d, not the first in term %d", net.leader(), now.term, term)
	}
	if kvs := k.reads[read]; len(kvs) != 1 || string(kvs[0].Value) != fmt.Sprint(tag) {
		t.Errorf("it read %q, %d was on its way", kvs, tag)
	}
	net.write(0, "a")
}

// hasEntries reports whether a message has something for the log.
func hasEntries(m *Message) bool {
	return slices.ContainsFunc(m.Raft, func(b []byte) bool {
		var r pb.Message
		return proto.Unmarshal(b, &r) != nil || len(r.Entries) > 0
	})
}

// TestMembers: newcomers get what is there, the removed learn that they are,
// and a leader that is to go hands over.
func TestMembers(t *testing.T) {
	net := newNet(t, 3, sim.Config{}, Config{Chunk: 500}, 6)
	net.create(0, 1, 2)
	for i := range 30 {
		net.write(0, fmt.Sprintf("k%d", i))
	}
	set := func(nodes ...int) {
		l := net.leader()
		net.nodes[l].Call(func() {
			if err := net.node(l).SetMembers(net.peers(nodes...)); err != nil {
				t.Error(err)
			}
		})
		net.until(fmt.Sprintf("the members are %v", nodes), func() bool { return net.settled(nodes...) })
	}
	set(0, 3, 4)
	net.until("the removed know it", func() bool { return len(net.node(1).gone) == 1 && len(net.node(2).gone) == 1 })
	if why := net.node(1).gone[0]; !errors.Is(why, ErrRemoved) {
		t.Errorf("node 1 is gone because of %v", why)
	}
	for i := range 30 {
		key := fmt.Sprintf("k%d", i)
		if _, ok := net.nodes[1].Disk.Get(RetiredSpace(space), key); !ok {
			t.Errorf("a removed node has lost %s", key)
		}
	}
	if net.has(1, "k7") != "" || len(net.nodes[1].Disk.All(OwnSpace(space))) > 0 {
		t.Error("a removed node has a member's data")
	}
	set(3, 4, 5) // the leader goes
	set(3)
	set(1, 3, 2) // nodes that were there before
	net.sim.Run(time.Second)
	for i := range 30 {
		for _, n := range []int{1, 2, 3} {
			if net.has(n, fmt.Sprintf("k%d", i)) == "" {
				t.Fatalf("node %d has no k%d", n, i)
			}
		}
	}
	net.nodes[4].Restart() // it must not come up as a member
	net.sim.Run(5 * time.Second)
	if k := net.node(4); k.phase != blank {
		t.Errorf("a removed node comes up as phase %d", k.phase)
	}
}

// TestRemovedMeanwhile: a member that was down when it was removed learns it from
// any of those that it remembers, though somebody leads whom it never heard of.
func TestRemovedMeanwhile(t *testing.T) {
	net := newNet(t, 1, sim.Config{}, Config{}, 4)
	net.create(0, 1, 2)
	net.write(0, "a")
	net.nodes[2].Crash()
	net.nodes[0].Call(func() {
		if err := net.node(0).SetMembers(net.peers(0, 1, 3)); err != nil {
			t.Error(err)
		}
	})
	net.until("another has its place", func() bool { return net.settled(0, 1, 3) })
	net.nodes[0].Call(func() { net.node(0).Transfer(net.nodes[3].Peer().ID) })
	net.until("that one leads", func() bool { return net.leader() == 3 })
	net.nodes[2].Restart()
	net.until("who was down knows it", func() bool { return len(net.node(2).gone) > 0 })
	if why := net.node(2).gone[0]; !errors.Is(why, ErrRemoved) {
		t.Errorf("it is gone because of %v", why)
	}
	net.write(3, "a")
}

// TestTransfer: leadership can be handed over without a gap in which nobody is
// elected, and nothing on its way is lost.
func TestTransfer(t *testing.T) {
	net := newNet(t, 4, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	tags := []uint64{net.put(0, "a"), net.put(0, "b")}
	k := net.node(0)
	net.nodes[0].Call(func() { k.Transfer(net.nodes[2].Peer().ID) })
	began := net.sim.Now()
	net.until("node 2 leads", func() bool { return net.leader() == 2 })
	if d := net.sim.Now().Sub(began); d > 100*time.Millisecond {
		t.Errorf("it took %v", d)
	}
	for _, tag := range tags {
		if err := k.results[tag]; err != nil {
			t.Errorf("a proposal before it ended with %v", err)
		}
	}
	if len(k.follows) != 1 || !errors.Is(k.follows[0], ErrTransferred) {
		t.Errorf("the reasons were %v", k.follows)
	}
	// To one that does not answer: the leader goes on, or another does.
	net.nodes[1].Crash()
	net.nodes[2].Call(func() { net.node(2).Transfer(net.nodes[1].Peer().ID) })
	net.sim.Run(3 * time.Second)
	net.until("somebody leads", func() bool { return net.leader() >= 0 })
	net.write(net.leader(), "c")
}

// TestHibernation: a group that hibernates sends nothing and sets no timers; it wakes
// by its leader, by another member, and when the leader is gone.
func TestHibernation(t *testing.T) {
	net := newNet(t, 5, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	asleep := func(nodes ...int) func() bool {
		return func() bool {
			for _, i := range nodes {
				if !net.node(i).Status().Asleep {
					return false
				}
			}
			return true
		}
	}
	sleep := func(nodes ...int) {
		t.Helper()
		l := net.leader()
		net.nodes[l].Call(func() { net.node(l).Hibernate() })
		net.until("all sleep", asleep(nodes...))
		net.sim.Run(2 * time.Second)
		before := net.sim.Events()
		net.sim.Run(time.Hour)
		if n := net.sim.Events() - before; n > 0 {
			t.Errorf("a sleeping group had %d events in an hour", n)
		}
		if net.leader() >= 0 {
			t.Error("a sleeping replica claims to lead")
		}
	}
	net.write(0, "a")
	sleep(0, 1, 2)
	if err := net.node(0).follows[0]; !errors.Is(err, ErrHibernating) {
		t.Errorf("the reason was %v", err)
	}
	net.nodes[0].Call(func() { net.node(0).Wake() })
	net.until("the leader is back", func() bool { return net.leader() == 0 })
	net.write(0, "b")
	sleep(0, 1, 2)
	net.nodes[2].Call(func() { net.node(2).Wake() })
	net.until("the leader is back", func() bool { return net.leader() == 0 })
	sleep(0, 1, 2)

	net.nodes[1].Restart() // it must find its place without waking the owner
	net.sim.Run(10 * time.Second)
	if !asleep(0, 1, 2)() {
		t.Error("the group does not sleep on after a member came back")
	}
	net.nodes[0].Crash()
	net.nodes[2].Call(func() { net.node(2).Wake() })
	net.until("another leads", func() bool { return net.leader() > 0 })
	net.write(net.leader(), "c")
	sleep(1, 2) // one is dead: that is no reason to stay awake for ever
	net.nodes[0].Restart()
	net.until("the dead one has what was written", func() bool { return net.has(0, "c") != "" })
}

// TestRecovery: what is left of a group goes on by force, as a new generation;
// old members who come back give way and keep what they had aside.
func TestRecovery(t *testing.T) {
	net := newNet(t, 6, sim.Config{}, Config{}, 5)
	net.create(0, 1, 2)
	net.write(0, "a")
	net.sim.Run(time.Second)
	net.nodes[0].Crash()
	net.nodes[1].Crash()
	net.sim.Run(5 * time.Second)
	if net.leader() >= 0 {
		t.Fatal("a minority leads")
	}
	old := net.node(2).st.Gen
	net.nodes[2].Call(func() {
		if err := net.node(2).Recover(net.peers(2, 3, 4)); err != nil {
			t.Error(err)
		}
	})
	net.until("the group goes on", func() bool { return net.settled(2, 3, 4) })
	if g := net.node(3).st.Gen; g.Compare(old) <= 0 {
		t.Errorf("generation %v after %v", g, old)
	}
	tag := net.write(net.leader(), "a")
	was := net.has(0, "a")
	net.nodes[0].Restart() // two of the old three: they could elect
	net.nodes[1].Restart()
	net.until("the old ones give way", func() bool { return len(net.node(0).gone) > 0 && len(net.node(1).gone) > 0 })
	for i := range 2 {
		if why := net.node(i).gone[0]; !errors.Is(why, ErrSuperseded) {
			t.Errorf("node %d is gone because of %v", i, why)
		}
		if v, _ := net.nodes[i].Disk.Get(SupersededSpace(space, old), "a"); string(v) != was {
			t.Errorf("node %d put %q aside, had %q", i, v, was)
		}
		if net.has(i, "a") != "" {
			t.Errorf("node %d still has the space", i)
		}
	}
	l := net.leader()
	net.nodes[l].Call(func() { _ = net.node(l).SetMembers(net.peers(0, 1, 2, 3, 4)) })
	net.until("all are members again", func() bool { return net.settled(0, 1, 2, 3, 4) })
	net.sim.Run(time.Second)
	for i := range 5 {
		if net.has(i, "a") != fmt.Sprint(tag) {
			t.Errorf("node %d has %q, want %d", i, net.has(i, "a"), tag)
		}
	}
}

// TestTwoRecoveries: two survivors recovered apart are two groups; when they
// meet, one gives way.
func TestTwoRecoveries(t *testing.T) {
	net := newNet(t, 7, lan(), Config{}, 5)
	net.create(0, 1, 2, 3, 4)
	net.cutOff(3)
	for i := range 3 {
		net.nodes[i].Crash()
	}
	net.sim.Run(5 * time.Second)
	for _, i := range []int{3, 4} {
		net.nodes[i].Call(func() { _ = net.node(i).Recover(net.peers(3, 4)) })
	}
	net.until("both lead", func() bool { return net.node(3).Leads() && net.node(4).Leads() })
	net.sim.Cut(nil)
	net.until("one has given way and come in again", func() bool { return net.settled(3, 4) })
	if len(net.node(3).gone)+len(net.node(4).gone) != 1 {
		t.Error("one of them should have been told that it gave way")
	}
}

// TestLostDisk: a member that comes back without its log is not believed to be
// the one it was; it is removed and comes in again as another.
func TestLostDisk(t *testing.T) {
	net := newNet(t, 8, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	tag := net.write(0, "a")
	was := net.node(1).st.Self
	net.nodes[1].Crash()
	net.nodes[1].Disk.Wipe()
	net.nodes[1].Restart()
	net.until("it is a member again", func() bool { return net.settled(0, 1, 2) && net.node(1).st.Self != was })
	net.until("it has the space", func() bool { return net.has(1, "a") == fmt.Sprint(tag) })
}

// TestFullDisks: a follower's full disk does not hold up the group, a leader's
// makes it hand over, and all is well again when there is room.
func TestFullDisks(t *testing.T) {
	net := newNet(t, 9, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	net.nodes[1].Disk.Full = true
	net.write(0, "a")
	net.until("it says so", func() bool { return errors.Is(net.node(1).Status().Disk, machine.ErrDiskFull) })
	net.nodes[1].Disk.Full = false
	net.until("it has caught up", func() bool { return net.has(1, "a") != "" })

	net.nodes[0].Disk.Full = true
	tag := net.put(0, "b")
	began := net.sim.Now()
	net.until("another leads", func() bool { return net.leader() > 0 })
	if d := net.sim.Now().Sub(began); d > 300*time.Millisecond {
		t.Errorf("it took %v", d)
	}
	k := net.node(0)
	if err := k.follows[len(k.follows)-1]; !errors.Is(err, machine.ErrDiskFull) && !errors.Is(err, ErrTransferred) {
		t.Errorf("the reason was %v", err)
	}
	if err := k.results[tag]; !errors.Is(err, ErrUnknown) {
		t.Errorf("the proposal ended with %v", err)
	}
	net.write(net.leader(), "c")
	net.nodes[0].Disk.Full = false
	net.until("it has caught up", func() bool { return net.has(0, "c") != "" })

	alone := newNet(t, 10, sim.Config{}, Config{}, 1)
	alone.create(0)
	alone.nodes[0].Disk.Full = true
	alone.put(0, "a")
	alone.until("it no longer leads", func() bool { return alone.leader() < 0 })
	alone.nodes[0].Disk.Full = false
	alone.until("it leads again", func() bool { return alone.leader() == 0 })
	alone.write(0, "b")
}

// TestSnapshotInterrupted: a transfer that breaks off leaves what was there, and
// begins anew.
func TestSnapshotInterrupted(t *testing.T) {
	net := newNet(t, 11, sim.Config{Delay: 5 * time.Millisecond}, Config{KeepEntries: 4, Chunk: 300}, 3)
	net.create(0, 1, 2)
	old := net.write(0, "a")
	net.sim.Run(time.Second)
	net.nodes[2].Crash()
	for i := range 300 {
		net.write(0, fmt.Sprintf("k%d", i))
	}
	now := net.write(0, "a")
	for range 3 {
		net.nodes[2].Restart()
		net.until("a snapshot is on its way", func() bool { in := net.node(2).receiver.in; return in != nil && in.seq > 2 })
		net.nodes[2].Crash()
		if got := net.has(2, "a"); got != fmt.Sprint(old) {
			t.Fatalf("half a snapshot is there: %q", got)
		}
	}
	net.nodes[2].Restart()
	net.until("it is complete", func() bool { return net.has(2, "a") == fmt.Sprint(now) && net.has(2, "k99") != "" })
}

// TestResign: the last of three members ends its replica. What it has applied is put
// aside, its owner gets what was only in the log, and another group begins with both. A
// member of a group that has a leader does not resign.
func TestResign(t *testing.T) {
	net := newNet(t, 6, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	net.write(0, "a")
	net.sim.Run(time.Second)
	resign := func() (log []machine.DiskWrite, ok bool) {
		net.nodes[0].Call(func() { log, ok = net.node(0).Resign() })
		net.sim.Run(time.Second)
		return log, ok
	}
	if _, ok := resign(); ok || !net.settled(0, 1, 2) {
		t.Fatal("it resigned, though there is a leader")
	}
	net.nodes[1].Crash()
	net.nodes[2].Crash()
	was := net.has(0, "a")
	net.put(0, "b") // nobody else has it
	net.until("it has lost the lead", func() bool { return net.leader() < 0 })
	net.sim.Run(time.Second) // the disk has it
	log, ok := resign()
	if !ok || len(net.node(0).gone) != 1 || !errors.Is(net.node(0).gone[0], ErrResigned) {
		t.Fatalf("resigned: %v, gone %v", ok, net.node(0).gone)
	}
	if v, _ := net.nodes[0].Disk.Get(RetiredSpace(space), "a"); string(v) != was {
		t.Errorf("it put %q aside, had %q", v, was)
	}
	if v, ok := net.nodes[0].Disk.Get(RetiredSpace(space), "b"); ok {
		t.Errorf("it put %q aside, which was not applied", v)
	}
	net.nodes[0].Call(func() {
		net.node(0).last = 0 // another group
		net.node(0).CreateFrom(Origin{Restored: 1, Content: net.nodes[0].Disk.All(RetiredSpace(space)), Changes: log}, net.peers(0))
	})
	net.until("another group leads", func() bool { return net.leader() == 0 })
	if net.has(0, "a") != was || net.has(0, "b") == "" {
		t.Errorf("it has %q, not %q, and %q", net.has(0, "a"), was, net.has(0, "b"))
	}
}
