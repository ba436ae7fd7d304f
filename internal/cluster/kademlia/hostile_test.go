package kademlia

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// TestHostileSubnets: contacts of one network share its part of a bucket, in whatever
// form their addresses are written.
func TestHostileSubnets(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "::ffff:192.0.2.99", true},
		{"2001:db8::1", "2001:db8::2", true},
		{"2001:db8::1", "2001:db8:0:ffff::2", true},
		{"fe80::1%eth0", "fe80::2", true},
		{"192.0.2.1", "192.0.3.1", false},
		{"::ffff:192.0.2.1", "::ffff:192.0.3.1", false},
		{"2001:db8::1", "2001:db8:1::1", false},
	} {
		of := func(text string) subnet {
			s, limited := subnetOf(machine.AddrFrom(netip.AddrPortFrom(netip.MustParseAddr(text), 1)))
			if !limited {
				t.Errorf("%s is not limited", text)
			}
			return s
		}
		if got := of(c.a) == of(c.b); got != c.want {
			t.Errorf("%s and %s are one network: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestHostileGhosts: a fifth of the nodes answer with twenty nodes that do not exist and
// are nearer to the target than anybody. Lookups find all of the k nearest nodes that do,
// within a few timeouts, not one timeout after the other.
func TestHostileGhosts(t *testing.T) {
	for _, paths := range []int{1, 4} {
		w := newNetwork(t)
		w.grow(100, Config{Paths: paths})
		r := rng.New(6)
		target := randomID(&r)
		w.drop = func(from, _ *end, m machine.Message) bool {
			reply, ok := m.(*Reply)
			if ok && reply.Proc == FindNode && slices.Index(w.all, from)%5 == 4 {
				reply.Contacts = nil
				for range DefaultK {
					ghost := machine.Peer{ID: target}
					for i := 4; i < len(ghost.ID); i++ {
						ghost.ID[i] = byte(r.Uint64())
					}
					reply.Contacts = append(reply.Contacts, ghost)
				}
			}
			return false
		}
		e := w.all[0]
		for tag := range uint64(20) {
			target = randomID(&r)
			begun := w.now
			e.node.Lookup(tag, target)
			for _, over := e.found[tag]; !over && w.now.Sub(begun) < time.Minute; _, over = e.found[tag] {
				w.run(10 * time.Millisecond)
			}
			if took := w.now.Sub(begun); took > 4*DefaultTimeout {
				t.Errorf("%d paths, lookup %d: took %v", paths, tag, took)
			}
			want := slices.DeleteFunc(w.closest(target, DefaultK+1), func(who id.ID) bool { return who == e.self.ID })
			if got := ids(e.found[tag].Closest); !slices.Equal(got, want[:DefaultK]) {
				t.Errorf("%d paths, lookup %d: found %v instead of %v", paths, tag, got, want[:DefaultK])
			}
		}
	}
}
