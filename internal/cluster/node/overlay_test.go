package node

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// verifiedWorld is a world with an authority on several nodes, in the simulator.
type verifiedWorld struct {
	testing.TB
	s       *sim.Sim
	key     ed25519.PrivateKey // the authority's
	genesis identity.Genesis
	certs   []*identity.Certificate
	doors   []*testDoor
	nodes   []*sim.Node
	reports int
	notes   map[int][]string                         // of each node, for the person who runs it
	truth   func(i int) *verifiedworld.StorageConfig // of each node; nil: the world has none
	mode    world.Mode                               // in which people play
}

// testDoor is a door whose certificates are seen from the start: in the simulator
// there is no handshake that shows them.
type testDoor struct {
	gate  *identity.Gate
	r     *verifiedWorld
	newer map[id.ID]*identity.Certificate
}

func (d *testDoor) Verify(of id.ID, c *identity.Certificate) machine.Job {
	return d.gate.Verify(of, c, d.r.s.Now())
}
func (d *testDoor) Revoked() *identity.Revocations { return d.gate.Revoked() }
func (d *testDoor) Renew(r *identity.Revocations) (err error) {
	d.gate, err = d.gate.Renew(r)
	return err
}
func (d *testDoor) Reissued(c *identity.Certificate) error {
	d.newer[c.ID()] = c
	return d.gate.Check(c.ID(), c, d.r.s.Now())
}
func (d *testDoor) Bars(who id.ID) bool {
	c := d.Seen(who)
	return c != nil && (d.Revoked().Has(c.Serial) || c.Ended(d.r.s.Now()))
}
func (d *testDoor) Seen(who id.ID) *identity.Certificate {
	if newer := d.newer[who]; newer != nil {
		return newer
	}
	for _, c := range d.r.certs {
		if c.ID() == who {
			return c
		}
	}
	return nil
}

func testKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func newVerifiedWorld(t testing.TB, seed uint64, nodes int) *verifiedWorld {
	r := emptyVerifiedWorld(t, seed, nil)
	random := rng.New(seed, 5)
	for range nodes {
		r.certify(drawPlace(&random))
	}
	for i := range nodes {
		r.add(i)
	}
	return r
}

// drawPlace draws a place as an authority of four zones does.
func drawPlace(random *rng.Rand) geom.Point {
	space := overlay.SpaceFor(4)
	sub := space.SubArea(random.Intn(space.Zones()))
	return geom.Point{X: sub.Min.X + int32(random.Intn(int(space.SubSide()))), Y: sub.Min.Y + int32(random.Intn(int(space.SubSide())))}
}

// emptyVerifiedWorld is a realm without nodes; the rules are those of what it stores, nil:
// nothing.
func emptyVerifiedWorld(t testing.TB, seed uint64, rules state.Rules) *verifiedWorld {
	r := &verifiedWorld{TB: t, key: testKey("authority"), mode: world.Creative, notes: map[int][]string{}}
	r.s = sim.NewWith(seed, sim.Config{Start: singleNodeStart, Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond, Carry: overBytes(rules)})
	r.genesis = identity.Genesis{Salt: [32]byte{1}, Authority: [32]byte(r.key.Public().(ed25519.PublicKey)), Zones: 4}
	return r
}

// certify gives the next node a place.
func (r *verifiedWorld) certify(pos geom.Point) {
	r.certifyKey(testKey(fmt.Sprint("node ", len(r.certs))), pos)
}

// certifyKey gives a node with a key of its choice a place.
func (r *verifiedWorld) certifyKey(key ed25519.PrivateKey, pos geom.Point) {
	c := &identity.Certificate{
		World: r.genesis.World(), Key: [32]byte(key.Public().(ed25519.PublicKey)), Serial: uint64(len(r.certs) + 1), Pos: pos,
	}
	c.Sign(r.key)
	r.certs = append(r.certs, c)
}

func (r *verifiedWorld) peer(i int) machine.Peer {
	p := nodePeer(i)
	p.ID = r.certs[i].ID()
	return p
}

func (r *verifiedWorld) add(i int) {
	r.doors = append(r.doors, nil)
	r.nodes = append(r.nodes, r.s.AddAs(r.peer(i), func(env machine.Env) machine.Machine {
		gate, err := identity.NewGate(r.genesis)
		if err != nil {
			r.Fatal(err)
		}
		r.doors[i] = &testDoor{gate, r, map[id.ID]*identity.Certificate{}}
		cfg := testConfig(singleNodeStart)
		cfg.Lobby.Mode = uint8(r.mode)
		cfg.Net = &Net{
			Config:   part.Config{Self: r.peer(i), World: r.genesis.World(), Note: func(text string) { r.note(i, text) }},
			Verified: &verifiedworld.Config{Zones: 4, Verifier: r.doors[i], Certificate: r.certs[i], Report: func(overlay.Evidence) { r.reports++ }},
		}
		if r.truth != nil {
			cfg.Net.Verified.Storage = r.truth(i)
		}
		if i > 0 {
			cfg.Net.Known = []machine.Peer{r.peer(0), r.peer(i - 1)}
		}
		return New(cfg, flatEnv{env})
	}))
}

func (r *verifiedWorld) note(i int, text string) {
	r.Logf("node %d: %s", i, text)
	r.notes[i] = append(r.notes[i], text)
}

// noted reports whether a node has told the person who runs it something with this text.
func (r *verifiedWorld) noted(i int, text string) bool {
	return slices.ContainsFunc(r.notes[i], func(note string) bool { return strings.Contains(note, text) })
}

func (r *verifiedWorld) node(i int) *Node { return r.nodes[i].Machine().(*Node) }

// wrong counts nodes that are stable in no exact Delaunay graph of those that
// are live and not revoked.
func (r *verifiedWorld) wrong(without ...int) (n int) {
	var live []geom.Point
	for i := range r.nodes {
		if !slices.Contains(without, i) {
			live = append(live, r.certs[i].Pos)
		}
	}
	for i := range r.nodes {
		if slices.Contains(without, i) {
			continue
		}
		p := r.node(i).net.verified.Place()
		want, got := map[geom.Point]bool{}, map[geom.Point]bool{}
		for _, k := range geom.Star(p.Pos, live, nil) {
			want[live[k]] = true
		}
		for _, q := range p.Neighbours {
			got[q.Pos] = true
		}
		if fmt.Sprint(want) != fmt.Sprint(got) || !p.Stable {
			n++
		}
	}
	return n
}

func (r *verifiedWorld) exact(what string, without ...int) {
	r.Helper()
	if !r.s.RunUntil(func() bool { return r.wrong(without...) == 0 }, 3*time.Minute) {
		for i := range r.nodes {
			if m := r.nodes[i].Machine(); m != nil {
				p := r.node(i).net.verified.Place()
				r.Logf("node %d at %v: stable %v, %d neighbours, %d links, revocations %d", i, p.Pos, p.Stable, len(p.Neighbours), p.Links, p.Revoked)
			}
		}
		r.Fatalf("%s: %d nodes are wrong after three minutes", what, r.wrong(without...))
	}
}

// revoke is a list of the authority.
func (r *verifiedWorld) revoke(version uint64, serials ...uint64) *identity.Revocations {
	list := &identity.Revocations{World: r.genesis.World(), Version: version, Serials: serials}
	if err := list.Sign(r.key); err != nil {
		r.Fatal(err)
	}
	return list
}

// TestLongOverlayOfNodes: the nodes of a world with an authority, which host it at
// the same time, find their places by each other (thesis 4.4); one that fails is
// closed over (4.3.5), and so is one that leaves; one that comes back finds its
// place again.
func TestLongOverlayOfNodes(t *testing.T) {
	simtest.Long(t)
	for seed := range uint64(2) {
		r := newVerifiedWorld(t, seed, 12)
		r.exact("mass join")
		for i := range r.nodes {
			p := r.node(i).net.verified.Place()
			if len(p.Cell) < 3 || len(p.Neighbours[0].Cell) < 3 {
				t.Errorf("seed %d: the cell of node %d has %d corners, its first neighbour's %d", seed, i, len(p.Cell), len(p.Neighbours[0].Cell))
			}
		}
		r.nodes[3].Crash()
		r.exact("a failure", 3)
		r.nodes[3].Restart()
		r.exact("it is back")
		done := false
		r.nodes[5].Call(func() { r.node(5).Shutdown(func(error) { done = true }) })
		if !r.s.RunUntil(func() bool { return done }, time.Minute) {
			t.Fatal("the node does not stop")
		}
		r.exact("one has left", 5)
	}
}

// TestRevocationsSpread: a list that one node is given comes to all, is kept over
// a restart, and who is revoked is cut off; false and older lists change nothing.
func TestRevocationsSpread(t *testing.T) {
	r := newVerifiedWorld(t, 1, 9)
	r.exact("before")
	give := func(i int, list *identity.Revocations) (err error) {
		r.nodes[i].Call(func() { err = r.node(i).Revoke(list) })
		r.s.Run(time.Millisecond)
		return err
	}
	forged := r.revoke(9, 2)
	forged.Serials = []uint64{4}
	if err := give(7, forged); err == nil {
		t.Error("a list that was changed is taken")
	}
	if err := give(7, r.revoke(2, 5)); err != nil {
		t.Fatal(err)
	}
	version := func(i int) uint64 { p := r.node(i).net.verified.Place(); return p.Revoked }
	r.exact("one is revoked", 4)
	for i := range r.nodes {
		if version(i) != 2 {
			t.Errorf("node %d has version %d of the list", i, version(i))
		}
	}
	for i := range r.nodes {
		if f := r.node(i).net.links.Remotes[r.peer(4).ID]; i != 4 && f != nil && f.State == peers.Up {
			t.Errorf("node %d has a link to the one that is revoked", i)
		}
	}
	r.nodes[4].Restart() // it does not know, or does not care
	r.s.Run(time.Minute)
	r.exact("it tries again", 4)

	if err := give(2, r.revoke(1)); err != nil || version(2) != 2 {
		t.Errorf("an older list: %v, version %d", err, version(2))
	}
	r.nodes[6].Crash()
	if err := give(0, r.revoke(3, 5, 3)); err != nil {
		t.Fatal(err)
	}
	r.exact("another is revoked", 2, 4, 6)
	r.nodes[6].Restart()
	r.exact("who was away hears of it", 2, 4)
	for i := range r.nodes {
		if i != 2 && i != 4 && version(i) != 3 {
			t.Errorf("node %d has version %d of the list", i, version(i))
		}
	}
	for _, n := range r.nodes { // all at once: the list is on their disks
		n.Crash()
	}
	r.s.Run(time.Second)
	for _, n := range r.nodes {
		n.Restart()
	}
	r.s.Run(5 * time.Second)
	for i := range r.nodes {
		if version(i) < 2 {
			t.Errorf("after the restart node %d has version %d of the list", i, version(i))
		}
	}
	r.exact("after the restart", 2, 4)
}

// ending is a realm of eight nodes; the certificate of number 2 ends after ten
// minutes.
func ending(t *testing.T) *verifiedWorld {
	r := emptyVerifiedWorld(t, 3, nil)
	random := rng.New(3, 5)
	for range 8 {
		r.certify(drawPlace(&random))
	}
	r.certs[2].Until = singleNodeStart.Add(10 * time.Minute)
	r.certs[2].Sign(r.key)
	for i := range r.certs {
		r.add(i)
	}
	r.exact("before")
	return r
}

// TestReissue: a node that is given a new certificate while it runs stays when
// the old one ends. What is no certificate for its place is refused, and so is
// one that another node sends.
func TestReissue(t *testing.T) {
	r := ending(t)
	fresh := *r.certs[2]
	fresh.Serial, fresh.Until = 100, 0
	elsewhere, others := fresh, *r.certs[3]
	elsewhere.Pos.X++
	others.Serial = 101
	for _, c := range []*identity.Certificate{&fresh, &elsewhere, &others} {
		c.Sign(r.key)
	}
	r.nodes[2].Call(func() {
		n := r.node(2)
		if n.Reissue(&elsewhere) == nil || n.Reissue(&others) == nil {
			t.Error("a certificate for another place or node was taken")
		}
		if err := n.Reissue(&fresh); err != nil {
			t.Error(err)
		}
	})
	r.s.RunUntil(func() bool { return r.s.Now() >= singleNodeStart.Add(10*time.Minute+identity.Slack+2*time.Minute) }, time.Hour)
	r.exact("the old one has ended")
	if r.noted(2, certificateEnded) || r.node(2).net.verified.Certificate.Serial != 100 {
		t.Error("the node does not go by its new certificate")
	}
	r.nodes[0].Call(func() { r.node(0).OnMessage(r.peer(1), &verifiedworld.Renewed{Certificate: &fresh}) })
	r.s.Run(time.Second)
	if f := r.node(0).net.links.Remotes[r.peer(1).ID]; f != nil && f.State == peers.Up {
		t.Error("who sends another's certificate keeps its link")
	}
}

// What a node says of its own certificate.
const (
	certificateEndsSoon = "This node's certificate, number 3, ends at"
	certificateEnded    = "This node's own certificate, number 3, has ended"
)

// TestCertificateEnds: a certificate that ends while the nodes run: its node is
// told so in time, leaves the overlay, and the others cut it off and close the
// gap.
func TestCertificateEnds(t *testing.T) {
	r := ending(t)
	if !r.noted(2, certificateEndsSoon) || r.noted(1, certificateEndsSoon) {
		t.Error("not the one whose certificate ends soon is told of it")
	}
	r.s.RunUntil(func() bool { return r.s.Now() >= singleNodeStart.Add(10*time.Minute+identity.Slack+2*time.Minute) }, time.Hour)
	r.exact("it has ended", 2)
	if !r.noted(2, certificateEnded) {
		t.Error("the node does not know that its certificate has ended")
	}
	for i := range r.nodes {
		if f := r.node(i).net.links.Remotes[r.peer(2).ID]; i != 2 && f != nil && f.State == peers.Up {
			t.Errorf("node %d has a link to the one whose certificate has ended", i)
		}
	}
}

// TestFalseList: a node that sends a list that is not the authority's loses its
// link.
func TestFalseList(t *testing.T) {
	r := newVerifiedWorld(t, 2, 3)
	r.exact("before")
	bad := r.revoke(7, 1)
	bad.Signature[0]++
	f := r.node(0).net.links.Remotes[r.peer(1).ID]
	r.nodes[0].Call(func() {
		r.node(0).OnMessage(r.peer(1), &verifiedworld.Revoked{Version: 7, List: bad.Append(nil)})
		if f.State == peers.Up || r.doors[0].Revoked() != nil {
			t.Error("the list was taken, or the link is still there")
		}
		r.node(0).OnMessage(r.peer(2), &verifiedworld.Revoked{Version: 8, List: []byte{1, 2, 3}})
		if r.doors[0].Revoked() != nil {
			t.Error("a malformed list was taken")
		}
	})
	r.s.Run(2 * time.Minute)
	r.exact("after it")
}

// TestRevokedLeaderStops: a node that leads a region is revoked. Within seconds it has
// let go of all that it led, another member leads, and the players go on (decision 23).
func TestRevokedLeaderStops(t *testing.T) {
	r := newVerifiedWorld(t, 1, 6)
	r.exact("before")
	leads := func(p shards.Shard) (who []int) {
		for i := range r.nodes {
			if h := r.node(i).net.hosting.replicas[p]; h != nil && h.group.Leading {
				who = append(who, i)
			}
		}
		return who
	}
	var guest *wanderer
	r.s.AddAs(machine.Peer{ID: id.Of([]byte("session"))}, func(env machine.Env) machine.Machine {
		guest = newWanderer(env, r.peer(0), 0, singleNodeGuests)
		return guest
	})
	if !r.s.RunUntil(func() bool { return guest.in }, time.Minute) {
		t.Fatal("the guest does not get in")
	}
	r.s.Run(40 * time.Second) // three members, the nearest
	home := shards.Shard{Region: guest.home}
	was := leads(home)
	if len(was) != 1 || was[0] == 0 {
		t.Fatalf("%v is led by %v: the test wants it to be elsewhere than the guest", home, was)
	}
	r.nodes[0].Call(func() {
		if err := r.node(0).Revoke(r.revoke(2, r.certs[was[0]].Serial)); err != nil {
			t.Error(err)
		}
	})
	began := r.s.Now()
	stopped := func() bool {
		for _, h := range r.node(was[0]).net.hosting.replicas {
			if h.group.Leading {
				return false
			}
		}
		return true
	}
	if !r.s.RunUntil(stopped, 5*time.Second) {
		t.Fatal("who is revoked goes on leading")
	}
	t.Logf("it has let go after %v", r.s.Now().Sub(began))
	if !r.s.RunUntil(func() bool { w := leads(home); return len(w) == 1 && w[0] != was[0] && guest.takes }, 20*time.Second) {
		t.Fatalf("%v is led by %v; the guest is in: %v", home, leads(home), guest.takes)
	}
	t.Logf("another leads after %v", r.s.Now().Sub(began))
}
