package group

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// TestTwoMembers: of two members one has the vote. The group goes on without the
// other, and the other has a copy that the group can be recovered from. Who has
// the vote can change, and a third makes three voters.
func TestTwoMembers(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		net := newNet(t, seed, sim.Config{Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond}, Config{}, 3)
		net.create(0)
		keys := 0
		write := func(at int) {
			t.Helper()
			net.write(at, fmt.Sprintf("k%d", keys))
			keys++
		}
		all := func(at int) {
			t.Helper()
			net.until("it has everything", func() bool {
				for i := range keys {
					if net.has(at, fmt.Sprintf("k%d", i)) == "" {
						return false
					}
				}
				return true
			})
		}
		set := func(nodes ...int) {
			l := net.leader()
			if l < 0 {
				t.Fatalf("seed %d: nobody leads", seed)
			}
			net.nodes[l].Call(func() {
				if err := net.node(l).SetMembers(net.peers(nodes...)); err != nil {
					t.Error(err)
				}
			})
		}
		// two are the members, and the first leads.
		two := func(first, second int) {
			t.Helper()
			net.until(fmt.Sprintf("%d and %d are two", first, second), func() bool {
				k := net.node(first)
				s := k.Status()
				return net.leader() == first && len(s.Members) == 2 && k.st.voters() == 1 && k.membership.reached()
			})
			for _, m := range net.node(first).Status().Members {
				if is := m.Peer == net.nodes[second].Peer(); m.Standby != is || m.Voter == is {
					t.Errorf("seed %d: %+v", seed, m)
				}
			}
			all(second)
		}
		write(0)
		set(0, 1)
		two(0, 1)
		net.nodes[1].Crash()
		write(0)
		net.nodes[1].Restart()
		all(1)
		set(0, 1, 2)
		net.until("all three have votes", func() bool { return net.settled(0, 1, 2) })
		write(net.leader())
		net.nodes[2].Crash()
		net.until("somebody leads", func() bool { l := net.leader(); return l == 0 || l == 1 })
		set(0, 1)
		two(0, 1)
		net.nodes[1].Crash()
		write(0)
		net.nodes[1].Restart()
		set(1, 0)
		two(1, 0)
		write(1)
		all(0)
		net.nodes[1].Crash()
		net.sim.Run(time.Minute)
		if net.leader() >= 0 {
			t.Fatalf("seed %d: one without a vote leads", seed)
		}
		net.nodes[0].Call(func() {
			if err := net.node(0).Recover(net.peers(0)); err != nil {
				t.Error(err)
			}
		})
		net.until("it leads what is left", func() bool { return net.leader() == 0 })
		write(0)
		all(0)
	}
}
