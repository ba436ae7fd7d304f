package nat

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/pion/transport/v5"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

// Port is a node's one UDP port (transport's socket.Socket).
type Port interface {
	Aux() net.PacketConn
	Route(to netip.AddrPort, send func(b []byte) error) (remove func())
	Deliver(b []byte, from netip.AddrPort)
}

// Listener is called when something about a path has happened (traversal.Agent); see
// Serve for how.
type Listener interface {
	OnGathered(peer id.ID, offer traversal.Offer, err error)
	OnChecked(peer id.ID, at netip.AddrPort, err error)
	SendRelayed(peer id.ID, b []byte)
}

// Paths finds paths between hidden nodes: holes by ICE, relayed paths by routes of the
// port. It implements traversal.Paths.
type Paths struct {
	port     Port
	puncher  *Puncher
	listener Listener
	call     func(func()) error
	ctx      context.Context
	cancel   context.CancelFunc
	live     sync.WaitGroup
	queue    chan func()

	mu       sync.Mutex
	attempts map[id.ID]*Attempt
	routes   map[id.ID]func()
}

const (
	// maxRelayedQueue bounds packets that wait to be relayed.
	maxRelayedQueue = 512
	// attemptLinger is how long an attempt that has found a hole answers the other end,
	// which may need longer.
	attemptLinger = 10 * time.Second
)

// NewPaths returns paths over a port; network and patience are as for NewPuncher.
func NewPaths(port Port, network transport.Net, patience time.Duration) *Paths {
	p := &Paths{
		port: port, puncher: NewPuncher(port.Aux(), network, patience), queue: make(chan func(), maxRelayedQueue),
		attempts: map[id.ID]*Attempt{}, routes: map[id.ID]func(){},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// Serve says who hears of paths, and how to call it; post waits until that is done.
func (p *Paths) Serve(l Listener, call func(func()) error) {
	p.listener, p.call = l, call
	p.live.Go(func() {
		for {
			select {
			case fn := <-p.queue:
				if p.call(fn) != nil {
					return
				}
			case <-p.ctx.Done():
				return
			}
		}
	})
}

// Close ends all attempts and routes.
func (p *Paths) Close() error {
	p.cancel()
	err := p.puncher.Close()
	p.mu.Lock()
	attempts, routes := p.attempts, p.routes
	p.attempts, p.routes = map[id.ID]*Attempt{}, map[id.ID]func(){}
	p.mu.Unlock()
	for _, a := range attempts {
		a.Close()
	}
	for _, remove := range routes {
		remove()
	}
	p.live.Wait()
	return err
}

// notify calls the listener, unless Paths is closed.
func (p *Paths) notify(fn func()) {
	select {
	case p.queue <- fn:
	case <-p.ctx.Done():
	}
}

// Gather implements traversal.Paths.
func (p *Paths) Gather(peer id.ID, seen netip.AddrPort) {
	p.live.Go(func() {
		var known []netip.AddrPort
		if seen.IsValid() {
			known = append(known, seen)
		}
		a, err := p.puncher.Gather(p.ctx, known...)
		if err != nil {
			p.notify(func() { p.listener.OnGathered(peer, traversal.Offer{}, err) })
			return
		}
		p.mu.Lock()
		old := p.attempts[peer]
		p.attempts[peer] = a
		p.mu.Unlock()
		if old != nil {
			old.Close()
		}
		p.notify(func() { p.listener.OnGathered(peer, a.Offer(), nil) })
	})
}

// Check implements traversal.Paths.
func (p *Paths) Check(peer id.ID, theirs traversal.Offer, leads bool) {
	p.mu.Lock()
	a := p.attempts[peer]
	p.mu.Unlock()
	if a == nil {
		return
	}
	p.live.Go(func() {
		at, err := a.Check(p.ctx, theirs, leads)
		if err == nil {
			time.AfterFunc(attemptLinger, func() { p.closeAttempt(peer, a) })
		}
		p.notify(func() { p.listener.OnChecked(peer, at, err) })
	})
}

// Cancel implements traversal.Paths.
func (p *Paths) Cancel(peer id.ID) {
	p.mu.Lock()
	a := p.attempts[peer]
	p.mu.Unlock()
	if a != nil {
		p.live.Go(func() { p.closeAttempt(peer, a) }) // closing waits for the agent
	}
}

func (p *Paths) closeAttempt(peer id.ID, a *Attempt) {
	p.mu.Lock()
	if p.attempts[peer] == a {
		delete(p.attempts, peer)
	}
	p.mu.Unlock()
	a.Close()
}

// Route implements traversal.Paths.
func (p *Paths) Route(peer id.ID, at machine.Addr) {
	remove := p.port.Route(at.AddrPort(), func(b []byte) error {
		packet := append([]byte(nil), b...)
		select {
		case p.queue <- func() { p.listener.SendRelayed(peer, packet) }:
		default: // lost, as packets are
		}
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.routes[peer] = remove
}

// Unroute implements traversal.Paths.
func (p *Paths) Unroute(peer id.ID) {
	p.mu.Lock()
	remove := p.routes[peer]
	delete(p.routes, peer)
	p.mu.Unlock()
	if remove != nil {
		remove()
	}
}

// Deliver implements traversal.Paths.
func (p *Paths) Deliver(b []byte, from machine.Addr) { p.port.Deliver(b, from.AddrPort()) }
