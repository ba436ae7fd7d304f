package verifiedworld

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// pair is two nodes that are nothing but links and a place in the overlay.
type pair struct {
	*testing.T
	s       *sim.Sim
	genesis identity.Genesis
	certs   [2]*identity.Certificate
	nodes   [2]*sim.Node
}

const testStart = machine.Time(1_000_000 * time.Second)

func testKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func newPair(t *testing.T, seed uint64) *pair {
	authority := testKey("authority")
	p := &pair{T: t, s: sim.NewWith(seed, sim.Config{Start: testStart, Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond})}
	p.genesis = identity.Genesis{Authority: [32]byte(authority.Public().(ed25519.PublicKey)), Zones: 4}
	for i := range p.certs {
		key := testKey(fmt.Sprint("node ", i))
		c := &identity.Certificate{
			World: p.genesis.World(), Key: [32]byte(key.Public().(ed25519.PublicKey)), Serial: uint64(i + 1), Pos: geom.Point{X: int32(1000 * (i + 1)), Y: 2000},
		}
		c.Sign(authority)
		p.certs[i] = c
	}
	for i := range p.nodes {
		p.nodes[i] = p.s.AddAs(p.peer(i), func(env machine.Env) machine.Machine { return newOverlayOnly(p, i, env) })
	}
	return p
}

func (p *pair) peer(i int) machine.Peer {
	return machine.Peer{ID: p.certs[i].ID(), Addr: machine.Addr{15: byte(i + 1)}}
}

func (p *pair) node(i int) *overlayOnly { return p.nodes[i].Machine().(*overlayOnly) }

// share is what a node has of the share of its link to the other.
func (p *pair) share(of int) linkShare {
	n := p.node(of)
	return *n.world.overlay.shares.Of(n.links.Remotes[p.peer(1-of).ID])
}

// join waits until each is the other's neighbour.
func (p *pair) join() {
	p.Helper()
	joined := func() bool {
		for i := range p.nodes {
			if at := p.node(i).world.Place(); !at.Stable || len(at.Neighbours) != 1 || at.Neighbours[0].Pos != p.certs[1-i].Pos {
				return false
			}
		}
		return true
	}
	if !p.s.RunUntil(joined, time.Minute) {
		p.Fatalf("the nodes are at %+v and %+v", p.node(0).world.Place(), p.node(1).world.Place())
	}
}

// overlayOnly is the machine of such a node, and its directory, disk and seat.
type overlayOnly struct {
	env   machine.Env
	links *peers.Links
	world *World
	m     machine.Machine // the overlay
	known []machine.Peer
}

// timerBeat is the kind of the node's own timer; the overlay's kinds are lower.
const timerBeat = 255

func newOverlayOnly(p *pair, i int, env machine.Env) *overlayOnly {
	n := &overlayOnly{env: env}
	if i > 0 {
		n.known = []machine.Peer{p.peer(0)}
	}
	c := part.Part{Env: env, Cfg: &part.Config{Self: p.peer(i), World: p.genesis.World()}, Counts: &part.Counts{}, Phase: &part.Phase{}}
	c.Accused = part.NewAccused(env, c.Note)
	n.links = peers.NewLinks(c, peers.NewSightings(c))
	n.links.Events = n
	gate, err := identity.NewGate(p.genesis)
	if err != nil {
		p.Fatal(err)
	}
	n.world = New(c, &Config{Zones: 4, Verifier: gateOnly{gate, env}, Certificate: p.certs[i]}, n.links, n, Surroundings{
		Contacts:  func(to []machine.Peer) []machine.Peer { return append(to, n.known...) },
		HasJoined: func() bool { return true },
		Bars:      n.Bars, DisconnectBarred: func() {},
	})
	return n
}

func (n *overlayOnly) Start() {
	n.world.Start()
	n.env.SetTimer(n.env.Now().Add(peers.Beat), machine.Timer{Kind: timerBeat})
}

func (n *overlayOnly) OnMessage(from machine.Peer, m machine.Message) {
	n.world.Receive(n.links.Heard(from), m)
}

func (n *overlayOnly) OnLink(peer machine.Peer, ev machine.LinkEvent) { n.links.OnLink(peer, ev) }

func (n *overlayOnly) OnDone(tag uint64, result any, err error) { n.m.OnDone(tag, result, err) }

func (n *overlayOnly) OnTimer(t machine.Timer) {
	if t.Kind != timerBeat {
		n.m.OnTimer(t)
		return
	}
	n.world.Beat(n.env.Now())
	n.links.Maintain()
	n.env.SetTimer(n.env.Now().Add(peers.Beat), t)
}

// The overlay's seat.

func (n *overlayOnly) Do(queue string, tag uint64, job machine.Job) { n.env.Do(queue, tag, job) }
func (n *overlayOnly) SetTimer(at machine.Time, t machine.Timer)    { n.env.SetTimer(at, t) }
func (n *overlayOnly) Put(m machine.Machine)                        { n.m = m }
func (n *overlayOnly) Leave()                                       {}
func (n *overlayOnly) HasLeft() bool                                { return false }

// Events of the links.

func (n *overlayOnly) Bars(machine.Peer) bool                          { return false }
func (n *overlayOnly) Uses(f *peers.Remote) bool                       { return n.world.Uses(f) }
func (n *overlayOnly) Remembers(*peers.Remote) bool                    { return false }
func (n *overlayOnly) LinkUp(f *peers.Remote)                          { n.world.Greet(f) }
func (n *overlayOnly) LinkDown(*peers.Remote)                          {}
func (n *overlayOnly) ShareLost(f *peers.Remote, ev machine.LinkEvent) { n.world.Lost(f, ev) }
func (n *overlayOnly) LinkChanged(machine.Peer, machine.LinkEvent)     {}

// gateOnly verifies certificates, and knows no revocations.
type gateOnly struct {
	gate *identity.Gate
	env  machine.Env
}

func (g gateOnly) Verify(of id.ID, c *identity.Certificate) machine.Job {
	return g.gate.Verify(of, c, g.env.Now())
}
func (g gateOnly) Seen(id.ID) *identity.Certificate     { return nil }
func (g gateOnly) Renew(*identity.Revocations) error    { return fmt.Errorf("there are none") }
func (g gateOnly) Reissued(*identity.Certificate) error { return nil }
func (g gateOnly) Revoked() *identity.Revocations       { return nil }
func (g gateOnly) Bars(id.ID) bool                      { return false }

// TestSharesOfLinks: whatever the order in which two nodes open and close their
// shares of one link, both ends agree in the end, and what was sent within an
// earlier share is not taken for the later one's.
func TestSharesOfLinks(t *testing.T) {
	for seed := range uint64(25) {
		p := newPair(t, seed)
		p.join()
		random := rng.New(seed, 6)
		for range 40 {
			i := random.Intn(2)
			p.nodes[i].Call(func() {
				l := p.node(i).world.overlay
				if other := p.peer(1 - i); random.OneIn(2) {
					l.open(other)
				} else {
					l.close(other)
				}
			})
			p.s.Run(time.Duration(random.Intn(20)) * time.Millisecond)
		}
		p.s.Run(time.Second)
		a, b := p.share(0), p.share(1)
		if a.on != b.on || a.up != b.up || a.on != a.up || a.draining+b.draining != 0 {
			t.Errorf("seed %d: the ends have %+v and %+v", seed, a, b)
		}
	}
}

// TestOutsideOfAShare: the overlay receives nothing that the other end has sent without a
// share that both ends have open.
func TestOutsideOfAShare(t *testing.T) {
	p := newPair(t, 1)
	p.join()
	n := p.node(0)
	l := &listener{stoppable: n.world.overlay.machine, of: &overlay.Hello{}}
	n.world.overlay.machine = l
	hears := func() bool {
		l.heard = false
		p.nodes[0].Call(func() { n.OnMessage(p.peer(1), l.of) })
		p.s.Run(time.Millisecond)
		return l.heard
	}
	if !hears() {
		t.Error("the overlay does not receive a message within a share")
	}
	p.nodes[0].Call(func() { n.world.overlay.close(p.peer(1)) })
	if hears() {
		t.Error("the overlay received a message outside of a share")
	}
}

// listener notes whether a machine is sent a message, and keeps all from it.
type listener struct {
	stoppable
	of    machine.Message
	heard bool
}

func (l *listener) OnMessage(_ machine.Peer, m machine.Message) { l.heard = l.heard || m == l.of }
