package node

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// layer is the node's place in the Delaunay overlay of a world with an
// authority (docs/protocols/overlay.md): overlay.Node as one more machine of the
// node. Its links are shares of the node's links, which hosting has opened or
// will need as well; a link stays while its share is open. A nil layer is that of
// a node that has no place.
type layer struct {
	w    *network
	p    *part
	node *overlay.Node
	top  top   // the machine: node itself, or the storage over it
	seek *seek // for nodes to enter by; nil: not now

	keeper *keeper // the storage; nil: the world has none

	reports  uint64 // evidence, since the start
	noted    uint64 // of them told to the people
	nextNote machine.Time
}

// top is a machine that can leave.
type top interface {
	machine.Machine
	Stop()
}

// share is the overlay's part of a link. Opening and closing are said in the
// link's order and answered, so that both ends agree on what was sent within
// which share.
type share struct {
	on       bool // the overlay wants it
	up       bool // and so does the other end
	draining int  // closings that were not answered: what comes before the answer is old
	tries    int  // to open it again
}

const (
	// maxShareTries is how often a share is opened again because the link was
	// just being closed for want of use.
	maxShareTries = 3
	noteEvery     = time.Minute
)

func newLayer(w *network, v *verified) *layer {
	l := &layer{w: w, p: &part{node: w.n, name: "overlay"}}
	c := v.Certificate
	oc := overlay.Config{
		Self:  &overlay.Contact{ID: w.cfg.Self.ID, Addr: w.cfg.Self.Addr, Pos: c.Pos},
		Space: overlay.SpaceFor(v.Zones), Certificate: c, Verify: v.Door.Verify, Sign: v.Sign,
		Seek: func() machine.Job { return seekJob{} }, Events: l,
	}
	if v.Truth != nil {
		l.keeper = newKeeper(l, v.Truth, oc)
		l.node, l.top = l.keeper.node.Overlay(), l.keeper.node
	} else {
		l.node = overlay.New(oc, layerEnv{l})
		l.top = l.node
	}
	l.p.m = l.top
	return l
}

func (l *layer) start() {
	if l != nil {
		l.top.Start()
	}
}

// stop leaves the overlay in good order.
func (l *layer) stop() {
	if l != nil {
		l.top.Stop()
		l.seek = nil
	}
}

// receive takes a message of the overlay or of its shares.
func (l *layer) receive(f *farNode, m machine.Message) {
	if l == nil {
		return
	}
	switch m := m.(type) {
	case *Overlay:
		if f.state == linkUp {
			l.onShare(f, m.On)
		}
	case *AskPlaces:
		l.onAskPlaces(f, m)
	case *Places:
		l.onPlaces(f, m)
	default:
		if !f.share.up {
			return
		}
		if l.keeper != nil {
			m = l.keeper.open(m)
		}
		if m == nil {
			l.w.n.counts.Dropped++
			return
		}
		l.top.OnMessage(f.peer, m)
	}
}

// open asks for a share of the link to a node, opening the link if need be.
func (l *layer) open(to machine.Peer) {
	f := l.w.meet(to)
	if f.share.on {
		return
	}
	f.share.on, f.share.tries = true, 0
	switch f.state {
	case linkUp:
		l.w.n.env.Send(f.peer, &Overlay{On: true})
	case linkNone:
		f.state = linkWaiting
		l.w.reopen(f)
	}
}

// close gives a share back. The link is closed once nobody has used it for a
// while.
func (l *layer) close(to machine.Peer) {
	f := l.w.far[to.ID]
	if f == nil || !f.share.on {
		return
	}
	f.share.on, f.share.up = false, false
	if f.state == linkUp {
		f.share.draining++
		l.w.n.env.Send(f.peer, &Overlay{})
	}
}

// onShare follows the other end.
func (l *layer) onShare(f *farNode, on bool) {
	s := &f.share
	switch {
	case s.draining > 0:
		if !on {
			s.draining--
		}
	case on && !s.up:
		if !s.on {
			s.on = true
			l.w.n.env.Send(f.peer, &Overlay{On: true})
		}
		s.up, s.tries = true, 0
		l.top.OnLink(f.peer, machine.LinkUp)
	case !on && s.on:
		s.on, s.up = false, false
		l.w.n.env.Send(f.peer, &Overlay{})
		l.top.OnLink(f.peer, machine.LinkClosed)
	}
}

// greet asks for the share that the link was opened for.
func (l *layer) greet(f *farNode) {
	if l != nil && f.share.on {
		l.w.n.env.Send(f.peer, &Overlay{On: true})
	}
}

// lost is when a link has ended, or could not be opened.
func (l *layer) lost(f *farNode, ev machine.LinkEvent) {
	if l == nil {
		return
	}
	s := f.share
	f.share = share{}
	switch {
	case !s.on:
	case !s.up && ev == machine.LinkClosed && s.tries < maxShareTries:
		// The other end was just closing an idle link, or has moved.
		f.share.on, f.share.tries = true, s.tries+1
		if f.state == linkNone {
			f.state = linkWaiting
		}
	default:
		l.top.OnLink(f.peer, ev)
	}
}

// layerEnv is what the overlay sees of the node.
type layerEnv struct{ l *layer }

func (e layerEnv) Now() machine.Time                         { return e.l.w.n.env.Now() }
func (e layerEnv) Rand() *rng.Rand                           { return e.l.w.n.env.Rand() }
func (e layerEnv) SetTimer(at machine.Time, t machine.Timer) { partEnv{e.l.p}.SetTimer(at, t) }
func (e layerEnv) Open(to machine.Peer)                      { e.l.open(to) }
func (e layerEnv) Close(to machine.Peer)                     { e.l.close(to) }

// Send implements machine.Env: over the node's share of the link.
func (e layerEnv) Send(to machine.Peer, m machine.Message) {
	f := e.l.w.far[to.ID]
	if f == nil || !f.share.up || f.state != linkUp {
		return
	}
	if e.l.keeper != nil {
		m = e.l.keeper.sign(m)
	}
	if m != nil {
		e.l.w.n.env.Send(f.peer, m)
	}
}

// Do implements machine.Env; looking for nodes to enter by is done here.
func (e layerEnv) Do(queue string, tag uint64, job machine.Job) {
	if _, ok := job.(seekJob); ok {
		e.l.startSeek(tag)
		return
	}
	partEnv{e.l.p}.Do(queue, tag, job)
}

// Joined implements overlay.Events.
func (l *layer) Joined() {}

// Neighbourhood implements overlay.Events.
func (l *layer) Neighbourhood() {}

// Received implements overlay.Events.
func (l *layer) Received(*overlay.Unicast, machine.Time) {}

// ReceivedArea implements overlay.Events.
func (l *layer) ReceivedArea(*overlay.Areacast) {}

// Report implements overlay.Events: evidence is kept, and the people hear of it,
// not of each one, for a failure of many nodes makes many.
func (l *layer) Report(e overlay.Evidence) {
	l.reports++
	if report := l.w.cfg.Verified.Report; report != nil {
		report(e)
	}
	now := l.w.n.env.Now()
	if now < l.nextNote {
		return
	}
	what := "named a node that is not there"
	if e.Charge == overlay.Missing {
		what = "left out a node that is there"
	}
	l.w.note(fmt.Sprintf("Node %s %s: %s (%d reports like this since the last one).",
		e.View.Source.ID.Short(), what, e.Node.ID.Short(), l.reports-l.noted))
	l.noted, l.nextNote = l.reports, now.Add(noteEvery)
}
