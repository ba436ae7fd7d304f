package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// leaveTogether stops, at one moment, who keeps a place in some zones.
func (b *bed) leaveTogether(at geom.Point, zones ...int) {
	for _, zone := range zones {
		for _, h := range b.live() {
			if b.space.Zone(h.self.Pos) == zone && h.node().Keeps(at) {
				h.Stop()
				break
			}
		}
	}
}

// Three of the four nodes that keep a place leave together. One zone is no
// majority: if they hand nothing over, what slept there is gone for
// ever, otherwise nothing is.
func TestHandOffs(t *testing.T) {
	for _, hands := range []bool{true, false} {
		b := newBed(t, 6, 4, 60, 2*time.Minute)
		b.protocol = storage.ProtocolHardened
		if !hands {
			b.behave = func(int) storage.Behaviour { return &withholder{} }
		}
		b.until(b.update(0))
		b.replay(0)
		b.until(b.update(1).Add(-2 * time.Second))
		b.leaveTogether(b.live()[3].bedAt, 0, 1, 3)
		b.runUpdates(1, 3)
		if missing := b.zonesHold(3); missing > 0 == hands {
			t.Errorf("hand over %v: %d objects are missing in some zone", hands, missing)
		}
		if n := b.agree(3); n > 0 {
			t.Errorf("hand over %v: %d of %d nodes have a wrong state", hands, n, len(b.live()))
		}
	}
}

// withholder hands nothing over when it leaves.
type withholder struct{ spy }

func (*withholder) Push(_ *storage.Node, _ *overlay.Contact, m *messages.Push) *messages.Push {
	if m.Seen == nil && len(m.Area.Polygon) == 0 && len(m.Static)+len(m.Names)+len(m.Batches) > 0 {
		return nil
	}
	return m
}

// namer says farewell with names alone, as for what would be too much to arrive.
type namer struct{ spy }

func (*namer) Push(_ *storage.Node, _ *overlay.Contact, m *messages.Push) *messages.Push {
	out := &messages.Push{Area: m.Area, Seen: m.Seen, Batches: m.Batches}
	for _, o := range m.Static {
		out.Names = append(out.Names, messages.DormantName{ID: o.ID, Digest: o.Digest, Pos: o.Pos})
	}
	return out
}

// Three of the four nodes that keep a place leave together and only name who sleeps
// there. Their followers' word counts, and the fourth has what is named.
func TestNamedFarewells(t *testing.T) {
	for _, wire := range []bool{false, true} {
		b := newBed(t, 6, 4, 60, 2*time.Minute)
		b.protocol, b.wire = storage.ProtocolHardened, wire
		b.behave = func(int) storage.Behaviour { return &namer{} }
		b.until(b.update(0))
		b.replay(0)
		b.until(b.update(1).Add(-2 * time.Second))
		b.leaveTogether(b.live()[3].bedAt, 0, 1, 3)
		b.runUpdates(1, 3)
		if missing := b.zonesHold(3); missing > 0 {
			t.Errorf("wire %v: %d objects are missing in some zone", wire, missing)
		}
	}
}

// mayBeActivated is somebody whose farewells do not arrive.
type unheard struct{ spy }

func (*unheard) Push(*storage.Node, *overlay.Contact, *messages.Push) *messages.Push { return nil }

// Two of the four nodes that keep a place leave, and their farewells are lost: those
// who follow them ask each other too, and that they know nothing is no vote. What
// slept there sleeps there again, in all zones.
func TestWhoIsAskingHasNoVote(t *testing.T) {
	for _, apart := range []time.Duration{0, 300 * time.Millisecond, time.Second} {
		b := newBed(t, 6, 4, 60, 2*time.Minute)
		b.protocol = storage.ProtocolHardened
		b.behave = func(int) storage.Behaviour { return &unheard{} }
		b.until(b.update(1).Add(-2 * time.Second))
		at := b.live()[3].bedAt
		b.leaveTogether(at, 0)
		b.until(b.sim.Now().Add(apart))
		b.leaveTogether(at, 3)
		for of := int64(0); of <= 3; of++ {
			b.replay(of)
		}
		b.until(b.update(3).Add(5 * time.Second))
		if missing := b.zonesHold(3); missing > 0 {
			t.Errorf("%v apart: %d objects are missing in some zone", apart, missing)
		}
		if n := b.agree(3); n > 0 {
			t.Errorf("%v apart: %d of %d nodes have a wrong state", apart, n, len(b.live()))
		}
	}
}

// liar says farewell with a character that nobody else knows.
type liar struct {
	spy
	made *state.Object
}

func (l *liar) Push(_ *storage.Node, _ *overlay.Contact, m *messages.Push) *messages.Push {
	return &messages.Push{Area: m.Area, Seen: m.Seen, Batches: m.Batches, Static: append([]*state.Object{l.made}, m.Static...)}
}

// What a node makes up when it leaves is dropped as soon as the other zones have
// been asked.
func TestFalseFarewells(t *testing.T) {
	b := newBed(t, 7, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	l := &liar{}
	b.behave = func(n int) storage.Behaviour {
		if n == 5 {
			return l
		}
		return nil
	}
	b.until(b.update(0).Add(time.Second))
	m := b.nodes[5]
	var heirs []*member
	for _, h := range b.live() {
		if h != m && b.space.Zone(h.self.Pos) == b.space.Zone(m.self.Pos) {
			heirs = append(heirs, h)
		}
	}
	l.made = b.toy.object(2_000_000, m.node().Home(), b.nodes[400].player, true, being{m.node().Home(), 1})
	knowing := func() (count int) {
		for _, h := range heirs {
			for _, o := range h.node().Static() {
				if o.ID == l.made.ID {
					count++
				}
			}
		}
		return count
	}
	m.Stop()
	seen := 0
	for range 40 {
		b.until(b.sim.Now().Add(100 * time.Millisecond))
		seen = max(seen, knowing())
	}
	if seen == 0 {
		t.Fatal("nobody took the lie: this test shows nothing")
	}
	if n := knowing(); n > 0 {
		t.Errorf("%d nodes still keep what was made up", n)
	}
}
