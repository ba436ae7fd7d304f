package relay

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

func node(n int) id.ID { return id.Of([]byte{byte(n), byte(n >> 8)}) }

var limits = Limits{Circuits: 4, PerNode: 2, Rate: 10000, Total: 15000, Bytes: 100000, Life: time.Hour, Idle: time.Minute}

func open(t *testing.T, r *Relay, a, b int, now machine.Time) {
	t.Helper()
	if _, err := r.Ask(node(a), node(b), now); err != nil {
		t.Fatal(err)
	}
	if isOpen, err := r.Ask(node(b), node(a), now); err != nil || !isOpen {
		t.Fatalf("both asked: open %v, %v", isOpen, err)
	}
}

// TestConsent: nobody gets what it did not ask for.
func TestConsent(t *testing.T) {
	r := New(limits)
	if isOpen, err := r.Ask(node(1), node(2), 0); err != nil || isOpen {
		t.Errorf("one asked: open %v, %v", isOpen, err)
	}
	for _, way := range [][2]int{{1, 2}, {2, 1}, {1, 3}, {3, 2}} {
		if err := r.Pass(node(way[0]), node(way[1]), 100, 0); !errors.Is(err, ErrNoPeer) {
			t.Errorf("%v: %v", way, err)
		}
	}
	open(t, r, 1, 2, 0)
	for _, way := range [][2]int{{1, 2}, {2, 1}} {
		if err := r.Pass(node(way[0]), node(way[1]), 100, 0); err != nil {
			t.Errorf("%v: %v", way, err)
		}
	}
	if err := r.Pass(node(3), node(2), 100, 0); !errors.Is(err, ErrNoPeer) {
		t.Errorf("a third node: %v", err)
	}
	if _, err := r.Ask(node(1), node(1), 0); err == nil {
		t.Error("a circuit with oneself")
	}
	r.Gone(node(2))
	if err := r.Pass(node(1), node(2), 100, 0); !errors.Is(err, ErrNoPeer) {
		t.Errorf("after its link is down: %v", err)
	}
}

func TestLimits(t *testing.T) {
	second := machine.Time(time.Second)
	r := New(limits)
	open(t, r, 1, 2, 0)
	for _, n := range []int{0, -1, MaxPacket + 1} {
		if err := r.Pass(node(1), node(2), n, 0); !errors.Is(err, ErrTooBig) {
			t.Errorf("a packet of %d bytes: %v", n, err)
		}
	}
	pass := func(a, b int, now machine.Time) (n int) {
		for r.Pass(node(a), node(b), 1000, now) == nil {
			n++
		}
		return n
	}
	if n := pass(1, 2, 0); n != 10 {
		t.Errorf("%d packets at once, want a second's worth", n)
	}
	open(t, r, 3, 4, 0)
	if n := pass(3, 4, 0); n != 5 {
		t.Errorf("%d packets of another circuit, want what is left of the relay's", n)
	}
	if n := pass(1, 2, second/2); n != 5 {
		t.Errorf("%d packets after half a second", n)
	}
	all := 15
	now := second
	for ; all < 200; now += second {
		if _, err := r.Ask(node(1), node(2), now); err != nil {
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
	r = New(limits)
	for b := 2; b <= 3; b++ {
		open(t, r, 1, b, 0)
	}
	if _, err := r.Ask(node(1), node(4), 0); !errors.Is(err, ErrFull) {
		t.Errorf("a node's third circuit: %v", err)
	}
	if _, err := r.Ask(node(4), node(1), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Ask(node(1), node(4), 0); !errors.Is(err, ErrFull) {
		t.Errorf("a node's third circuit that the other has asked for: %v", err)
	}
	open(t, r, 5, 6, 0)
	if _, err := r.Ask(node(7), node(8), 0); !errors.Is(err, ErrFull) {
		t.Errorf("the relay's fifth circuit: %v", err)
	}
	later := machine.Time(limits.Idle) + 1
	if _, err := r.Ask(node(7), node(8), later); err != nil || r.Circuits() != 1 {
		t.Errorf("after a minute %d circuits: %v", r.Circuits(), err)
	}
	r = New(limits)
	for now := machine.Time(0); now <= machine.Time(limits.Life); now += machine.Time(limits.Idle) {
		open(t, r, 1, 2, now)
	}
	if err := r.Pass(node(1), node(2), 1, machine.Time(limits.Life)+1); !errors.Is(err, ErrTooMuch) || r.Circuits() != 0 {
		t.Errorf("after its life: %v", err)
	}
}

// TestCounts: whatever is asked, the counts of circuits stay right.
func TestCounts(t *testing.T) {
	for seed := range uint64(50) {
		g := rng.New(seed)
		r := New(limits)
		for step := range 500 {
			now := machine.Time(step) * machine.Time(time.Second)
			a, b := node(g.Intn(6)), node(g.Intn(6))
			switch g.Intn(5) {
			case 0:
				r.Gone(a)
			case 1:
				_ = r.Pass(a, b, 1+g.Intn(MaxPacket), now)
			default:
				_, _ = r.Ask(a, b, now)
			}
			count := map[id.ID]int{}
			for p, c := range r.circuits {
				if c.asked[0] {
					count[p.a]++
				}
				if c.asked[1] {
					count[p.b]++
				}
			}
			if len(r.circuits) > limits.Circuits || len(count) != len(r.nodes) {
				t.Fatalf("seed %d, step %d: %d circuits, %d nodes, counted %d", seed, step, len(r.circuits), len(count), len(r.nodes))
			}
			for who, n := range count {
				if n != r.nodes[who] || n > limits.PerNode {
					t.Fatalf("seed %d, step %d: a node has %d circuits, counted %d", seed, step, n, r.nodes[who])
				}
			}
		}
	}
}

func TestSaneOffer(t *testing.T) {
	good := Offer{"name", strings.Repeat("s", 32), []string{"candidate"}}
	if !good.Sane() {
		t.Error("a good one")
	}
	for i, bad := range []Offer{{}, {"n", good.Secret, nil}, {"name", "short", nil}, {"name", good.Secret, make([]string, MaxCandidates+1)},
		{"name", good.Secret, []string{strings.Repeat("x", 257)}}, {strings.Repeat("n", 65), good.Secret, nil}} {
		if bad.Sane() {
			t.Errorf("bad one %d", i)
		}
	}
}
