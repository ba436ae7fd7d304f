package road

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/nat/reach"
)

// place puts public nodes at one IP address, as on one machine.
func place(w *town, n int) (all []*house) {
	for i := range n {
		h := w.house(fmt.Sprintf("1.2.3.4:%d", i+1), false)
		h.settle(all...)
		all = append(all, h)
		w.run(5 * time.Second)
	}
	return all
}

func (h *house) wantPublic(t *testing.T, when string) {
	t.Helper()
	if s := h.road.Stats(); s.Hidden || s.Self.Addr != h.self.Addr {
		t.Fatalf("%s: the node at %v takes itself for %+v", when, h.self.Addr, s)
	}
}

// TestKilledAgainAndAgain: nodes of one machine are killed and started again, more
// often than anybody dials an address back. None takes itself for hidden.
func TestKilledAgainAndAgain(t *testing.T) {
	for seed := range uint64(20) {
		w := newTown(t, seed)
		all := place(w, 4)
		for k := range 12 {
			h := all[w.rand.Intn(len(all))]
			h.kill()
			w.run(time.Duration(w.rand.Intn(int(5 * time.Second))))
			var others []*house
			for _, o := range all {
				if o != h {
					others = append(others, o)
				}
			}
			h.settle(others...)
			w.run(DefaultPatience + time.Second)
			h.wantPublic(t, fmt.Sprintf("seed %d, restart %d", seed, k))
		}
	}
}

// TestThirdHasGone: the node that is to dial back was killed a moment ago, and who
// asks it does not know. Another does.
func TestThirdHasGone(t *testing.T) {
	for seed := range uint64(20) {
		w := newTown(t, seed)
		all := place(w, 3)
		w.run(time.Minute)
		all[1].kill()
		h := w.house("5.6.7.8:1", false)
		h.settle(all[0])
		w.run(DefaultPatience + time.Second)
		h.wantPublic(t, fmt.Sprintf("seed %d", seed))
	}
}

// TestThirdMayNot: the only node that could dial back has done so for this address
// too often. It says so, and who asks is believed.
func TestThirdMayNot(t *testing.T) {
	w := newTown(t, 1)
	all := place(w, 2)
	for k := range uint64(reach.Burst) {
		all[1].road.OnMessage(all[0].self, &reach.Back{Addr: netip.MustParseAddrPort("5.6.7.8:9"), Nonce: k})
	}
	h := w.house("5.6.7.8:1", false)
	h.settle(all[0])
	w.run(DefaultPatience + time.Second)
	h.wantPublic(t, "the third may not")
}

// TestTranslatorHides: a node behind a translator that lets in only whom it has
// spoken to finds out in time.
func TestTranslatorHides(t *testing.T) {
	w := newTown(t, 1)
	all := place(w, 3)
	w.run(time.Minute)
	h := w.house("5.6.7.8:1", true)
	h.settle(all[0])
	w.run(DefaultPatience + time.Second)
	if s := h.road.Stats(); !s.Hidden {
		t.Errorf("it takes itself for %+v", s)
	}
}
