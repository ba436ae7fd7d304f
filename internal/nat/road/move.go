package road

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
)

// A link that goes over a circuit takes the relay's line, and twice as long as it
// need. Why there was no hole may pass: a hole is looked for again, and the link
// moves through it. The node above notices nothing. Each end says on the old link
// that it has moved, and sends on the new one from then on; what comes over the new
// one waits until the other end has said the same.

// move is how a link leaves a circuit.
type move struct {
	tries int          // holes that were looked for since there is a circuit
	next  machine.Time // when to look again; 0: not decided
	old   machine.Peer // the link over the circuit, until the other end has moved; zero: none
	moved bool         // the other end has, before this one
	held  []func()     // what has come over the new link meanwhile
	leave machine.Time // when the circuit is not needed any more; 0: it is
}

const (
	holeAtMost = 10 * time.Minute
	// leaveAfter is how long the ends of the old link may still need the circuit.
	leaveAfter = 10 * time.Second
	// maxHeld bounds what waits; it is a few seconds' worth.
	maxHeld = 1 << 14
)

// relayed reports whether the link to a node goes over a circuit.
func (f *far) relayed() bool { return f.circuit && f.up && f.via.Addr == f.addr }

// moveBeat looks for a hole when it is time, and leaves a circuit that is not needed
// any more. Of the two ends that with the smaller id looks.
func (r *Road) moveBeat(f *far, now machine.Time) {
	switch {
	case f.leave != 0 && now >= f.leave:
		if f.leave = 0; f.circuit && !f.relayed() {
			r.endCircuit(f)
		}
	case !f.relayed() || f.finding != idle || !less(r.cfg.ID, f.id):
	case f.next == 0:
		f.next = now.Add(r.cfg.Holes)
	case now >= f.next:
		f.tries++
		f.next = now.Add(min(r.cfg.Holes<<min(f.tries, 8), holeAtMost))
		f.finding, f.leads, f.until, f.end = preparing, true, now.Add(connectTime), now.Add(searchTime)
		r.cfg.Paths.Prepare(f.id, r.seen())
	}
}

// stay is when there is no hole: the circuit goes on.
func (r *Road) stay(f *far) {
	r.giveUp(f)
	f.finding = idle
}

// moveTo begins to use another link than that over the circuit.
func (r *Road) moveTo(f *far, via machine.Peer) {
	f.old, f.via, f.heard = f.via, via, r.env.Now()
	r.env.Send(f.old, &relay.Moved{})
	if f.moved {
		r.moveOver(f)
	}
}

// onMoved is when nothing more comes over the old link.
func (r *Road) onMoved(f *far, from machine.Peer) {
	switch from {
	case f.old:
		r.moveOver(f)
	case f.via:
		f.moved = f.relayed() // the new link is about to be up here, too
	}
}

func (r *Road) moveOver(f *far) {
	r.env.Close(f.old)
	held := f.held
	f.move = move{leave: r.env.Now().Add(leaveAfter)}
	for _, fn := range held {
		fn()
	}
}

// holdBack keeps what came over the new link before the last of the old one; it reports
// whether it has to wait.
func (r *Road) holdBack(f *far, from machine.Peer, m machine.Message) bool {
	if f.old == (machine.Peer{}) || from != f.via {
		return false
	}
	if _, loose := m.(machine.Datagram); loose {
		return false
	}
	if len(f.held) >= maxHeld {
		r.env.Close(f.via)
		r.lost(f, machine.LinkFailed)
		return true
	}
	f.held = append(f.held, func() { r.receive(from, m) })
	return true
}

// moveEnds is when a link ends while there are two; it reports whether that has been
// seen to.
func (r *Road) moveEnds(f *far, peer machine.Peer, ev machine.LinkEvent) bool {
	switch {
	case f.old == (machine.Peer{}):
		return false
	case peer == f.old: // and with it what was to come before all that is held
		f.old = machine.Peer{}
		r.env.Close(f.via)
		r.endCircuit(f)
		r.lost(f, machine.LinkFailed)
		return true
	case peer == f.via && ev == machine.LinkClosed:
		f.held = append(f.held, func() { r.lost(f, ev) })
		return true
	}
	return false
}

// forgetMove is when the link has gone that was to be used.
func (r *Road) forgetMove(f *far) {
	if f.old != (machine.Peer{}) {
		r.env.Close(f.old)
	}
	f.old, f.moved, f.held = machine.Peer{}, false, nil
}

// punched is when there is a hole while a link goes over a circuit.
func (r *Road) punched(f *far, at machine.Addr) {
	r.stats.Punched++
	f.finding = idle
	if f.leads {
		r.env.Open(machine.Peer{ID: f.id, Addr: at})
	}
}
