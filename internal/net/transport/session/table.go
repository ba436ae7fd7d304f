package session

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Config says who we are and where packets and messages go. The functions are
// called from many goroutines.
type Config struct {
	Key   ed25519.PrivateKey
	World id.ID
	Proof []byte
	Admit func(pub ed25519.PublicKey, proof []byte) error // nil: everyone

	Send    func(b []byte, to netip.AddrPort) // must not keep b
	Deliver func(from machine.Peer, b []byte) // must not keep b
	// Answer answers what a node asks that has not shown who it is, in at most
	// room bytes; nothing: it is not answered so, and will ask again when it has.
	// nil: nobody is. Answered is when it has shown who it is. What they are given
	// must not be kept.
	Answer   func(question []byte, room int) []byte
	Answered func(from machine.Peer, question []byte)

	Fail    func(reason string)                // counts what went wrong
	Refused func(at netip.AddrPort, err error) // somebody who is not admitted, or is not who they should be
	Go      func(job func()) bool              // runs the costly part of a handshake elsewhere, several side by side if that is faster; false: too much to do
	Limits
}

// Limits of a table. Zero fields are the defaults.
type Limits struct {
	Sessions int // at most; the one unused for longest makes room. 4096
	Half     int // handshakes that others have begun. 1024
	Busy     int // of them, from when on addresses have to bring back a cookie. 32
	Begun    int // handshakes that we have begun. 1024
}

// Constants of the implementation.
const (
	// retryAfter is when the first packet of a handshake is sent again, then
	// after twice as long and so on, attempts times in all.
	retryAfter = 250 * time.Millisecond
	attempts   = 4
	// halfLife is how long a handshake that another node has begun may take.
	halfLife = 5 * time.Second
	// maxWaiting bounds the messages to a peer that wait for its session.
	maxWaiting = 16
	// rekeyAfter is the age at which a session's initiator makes a new one, and
	// lifetime when it is not used any more.
	rekeyAfter = time.Hour
	lifetime   = rekeyAfter + 10*time.Minute
	// idle is when an unused session is forgotten; the responder waits a little
	// longer, so that the initiator does not use one that is gone.
	idle      = 10 * time.Minute
	idleGrace = time.Minute
	sweep     = time.Minute
	// unanswered is after how long without an answer a new session is tried:
	// the other end may have been restarted, or may have another address.
	unanswered = 4 * time.Second
	maxDoubt   = 5 * time.Minute
	// hintEvery bounds how often an end that says it knows no such session is
	// believed.
	hintEvery = time.Second
	maxNumber = 1 << 60
	// proveAfter is when who has asked a question and has nothing else to say
	// shows who it is: when a lookup that the question was part of is over, and
	// well before the other end forgets that it was asked.
	proveAfter = 50 * time.Millisecond
)

// Table holds all sessions of a node. Its parts have the state: the sessions and peers that
// there are, and the handshakes that we and others have begun. All share one lock.
type Table struct {
	core
	registry  registry
	initiator initiator
	responder responder
}

// core is what the parts have in common.
type core struct {
	cfg    Config
	began  time.Time
	static noise.DHKey
	mine   atomic.Pointer[[]byte] // our credentials

	mu     sync.Mutex
	slots  map[uint32]any // our numbers: *session, *attempt or *half
	closed bool
}

// hint is a number that the node at an address has given.
type hint struct {
	addr netip.AddrPort
	from uint32
}

// peer is what is known of one we have sent to, or have a session with.
type peer struct {
	who     machine.Peer
	current *session
	next    *session // made by us, not confirmed by the other end yet
	attempt *attempt
	waiting []message
	gone    bool          // forgotten: a Way has to look it up again
	doubt   time.Duration // how long without an answer is suspicious now
}

// message is one that waits for a session.
type message struct {
	b        []byte
	question bool // it may go with the hello
}

// New returns a table without sessions.
func New(cfg Config) (*Table, error) {
	l := &cfg.Limits
	for _, d := range []struct {
		v *int
		n int
	}{{&l.Sessions, 4096}, {&l.Half, 1024}, {&l.Busy, 32}, {&l.Begun, 1024}} {
		if *d.v <= 0 {
			*d.v = d.n
		}
	}
	static, err := staticOf(cfg.Key)
	if err != nil {
		return nil, err
	}
	t := &Table{core: core{cfg: cfg, began: time.Now(), static: static, slots: map[uint32]any{}}}
	t.registry = registry{core: &t.core, peers: map[machine.Peer]*peer{}, hints: map[hint]*session{}, addrs: map[netip.AddrPort]int{}}
	t.initiator = initiator{core: &t.core, registry: &t.registry}
	t.responder = responder{core: &t.core, registry: &t.registry, initiator: &t.initiator, halves: map[hint]*half{}, origins: newOrigins(), receive: t.Packet}
	return t, t.Show(cfg.Proof)
}

// Show gives the node another proof, for handshakes from now on.
func (t *Table) Show(proof []byte) error {
	if len(proof) > MaxProof {
		return errors.New("the proof that the node is to show is too long")
	}
	mine := credentials(t.cfg.Key, proof)
	t.mine.Store(&mine)
	return nil
}

// Close forgets everything; nothing is sent or delivered any more.
func (t *Table) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	clear(t.slots)
	clear(t.registry.peers)
	clear(t.registry.hints)
	clear(t.responder.halves)
	clear(t.registry.addrs)
	if t.registry.sweeper != nil {
		t.registry.sweeper.Stop()
	}
}

// Sessions is how many there are.
func (t *Table) Sessions() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.registry.live
}

// Handshakes is how many have led to a session, begun by others and by us.
func (t *Table) Handshakes() [2]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.registry.done
}

// Knows reports whether the node at an address has proven that it is there.
func (t *Table) Knows(addr netip.AddrPort) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.registry.addrs[addr] > 0
}

func (co *core) now() time.Duration { return time.Since(co.began) + 1 }

// number draws one of ours that is free, and uses it. The table is locked.
func (co *core) number(what any) uint32 {
	var b [4]byte
	for {
		rand.Read(b[:])
		n := binary.BigEndian.Uint32(b[:])
		if _, used := co.slots[n]; !used {
			co.slots[n] = what
			return n
		}
	}
}

// peerOf returns what is known of a peer. The table is locked.
func (rg *registry) peerOf(who machine.Peer) *peer {
	p := rg.peers[who]
	if p == nil {
		p = &peer{who: who, doubt: unanswered}
		rg.peers[who] = p
	}
	return p
}

// forget drops a peer about whom there is nothing to know. The table is locked.
func (rg *registry) forget(p *peer) {
	if p.current == nil && p.next == nil && p.attempt == nil && rg.peers[p.who] == p {
		delete(rg.peers, p.who)
		p.gone = true
	}
}

// Packet takes a packet from the network. It decrypts in place.
func (t *Table) Packet(b []byte, from netip.AddrPort) {
	h, err := parse(b)
	if err != nil {
		t.cfg.Fail("garbage")
		return
	}
	switch h.kind {
	case typeData:
		t.onData(b, &h, from)
	case typeHello:
		t.responder.onHello(&h, from)
	case typeWelcome:
		t.initiator.onWelcome(&h, from)
	case typeConfirm:
		t.responder.onConfirm(&h, from)
	case typeRetry:
		t.initiator.onRetry(&h, from)
	case typeUnknown:
		t.initiator.onUnknown(&h, from)
	case typeVersion:
		t.initiator.onVersion(&h, from)
	}
}
