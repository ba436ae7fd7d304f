package verifiedworld

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// overlayAdapter runs overlay.Node as a submachine, in a world with an authority
// (docs/protocols/overlay.md). Its links are shares of the node's links, which hosting
// uses too; a link stays open while its share is. A node without a certificate, and so
// without a place, has a nil adapter.
type overlayAdapter struct {
	part.Part
	node  Surroundings
	links *peers.Links
	world *World

	seat      part.Seat
	shares    peers.Own[linkShare]
	overlay   *overlay.Node
	machine   stoppable        // overlay itself, or the storage over it
	bootstrap *bootstrapSearch // for nodes to join by; nil: none is running

	storage *storageAdapter // nil: the world has no storage

	reports  uint64 // evidence, since the start
	noted    uint64 // of them, those that a log message has counted
	nextNote machine.Time
}

// stoppable is a machine that can leave the network in good order.
type stoppable interface {
	machine.Machine
	Stop()
}

// linkShare is the overlay's share of a link. Openings and closings are answered, and
// links keep order, so both ends agree on what was sent within which share.
type linkShare struct {
	on       bool // the overlay wants it
	up       bool // and so does the other end
	draining int  // closings without an answer; what comes before the answer is outdated
	tries    int  // attempts to open it again
}

const (
	// maxShareTries is how often a share is opened again because the other end was
	// closing the unused link.
	maxShareTries = 3
	noteEvery     = time.Minute
)

// newOverlayAdapter returns nil if the node has no certificate.
func newOverlayAdapter(v *World, p part.Seat, node Surroundings) *overlayAdapter {
	if v.Certificate == nil {
		return nil
	}
	c := v.Part
	a := &overlayAdapter{Part: c, node: node, links: v.Links, world: v, seat: p, shares: peers.NewOwn[linkShare](v.Links)}
	cfg := overlay.Config{
		Self:  &overlay.Contact{ID: c.Cfg.Self.ID, Addr: c.Cfg.Self.Addr, Pos: v.Certificate.Pos},
		Space: overlay.SpaceFor(v.Zones), Certificate: v.Certificate, Verify: v.Verifier.Verify, Sign: v.Sign,
		Seek: func() machine.Job { return bootstrapJob{} }, Events: a,
	}
	if v.Storage != nil {
		a.storage = newStorageAdapter(a, v.Storage, cfg)
		a.overlay, a.machine = a.storage.node.Overlay(), a.storage.node
	} else {
		a.overlay = overlay.New(cfg, overlayEnv{a})
		a.machine = a.overlay
	}
	p.Put(a.machine)
	return a
}

// stop leaves the overlay in good order.
func (l *overlayAdapter) stop() {
	l.machine.Stop()
	l.bootstrap = nil
}

// receive handles a message of the overlay or about its shares.
func (l *overlayAdapter) receive(f *peers.Remote, m machine.Message) {
	switch m := m.(type) {
	case *OverlayShare:
		if f.IsUp() {
			l.onShare(f, m.On)
		}
	case *BootstrapQuery:
		l.onBootstrapQuery(f, m)
	case *BootstrapReply:
		l.onBootstrapReply(f, m)
	default:
		if !l.shares.Of(f).up {
			return
		}
		if l.storage != nil {
			m = l.storage.open(m)
		}
		if m == nil {
			l.Counts.Dropped++
			return
		}
		l.machine.OnMessage(f.Peer, m)
	}
}

// open requests a share of the link to a node, and opens the link if there is none.
func (l *overlayAdapter) open(to machine.Peer) {
	f := l.links.Reported(to)
	if l.shares.Of(f).on {
		return
	}
	l.shares.Of(f).on, l.shares.Of(f).tries = true, 0
	switch f.State {
	case peers.Up:
		l.Env.Send(f.Peer, &OverlayShare{On: true})
	case peers.None:
		l.links.Open(f)
	}
}

// close closes a share. The link is closed after a minute without use.
func (l *overlayAdapter) close(to machine.Peer) {
	f := l.links.ByID(to.ID)
	if f == nil || !l.shares.Of(f).on {
		return
	}
	l.shares.Of(f).on, l.shares.Of(f).up = false, false
	if f.IsUp() {
		l.shares.Of(f).draining++
		l.Env.Send(f.Peer, &OverlayShare{})
	}
}

// onShare handles an opening or closing of the other end.
func (l *overlayAdapter) onShare(f *peers.Remote, on bool) {
	s := l.shares.Of(f)
	switch {
	case s.draining > 0:
		if !on {
			s.draining--
		}
	case on && !s.up:
		if !s.on {
			s.on = true
			l.Env.Send(f.Peer, &OverlayShare{On: true})
		}
		s.up, s.tries = true, 0
		l.machine.OnLink(f.Peer, machine.LinkUp)
	case !on && s.on:
		s.on, s.up = false, false
		l.Env.Send(f.Peer, &OverlayShare{})
		l.machine.OnLink(f.Peer, machine.LinkClosed)
	}
}

// greet requests the share that the new link was opened for.
func (l *overlayAdapter) greet(f *peers.Remote) {
	if l.shares.Of(f).on {
		l.Env.Send(f.Peer, &OverlayShare{On: true})
	}
}

// lost handles a link that has ended or could not be opened.
func (l *overlayAdapter) lost(f *peers.Remote, ev machine.LinkEvent) {
	s := *l.shares.Of(f)
	*l.shares.Of(f) = linkShare{}
	switch {
	case !s.on:
	case !s.up && ev == machine.LinkClosed && s.tries < maxShareTries:
		// The other end was closing an idle link, or has another address now.
		l.shares.Of(f).on, l.shares.Of(f).tries = true, s.tries+1
		l.links.OpenLater(f)
	default:
		l.machine.OnLink(f.Peer, ev)
	}
}

// overlayEnv is the overlay's machine.Env.
type overlayEnv struct{ l *overlayAdapter }

func (e overlayEnv) Now() machine.Time                         { return e.l.Env.Now() }
func (e overlayEnv) Rand() *rng.Rand                           { return e.l.Env.Rand() }
func (e overlayEnv) SetTimer(at machine.Time, t machine.Timer) { e.l.seat.SetTimer(at, t) }
func (e overlayEnv) Open(to machine.Peer)                      { e.l.open(to) }
func (e overlayEnv) Close(to machine.Peer)                     { e.l.close(to) }

// Send implements machine.Env; without a share to the node the message is dropped.
func (e overlayEnv) Send(to machine.Peer, m machine.Message) {
	f := e.l.links.ByID(to.ID)
	if f == nil || !e.l.shares.Of(f).up || !f.IsUp() {
		return
	}
	if e.l.storage != nil {
		m = e.l.storage.sign(m)
	}
	if m != nil {
		e.l.Env.Send(f.Peer, m)
	}
}

// Do implements machine.Env; the adapter itself searches for nodes to join by.
func (e overlayEnv) Do(queue string, tag uint64, job machine.Job) {
	if _, ok := job.(bootstrapJob); ok {
		e.l.startBootstrap(tag)
		return
	}
	e.l.seat.Do(queue, tag, job)
}

// Joined implements overlay.Events.
func (l *overlayAdapter) Joined() {}

// Neighbourhood implements overlay.Events.
func (l *overlayAdapter) Neighbourhood() {}

// Received implements overlay.Events.
func (l *overlayAdapter) Received(*overlay.Unicast, machine.Time) {}

// ReceivedArea implements overlay.Events.
func (l *overlayAdapter) ReceivedArea(*overlay.Areacast) {}

// Report implements overlay.Events: it passes evidence on, and logs it at most once in
// noteEvery, since a failure of many nodes causes many reports.
func (l *overlayAdapter) Report(e overlay.Evidence) {
	l.reports++
	if report := l.world.Report; report != nil {
		report(e)
	}
	now := l.Env.Now()
	if now < l.nextNote {
		return
	}
	what := "named a node that is not there"
	if e.Accusation == overlay.Missing {
		what = "left out a node that is there"
	}
	l.Note(fmt.Sprintf("Node %s %s: %s (%d reports like this since the last one).",
		e.View.Source.ID.Short(), what, e.Node.ID.Short(), l.reports-l.noted))
	l.noted, l.nextNote = l.reports, now.Add(noteEvery)
}
