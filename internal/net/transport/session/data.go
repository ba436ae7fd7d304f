package session

import (
	"crypto/cipher"
	"encoding/binary"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// session is what two nodes share after a handshake.
type session struct {
	who       machine.Peer
	addr      netip.AddrPort
	ours      uint32 // its number here
	theirs    uint32 // and at the other end
	initiator bool
	born      time.Duration
	used      atomic.Int64 // when something was sent or received last
	asked     atomic.Int64 // when something was sent that was not answered since; 0: all is
	doubted   atomic.Int64 // when the other end said last that it knows no such session
	confirmed atomic.Bool  // the other end has it, too
	retired   bool         // there is a newer one; table's lock

	// Until it is confirmed; table's lock:
	confirm []byte
	again   *time.Timer
	tries   int

	out struct { // sealing
		sync.Mutex
		cipher.AEAD
		number uint64
		nonce  [12]byte
	}
	in struct { // opening
		sync.Mutex
		cipher.AEAD
		window
		nonce [12]byte
	}
}

func newSession(out, in *noise.CipherState) *session {
	s := &session{}
	s.out.AEAD, s.in.AEAD = aead(out), aead(in)
	return s
}

func aead(c *noise.CipherState) cipher.AEAD {
	k := c.UnsafeKey()
	a, err := chacha20poly1305.New(k[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	return a
}

// nonce is Noise's for a packet's number.
func nonce(n *[12]byte, number uint64) []byte {
	binary.LittleEndian.PutUint64(n[4:], number)
	return n[:]
}

var packets = sync.Pool{New: func() any { return new([MaxPacket]byte) }}

// seal makes a packet and sends it.
func (co *core) seal(s *session, plain []byte) {
	now := int64(co.now())
	s.used.Store(now)
	if len(plain) > 0 {
		s.asked.CompareAndSwap(0, now)
	}
	buf := packets.Get().(*[MaxPacket]byte)
	defer packets.Put(buf)
	s.out.Lock()
	defer s.out.Unlock()
	b := append(buf[:0], typeData)
	b = binary.BigEndian.AppendUint32(b, s.theirs)
	b = binary.BigEndian.AppendUint64(b, s.out.number)
	b = s.out.Seal(b, nonce(&s.out.nonce, s.out.number), plain, b)
	s.out.number++
	co.cfg.Send(b, s.addr)
}

// spoken reports whether a packet was sent.
func (s *session) spoken() bool {
	s.out.Lock()
	defer s.out.Unlock()
	return s.out.number > 0
}

// onData opens a packet and delivers what is in it.
func (t *Table) onData(b []byte, h *header, from netip.AddrPort) {
	t.mu.Lock()
	var s *session
	switch slot := t.slots[h.to].(type) {
	case *session:
		s = slot
	case *half:
		if slot.addr == from && slot.busy {
			slot.stash(b) // it overtakes the handshake's end, which is being computed
			t.mu.Unlock()
			return
		}
	}
	t.mu.Unlock()
	if s == nil || s.addr != from {
		t.cfg.Fail("unknown session")
		t.cfg.Send(unknown(h.to), from)
		return
	}
	plain, why := s.open(b, h)
	if why != "" {
		t.cfg.Fail(why)
		return
	}
	s.used.Store(int64(t.now()))
	s.asked.Store(0)
	if !s.confirmed.Load() {
		t.initiator.isConfirmed(s)
	}
	if len(plain) > 0 {
		t.cfg.Deliver(s.who, plain)
	}
}

// open authenticates a packet and decrypts it in place.
func (s *session) open(b []byte, h *header) (plain []byte, why string) {
	s.in.Lock()
	defer s.in.Unlock()
	if h.number >= maxNumber || !s.in.fresh(h.number) {
		return nil, "replay"
	}
	plain, err := s.in.Open(h.rest[:0], nonce(&s.in.nonce, h.number), h.rest, b[:dataHead])
	if err != nil {
		return nil, "forged"
	}
	s.in.note(h.number)
	return plain, ""
}
