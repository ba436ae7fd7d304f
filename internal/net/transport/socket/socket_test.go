package socket

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// sharing is a socket whose QUIC side is read, as quic.Transport does.
type sharing struct {
	*Socket
	quic, loose chan string
	from        chan netip.AddrPort
	done        sync.WaitGroup
}

func share(t *testing.T, udp bool) *sharing {
	t.Helper()
	s := &sharing{quic: make(chan string, 100), loose: make(chan string, 100), from: make(chan netip.AddrPort, 100)}
	var err error
	if s.Socket, err = Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if !udp { // as a connection that is not the kernel's
		s.Socket = New(struct{ net.PacketConn }{s.conn})
	}
	s.Handle(func(b []byte, from netip.AddrPort) { s.loose <- string(b); s.from <- from })
	c := s.QUIC()
	s.done.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, _, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			s.quic <- string(buf[:n])
		}
	})
	t.Cleanup(func() {
		c.SetReadDeadline(time.Now()) // how quic.Transport ends
		s.done.Wait()
		s.Close()
	})
	return s
}

func get(t *testing.T, c chan string) string {
	t.Helper()
	select {
	case s := <-c:
		return s
	case <-time.After(30 * time.Second):
		t.Fatal("nothing came")
		return ""
	}
}

// auxRead reads a packet from Aux.
func (s *sharing) auxRead(t *testing.T) (string, net.Addr) {
	t.Helper()
	return readFrom(t, s.Aux())
}

func readFrom(t *testing.T, c net.PacketConn) (string, net.Addr) {
	t.Helper()
	b := make([]byte, 1500)
	c.SetReadDeadline(time.Now().Add(30 * time.Second))
	n, from, err := c.ReadFrom(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n]), from
}

func TestFirstByte(t *testing.T) {
	for _, udp := range []bool{true, false} {
		a, b := share(t, udp), share(t, udp)
		to := b.Addr()
		for _, p := range []string{"\x00stun", "\x3fdtls", "\x40quic", "\x7fquic", "\x80data", "\xbfdata", "\xc0quic", "\xffquic"} {
			if err := a.Send([]byte(p), to); err != nil {
				t.Fatal(err)
			}
			switch p[1:] {
			case "quic":
				if got := get(t, b.quic); got != p {
					t.Fatalf("%q", got)
				}
			case "data":
				if got := get(t, b.loose); got != p {
					t.Fatalf("%q", got)
				}
				if from := <-b.from; from != a.Addr() {
					t.Fatalf("from %v", from)
				}
			case "dtls": // nodes speak none
				if got, from := readFrom(t, b.Browsers()); got != p || from.String() != a.Addr().String() {
					t.Fatalf("%q from %v", got, from)
				}
			default:
				if got, from := b.auxRead(t); got != p || from.String() != a.Addr().String() {
					t.Fatalf("%q from %v", got, from)
				}
			}
		}
		in, out := b.Stats().In, a.Stats().Out
		if in != out || in[QUIC] != (Count{4, 20}) || in[Aux] != (Count{2, 10}) || in[Datagram] != (Count{2, 10}) {
			t.Fatalf("in %v, out %v", in, out)
		}
	}
}

// TestClaim: everything from a TURN server goes to Aux.
func TestClaim(t *testing.T) {
	a, b := share(t, true), share(t, true)
	release := b.Claim(a.Addr())
	for _, p := range []string{"\x40channel data", "\x80?"} {
		a.Send([]byte(p), b.Addr())
		if got, _ := b.auxRead(t); got != p {
			t.Fatalf("%q", got)
		}
	}
	release()
	a.Send([]byte("\x40quic"), b.Addr())
	if got := get(t, b.quic); got != "\x40quic" {
		t.Fatalf("%q", got)
	}
	if b.routes.Load() != nil {
		t.Fatal("something is left")
	}
}

func TestRoute(t *testing.T) {
	for _, udp := range []bool{true, false} {
		a := share(t, udp)
		far := netip.MustParseAddrPort("100.64.0.9:9")
		var went []string
		remove := a.Route(far, func(b []byte) error { went = append(went, string(b)); return nil })
		a.Send([]byte("\x80one"), far)
		a.QUIC().WriteTo([]byte("\x40two"), net.UDPAddrFromAddrPort(far))
		if len(went) != 2 || went[1] != "\x40two" {
			t.Fatalf("%q", went)
		}
		a.Deliver([]byte("\x80back"), far)
		if got, from := get(t, a.loose), <-a.from; got != "\x80back" || from != far {
			t.Fatalf("%q from %v", got, from)
		}
		for range 300 {
			a.Deliver([]byte("\x40back"), far)
			if got := get(t, a.quic); got != "\x40back" {
				t.Fatalf("%q", got)
			}
		}
		remove()
		if a.routes.Load() != nil {
			t.Fatal("the route is still there")
		}
	}
}

// TestRouteSegments: what QUIC leaves to the kernel to cut is cut for a route.
func TestRouteSegments(t *testing.T) {
	var went []string
	send := func(b []byte) error { went = append(went, string(b)); return nil }
	sendParts(send, []byte("aaabbbc"), 3)
	sendParts(send, []byte("whole"), 0)
	if len(went) != 4 || went[2] != "c" || went[3] != "whole" {
		t.Fatalf("%q", went)
	}
}

func TestAuxConn(t *testing.T) {
	s := share(t, true)
	c := s.Aux()
	b := make([]byte, 10)
	c.SetReadDeadline(time.Now().Add(time.Millisecond))
	if _, _, err := c.ReadFrom(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(-time.Second))
	if _, _, err := c.ReadFrom(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Time{})
	if _, err := c.WriteTo([]byte("\x00to myself"), c.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	if n, _, err := c.ReadFrom(b); err != nil || string(b[:n]) != "\x00to myself"[:n] {
		t.Fatalf("%q %v", b[:n], err)
	}
	for range 2 * maxAuxQueue { // nobody reads
		s.aux.put([]byte{0}, s.Addr())
	}
	if d := s.Stats().Dropped; d != maxAuxQueue {
		t.Fatalf("%d dropped", d)
	}
	c.Close()
	if _, err := c.WriteTo(b, c.LocalAddr()); !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
}

// TestKernelDrops: what does not fit into the receive buffer is counted.
func TestKernelDrops(t *testing.T) {
	a, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if kernelDrops(a.udp) != 0 {
		t.Fatal("dropped before anything came")
	}
	b := make([]byte, 1400)
	for range 2 * 2 * BufferSize / len(b) { // the kernel doubles what it is asked for
		a.Send(b, a.Addr())
	}
	if n := a.Stats().Kernel; n == 0 && runtime.GOOS == "linux" {
		t.Fatal("nothing was dropped")
	}
}

func TestPortInUse(t *testing.T) {
	a, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := Listen(a.Addr().String()); err == nil {
		t.Fatal("two have one port")
	}
	if _, err := Listen("nonsense"); err == nil {
		t.Fatal("nonsense is an address")
	}
}
