package overlay_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	. "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay/attack"
)

// bed is a simulated network of overlay nodes with a bootstrapping service that
// knows zones (thesis 6.1.6).
type bed struct {
	t      *testing.T
	seed   uint64
	sim    *sim.Sim
	space  Space
	places []geom.Point
	all    []*member
	boot   *sim.Bootstrap[*Contact]
	rand   rng.Rand
	// verified: certificates are exchanged and checked.
	verified bool
	// wrap makes another machine of the next nodes; nil: none.
	wrap func(*Node) machine.Machine
}

type member struct {
	*sim.Node
	self    *Contact
	cert    *identity.Certificate
	live    bool
	got     []*Unicast
	gotArea int
	reports []Evidence
}

func (m *member) Joined()                             {}
func (m *member) Neighbourhood()                      {}
func (m *member) Received(u *Unicast, _ machine.Time) { m.got = append(m.got, u) }
func (m *member) ReceivedArea(*Areacast)              { m.gotArea++ }
func (m *member) Report(e Evidence)                   { m.reports = append(m.reports, e) }

func (m *member) node() *Node {
	if g, ok := m.Machine().(attack.Greedy); ok {
		return g.Node
	}
	return m.Machine().(*Node)
}

func newBed(t *testing.T, seed uint64, r int) *bed {
	in := sim.ThesisInternet()
	in.Clocks, in.Ping = sim.ThesisClocks(), 10*time.Second
	b := &bed{
		t: t, seed: seed, space: SpaceFor(r), rand: rng.New(seed, 77),
		sim: sim.NewWith(seed, sim.Config{Internet: in}),
	}
	b.boot = sim.NewBootstrap(b.sim, r, func(c *Contact) int { return b.space.Zone(c.Pos) })
	b.places = b.space.Raster(2000, &b.rand)
	return b
}

// add starts a node at the next place.
func (b *bed) add() *member { return b.addAt(b.places[len(b.all)]) }

func (b *bed) addAt(p geom.Point) *member {
	m := &member{live: true, self: &Contact{
		ID: id.Of(fmt.Appendf(nil, "overlay node %d", len(b.all))), Pos: p,
	}}
	b.all = append(b.all, m)
	m.cert = &identity.Certificate{Pos: m.self.Pos}
	m.Node = b.sim.AddAs(m.self.Peer(), func(env machine.Env) machine.Machine {
		cfg := Config{
			Self: m.self, Space: b.space, Events: m,
			Seek:     b.boot.Seek,
			Announce: func(on bool) machine.Job { return b.boot.Announce(m.self, on) },
		}
		if b.verified {
			cfg.Certificate, cfg.Verify = m.cert, verify
		}
		n := New(cfg, env)
		if b.wrap != nil {
			return b.wrap(n)
		}
		return n
	})
	return m
}

// stop lets a node leave: its links are closed in an orderly way.
func (b *bed) stop(m *member) {
	m.live = false
	m.Stop()
}

// crash lets a node fail: nobody is told, pings find out.
func (b *bed) crash(m *member) {
	m.live = false
	m.Crash()
	b.boot.Remove(m.self)
}

func (b *bed) live() (out []*member) {
	for _, m := range b.all {
		if m.live {
			out = append(out, m)
		}
	}
	return out
}

// of is the member with a contact.
func (b *bed) of(c *Contact) *member {
	for _, m := range b.all {
		if m.self == c {
			return m
		}
	}
	return nil
}

// nearestIn is the node that should be in an entry of m's table.
func (b *bed) nearestIn(m *member, slot Slot) (best *member) {
	target := b.space.Target(m.self.Pos, slot)
	for _, k := range b.live() {
		s, ok := b.space.SlotOf(m.self.Pos, k.self.Pos)
		if ok && s == slot && (best == nil || geom.Closer(target, k.self.Pos, best.self.Pos)) {
			best = k
		}
	}
	return best
}

// wrong counts live nodes whose neighbourhood is not the Delaunay star among all
// live nodes, calculated from outside, or who are not stable.
func (b *bed) wrong() (n int) {
	live := b.live()
	var places []geom.Point
	for _, m := range live {
		places = append(places, m.self.Pos)
	}
	for _, m := range live {
		var want, got []geom.Point
		for _, i := range geom.Star(m.self.Pos, places, nil) {
			want = append(want, places[i])
		}
		for _, c := range m.node().Neighbours(nil) {
			got = append(got, c.Pos)
		}
		if !same(want, got) || len(live) > 1 && !m.node().Stable() {
			n++
		}
	}
	return n
}

func same(a, b []geom.Point) bool {
	order := func(p, q geom.Point) int {
		if p.Less(q) {
			return -1
		}
		if q.Less(p) {
			return 1
		}
		return 0
	}
	slices.SortFunc(a, order)
	slices.SortFunc(b, order)
	return slices.Equal(a, b)
}

// exact runs until the neighbourhoods are the Delaunay graph, and fails if they
// are not within the limit.
func (b *bed) exact(what string, limit time.Duration) {
	b.t.Helper()
	begin := b.sim.Now()
	for b.wrong() > 0 {
		if b.sim.Now().Sub(begin) >= limit {
			b.t.Fatalf("seed %d: %s: %d of %d nodes have wrong neighbours after %v",
				b.seed, what, b.wrong(), len(b.live()), limit)
		}
		b.sim.Run(500 * time.Millisecond)
	}
	b.t.Logf("seed %d: %s: %d nodes exact after %v, %d events",
		b.seed, what, len(b.live()), b.sim.Now().Sub(begin), b.sim.Events())
}
