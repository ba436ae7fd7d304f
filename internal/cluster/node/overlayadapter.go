package node

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// overlayAdapter is the node's place in the Delaunay overlay of a world with an
// authority (docs/protocols/overlay.md): overlay.Node as one more machine of the
// node. Its links are shares of the node's links, which hosting has opened or
// will need as well; a link stays while its share is open. A nil layer is that of
// a node that has no place.
type overlayAdapter struct {
	component
	links    *links
	dir      *directory
	sessions noticedSessions
	leaders  regionLeaders
	disk     nodeDisk
	verified *verified
	bars     func(machine.Peer) bool // a node that is refused

	p         *submachine
	node      *overlay.Node
	machine   stoppable        // the machine: node itself, or the storage over it
	bootstrap *bootstrapSearch // for nodes to enter by; nil: not now

	storage *storageAdapter // the storage; nil: the world has none

	reports  uint64 // evidence, since the start
	noted    uint64 // of them told to the people
	nextNote machine.Time
}

// noticedSessions brings a notice to a session at this node (gatewaySessions).
type noticedSessions interface {
	toSession(session id.ID, m machine.Message) bool
}

// regionLeaders knows which node leads a shard (routes).
type regionLeaders interface{ leaderOf(Shard) machine.Peer }

// stoppable is a machine that can leave.
type stoppable interface {
	machine.Machine
	Stop()
}

// linkShare is the overlay's part of a link. Opening and closing are said in the
// link's order and answered, so that both ends agree on what was sent within
// which share.
type linkShare struct {
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

// newOverlayAdapter returns nil if the node has no certificate, and so no place.
func newOverlayAdapter(c component, p *submachine, l *links, dir *directory, v *verified) *overlayAdapter {
	if v == nil || v.Certificate == nil {
		return nil
	}
	a := &overlayAdapter{component: c, p: p, links: l, dir: dir, verified: v, disk: v.disk}
	cfg := overlay.Config{
		Self:  &overlay.Contact{ID: c.cfg.Self.ID, Addr: c.cfg.Self.Addr, Pos: v.Certificate.Pos},
		Space: overlay.SpaceFor(v.Zones), Certificate: v.Certificate, Verify: v.Verifier.Verify, Sign: v.Sign,
		Seek: func() machine.Job { return bootstrapJob{} }, Events: a,
	}
	if v.Storage != nil {
		a.storage = newStorageAdapter(a, v.Storage, cfg)
		a.node, a.machine = a.storage.node.Overlay(), a.storage.node
	} else {
		a.node = overlay.New(cfg, overlayEnv{a})
		a.machine = a.node
	}
	a.p.m = a.machine
	return a
}

func (l *overlayAdapter) start() {
	if l != nil {
		l.machine.Start()
	}
}

// stop leaves the overlay in good order.
func (l *overlayAdapter) stop() {
	if l != nil {
		l.machine.Stop()
		l.bootstrap = nil
	}
}

// receive takes a message of the overlay or of its shares.
func (l *overlayAdapter) receive(f *remoteNode, m machine.Message) {
	if l == nil {
		return
	}
	switch m := m.(type) {
	case *OverlayShare:
		if f.isUp() {
			l.onShare(f, m.On)
		}
	case *BootstrapQuery:
		l.onBootstrapQuery(f, m)
	case *BootstrapReply:
		l.onBootstrapReply(f, m)
	default:
		if !f.overlayShare.up {
			return
		}
		if l.storage != nil {
			m = l.storage.open(m)
		}
		if m == nil {
			l.counts.Dropped++
			return
		}
		l.machine.OnMessage(f.peer, m)
	}
}

// open asks for a share of the link to a node, opening the link if need be.
func (l *overlayAdapter) open(to machine.Peer) {
	f := l.links.reported(to)
	if f.overlayShare.on {
		return
	}
	f.overlayShare.on, f.overlayShare.tries = true, 0
	switch f.state {
	case linkUp:
		l.env.Send(f.peer, &OverlayShare{On: true})
	case linkNone:
		l.links.open(f)
	}
}

// close gives a share back. The link is closed once nobody has used it for a
// while.
func (l *overlayAdapter) close(to machine.Peer) {
	f := l.links.byID(to.ID)
	if f == nil || !f.overlayShare.on {
		return
	}
	f.overlayShare.on, f.overlayShare.up = false, false
	if f.isUp() {
		f.overlayShare.draining++
		l.env.Send(f.peer, &OverlayShare{})
	}
}

// onShare follows the other end.
func (l *overlayAdapter) onShare(f *remoteNode, on bool) {
	s := &f.overlayShare
	switch {
	case s.draining > 0:
		if !on {
			s.draining--
		}
	case on && !s.up:
		if !s.on {
			s.on = true
			l.env.Send(f.peer, &OverlayShare{On: true})
		}
		s.up, s.tries = true, 0
		l.machine.OnLink(f.peer, machine.LinkUp)
	case !on && s.on:
		s.on, s.up = false, false
		l.env.Send(f.peer, &OverlayShare{})
		l.machine.OnLink(f.peer, machine.LinkClosed)
	}
}

// greet asks for the share that the link was opened for.
func (l *overlayAdapter) greet(f *remoteNode) {
	if l != nil && f.overlayShare.on {
		l.env.Send(f.peer, &OverlayShare{On: true})
	}
}

// lost is when a link has ended, or could not be opened.
func (l *overlayAdapter) lost(f *remoteNode, ev machine.LinkEvent) {
	if l == nil {
		return
	}
	s := f.overlayShare
	f.overlayShare = linkShare{}
	switch {
	case !s.on:
	case !s.up && ev == machine.LinkClosed && s.tries < maxShareTries:
		// The other end was just closing an idle link, or has moved.
		f.overlayShare.on, f.overlayShare.tries = true, s.tries+1
		l.links.openLater(f)
	default:
		l.machine.OnLink(f.peer, ev)
	}
}

// overlayEnv is what the overlay sees of the node.
type overlayEnv struct{ l *overlayAdapter }

func (e overlayEnv) Now() machine.Time                         { return e.l.env.Now() }
func (e overlayEnv) Rand() *rng.Rand                           { return e.l.env.Rand() }
func (e overlayEnv) SetTimer(at machine.Time, t machine.Timer) { submachineEnv{e.l.p}.SetTimer(at, t) }
func (e overlayEnv) Open(to machine.Peer)                      { e.l.open(to) }
func (e overlayEnv) Close(to machine.Peer)                     { e.l.close(to) }

// Send implements machine.Env: over the node's share of the link.
func (e overlayEnv) Send(to machine.Peer, m machine.Message) {
	f := e.l.links.byID(to.ID)
	if f == nil || !f.overlayShare.up || !f.isUp() {
		return
	}
	if e.l.storage != nil {
		m = e.l.storage.sign(m)
	}
	if m != nil {
		e.l.env.Send(f.peer, m)
	}
}

// Do implements machine.Env; looking for nodes to enter by is done here.
func (e overlayEnv) Do(queue string, tag uint64, job machine.Job) {
	if _, ok := job.(bootstrapJob); ok {
		e.l.startBootstrap(tag)
		return
	}
	submachineEnv{e.l.p}.Do(queue, tag, job)
}

// Joined implements overlay.Events.
func (l *overlayAdapter) Joined() {}

// Neighbourhood implements overlay.Events.
func (l *overlayAdapter) Neighbourhood() {}

// Received implements overlay.Events.
func (l *overlayAdapter) Received(*overlay.Unicast, machine.Time) {}

// ReceivedArea implements overlay.Events.
func (l *overlayAdapter) ReceivedArea(*overlay.Areacast) {}

// Report implements overlay.Events: evidence is kept, and the people hear of it,
// not of each one, for a failure of many nodes makes many.
func (l *overlayAdapter) Report(e overlay.Evidence) {
	l.reports++
	if report := l.cfg.Verified.Report; report != nil {
		report(e)
	}
	now := l.env.Now()
	if now < l.nextNote {
		return
	}
	what := "named a node that is not there"
	if e.Accusation == overlay.Missing {
		what = "left out a node that is there"
	}
	l.note(fmt.Sprintf("Node %s %s: %s (%d reports like this since the last one).",
		e.View.Source.ID.Short(), what, e.Node.ID.Short(), l.reports-l.noted))
	l.noted, l.nextNote = l.reports, now.Add(noteEvery)
}
