package traversal

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// relayedPair is two nodes behind translators between which there is no hole at first. They
// have a link over a public node, and talk all the time.
type relayedPair struct {
	*testNetwork
	public *site
	ends   [2]*site
	said   [2]int
}

func newRelayedPair(t *testing.T, seed uint64) *relayedPair {
	w := newTestNetwork(t, seed)
	p := &relayedPair{testNetwork: w, public: startPublicNodes(w, 1)[0]}
	for i := range p.ends {
		p.ends[i] = w.site(fmt.Sprintf("%d.1.1.1:%d", 27+i, seed+1), true)
		p.ends[i].startNode(p.public)
		w.run(5 * time.Second)
	}
	p.ends[0].env.Open(p.other(0))
	w.run(10 * time.Second)
	for i, h := range p.ends {
		if s := h.agent.Stats(); !s.Hidden || s.Allocations != 1 || len(h.events) == 0 {
			t.Fatalf("end %d: %+v, links %v", i, s, h.events)
		}
	}
	return p
}

// other is the far end as the near one knows it.
func (p *relayedPair) other(near int) machine.Peer { return p.ends[near].relayedPeer(p.ends[1-near]) }

// talk lets both ends say something every now and then.
func (p *relayedPair) talk(d time.Duration) {
	for end := p.now.Add(d); p.now < end; {
		for i, s := range p.ends {
			for range p.rand.Intn(3) {
				p.said[i]++
				s.env.Send(s.named[p.ends[1-i].self.ID], linkMessage(fmt.Sprint(p.said[i])))
			}
		}
		p.run(time.Duration(p.rand.Intn(int(100 * time.Millisecond))))
	}
}

// pass lets time pass in which the ends say little.
func (p *relayedPair) pass(minutes int) {
	for end := p.now.Add(time.Duration(minutes) * time.Minute); p.now < end; {
		p.talk(time.Second)
		p.run(time.Minute - time.Second)
	}
}

// heardAll fails if an end has not heard what the other has said, once and in order, or
// has noticed anything.
func (p *relayedPair) heardAll() {
	p.Helper()
	p.run(5 * time.Second)
	for i, s := range p.ends {
		remote := p.ends[1-i]
		for k, w := range remote.got {
			if w != fmt.Sprint(k+1) {
				p.Fatalf("end %d heard %s instead of %d", 1-i, w, k+1)
			}
		}
		if len(remote.got) != p.said[i] {
			p.Fatalf("end %d heard %d of %d", 1-i, len(remote.got), p.said[i])
		}
		up := 0
		for who := range s.named {
			if who == remote.self.ID {
				up++
			}
		}
		if up != 1 || slices.Contains(s.events, machine.LinkFailed) || slices.Contains(s.events, machine.LinkClosed) {
			p.Fatalf("end %d noticed: %v", i, s.events)
		}
	}
}

// viaRelay reports whether the ends' link goes over the relay.
func (p *relayedPair) viaRelay(i int) bool {
	return machine.Relayed(nodeEnv{p.ends[i].agent}, p.ends[1-i].self)
}

// TestLinkSwitchesFromRelayToHole: a hole is looked for again while an allocation is used, less and less
// often. When there is one the link moves there, and nothing is lost.
func TestLinkSwitchesFromRelayToHole(t *testing.T) {
	for seed := range uint64(20) {
		p := newRelayedPair(t, seed)
		began := p.now
		p.ends[0].paths.tried, p.ends[1].paths.tried = nil, nil
		p.pass(16)
		tried := p.ends[0].paths.tried
		var at []int
		for _, when := range tried {
			at = append(at, int(when.Sub(began).Minutes()+0.5))
		}
		if want := []int{1, 3, 7, 15}; !slices.Equal(at, want) || len(p.ends[1].paths.tried) != len(tried) {
			t.Fatalf("seed %d: looked for a hole after %v minutes, not %v", seed, at, want)
		}
		if !p.viaRelay(0) || !p.viaRelay(1) {
			t.Fatal("the link has left the allocation, though there is no hole")
		}
		p.ends[0].paths.holes, p.ends[1].paths.holes = true, true
		for end := p.now.Add(12 * time.Minute); p.viaRelay(0) && p.viaRelay(1) && p.now < end; {
			if p.ends[0].agent.peers[p.ends[1].self.ID].stage == idle && p.ends[1].agent.peers[p.ends[0].self.ID].stage == idle {
				p.run(maintenanceInterval)
			} else {
				p.talk(maintenanceInterval / 10)
			}
		}
		p.talk(20 * time.Second)
		for i, s := range p.ends {
			f := s.agent.peers[p.ends[1-i].self.ID]
			if p.viaRelay(i) || f.allocated || f.oldVia != (machine.Peer{}) || f.via.Addr != p.ends[1-i].self.Addr {
				t.Fatalf("seed %d: end %d still goes over the relay: %+v", seed, i, f.pathSwitch)
			}
		}
		before := p.public.agent.Stats().Packets
		p.talk(time.Minute)
		if got := p.public.agent.Stats().Packets; got != before {
			t.Errorf("seed %d: %d packets were relayed for nothing", seed, got-before)
		}
		p.heardAll()
	}
}

// TestLinkFailsDuringSwitch: the new link fails, or the old one, while the link moves. The nodes
// hear that their link has failed, and can open another.
func TestLinkFailsDuringSwitch(t *testing.T) {
	for _, old := range []bool{true, false} {
		p := newRelayedPair(t, 3)
		p.ends[0].paths.holes, p.ends[1].paths.holes = true, true
		f := p.ends[0].agent.peers[p.ends[1].self.ID]
		for f.oldVia == (machine.Peer{}) {
			p.run(time.Millisecond)
			if p.now > machine.Time(time.Hour) {
				t.Fatal("the link does not move")
			}
		}
		broken := f.via
		if old {
			broken = f.oldVia
		}
		p.ends[0].fails(p.ends[0].link(broken))
		p.run(10 * time.Second)
		for i, s := range p.ends {
			if last := s.events[len(s.events)-1]; last == machine.LinkUp {
				t.Fatalf("old %v: end %d has not noticed: %v", old, i, s.events)
			}
		}
		p.ends[0].env.Open(p.other(0))
		p.run(20 * time.Second)
		for i, s := range p.ends {
			if last := s.events[len(s.events)-1]; last != machine.LinkUp {
				t.Fatalf("old %v: end %d has no link again: %v", old, i, s.events)
			}
		}
	}
}

// TestPathSwitchedIgnoredWithoutSecondLink: who says that it has moved, and has no other link, has said
// nothing.
func TestPathSwitchedIgnoredWithoutSecondLink(t *testing.T) {
	p := newRelayedPair(t, 1)
	s := p.ends[0]
	a := s.agent
	public := p.public.self
	a.OnMessage(public, &PathSwitched{})
	if f := a.peers[public.ID]; f.peerSwitched || !f.up {
		t.Errorf("moved %v, up %v", f.peerSwitched, f.up)
	}
	p.talk(time.Second)
	p.heardAll()
}
