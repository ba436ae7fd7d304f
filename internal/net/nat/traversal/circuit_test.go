package traversal

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// browsers notes what circuits deliver; the hidden node answers everything.
type browsers struct {
	site   *site
	hidden id.ID
	keep   bool
	got    map[netip.AddrPort]int // bytes that browsers have got
	heard  int                    // packets that the hidden node has got
	last   uint64                 // circuit
	helper id.ID
}

func (b *browsers) Named(string) id.ID                    { return b.hidden }
func (b *browsers) ToBrowser(at netip.AddrPort, p []byte) { b.got[at] += len(p) }
func (b *browsers) FromBrowser(helper id.ID, circuit uint64, _ netip.AddrPort, p []byte) {
	b.heard++
	b.last, b.helper = circuit, helper
	b.site.agent.ReplyToBrowser(helper, &BrowserReply{Circuit: circuit, Keep: b.keep, Data: p})
}

// circuitBed is a public node and a hidden one that has joined by it.
func circuitBed(t *testing.T) (w *testNetwork, public, hidden *site, p, h *browsers) {
	w = newTestNetwork(t, 1)
	public, hidden = w.site("1.1.1.1:1", false), w.site("2.2.2.2:2", true)
	public.startNode()
	hidden.startNode(public)
	w.run(20 * time.Second)
	if !hidden.agent.hidden {
		t.Fatal("the node behind the translator is public")
	}
	p = &browsers{site: public, hidden: hidden.self.ID, got: map[netip.AddrPort]int{}}
	h = &browsers{site: hidden}
	public.agent.cfg.Browsers, hidden.agent.cfg.Browsers = p, h
	return w, public, hidden, p, h
}

// TestCircuit: a browser's packets reach the hidden node and its answers the browser,
// until the circuit ends or is silent; who has sent no check has none.
func TestCircuit(t *testing.T) {
	w, public, hidden, p, h := circuitBed(t)
	at := netip.MustParseAddrPort("9.9.9.9:9")
	public.agent.FromBrowser(at, "", make([]byte, 100))
	w.run(time.Second)
	if h.heard != 0 {
		t.Error("a packet passed without a circuit")
	}
	public.agent.FromBrowser(at, "home", make([]byte, 100))
	w.run(time.Second)
	public.agent.FromBrowser(at, "", make([]byte, 200))
	w.run(time.Second)
	if h.heard != 2 || p.got[at] != 300 {
		t.Errorf("%d packets came, %d bytes went back", h.heard, p.got[at])
	}
	hidden.agent.ReplyToBrowser(h.helper, &BrowserReply{Circuit: h.last, End: true})
	w.run(time.Second)
	public.agent.FromBrowser(at, "", make([]byte, 200))
	public.agent.FromBrowser(at, "home", make([]byte, 2000))
	w.run(time.Second)
	if h.heard != 2 {
		t.Errorf("%d packets came after the end, or too large", h.heard)
	}
	w.run(begunLifetime + time.Second)
	if n := len(public.agent.circuits.at); n != 0 {
		t.Errorf("%d circuits that nobody keeps", n)
	}
}

// TestHostileCircuits: what strangers begin is bounded for each address and in bytes;
// what a hidden node keeps counts as allocations.
func TestHostileCircuits(t *testing.T) {
	w, public, hidden, p, h := circuitBed(t)
	for i := range 100 {
		public.agent.FromBrowser(netip.AddrPortFrom(netip.MustParseAddr("9.9.9.9"), uint16(i+1)), "home", make([]byte, 10))
	}
	if n := len(public.agent.circuits.at); n != maxBegunAddress {
		t.Errorf("one address began %d circuits", n)
	}
	for i := range 500 {
		public.agent.FromBrowser(netip.MustParseAddrPort(fmt.Sprintf("9.9.%d.%d:1", i/250, i%250)), "home", make([]byte, 10))
	}
	if n := len(public.agent.circuits.at); n != maxBegunNode {
		t.Errorf("%d circuits to one node were begun", n)
	}
	w.run(begunLifetime + time.Second)
	at := netip.MustParseAddrPort("9.9.9.9:9")
	for range 1000 {
		public.agent.FromBrowser(at, "home", make([]byte, 1000))
		w.run(10 * time.Millisecond)
	}
	if n := p.got[at]; n == 0 || n > begunBytes {
		t.Errorf("%d bytes over a circuit that nobody keeps", n)
	}
	w.run(begunLifetime + time.Second)
	h.keep = true
	for i := range 20 {
		public.agent.FromBrowser(netip.MustParseAddrPort(fmt.Sprintf("9.9.9.%d:1", i+1)), "home", make([]byte, 10))
		w.run(100 * time.Millisecond)
	}
	if n := public.agent.allocations.relay.Allocations(); n != DefaultRelayLimits.PerNode {
		t.Errorf("one hidden node keeps %d circuits", n)
	}
	// Another node cannot answer in its place.
	before := p.got[at]
	public.agent.circuits.onBrowserReply(&remotePeer{id: public.self.ID}, &BrowserReply{Circuit: h.last, Data: make([]byte, 10)})
	if p.got[at] != before {
		t.Error("another node answered")
	}
	hidden.kill()
	w.run(2 * time.Minute)
	if n := public.agent.allocations.relay.Allocations() + len(public.agent.circuits.at); n != 0 {
		t.Errorf("%d circuits of a node that is gone", n)
	}
}
