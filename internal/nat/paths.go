package nat

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/pion/transport/v5"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
)

// Port is a node's one UDP port (transport's socket.Socket).
type Port interface {
	Aside() net.PacketConn
	Route(to netip.AddrPort, send func(b []byte) error) (remove func())
	Deliver(b []byte, from netip.AddrPort)
}

// Road hears of paths (package road). It is called where Paths is told to.
type Road interface {
	Prepared(peer id.ID, offer relay.Offer, err error)
	Connected(peer id.ID, at netip.AddrPort, err error)
	Out(peer id.ID, b []byte)
}

// Paths makes ways between hidden nodes for a road: holes by ICE, and circuits by
// routes of the port. It implements road.Paths.
type Paths struct {
	port    Port
	puncher *Puncher
	road    Road
	post    func(func()) error
	ctx     context.Context
	cancel  context.CancelFunc
	live    sync.WaitGroup
	queue   chan func()

	mu       sync.Mutex
	attempts map[id.ID]*Attempt
	routes   map[id.ID]func()
}

const (
	// maxOut bounds packets that wait to be relayed.
	maxOut = 512
	// keepHole is how long an attempt that has found a hole answers the other end,
	// which may need longer.
	keepHole = 10 * time.Second
)

// NewPaths returns paths over a port; network and patience are as for NewPuncher.
func NewPaths(port Port, network transport.Net, patience time.Duration) *Paths {
	p := &Paths{
		port: port, puncher: NewPuncher(port.Aside(), network, patience), queue: make(chan func(), maxOut),
		attempts: map[id.ID]*Attempt{}, routes: map[id.ID]func(){},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// Serve says who hears of paths, and how to call it; post waits until that is done.
func (p *Paths) Serve(road Road, post func(func()) error) {
	p.road, p.post = road, post
	p.live.Go(func() {
		for {
			select {
			case fn := <-p.queue:
				if p.post(fn) != nil {
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

// tell calls the road, unless all is over.
func (p *Paths) tell(fn func()) {
	select {
	case p.queue <- fn:
	case <-p.ctx.Done():
	}
}

// Prepare implements road.Paths.
func (p *Paths) Prepare(peer id.ID, seen netip.AddrPort) {
	p.live.Go(func() {
		var known []netip.AddrPort
		if seen.IsValid() {
			known = append(known, seen)
		}
		a, err := p.puncher.Prepare(p.ctx, known...)
		if err != nil {
			p.tell(func() { p.road.Prepared(peer, relay.Offer{}, err) })
			return
		}
		p.mu.Lock()
		old := p.attempts[peer]
		p.attempts[peer] = a
		p.mu.Unlock()
		if old != nil {
			old.Close()
		}
		p.tell(func() { p.road.Prepared(peer, a.Offer(), nil) })
	})
}

// Connect implements road.Paths.
func (p *Paths) Connect(peer id.ID, theirs relay.Offer, leads bool) {
	p.mu.Lock()
	a := p.attempts[peer]
	p.mu.Unlock()
	if a == nil {
		return
	}
	p.live.Go(func() {
		at, err := a.Connect(p.ctx, theirs, leads)
		if err == nil {
			time.AfterFunc(keepHole, func() { p.drop(peer, a) })
		}
		p.tell(func() { p.road.Connected(peer, at, err) })
	})
}

// Drop implements road.Paths.
func (p *Paths) Drop(peer id.ID) {
	p.mu.Lock()
	a := p.attempts[peer]
	p.mu.Unlock()
	if a != nil {
		p.live.Go(func() { p.drop(peer, a) }) // closing waits for the agent
	}
}

func (p *Paths) drop(peer id.ID, a *Attempt) {
	p.mu.Lock()
	if p.attempts[peer] == a {
		delete(p.attempts, peer)
	}
	p.mu.Unlock()
	a.Close()
}

// Route implements road.Paths.
func (p *Paths) Route(peer id.ID, at machine.Addr) {
	remove := p.port.Route(at.AddrPort(), func(b []byte) error {
		packet := append([]byte(nil), b...)
		select {
		case p.queue <- func() { p.road.Out(peer, packet) }:
		default: // lost, as packets are
		}
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.routes[peer] = remove
}

// Unroute implements road.Paths.
func (p *Paths) Unroute(peer id.ID) {
	p.mu.Lock()
	remove := p.routes[peer]
	delete(p.routes, peer)
	p.mu.Unlock()
	if remove != nil {
		remove()
	}
}

// Deliver implements road.Paths.
func (p *Paths) Deliver(b []byte, from machine.Addr) { p.port.Deliver(b, from.AddrPort()) }
