package storage_test

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Players come back just when the nodes that keep their characters in one of the
// zones have gone: who stands there now has not been told yet who sleeps there. The
// characters are woken in every zone all the same (thesis 5.4.1, 5.4.2), and nobody
// is lost.
func TestWakingWhileNeighboursChange(t *testing.T) {
	const wakes, zone = 3, 2
	b := newBed(t, 5, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.behave = func(int) storage.Behaviour { return &withholder{} } // otherwise who stands there has been told
	b.until(b.update(1).Add(-700 * time.Millisecond))
	for _, m := range b.live()[:wakes] {
		for _, h := range b.live() {
			if h != m && b.space.Zone(h.self.Pos) == zone && h.node().Keeps(m.bedAt) {
				h.Stop()
			}
		}
	}
	for of := int64(1); of <= 4; of++ {
		b.until(b.update(of))
		b.replay(of)
		if of == 1 {
			for _, m := range b.live()[:wakes] {
				b.activate(m, of)
			}
		}
		b.play(of)
		if of == 1 {
			b.until(b.update(1).Add(3 * storage.DefaultLMax))
			for _, o := range b.woken[1] {
				for _, h := range b.live() {
					if h.node().Keeps(o.Pos) && !slices.ContainsFunc(h.node().State().Activated, func(w *state.Object) bool { return w.Digest == o.Digest }) {
						t.Errorf("node %s of zone %d has not woken %d", h.self.ID.Short(), b.space.Zone(h.self.Pos), o.ID)
					}
				}
			}
		}
	}
	b.until(b.update(4).Add(5 * time.Second))
	awake := 0
	for _, o := range b.truth[4] {
		if o.Player != nil && !o.Static {
			awake++
		}
	}
	if awake != wakes {
		t.Fatalf("%d characters are in the world, not %d: this test shows nothing", awake, wakes)
	}
	b.worldIsWhole(4)
}

// The nodes of two zones that have just woken a character leave, and with them the
// wakening: it is woken in every zone all the same.
func TestWakingIsSaidTwice(t *testing.T) {
	b := newBed(t, 5, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.until(b.update(1))
	b.replay(1)
	m := b.live()[0]
	b.activate(m, 1)
	b.until(b.update(1).Add(400 * time.Millisecond))
	for _, h := range b.live() {
		if zone := b.space.Zone(h.self.Pos); h != m && zone > 0 && zone < 3 && h.node().Keeps(m.bedAt) {
			h.Stop()
		}
	}
	b.runUpdates(2, 4)
	b.worldIsWhole(4)
}

// A player comes back long before it counts, and the nodes of two zones that have
// woken its character leave meanwhile: those who follow them are told as well.
func TestWakingIsSaidTwiceInTime(t *testing.T) {
	b := newBed(t, 5, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	early := b.update(1).Add(5 * storage.DefaultLMax / 2)
	b.until(early)
	b.replay(1)
	m := b.live()[0]
	if after, _ := m.node().Activation(); after != b.update(2) {
		t.Fatalf("its first action has to come after %v: this test shows nothing", after.Sub(b.update(1)))
	}
	b.activate(m, 2)
	b.until(early.Add(2 * storage.DefaultLMax))
	gone := 0
	for _, h := range b.live() {
		if zone := b.space.Zone(h.self.Pos); h != m && zone > 0 && zone < 3 && h.node().Keeps(m.bedAt) {
			h.Stop()
			gone++
		}
	}
	if gone < 2 {
		t.Fatal("too few who have woken it leave: this test shows nothing")
	}
	b.runUpdates(2, 4)
	b.worldIsWhole(4)
}

// riser says that everybody who sleeps where it is was woken.
type riser struct{ spy }

func (*riser) Answer(n *storage.Node, _ *overlay.Contact, q *messages.Retrieve, m *messages.Result) *messages.Result {
	if m.Seen == nil || m.Seen.Of != q.Of {
		return m
	}
	bad, seen := *m, *m.Seen
	seen.Activated = nil
	for _, o := range n.Static() {
		awake := *o
		awake.Static = false
		seen.Activated = append(seen.Activated, &awake)
	}
	bad.Seen = &seen
	return bad.Seal(n.World())
}

// In two of four zones nobody wakes characters, or everybody who sleeps is said to be awake.
// Who has come back and acts is awake, and nobody else.
func TestHalfOfTheZonesKeepNobodyAsleep(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for name, liar := range map[string]storage.Behaviour{"sleepy": &sleepy{}, "riser": &riser{}} {
		b := newBed(t, 5, 4, 60, 2*time.Minute)
		b.protocol = storage.ProtocolHardened
		b.behave = func(i int) storage.Behaviour {
			if b.space.Zone(b.nodes[i].self.Pos) < 2 {
				return liar
			}
			return nil
		}
		b.until(b.update(1))
		b.replay(1)
		for _, m := range b.live()[:10] {
			b.activate(m, 1)
		}
		for of := int64(2); of <= 4; of++ {
			b.play(of - 1)
			b.until(b.update(of))
			b.replay(of)
		}
		b.until(b.update(4).Add(5 * time.Second))
		awake := 0
		for _, o := range b.truth[4] {
			awake += state.Indicator(o.Player != nil && !o.Static)
		}
		if n := b.agree(4); n > 0 || awake != 10 {
			t.Errorf("%s: %d of %d nodes have a wrong state, %d characters are awake", name, n, len(b.live()), awake)
		}
	}
}

// Nobody is awake who has not signed an action, whoever says so.
func TestNobodyIsAwakeWhoHasNotSigned(t *testing.T) {
	var woken []*state.Object
	for k := range byte(3) {
		woken = append(woken, &state.Object{ID: state.ObjectID(k), Player: &state.Player{ID: id.ID{k}}})
	}
	got := storage.TakePart(woken, map[id.ID]*state.Batch{{1}: {Actions: []*state.Action{{}}}, {2}: {}})
	if len(got) != 1 || got[0] != woken[1] {
		t.Errorf("%d take part", len(got))
	}
}

// unreached hears nothing from the nodes of players who are back.
type unreached struct{ spy }

func (*unreached) Intercept(_ *storage.Node, _ machine.Peer, m machine.Message) bool {
	u, ok := m.(*overlay.Unicast)
	if !ok {
		return false
	}
	a, wakes := u.Body.(*messages.Activate)
	return wakes && a.Player.ID == u.Origin.ID
}

// In two of four zones nobody wakes characters, and to a third one nothing comes through from
// players' nodes. Who keeps a character in the fourth tells those in the third.
func TestKeepersTellEachOtherWhoIsWoken(t *testing.T) {
	b := newBed(t, 5, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.behave = func(i int) storage.Behaviour {
		switch zone := b.space.Zone(b.nodes[i].self.Pos); {
		case zone < 2:
			return &sleepy{}
		case zone == 2:
			return &unreached{}
		}
		return nil
	}
	b.until(b.update(1))
	b.replay(1)
	for _, m := range b.live()[:10] {
		b.activate(m, 1)
	}
	for of := int64(2); of <= 3; of++ {
		b.play(of - 1)
		b.until(b.update(of))
		b.replay(of)
	}
	b.until(b.update(3).Add(5 * time.Second))
	awake := 0
	for _, o := range b.truth[3] {
		awake += state.Indicator(o.Player != nil && !o.Static)
	}
	if n := b.agree(3); n > 0 || awake != 10 {
		t.Errorf("%d of %d nodes have a wrong state, %d characters are awake", n, len(b.live()), awake)
	}
}

// onTheWay drops the news that somebody is back where they come straight from whose player
// it is, and are only to be passed on, and where they come by whose own place in a zone is
// that of the character.
type onTheWay struct {
	spy
	dropped int
}

func (w *onTheWay) Intercept(n *storage.Node, from machine.Peer, m machine.Message) bool {
	u, ok := m.(*overlay.Unicast)
	if !ok || !u.HasVia && from.ID != u.Origin.ID || u.Dest == n.Self().Pos {
		return false
	}
	a, ok := u.Body.(*messages.Activate)
	if !ok || n.Keeps(a.Place) != u.HasVia {
		return false
	}
	w.dropped++
	return true
}

// Nodes on the straight way, and those that keep the character's place in other zones, keep
// back that players have come back. Their characters are woken all the same.
func TestWakingGoesTwoWays(t *testing.T) {
	b := newBed(t, 5, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	way := &onTheWay{}
	b.behave = func(int) storage.Behaviour { return way }
	b.until(b.update(1))
	b.replay(1)
	for _, m := range b.live()[:10] {
		b.activate(m, 1)
	}
	b.runUpdates(2, 4)
	if way.dropped < 10 {
		t.Fatalf("only %d messages were dropped: this test shows nothing", way.dropped)
	}
	if n := b.agree(4); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
}

// A player who has just come is woken for an update whose state its own node has: its
// character sleeps there, and where another zone does not hear of it in time, it takes
// the own one for a majority.
func TestNewcomersAreWoken(t *testing.T) {
	const last = 4
	b := newBed(t, 3, 4, 40, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	who := 40
	for i, m := range b.nodes[40:] { // whose character sleeps where its own node stands
		if k := b.nodes[who]; m.bedAt.Dist2(m.player.Home) < k.bedAt.Dist2(k.player.Home) {
			who = 40 + i
		}
	}
	m := b.nodes[who]
	b.behave = func(i int) storage.Behaviour {
		if b.space.Zone(b.nodes[i].self.Pos) == (b.space.Zone(m.self.Pos)+1)%4 {
			return &sleepy{}
		}
		return nil
	}
	b.until(b.update(2))
	b.replay(1)
	b.start(who)
	for b.sim.Now() < b.update(2).Add(storage.DefaultLMax) || !m.node().Ready() {
		b.until(b.sim.Now().Add(100 * time.Millisecond))
	}
	if b.sim.Now() > b.update(2).Add(2*storage.DefaultLMax) || m.node().State() != nil && m.node().State().Of == 2 {
		t.Fatal("the node is not there in time, or has the state already: this test shows nothing")
	}
	if !m.node().Keeps(m.bedAt) {
		t.Fatal("somebody else keeps the character: this test shows nothing")
	}
	after, until := m.node().Activation()
	if after != b.update(3) || until != b.update(4) {
		t.Fatalf("its first action has to come after %v, until %v", after.Sub(b.update(2)), until.Sub(b.update(2)))
	}
	b.activate(m, 3)
	for of := int64(2); of <= last; of++ {
		b.until(b.update(of).Add(3*storage.DefaultLMax - time.Second))
		b.replay(of)
	}
	if n := b.agree(last); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
	for _, o := range b.truth[last] {
		if o.Player == m.player && o.Static {
			t.Error("nobody has come: this test shows nothing")
		}
	}
}

// sleepy does not hear that somebody is back.
type sleepy struct{ spy }

func (*sleepy) Intercept(_ *storage.Node, _ machine.Peer, m machine.Message) bool {
	u, ok := m.(*overlay.Unicast)
	if !ok {
		return false
	}
	_, wakes := u.Body.(*messages.Activate)
	return wakes
}
