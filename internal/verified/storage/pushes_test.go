package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What a node keeps nobody of its zone overwrites by pushing another version, and somebody
// who is no neighbour gives it nothing at all.
func TestPushesReplaceNothing(t *testing.T) {
	b := newBed(t, 7, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.until(b.update(1).Add(-time.Second))
	held := func(m *member, what state.ObjectID) *state.Object {
		for _, o := range m.node().Static() {
			if o.ID == what {
				return o
			}
		}
		return nil
	}
	strangers, neighbours := 0, 0
	for _, m := range b.live()[:12] {
		list := m.node().Static()
		if len(list) == 0 {
			continue
		}
		own := list[0]
		bad := b.toy.object(own.ID, own.Pos, own.Player, true, being{own.Pos, 666})
		made := b.toy.object(3_000_000+own.ID, own.Pos, own.Player, true, being{own.Pos, 667})
		near := map[*member]bool{}
		for _, c := range m.node().Overlay().Neighbours(nil) {
			for _, o := range b.live() {
				near[o] = near[o] || o.self.ID == c.ID
			}
		}
		for _, o := range b.live() {
			if o == m || b.space.Zone(o.self.Pos) != b.space.Zone(m.self.Pos) {
				continue
			}
			p := &messages.Push{Static: []*state.Object{bad}}
			if near[o] {
				neighbours++
			} else {
				strangers++
				p.Static = append(p.Static, made)
			}
			o.Call(func() { o.node().Overlay().Reply(m.self, p.Seal(o.node().World())) })
		}
		b.until(b.sim.Now().Add(2 * time.Second))
		if now := held(m, own.ID); now == nil || now.Digest != own.Digest {
			t.Fatalf("a push has replaced what the node keeps: %v", now)
		}
		if held(m, made.ID) != nil {
			t.Fatal("a stranger's push is kept")
		}
	}
	if strangers == 0 || neighbours == 0 {
		t.Fatalf("%d strangers and %d neighbours have pushed: this test shows nothing", strangers, neighbours)
	}
}
