package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// mute does not answer retrievals of one update area.
type mute struct {
	spy
	of int64
}

func (m *mute) Answer(_ *storage.Node, _ *overlay.Contact, q *messages.Retrieve, honest *messages.Result) *messages.Result {
	if q.Kind == messages.ForUpdate && q.Of == m.of {
		return nil
	}
	return honest
}

// When all answers of an update are lost, no node knows what has happened around
// its part of the world: cells become unsure in all zones at once. They do not
// stay so: nodes have guessed right.
func TestUnsureCellsHeal(t *testing.T) {
	const lost, end = 2, 6
	b := newBed(t, 11, 4, 32, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.behave = func(int) storage.Behaviour { return &mute{of: lost} }
	doubts := map[int64]int{}
	for of := int64(0); of <= end; of++ {
		b.playAll(of)
		b.settle(of)
		for _, m := range b.live() {
			doubts[of] += m.node().State().UnsureCells()
		}
	}
	if doubts[lost] > 0 || doubts[lost+1] == 0 {
		t.Errorf("%d cells are unsure at t_%d, %d at t_%d: nothing was lost", doubts[lost], lost, doubts[lost+1], lost+1)
	}
	t.Logf("unsure: %v", doubts)
	if doubts[end] > 0 {
		t.Errorf("%d cells are still unsure at t_%d", doubts[end], end)
	}
	if n := b.differ(); n > 0 {
		t.Errorf("%d objects have several versions", n)
	}
	b.worldIsWhole(end)
}

// differ is how many objects nodes hold in different versions.
func (b *bed) differ() int {
	first, several := map[state.ObjectID]*state.Object{}, map[state.ObjectID]bool{}
	for _, m := range b.live() {
		s := m.node().State()
		for _, o := range s.Objects(&s.Cover, b.toy.World(), nil) {
			if f := first[o.ID]; f != nil && f.Digest != o.Digest {
				several[o.ID] = true
			}
			first[o.ID] = o
		}
	}
	return len(several)
}
