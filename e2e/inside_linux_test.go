package e2e

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/chromedp/chromedp"
	"golang.org/x/sys/unix"
)

// dial connects to an address from the machine.
func (m *machine) dial(_ context.Context, network, addr string) (net.Conn, error) {
	return inside(m, func() (net.Conn, error) { return net.Dial(network, addr) })
}

// inside makes a socket on a machine.
func inside[T any](m *machine, open func() (T, error)) (T, error) {
	type opened struct {
		socket T
		err    error
	}
	done := make(chan opened)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		var o opened
		ns, err := os.Open("/run/netns/" + m.NS)
		if err == nil {
			err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET)
			ns.Close()
		}
		if o.err = err; err == nil {
			o.socket, o.err = open()
		}
		done <- o
	}()
	o := <-done
	return o.socket, o.err
}

// newPlayerOn starts a browser on a machine; what controls it goes by the same port of
// this one.
func newPlayerOn(m *machine, name string) *player {
	t := m.t
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go m.forward(l)
	p := &player{t: t, name: name, profile: profile(t), look: plainLook, w: 960, h: 540}
	p.flags = append(p.flags,
		chromedp.Flag("remote-debugging-port", strconv.Itoa(l.Addr().(*net.TCPAddr).Port)),
		chromedp.ModifyCmdFunc(func(c *exec.Cmd) {
			c.Args = append(append(m.On(), c.Path), c.Args[1:]...)
			c.Path, c.Err = exec.LookPath(c.Args[0])
		}))
	p.start()
	return p
}

// forward connects who dials l with the same address of the machine.
func (m *machine) forward(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			to, err := m.dial(context.Background(), "tcp", l.Addr().String())
			if err != nil {
				return
			}
			defer to.Close()
			go io.Copy(to, c)
			io.Copy(c, to)
		}()
	}
}
