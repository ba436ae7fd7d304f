package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// spy sees what a node gets and does nothing else.
type spy struct {
	results, better int
	quiet           bool // does not answer
}

func (s *spy) Intercept(_ *storage.Node, _ machine.Peer, m machine.Message) bool {
	if u, ok := m.(*overlay.Unicast); ok {
		switch u.Body.(type) {
		case *messages.Result:
			s.results++
		case *messages.Better:
			s.better++
		}
	}
	return false
}

func (s *spy) Answer(_ *storage.Node, _ *overlay.Contact, _ *messages.Retrieve, honest *messages.Result) *messages.Result {
	if s.quiet {
		return nil
	}
	return honest
}

func (s *spy) AnswerActions(_ *storage.Node, _ *overlay.Contact, _ *messages.RetrieveActions, honest *messages.ActionsResult) *messages.ActionsResult {
	if s.quiet {
		return nil
	}
	return honest
}

func (s *spy) Keep(*storage.Node, *state.Action) bool { return !s.quiet }
func (s *spy) Push(_ *storage.Node, _ *overlay.Contact, honest *messages.Push) *messages.Push {
	return honest
}

// quietBed has a world that has begun, and a spy in each node.
func quietBed(t *testing.T, spies map[int]*spy) *bed {
	b := newBed(t, 9, 4, 40, 2*time.Minute)
	b.behave = func(n int) storage.Behaviour {
		spies[n] = &spy{}
		return spies[n]
	}
	b.until(b.begin.Add(time.Second))
	return b
}

// Nobody answers who asks for an area that is neither around its home nor around
// its player's character (5.5.4).
func TestAreasThatAreNobodysBusiness(t *testing.T) {
	spies := map[int]*spy{}
	b := quietBed(t, spies)
	m := b.nodes[0]
	home := m.player.Home
	far := geom.Point{X: b.toy.side - 1 - home.X, Y: b.toy.side - 1 - home.Y}
	ask := func(k messages.Kind, at geom.Point) int {
		before := spies[0].results
		m.Call(func() {
			m.node().Ask(k, overlay.Area{Circle: geom.Circle{C: at, R: 5000}}, 0)
		})
		b.sim.Run(time.Second)
		return spies[0].results - before
	}
	if n := ask(messages.ForUpdate, home); n < 3 {
		t.Errorf("%d answers about the own part of the world", n)
	}
	if n := ask(messages.ForUpdate, far); n != 0 {
		t.Errorf("%d answers about somebody else's part of the world", n)
	}
}

// A node that asks for a cell which is too large, because it was kept from its
// neighbours, hears of one of them (5.5.3).
func TestEclipsedNodesHearOfNeighbours(t *testing.T) {
	spies := map[int]*spy{}
	b := quietBed(t, spies)
	told := 0
	for i := range 10 {
		m := b.nodes[i]
		own := overlay.Area{Polygon: m.node().Cell()}
		side := b.toy.side - 1
		all := overlay.Area{Polygon: geom.Polygon{{}, {X: side}, {X: side, Y: side}, {Y: side}}}
		m.Call(func() { m.node().Ask(messages.ForJoin, own, 0) })
		b.sim.Run(time.Second)
		if spies[i].better > 0 {
			t.Errorf("node %d has its neighbours and is told of others", i)
		}
		m.Call(func() { m.node().Ask(messages.ForJoin, all, 0) })
		b.sim.Run(time.Second)
		if spies[i].better > 0 {
			told++
		}
	}
	if told < 10 {
		t.Errorf("%d of 10 nodes that do not know their neighbours hear of one", told)
	}
}

// One zone of four that says nothing does not keep the others from going on: the
// others are a majority (5.2.2, 5.6.1).
func TestOneZoneMayBeSilent(t *testing.T) {
	b := newBed(t, 4, 4, 36, 2*time.Minute)
	b.behave = func(n int) storage.Behaviour {
		return &spy{quiet: b.space.Zone(b.nodes[n].self.Pos) == 2}
	}
	for of := int64(0); of <= 4; of++ {
		b.playAll(of)
		b.settle(of)
		if n := b.agree(of); n > 0 {
			t.Fatalf("%d of %d nodes have a wrong state at t_%d", n, len(b.live()), of)
		}
	}
}

// A character that its player puts to sleep becomes static: no longer replayed,
// stored once in each zone, and there to be woken again (5.4.1).
func TestActivationAndDeactivation(t *testing.T) {
	b := newBed(t, 6, 4, 36, 2*time.Minute)
	m := b.nodes[3]
	for of := int64(0); of <= 6; of++ {
		b.until(b.update(of))
		switch of {
		case 1:
			b.activate(m, of)
		case 2:
			m.act(b.update(of).Add(3*time.Second), []byte{sleep})
		case 4:
			// The truth changes nothing about a character that is woken and does
			// not act: it is put to sleep again, a little moodier.
			for _, o := range b.truth[3] {
				if o.Player == m.player {
					b.woken[of] = append(b.woken[of], b.toy.Activate(m.player, o.Pos, o))
				}
			}
			m.Call(func() { m.node().Activate(m.bedAt) })
		}
		b.settle(of)
		if n := b.agree(of); n > 0 {
			t.Fatalf("%d of %d nodes have a wrong state at t_%d", n, len(b.live()), of)
		}
		if n := b.zonesHold(of); n > 0 {
			t.Fatalf("%d objects are missing in some zone at t_%d", n, of)
		}
		static := 0
		for _, k := range b.live() {
			for _, o := range k.node().Static() {
				if o.Player == m.player {
					static++
				}
			}
		}
		want := 4
		if of == 2 {
			want = 0
		}
		if static != want {
			t.Errorf("t_%d: %d static replicas, want %d", of, static, want)
		}
	}
}

// What a node asks for when it has joined, and what its neighbours ask for when
// it has left: its cell, and the parts of it that they get (5.4.1, 5.4.2).
func TestWhatJoinsAndDeparturesAskFor(t *testing.T) {
	b := newBed(t, 8, 4, 60, 2*time.Minute)
	b.until(b.update(1))
	count := func(k messages.Kind) (n int, area float64, votes int) {
		for _, r := range b.reports {
			if r.Kind == k {
				n++
				area += size(r.Area.Polygon)
				votes = max(votes, r.Zones-r.Votes)
			}
		}
		return n, area, votes
	}
	b.start(60)
	b.sim.Run(8 * time.Second)
	joined := b.nodes[60].node().Cell()
	n, area, short := count(messages.ForJoin)
	if n != 1 || area != size(joined) || short > 2 {
		t.Errorf("the join asked %d times, for %.0f of %.0f, %d zones short", n, area, size(joined), short)
	}
	if n, _, _ := count(messages.ForFailure); n != 0 {
		t.Errorf("the join made neighbours ask %d times", n)
	}
	b.nodes[60].Stop()
	b.sim.Run(8 * time.Second)
	n, area, short = count(messages.ForFailure)
	if n == 0 || area < 0.999*size(joined) || area > 1.001*size(joined) || short > 2 {
		t.Errorf("neighbours asked %d times, for %.0f of %.0f, %d zones short", n, area, size(joined), short)
	}
}

// size is the area of a polygon.
func size(poly geom.Polygon) float64 {
	sum := 0.0
	for i, p := range poly {
		q := poly[(i+1)%len(poly)]
		sum += float64(p.X)*float64(q.Y) - float64(q.X)*float64(p.Y)
	}
	return sum / 2
}

// Storing and updating take the hops of table 6.28: a store less than one, for
// one replica of r is the node's own; an update area about two.
func TestHops(t *testing.T) {
	b := newBed(t, 2, 4, 40, 2*time.Minute)
	for of := int64(0); of <= 3; of++ {
		b.playAll(of)
	}
	mean := func(k storage.Arrival) float64 {
		sum := 0
		for _, h := range b.hops[k] {
			sum += h
		}
		return float64(sum) / float64(len(b.hops[k]))
	}
	if h := mean(storage.ArrivedStore); h < 0.7 || h > 1 {
		t.Errorf("a store takes %.2f hops", h)
	}
	if h := mean(storage.Arrival(messages.ForUpdate)); h < 1.3 || h > 2.5 {
		t.Errorf("the retrieval of an update area takes %.2f hops", h)
	}
}
