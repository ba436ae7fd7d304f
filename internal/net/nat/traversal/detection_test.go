package traversal

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// startPublicNodes puts public nodes at one IP address, as on one machine.
func startPublicNodes(w *testNetwork, n int) (all []*site) {
	for i := range n {
		s := w.site(fmt.Sprintf("1.2.3.4:%d", i+1), false)
		s.startNode(all...)
		all = append(all, s)
		w.run(5 * time.Second)
	}
	return all
}

func (h *site) wantPublic(t *testing.T, when string) {
	t.Helper()
	if s := h.agent.Stats(); s.Hidden || s.Self.Addr != h.self.Addr {
		t.Fatalf("%s: the node at %v takes itself for %+v", when, h.self.Addr, s)
	}
}

// TestRestartedNodesStayPublic: nodes of one machine are killed and started again, more
// often than anybody dials an address back. None takes itself for hidden.
func TestRestartedNodesStayPublic(t *testing.T) {
	for seed := range uint64(20) {
		w := newTestNetwork(t, seed)
		all := startPublicNodes(w, 4)
		for k := range 12 {
			s := all[w.rand.Intn(len(all))]
			s.kill()
			w.run(time.Duration(w.rand.Intn(int(5 * time.Second))))
			var others []*site
			for _, o := range all {
				if o != s {
					others = append(others, o)
				}
			}
			s.startNode(others...)
			w.run(DefaultDialBackTimeout + time.Second)
			s.wantPublic(t, fmt.Sprintf("seed %d, restart %d", seed, k))
		}
	}
}

// TestDialBackRepeatedWhenProberIsGone: the node that is to dial back was killed a moment ago, and who
// asks it does not know. Another does.
func TestDialBackRepeatedWhenProberIsGone(t *testing.T) {
	for seed := range uint64(20) {
		w := newTestNetwork(t, seed)
		all := startPublicNodes(w, 3)
		w.run(time.Minute)
		all[1].kill()
		s := w.site("5.6.7.8:1", false)
		s.startNode(all[0])
		w.run(DefaultDialBackTimeout + time.Second)
		s.wantPublic(t, fmt.Sprintf("seed %d", seed))
	}
}

// TestProbeRefusalMeansPublic: the only node that could dial back has done so for this address
// too often. It says so, and who asks is believed.
func TestProbeRefusalMeansPublic(t *testing.T) {
	w := newTestNetwork(t, 1)
	all := startPublicNodes(w, 2)
	for k := range uint64(DialBackBurst) {
		all[1].agent.OnMessage(all[0].self, &ProbeRequest{Addr: netip.MustParseAddrPort("5.6.7.8:9"), Nonce: k})
	}
	s := w.site("5.6.7.8:1", false)
	s.startNode(all[0])
	w.run(DefaultDialBackTimeout + time.Second)
	s.wantPublic(t, "the third may not")
}

// TestTranslatedNodeIsHidden: a node behind a translator that lets in only whom it has
// spoken to finds out in time.
func TestTranslatedNodeIsHidden(t *testing.T) {
	w := newTestNetwork(t, 1)
	all := startPublicNodes(w, 3)
	w.run(time.Minute)
	h := w.site("5.6.7.8:1", true)
	h.startNode(all[0])
	w.run(DefaultDialBackTimeout + time.Second)
	if s := h.agent.Stats(); !s.Hidden {
		t.Errorf("it takes itself for %+v", s)
	}
}
