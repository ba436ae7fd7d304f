package transport

import (
	"fmt"
	"net/netip"
	"runtime"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/session"
)

// MaxDatagram is the longest encoded message that travels as a datagram.
const MaxDatagram = session.MaxPlain

// MaxAnswer is the longest encoded answer to a question of somebody unknown, if
// this node shows no proof.
const MaxAnswer = session.MaxAnswer

// maxArrived bounds the datagrams that wait for the loop.
const maxArrived = 4096

// startSessions begins to send and take datagrams.
func (n *network) startSessions() {
	cfg := session.Config{
		Key: n.cfg.Key, World: n.cfg.World, Proof: n.cfg.Proof, Admit: n.cfg.Admit,
		Send:    func(b []byte, to netip.AddrPort) { n.cfg.Socket.Send(b, to) }, // or it is lost
		Deliver: n.deliver,
		Fail:    func(reason string) { n.tally.fail("datagram: " + reason) },
		Refused: func(at netip.AddrPort, err error) {
			n.say("a node's datagrams are refused", err, "addr", at)
		},
		Go: n.chores.run,
	}
	if n.cfg.Open {
		cfg.Answer, cfg.Answered = n.answer, n.answered
	}
	var err error
	n.sessions, err = session.New(cfg)
	if err != nil {
		panic(err) // the proof's length was looked at
	}
	n.chores.n = n
	n.cfg.Socket.Handle(n.sessions.Packet)
}

// sendLoose sends a message without a link. The loop writes to the socket
// itself: a goroutine in between would cost more than the packet.
func (n *network) sendLoose(to machine.Peer, m machine.Message) {
	b, err := n.cfg.Codec.Append(n.scratch[:0], m)
	if err == nil && len(b) > MaxDatagram {
		err = fmt.Errorf("%d bytes, a datagram takes %d", len(b), MaxDatagram)
	}
	if err != nil {
		n.tally.fail("encode")
		n.l.log.Error("a datagram cannot be sent", "type", fmt.Sprintf("%T", m), "error", err)
		return
	}
	n.scratch = b
	n.l.stats.sent++
	n.tally.count(m, out, len(b))
	if _, fresh := m.(machine.Fresh); fresh {
		n.sessions.SendFresh(to, b)
		return
	}
	if q, ok := m.(machine.Question); ok && n.cfg.Open && q.Open() {
		n.sessions.Ask(to, b)
		return
	}
	n.sessions.Send(to, b)
}

// question reads a message that may be asked by somebody unknown; nil: it is not
// one.
func (n *network) question(b []byte) machine.Question {
	m, err := n.cfg.Codec.Decode(b)
	if err != nil {
		return nil
	}
	q, _ := m.(machine.Question)
	return q
}

// answer has the machine answer what somebody unknown asks, if it has nothing
// else to do: a handshake does not wait for it.
func (n *network) answer(question []byte, room int) (answer []byte) {
	q := n.question(question)
	if q == nil {
		n.tally.fail("malformed")
		return nil
	}
	n.l.atOnce(event{kind: evCall, fn: func() {
		m, ok := n.l.m.(machine.Answerer)
		if !ok {
			return
		}
		a := m.Answer(q)
		if a == nil {
			return
		}
		b, err := n.cfg.Codec.Append(nil, a)
		if err != nil || len(b) > room {
			return // the question comes again when it is known who asks
		}
		n.tally.count(q, in, len(question))
		n.tally.count(a, out, len(b))
		n.l.stats.received++
		n.l.stats.sent++
		answer = b
	}})
	return answer
}

// answered is when somebody has shown who it is whose question was answered.
func (n *network) answered(from machine.Peer, question []byte) {
	if q := n.question(question); q != nil {
		n.come(from, q.Asked())
	}
}

// deliver takes a message from the reader's goroutine to the loop.
func (n *network) deliver(from machine.Peer, b []byte) {
	if b[0] == batchMark {
		n.onBatch(from, b)
		return
	}
	m, err := n.cfg.Codec.Decode(b)
	if err != nil {
		n.malformed(from, err)
		return
	}
	if _, loose := m.(machine.Datagram); !loose {
		n.tally.fail("malformed") // it would have needed a link
		return
	}
	if n.come(from, m) {
		n.tally.count(m, in, len(b))
	}
}

// come gives a datagram to the loop unless too many wait.
func (n *network) come(from machine.Peer, m machine.Message) bool {
	if n.arrived.Add(1) > maxArrived {
		n.arrived.Add(-1)
		n.tally.fail("datagram: loop busy")
		return false
	}
	n.l.here(event{kind: evDatagram, from: from, body: m})
	return true
}

// maxChores bounds the handshakes that wait to be computed.
const maxChores = 256

// chores computes handshakes, as many side by side as there are cores to compute
// on, on goroutines that are there only while there is something to do. The
// steps of one handshake never wait together: each is begun by the answer to
// the one before.
type chores struct {
	n       *network
	mu      sync.Mutex
	waiting []func()
	workers int
}

// run reports false if there is too much to do.
func (c *chores) run(job func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) >= maxChores {
		return false
	}
	c.waiting = append(c.waiting, job)
	if c.workers < runtime.GOMAXPROCS(0) {
		c.workers++
		c.n.live.Go(c.work)
	}
	return true
}

func (c *chores) work() {
	for {
		c.mu.Lock()
		if len(c.waiting) == 0 {
			c.workers--
			if c.workers == 0 {
				c.waiting = nil
			}
			c.mu.Unlock()
			return
		}
		job := c.waiting[0]
		c.waiting[0] = nil
		c.waiting = c.waiting[1:]
		c.mu.Unlock()
		job()
	}
}
