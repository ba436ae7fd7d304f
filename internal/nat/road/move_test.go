package road

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
)

// pair is two nodes behind translators between which there is no hole at first. They
// have a link over a public node, and talk all the time.
type pair struct {
	*town
	public *house
	ends   [2]*house
	said   [2]int
}

func newPair(t *testing.T, seed uint64) *pair {
	w := newTown(t, seed)
	p := &pair{town: w, public: place(w, 1)[0]}
	for i := range p.ends {
		p.ends[i] = w.house(fmt.Sprintf("%d.1.1.1:%d", 27+i, seed+1), true)
		p.ends[i].settle(p.public)
		w.run(5 * time.Second)
	}
	p.ends[0].env.Open(p.other(0))
	w.run(10 * time.Second)
	for i, h := range p.ends {
		if s := h.road.Stats(); !s.Hidden || s.Circuits != 1 || len(h.events) == 0 {
			t.Fatalf("end %d: %+v, links %v", i, s, h.events)
		}
	}
	return p
}

// other is the far end as the near one knows it.
func (p *pair) other(near int) machine.Peer { return p.ends[near].veiled(p.ends[1-near]) }

// talk lets both ends say something every now and then.
func (p *pair) talk(d time.Duration) {
	for end := p.now.Add(d); p.now < end; {
		for i, h := range p.ends {
			for range p.rand.Intn(3) {
				p.said[i]++
				h.env.Send(h.named[p.ends[1-i].self.ID], word(fmt.Sprint(p.said[i])))
			}
		}
		p.run(time.Duration(p.rand.Intn(int(100 * time.Millisecond))))
	}
}

// pass lets time pass in which the ends say little.
func (p *pair) pass(minutes int) {
	for end := p.now.Add(time.Duration(minutes) * time.Minute); p.now < end; {
		p.talk(time.Second)
		p.run(time.Minute - time.Second)
	}
}

// heardAll fails if an end has not heard what the other has said, once and in order, or
// has noticed anything.
func (p *pair) heardAll() {
	p.Helper()
	p.run(5 * time.Second)
	for i, h := range p.ends {
		far := p.ends[1-i]
		for k, w := range far.got {
			if w != fmt.Sprint(k+1) {
				p.Fatalf("end %d heard %s instead of %d", 1-i, w, k+1)
			}
		}
		if len(far.got) != p.said[i] {
			p.Fatalf("end %d heard %d of %d", 1-i, len(far.got), p.said[i])
		}
		up := 0
		for who := range h.named {
			if who == far.self.ID {
				up++
			}
		}
		if up != 1 || slices.Contains(h.events, machine.LinkFailed) || slices.Contains(h.events, machine.LinkClosed) {
			p.Fatalf("end %d noticed: %v", i, h.events)
		}
	}
}

// over reports whether the ends' link goes over the relay.
func (p *pair) over(i int) bool { return p.ends[i].road.far[p.ends[1-i].self.ID].relayed() }

// TestLinkMovesToHole: a hole is looked for again while a circuit is used, less and less
// often. When there is one the link moves there, and nothing is lost.
func TestLinkMovesToHole(t *testing.T) {
	for seed := range uint64(20) {
		p := newPair(t, seed)
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
		if !p.over(0) || !p.over(1) {
			t.Fatal("the link has left the circuit, though there is no hole")
		}
		p.ends[0].paths.holes, p.ends[1].paths.holes = true, true
		for end := p.now.Add(12 * time.Minute); p.over(0) && p.over(1) && p.now < end; {
			if p.ends[0].road.far[p.ends[1].self.ID].finding == idle && p.ends[1].road.far[p.ends[0].self.ID].finding == idle {
				p.run(beat)
			} else {
				p.talk(beat / 10)
			}
		}
		p.talk(20 * time.Second)
		for i, h := range p.ends {
			f := h.road.far[p.ends[1-i].self.ID]
			if p.over(i) || f.circuit || f.old != (machine.Peer{}) || f.via.Addr != p.ends[1-i].self.Addr {
				t.Fatalf("seed %d: end %d still goes over the relay: %+v", seed, i, f.move)
			}
		}
		before := p.public.road.Stats().Packets
		p.talk(time.Minute)
		if got := p.public.road.Stats().Packets; got != before {
			t.Errorf("seed %d: %d packets were relayed for nothing", seed, got-before)
		}
		p.heardAll()
	}
}

// TestMoveBreaks: the new link fails, or the old one, while the link moves. The nodes
// hear that their link has failed, and can open another.
func TestMoveBreaks(t *testing.T) {
	for _, old := range []bool{true, false} {
		p := newPair(t, 3)
		p.ends[0].paths.holes, p.ends[1].paths.holes = true, true
		f := p.ends[0].road.far[p.ends[1].self.ID]
		for f.old == (machine.Peer{}) {
			p.run(time.Millisecond)
			if p.now > machine.Time(time.Hour) {
				t.Fatal("the link does not move")
			}
		}
		broken := f.via
		if old {
			broken = f.old
		}
		p.ends[0].fails(p.ends[0].line(broken))
		p.run(10 * time.Second)
		for i, h := range p.ends {
			if last := h.events[len(h.events)-1]; last == machine.LinkUp {
				t.Fatalf("old %v: end %d has not noticed: %v", old, i, h.events)
			}
		}
		p.ends[0].env.Open(p.other(0))
		p.run(20 * time.Second)
		for i, h := range p.ends {
			if last := h.events[len(h.events)-1]; last != machine.LinkUp {
				t.Fatalf("old %v: end %d has no link again: %v", old, i, h.events)
			}
		}
	}
}

// TestMovesOnlyFromCircuit: who says that it has moved, and has no other link, has said
// nothing.
func TestMovesOnlyFromCircuit(t *testing.T) {
	p := newPair(t, 1)
	h := p.ends[0]
	r := h.road
	public := p.public.self
	r.OnMessage(public, &relay.Moved{})
	if f := r.far[public.ID]; f.moved || !f.up {
		t.Errorf("moved %v, up %v", f.moved, f.up)
	}
	p.talk(time.Second)
	p.heardAll()
}
