package nat

import (
	"encoding/json"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/pion/logging"
	"github.com/pion/transport/v5"
	"github.com/pion/transport/v5/vnet"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

var quiet = &logging.DefaultLoggerFactory{Writer: io.Discard}

// internet is a simulated Internet with three public nodes: a helper that others
// have links to, one more that they know, and a third that dials back.
type internet struct {
	t                    *testing.T
	wan                  *vnet.Router
	helper, other, third *host
	relay                *traversal.Relay
	mu                   sync.Mutex
	addrs                map[id.ID]netip.AddrPort // whom the helper has links to
	passed               int                      // packets through the relay
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newInternet(t *testing.T) *internet {
	n := &internet{t: t, relay: traversal.NewRelay(traversal.DefaultRelayLimits), addrs: map[id.ID]netip.AddrPort{}}
	n.wan = must[*vnet.Router](t)(vnet.NewRouter(&vnet.RouterConfig{CIDR: "0.0.0.0/0", LoggerFactory: quiet}))
	nets := []*vnet.Net{n.public("1.2.3.4"), n.public("9.8.7.6"), n.public("5.6.7.8")}
	if err := n.wan.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.wan.Stop() })
	n.helper = n.host("helper", nets[0], "1.2.3.4")
	n.other = n.host("other", nets[1], "9.8.7.6")
	n.third = n.host("third", nets[2], "5.6.7.8")
	n.helper.on = n.onHelper
	n.other.on = func(f frame, from netip.AddrPort) { n.other.send(from, frame{Kind: "seen", Addr: from}) }
	n.third.on = func(f frame, from netip.AddrPort) {
		if p, ok := n.third.reach.PermitProbe(traversal.ProbeRequest(f.Ask), 0); ok {
			n.third.send(f.Ask.Addr, frame{Kind: "probe", Probe: p})
		}
		n.third.send(from, frame{Kind: "dialled", Peer: f.Peer})
	}
	return n
}

// public returns a network interface with a public address.
func (n *internet) public(ip string) *vnet.Net {
	nw := must[*vnet.Net](n.t)(vnet.NewNet(&vnet.NetConfig{StaticIPs: []string{ip}}))
	if err := n.wan.AddNet(nw); err != nil {
		n.t.Fatal(err)
	}
	return nw
}

// behind returns one behind an address translator; nil: none.
func (n *internet) behind(nat *vnet.NATType, public, local string) (*vnet.Net, string) {
	if nat == nil {
		return n.public(public), public
	}
	lan := must[*vnet.Router](n.t)(vnet.NewRouter(&vnet.RouterConfig{
		StaticIPs: []string{public}, CIDR: local + "/24", NATType: nat, LoggerFactory: quiet,
	}))
	nw := must[*vnet.Net](n.t)(vnet.NewNet(&vnet.NetConfig{StaticIPs: []string{local}}))
	if err := lan.AddNet(nw); err != nil {
		n.t.Fatal(err)
	}
	if err := n.wan.AddRouter(lan); err != nil {
		n.t.Fatal(err)
	}
	if err := lan.Start(); err != nil {
		n.t.Fatal(err)
	}
	return nw, local
}

// onHelper is what a public node does for others.
func (n *internet) onHelper(f frame, from netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h, to := n.helper, n.addrs[f.Peer]
	switch f.Kind {
	case "hello":
		n.addrs[f.From] = from
		h.send(from, frame{Kind: "seen", Addr: from})
	case "ask":
		if back, ok := h.reach.PermitDialBack(from.Addr(), f.Ask, 0); ok {
			h.send(n.third.addr, frame{Kind: "back", Ask: traversal.DialBackRequest(back), Peer: f.From})
		}
	case "dialled":
		h.send(to, frame{Kind: "dialled"})
	case "signal":
		h.send(to, frame{Kind: "signal", From: f.From, Signal: f.Signal})
	case "open":
		if open, err := n.relay.Allocate(f.From, f.Peer, 0); err == nil && open {
			h.send(from, frame{Kind: "open"})
			h.send(to, frame{Kind: "open"})
		}
	case "packet":
		if n.relay.Forward(f.From, f.Peer, len(f.Data), machine.Time(0)) == nil {
			n.passed++
			h.send(to, frame{Kind: "packet", From: f.From, Data: f.Data})
		}
	}
}

// frame is what the nodes of these tests send each other.
type frame struct {
	Kind       string
	From, Peer id.ID
	Addr       netip.AddrPort
	Ask        traversal.DialBackRequest
	Probe      traversal.Probe
	Signal     traversal.Signal
	Data       []byte
}

// host is a node: one UDP port for ICE and for frames.
type host struct {
	t     *testing.T
	id    id.ID
	net   transport.Net
	conn  net.PacketConn
	addr  netip.AddrPort // its own, local
	reach *traversal.Reachability
	aside *aside
	on    func(frame, netip.AddrPort)
	got   chan got
}

type got struct {
	frame
	from netip.AddrPort
}

func (n *internet) host(name string, nw transport.Net, ip string) *host {
	conn := must[net.PacketConn](n.t)(nw.ListenPacket("udp4", ip+":4747"))
	h := &host{t: n.t, id: id.Of([]byte(name)), net: nw, conn: conn, addr: netip.MustParseAddrPort(ip + ":4747"), reach: traversal.NewReachability(), got: make(chan got, 64)}
	h.aside = &aside{PacketConn: conn, packets: make(chan packet, 64), done: make(chan struct{})}
	go h.read()
	n.t.Cleanup(func() { conn.Close() })
	return h
}

// read splits what comes in as transport's socket does.
func (h *host) read() {
	b := make([]byte, 2048)
	for {
		n, a, err := h.conn.ReadFrom(b)
		if err != nil {
			return
		}
		from := a.(*net.UDPAddr).AddrPort()
		if n > 0 && b[0] < 0x40 {
			select {
			case h.aside.packets <- packet{append([]byte(nil), b[:n]...), a}:
			default:
			}
			continue
		}
		var f frame
		if n == 0 || json.Unmarshal(b[:n], &f) != nil {
			continue
		}
		if h.on != nil {
			h.on(f, from)
		} else {
			h.got <- got{f, from}
		}
	}
}

func (h *host) send(to netip.AddrPort, f frame) {
	if f.From.IsZero() {
		f.From = h.id
	}
	b, err := json.Marshal(f)
	if err != nil {
		h.t.Error(err)
	}
	_, _ = h.conn.WriteTo(b, net.UDPAddrFromAddrPort(to)) // a closed network at the end
}

// expect waits for a frame of a kind.
func (h *host) expect(kind string) got {
	h.t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case g := <-h.got:
			if g.Kind == kind {
				return g
			}
			if g.Kind == "probe" {
				h.reach.AcceptProbe(g.Probe, 0)
			}
		case <-late:
			h.t.Fatalf("no %s", kind)
		}
	}
}

// lookAround lets others say what they see, and asks to be dialled back.
func (h *host) lookAround(n *internet) {
	for _, o := range []*host{n.helper, n.other} {
		h.send(o.addr, frame{Kind: "hello"})
		g := h.expect("seen")
		h.reach.Observe(o.id, g.from.Addr(), g.Addr, 0)
	}
	ask, ok := h.reach.RequestDialBack(uint64(h.addr.Port())<<32|1, 0)
	if !ok {
		h.t.Fatal("no address to be dialled back at")
	}
	h.send(n.helper.addr, frame{Kind: "ask", Ask: ask})
	h.expect("dialled") // behind the probe, should that come through
}

// aside is the connection of the ICE agents.
type aside struct {
	net.PacketConn
	packets chan packet
	done    chan struct{}
	once    sync.Once
}

type packet struct {
	b    []byte
	from net.Addr
}

func (a *aside) ReadFrom(b []byte) (int, net.Addr, error) {
	select {
	case p := <-a.packets:
		return copy(b, p.b), p.from, nil
	case <-a.done:
		return 0, nil, os.ErrClosed
	}
}

func (a *aside) Close() error { a.once.Do(func() { close(a.done) }); return nil }
