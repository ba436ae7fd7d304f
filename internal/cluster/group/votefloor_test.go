package group

import (
	"errors"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// rolledBack is a group of three of which one was cut off, the leader is dead, and the
// third has its disk of the time when the other was cut off: two of three lack what was
// acknowledged since.
func rolledBack(t *testing.T, seed uint64) (net *testnet, had candidacy, stale, cut int, s State) {
	net = newNet(t, seed, sim.Config{Delay: time.Millisecond}, Config{Vouched: true}, 3)
	net.create(0, 1, 2)
	l := net.leader()
	stale, cut = (l+1)%3, (l+2)%3
	net.write(l, "before")
	net.until("all have it", func() bool { return net.settled(0, 1, 2) })
	net.sim.Run(time.Second)
	restore := net.nodes[stale].Disk.Snapshot()
	net.nodes[cut].Crash()
	for range 5 {
		net.write(l, "after")
	}
	net.sim.Run(time.Second)
	net.node(l).ReadState(func(st State, err error) { s = st })
	net.until("the state was read", func() bool { return s.Index > 0 })
	index, term, _ := net.node(stale).raft.lastEntry()
	had = candidacy{term, index}
	net.nodes[l].Crash()
	net.nodes[stale].Crash()
	restore()
	net.nodes[stale].Restart()
	net.nodes[cut].Restart()
	net.sim.Run(3 * time.Second)
	if net.leader() >= 0 {
		t.Fatal("one leads before its owner has vouched")
	}
	return net, had, stale, cut, s
}

// TestStaleReplicaDoesNotVote: a replica with an older disk elects nobody, whatever the
// other one has, until it has the state that it has had, or its owner gives that up.
func TestStaleReplicaDoesNotVote(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		net, had, stale, cut, s := rolledBack(t, seed)
		net.log = map[[3]uint64]string{} // the entries that are lost will be others
		call := func(i int, do func(*testNode)) { net.nodes[i].Call(func() { do(net.node(i)) }) }
		call(cut, func(k *testNode) { k.Vouch(0, 0, 0) })
		call(stale, func(k *testNode) { k.Vouch(had.term, had.index, 0) })
		net.sim.Run(10 * time.Second)
		if l := net.leader(); l >= 0 {
			t.Fatalf("seed %d: node %d leads", seed, l)
		}
		if seed == 3 { // nobody has more
			call(stale, func(k *testNode) { k.Forgo() })
			net.until("one leads", func() bool { return net.leader() >= 0 })
			continue
		}
		older := s
		older.Index = 1
		call(stale, func(k *testNode) {
			if k.CatchUp(older) || !k.CatchUp(s) {
				t.Errorf("seed %d: it catches up with an older state, or does not with a later one", seed)
			}
		})
		net.until("it leads", func() bool { return net.leader() == stale })
		net.write(stale, "again")
		net.until("the other has it", func() bool { return net.has(cut, "again") != "" })
		if was, want := net.has(cut, "after"), net.has(stale, "after"); was != want || want == "" {
			t.Errorf("seed %d: the other has %q, not %q", seed, was, want)
		}
		net.nodes[stale].Restart()
		call(stale, func(k *testNode) { k.Vouch(had.term, had.index, 0) })
		net.sim.Run(time.Second)
		call(stale, func(k *testNode) { k.Vouch(had.term, had.index, 0) })
		net.until("it is there after a restart", func() bool { return net.leader() >= 0 && net.has(stale, "after") != "" })
	}
}

// oldDisks is a group of three that has committed an entry, its leader, and what puts each
// disk back to then.
func oldDisks(t *testing.T, seed uint64) (net *testnet, first int, disks []func()) {
	t.Helper()
	net = newNet(t, seed, sim.Config{Delay: time.Millisecond}, Config{Vouched: true}, 3)
	net.create(0, 1, 2)
	first = net.leader()
	net.write(first, "before")
	net.until("all have it", func() bool { return net.settled(0, 1, 2) })
	net.sim.Run(time.Second)
	for _, n := range net.nodes {
		disks = append(disks, n.Disk.Snapshot())
	}
	return net, first, disks
}

// TestOldDiskVotesOnce: the disk of a leader is put back to before its election. It does not
// know in which term it voted and led, and would elect another in that. A member that is
// gone by now has said which term it was.
func TestOldDiskVotesOnce(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		net, first, disks := oldDisks(t, seed)
		net.nodes[first].Crash()
		net.until("another leads", func() bool { return net.leader() >= 0 })
		stale := net.leader()
		term := net.node(stale).raftStatus().term
		net.write(stale, "after")
		net.sim.Run(time.Second)
		net.nodes[stale].Crash()
		disks[stale]()
		third := 3 - first - stale
		net.nodes[third].Crash()
		net.log = map[[3]uint64]string{} // the entries that are lost will be others
		for _, i := range []int{first, stale} {
			net.nodes[i].Restart()
		}
		net.sim.Run(100 * time.Millisecond)
		net.nodes[first].Call(func() { net.node(first).Vouch(0, 0, 0) })
		net.nodes[stale].Call(func() { net.node(stale).Vouch(0, 0, term) })
		net.until("one of them leads", func() bool { return net.leader() >= 0 && net.leader() != third })
		if got := net.node(net.leader()).raftStatus().term; got <= term {
			t.Errorf("seed %d: node %d leads in term %d, in which node %d has led: %d", seed, net.leader(), got, stale, term)
		}
	}
}

// TestOldDiskFollowsNoEarlierLeader: a leader is frozen, and another is elected. A voter's
// disk is put back to before that, the new leader is gone, and the old one goes on: it must
// not lead again in its term by the lease of a voter that has forgotten the later one.
func TestOldDiskFollowsNoEarlierLeader(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		net, first, disks := oldDisks(t, seed)
		term := net.node(first).raftStatus().term
		net.nodes[first].Freeze()
		second := -1
		net.until("another leads", func() bool {
			for i := range net.nodes {
				if i != first && net.node(i).Leads() {
					second = i
				}
			}
			return second >= 0
		})
		later, elected := net.node(second).raftStatus().term, net.node(second).st.Self
		net.node(first).drops = func(m *Message) bool { return m.From == elected } // its messages are lost
		net.sim.Run(time.Second)
		stale := 3 - first - second
		net.nodes[second].Crash()
		net.nodes[stale].Crash()
		disks[stale]()
		net.nodes[stale].Restart()
		net.log = map[[3]uint64]string{} // the entries that are lost will be others
		net.sim.Run(100 * time.Millisecond)
		net.nodes[stale].Call(func() { net.node(stale).Vouch(0, 0, later) })
		net.nodes[first].Thaw()
		for range 100 {
			net.sim.Run(100 * time.Millisecond)
			if l := net.leader(); l >= 0 && net.node(l).raftStatus().term <= later {
				t.Fatalf("seed %d: node %d leads in term %d; %d and %d have begun", seed, l, net.node(l).raftStatus().term, term, later)
			}
		}
		if net.leader() < 0 {
			t.Errorf("seed %d: nobody leads", seed)
		}
	}
}

// TestOldDiskOfAFollower: the disk of a follower is put back while the leader lives, which
// counts entries as there that are not. If a third member is there the follower is removed
// and added again; otherwise the leader starts over in another term, and sends them again.
func TestOldDiskOfAFollower(t *testing.T) {
	for _, third := range []bool{true, false} {
		for seed := uint64(1); seed <= 3; seed++ {
			net := newNet(t, seed, sim.Config{Delay: time.Millisecond}, Config{}, 3)
			net.create(0, 1, 2)
			l := net.leader()
			stale, other := (l+1)%3, (l+2)%3
			net.write(l, "before")
			net.until("all have it", func() bool { return net.settled(0, 1, 2) })
			net.sim.Run(time.Second)
			restore := net.nodes[stale].Disk.Snapshot()
			for range 5 {
				net.write(l, "after")
			}
			net.sim.Run(time.Second)
			net.nodes[stale].Crash()
			if !third {
				net.nodes[other].Crash()
			}
			restore()
			net.nodes[stale].Restart()
			old := net.node(stale)
			if third {
				net.until("it is told that it was removed", func() bool { return len(old.gone) == 1 && errors.Is(old.gone[0], ErrRemoved) })
				net.nodes[stale].Restart() // its owner makes another replica
			} else {
				net.until("it has what the leader has", func() bool { return net.leader() >= 0 && net.has(stale, "after") == net.has(l, "after") })
				if len(old.gone) > 0 {
					t.Fatalf("seed %d: it ended: %v", seed, old.gone)
				}
				net.nodes[other].Restart()
			}
			net.until("all are members again", func() bool { return net.leader() >= 0 && net.settled(0, 1, 2) })
			net.write(net.leader(), "again")
			net.until("all have all", func() bool { return net.has(stale, "again") != "" && net.has(stale, "after") == net.has(l, "after") })
		}
	}
}

// TestOverruled: the disk of a replica is put back of which nobody knows that it had more,
// and a leader is elected that lacks what was committed. Who has it comes back, says so, and
// becomes a member anew with what the others have: it does not go on with another state.
func TestOverruled(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		net, _, stale, cut, _ := rolledBack(t, seed)
		net.log = map[[3]uint64]string{} // the entries that are lost will be others
		vouch := func(i int) { net.nodes[i].Call(func() { net.node(i).Vouch(0, 0, 0) }) }
		vouch(cut)
		vouch(stale)
		net.until("one leads", func() bool { return net.leader() >= 0 })
		for range 20 {
			net.write(net.leader(), "other")
		}
		had := 3 - stale - cut
		net.nodes[had].Restart()
		old := net.node(had)
		net.sim.Run(100 * time.Millisecond)
		vouch(had)
		overruled := uint64(0)
		net.until("it is told that it was removed", func() bool {
			overruled = max(overruled, old.Status().Overruled)
			return len(old.gone) > 0
		})
		if !errors.Is(old.gone[0], ErrRemoved) || overruled == 0 {
			t.Errorf("seed %d: it ended: %v; overruled at entry %d", seed, old.gone, overruled)
		}
		net.nodes[had].Restart() // its owner makes another replica
		net.until("all have the same", func() bool {
			return net.leader() >= 0 && net.settled(0, 1, 2) && net.has(had, "other") != "" && net.has(had, "after") == net.has(stale, "after")
		})
	}
}
