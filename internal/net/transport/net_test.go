package transport

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// testCodec knows int, string, note and brief.
type testCodec struct{}

// note is a datagram.
type note string

func (note) Datagram() {}

// brief is a message that may take the datagram path.
type brief string

func (b brief) Quick() bool { return len(b) < 2000 }

var errTest = errors.New("not a test message")

func (testCodec) Append(b []byte, m machine.Message) ([]byte, error) {
	switch m := m.(type) {
	case int:
		return binary.AppendVarint(append(b, 'i'), int64(m)), nil
	case string:
		return append(append(b, 's'), m...), nil
	case note:
		return append(append(b, 'n'), m...), nil
	case brief:
		return append(append(b, 'b'), m...), nil
	case query:
		return append(append(b, 'q'), m...), nil
	}
	return b, errTest
}

func (testCodec) Decode(b []byte) (machine.Message, error) {
	if len(b) == 0 {
		return nil, errTest
	}
	switch b[0] {
	case 'i':
		if v, n := binary.Varint(b[1:]); n == len(b)-1 {
			return int(v), nil
		}
	case 's':
		return string(b[1:]), nil
	case 'n':
		return note(b[1:]), nil
	case 'b':
		return brief(b[1:]), nil
	case 'q':
		return query(b[1:]), nil
	}
	return nil, errTest
}

// peerNode is a node on loopback whose machine writes down what it sees.
type peerNode struct {
	fake
	t    *testing.T
	loop *Loop
	sock *socket.Socket
	peer machine.Peer

	mu   sync.Mutex
	log  []string
	from map[string]machine.Peer // who sent a message last
	more chan struct{}
}

func testKey(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func testID(n byte) id.ID { return id.Of(testKey(n).Public().(ed25519.PublicKey)) }

func testNet(n byte) NetConfig {
	return NetConfig{
		Key: testKey(n), World: id.Of([]byte("world")), Codec: testCodec{},
		Linger: patience, // the machine may be busy
	}
}

// startNode starts a node with the key number n.
func startNode(t *testing.T, n byte, change ...func(*Config)) *peerNode {
	t.Helper()
	p := &peerNode{t: t, more: make(chan struct{}, 1), from: map[string]machine.Peer{}}
	nc := testNet(n)
	cfg := Config{Net: &nc, Machine: p.build, Log: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&cfg)
	}
	if nc.Socket == nil {
		s, err := socket.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		nc.Socket = s
	}
	p.sock = nc.Socket
	p.link = func(who machine.Peer, ev machine.LinkEvent) { p.note(who, "link %d", ev) }
	p.message = func(who machine.Peer, m machine.Message) { p.note(who, "%v", m) }
	p.loop = Start(cfg)
	p.peer = p.loop.Self()
	t.Cleanup(p.stop)
	return p
}

func (p *peerNode) stop() {
	p.loop.Stop()
	p.sock.Close()
}

func (p *peerNode) note(who machine.Peer, format string, args ...any) {
	p.mu.Lock()
	line := fmt.Sprintf(format, args...)
	p.log = append(p.log, line)
	p.from[line] = who
	p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// do runs fn as a handler of the machine.
func (p *peerNode) do(fn func(env machine.Env)) {
	p.t.Helper()
	if err := p.loop.Call(p.t.Context(), func() { fn(p.env) }); err != nil {
		p.t.Fatal(err)
	}
}

// patience is how long a test waits for what must come.
const patience = 2 * time.Minute

// until waits until cond holds for what the machine has seen.
func (p *peerNode) until(what string, cond func(log []string) bool) {
	p.t.Helper()
	end := time.After(patience)
	for {
		p.mu.Lock()
		ok := cond(p.log)
		seen := fmt.Sprint(p.log)
		p.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-p.more:
		case <-end:
			p.t.Fatalf("%.2000s did not come; seen: %.2000s", what, seen)
		}
	}
}

// sees waits until the machine has seen just that.
func (p *peerNode) sees(want ...string) {
	p.t.Helper()
	p.until(fmt.Sprint(want), func(log []string) bool { return fmt.Sprint(log) == fmt.Sprint(want) })
}

// who sent a message, or had a link event.
func (p *peerNode) who(line string) machine.Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.from[line]
}

// seen returns the log and empties it.
func (p *peerNode) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	log := p.log
	p.log = nil
	return log
}

func loopback(p machine.Peer) netip.AddrPort { return p.Addr.AddrPort() }

// steady lets no link fail because the machine is busy.
func steady(c *Config) { c.Net.Dead = patience }

func TestRemoteLink(t *testing.T) {
	a, b := startNode(t, 1, steady), startNode(t, 2, steady)
	a.do(func(env machine.Env) {
		env.Open(b.peer)
		env.Send(b.peer, "before it is up")
	})
	b.sees("link 1", "before it is up")
	if got := b.who("link 1"); got != a.peer {
		t.Fatalf("b sees %v as %v", a.peer, got)
	}
	a.sees("link 1")
	b.do(func(env machine.Env) { env.Send(a.peer, 42); env.Open(a.peer) })
	a.sees("link 1", "42")
	big := string(bytes.Repeat([]byte("x"), 3<<20))
	a.do(func(env machine.Env) { env.Send(b.peer, big); env.Send(b.peer, "after"); env.Close(b.peer) })
	b.sees("link 1", "before it is up", big, "after", "link 2")
	a.sees("link 1", "42")
	a.do(func(env machine.Env) { env.Send(b.peer, "lost"); env.Open(b.peer); env.Send(b.peer, "again") })
	b.sees("link 1", "before it is up", big, "after", "link 2", "link 1", "again")
}

func TestNobodyThere(t *testing.T) {
	a := startNode(t, 1, func(c *Config) { c.Net.Dead = 300 * time.Millisecond })
	b := startNode(t, 2)
	b.stop()
	a.do(func(env machine.Env) { env.Open(b.peer) })
	a.sees("link 3")
	a.do(func(env machine.Env) { env.Open(a.peer) })
	a.sees("link 3", "link 3")
}

func TestFlood(t *testing.T) {
	a, b := startNode(t, 1, steady, func(c *Config) { c.Queue = 1 << 20 }), startNode(t, 2, steady)
	const n = 20000
	a.do(func(env machine.Env) {
		env.Open(b.peer)
		for i := range n {
			env.Send(b.peer, i)
		}
	})
	b.until("all of it", func(log []string) bool { return len(log) == n+1 })
	for i, m := range b.seen()[1:] {
		if m != fmt.Sprint(i) {
			t.Fatalf("message %d is %s", i, m)
		}
	}
}

func TestDatagrams(t *testing.T) {
	a, b := startNode(t, 1), startNode(t, 2)
	b.do(func(env machine.Env) {
		b.message = func(from machine.Peer, m machine.Message) {
			b.note(from, "%v", m)
			env.Send(from, note("answer to "+m.(note)))
		}
	})
	a.do(func(env machine.Env) { env.Send(b.peer, note("first")) })
	a.sees("answer to first")
	b.sees("first")
	if b.who("first") != a.peer || a.who("answer to first") != b.peer {
		t.Fatalf("a is %v, b is %v; seen as %v and %v", a.peer, b.peer, b.who("first"), a.who("answer to first"))
	}
	a.do(func(env machine.Env) { env.Send(machine.Peer{Addr: b.peer.Addr}, note("whoever")) })
	a.sees("answer to first", "answer to whoever")
	a.do(func(env machine.Env) { env.Send(b.peer, "a message that needs a link") })
	a.do(func(env machine.Env) { env.Send(b.peer, note("last")) })
	b.sees("first", "whoever", "last")
}

// TestStopClosesLinks: a node that is stopped closes its links, after what it
// has sent.
func TestStopClosesLinks(t *testing.T) {
	a, b := startNode(t, 1, steady), startNode(t, 2, steady)
	a.do(func(env machine.Env) { env.Open(b.peer); env.Send(b.peer, "hello") })
	b.sees("link 1", "hello")
	a.sees("link 1")
	a.do(func(env machine.Env) { env.Send(b.peer, "goodbye") })
	a.stop()
	b.sees("link 1", "hello", "goodbye", "link 2")
	s, err := b.loop.NetStats(t.Context())
	if err != nil || len(s.Failures) != 0 {
		t.Fatalf("b counts failures: %v %v", s.Failures, err)
	}
}
