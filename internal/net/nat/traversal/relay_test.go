package traversal

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

var testLimits = RelayLimits{Allocations: 4, PerNode: 2, Rate: 10000, Total: 15000, Bytes: 100000, Lifetime: time.Hour, Idle: time.Minute}

func allocate(t *testing.T, r *Relay, a, b int, now machine.Time) {
	t.Helper()
	if _, err := r.Allocate(node(a), node(b), now); err != nil {
		t.Fatal(err)
	}
	if isOpen, err := r.Allocate(node(b), node(a), now); err != nil || !isOpen {
		t.Fatalf("both asked: open %v, %v", isOpen, err)
	}
}

// TestRelayNeedsPermissionOfBothPeers: nobody gets what it did not ask for.
func TestRelayNeedsPermissionOfBothPeers(t *testing.T) {
	r := NewRelay(testLimits)
	if isOpen, err := r.Allocate(node(1), node(2), 0); err != nil || isOpen {
		t.Errorf("one asked: open %v, %v", isOpen, err)
	}
	for _, way := range [][2]int{{1, 2}, {2, 1}, {1, 3}, {3, 2}} {
		if err := r.Forward(node(way[0]), node(way[1]), 100, 0); !errors.Is(err, ErrNoPermission) {
			t.Errorf("%v: %v", way, err)
		}
	}
	allocate(t, r, 1, 2, 0)
	for _, way := range [][2]int{{1, 2}, {2, 1}} {
		if err := r.Forward(node(way[0]), node(way[1]), 100, 0); err != nil {
			t.Errorf("%v: %v", way, err)
		}
	}
	if err := r.Forward(node(3), node(2), 100, 0); !errors.Is(err, ErrNoPermission) {
		t.Errorf("a third node: %v", err)
	}
	if _, err := r.Allocate(node(1), node(1), 0); err == nil {
		t.Error("an allocation with oneself")
	}
	r.Release(node(2))
	if err := r.Forward(node(1), node(2), 100, 0); !errors.Is(err, ErrNoPermission) {
		t.Errorf("after its link is down: %v", err)
	}
}

func TestRelayLimits(t *testing.T) {
	second := machine.Time(time.Second)
	r := NewRelay(testLimits)
	allocate(t, r, 1, 2, 0)
	for _, n := range []int{0, -1, MaxRelayedPacket + 1} {
		if err := r.Forward(node(1), node(2), n, 0); !errors.Is(err, ErrPacketSize) {
			t.Errorf("a packet of %d bytes: %v", n, err)
		}
	}
	pass := func(a, b int, now machine.Time) (n int) {
		for r.Forward(node(a), node(b), 1000, now) == nil {
			n++
		}
		return n
	}
	if n := pass(1, 2, 0); n != 10 {
		t.Errorf("%d packets at once, want a second's worth", n)
	}
	allocate(t, r, 3, 4, 0)
	if n := pass(3, 4, 0); n != 5 {
		t.Errorf("%d packets of another allocation, want what is left of the relay's", n)
	}
	if n := pass(1, 2, second/2); n != 5 {
		t.Errorf("%d packets after half a second", n)
	}
	all := 15
	now := second
	for ; all < 200; now += second {
		if _, err := r.Allocate(node(1), node(2), now); err != nil {
			t.Fatal(err)
		}
		n := pass(1, 2, now)
		if all += n; n == 0 {
			break
		}
	}
	if all != 100 {
		t.Errorf("%d packets altogether, want 100", all)
	}

	// Circuits.
	r = NewRelay(testLimits)
	for b := 2; b <= 3; b++ {
		allocate(t, r, 1, b, 0)
	}
	if _, err := r.Allocate(node(1), node(4), 0); !errors.Is(err, ErrNoCapacity) {
		t.Errorf("a node's third allocation: %v", err)
	}
	if _, err := r.Allocate(node(4), node(1), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Allocate(node(1), node(4), 0); !errors.Is(err, ErrNoCapacity) {
		t.Errorf("a node's third allocation that the other has asked for: %v", err)
	}
	allocate(t, r, 5, 6, 0)
	if _, err := r.Allocate(node(7), node(8), 0); !errors.Is(err, ErrNoCapacity) {
		t.Errorf("the relay's fifth allocation: %v", err)
	}
	later := machine.Time(testLimits.Idle) + 1
	if _, err := r.Allocate(node(7), node(8), later); err != nil || r.Allocations() != 1 {
		t.Errorf("after a minute %d allocations: %v", r.Allocations(), err)
	}
	r = NewRelay(testLimits)
	for now := machine.Time(0); now <= machine.Time(testLimits.Lifetime); now += machine.Time(testLimits.Idle) {
		allocate(t, r, 1, 2, now)
	}
	if err := r.Forward(node(1), node(2), 1, machine.Time(testLimits.Lifetime)+1); !errors.Is(err, ErrQuota) || r.Allocations() != 0 {
		t.Errorf("after its life: %v", err)
	}
}

// TestRelayCountsAllocationsPerNode: whatever is asked, the counts of allocations stay right.
func TestRelayCountsAllocationsPerNode(t *testing.T) {
	for seed := range uint64(50) {
		g := rng.New(seed)
		r := NewRelay(testLimits)
		for step := range 500 {
			now := machine.Time(step) * machine.Time(time.Second)
			a, b := node(g.Intn(6)), node(g.Intn(6))
			switch g.Intn(5) {
			case 0:
				r.Release(a)
			case 1:
				_ = r.Forward(a, b, 1+g.Intn(MaxRelayedPacket), now)
			default:
				_, _ = r.Allocate(a, b, now)
			}
			count := map[id.ID]int{}
			for p, al := range r.allocations {
				if al.permitted[0] {
					count[p.a]++
				}
				if al.permitted[1] {
					count[p.b]++
				}
			}
			if len(r.allocations) > testLimits.Allocations || len(count) != len(r.perNode) {
				t.Fatalf("seed %d, step %d: %d allocations, %d nodes, counted %d", seed, step, len(r.allocations), len(count), len(r.perNode))
			}
			for who, n := range count {
				if n != r.perNode[who] || n > testLimits.PerNode {
					t.Fatalf("seed %d, step %d: a node has %d allocations, counted %d", seed, step, n, r.perNode[who])
				}
			}
		}
	}
}

func TestOfferValid(t *testing.T) {
	good := Offer{"name", strings.Repeat("s", 32), []string{"candidate"}}
	if !good.Valid() {
		t.Error("a good one")
	}
	for i, bad := range []Offer{{}, {"n", good.Password, nil}, {"name", "short", nil}, {"name", good.Password, make([]string, MaxCandidates+1)},
		{"name", good.Password, []string{strings.Repeat("x", 257)}}, {strings.Repeat("n", 65), good.Password, nil}} {
		if bad.Valid() {
			t.Errorf("bad one %d", i)
		}
	}
}
