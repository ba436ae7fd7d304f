package session

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// attempt is a handshake that we have begun.
type attempt struct {
	p       *peer
	addr    netip.AddrPort
	ours    uint32
	noise   *noise.HandshakeState // nil: not ready
	packet  []byte                // the hello
	cookies int                   // how many we were given
	tries   int
	again   *time.Timer
	busy    bool  // a welcome is being looked at
	version uint8 // what the other end is said to speak, if it is not ours
}

// begin begins a handshake. t is locked.
func (t *Table) begin(p *peer) {
	if t.begun >= t.cfg.Begun {
		t.cfg.Fail("busy")
		p.waiting = nil
		t.forget(p)
		return
	}
	a := &attempt{p: p, addr: p.who.Addr.AddrPort()}
	a.ours = t.number(a)
	p.attempt = a
	t.begun++
	t.run(a, func() { t.sendHello(a) })
}

// run does the costly part of a handshake elsewhere. t is locked.
func (t *Table) run(a *attempt, job func()) {
	if !t.cfg.Go(job) {
		t.end(a, "busy")
	}
}

// end gives an attempt up. t is locked.
func (t *Table) end(a *attempt, why string) {
	if a.p.attempt != a {
		return
	}
	a.p.attempt, a.p.waiting = nil, nil
	delete(t.slots, a.ours)
	t.begun--
	if a.again != nil {
		a.again.Stop()
	}
	t.forget(a.p)
	if why != "" {
		t.cfg.Fail(why)
	}
}

func (t *Table) sendHello(a *attempt) {
	n, err := t.handshake(true)
	if err != nil {
		panic(err) // the configuration is a constant
	}
	first, _, _, err := n.WriteMessage(nil, nil)
	if err != nil {
		panic(err) // there is nothing in it that could fail
	}
	t.mu.Lock()
	if a.p.attempt != a {
		t.mu.Unlock()
		return
	}
	a.noise, a.packet, a.busy = n, hello(t.cfg.World, a.ours, [cookieSize]byte{}, first), false
	if a.again == nil {
		a.again = time.AfterFunc(retryAfter, func() { t.sendAgain(a) })
	}
	t.mu.Unlock()
	t.cfg.Send(a.packet, a.addr)
}

// sendAgain is when no answer has come.
func (t *Table) sendAgain(a *attempt) {
	t.mu.Lock()
	if a.p.attempt != a {
		t.mu.Unlock()
		return
	}
	if a.tries++; a.tries == attempts {
		why := "no answer"
		if a.version != 0 {
			why = "version"
		}
		t.end(a, why)
		t.mu.Unlock()
		if a.version != 0 {
			t.refuse(a.addr, OtherVersion(a.version))
		}
		return
	}
	a.again.Reset(retryAfter << a.tries)
	packet := a.packet
	t.mu.Unlock()
	t.cfg.Send(packet, a.addr)
}

// attemptOf returns the attempt that a packet answers. t is locked.
func (t *Table) attemptOf(h *header, from netip.AddrPort) *attempt {
	a, _ := t.slots[h.to].(*attempt)
	if a == nil || a.addr != from || a.noise == nil || a.busy {
		return nil
	}
	return a
}

// onRetry sends the hello with the cookie that the other end wants to see.
func (t *Table) onRetry(h *header, from netip.AddrPort) {
	t.mu.Lock()
	a := t.attemptOf(h, from)
	if a == nil || a.cookies == attempts {
		t.mu.Unlock()
		return
	}
	a.cookies++
	packet := append([]byte(nil), a.packet...)
	copy(packet[helloHead:], h.cookie[:])
	a.packet = packet
	t.mu.Unlock()
	t.cfg.Send(packet, from)
}

func (t *Table) onWelcome(h *header, from netip.AddrPort) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.attemptOf(h, from)
	if a == nil {
		return
	}
	a.busy = true
	theirs, message := h.from, append([]byte(nil), h.rest...)
	t.run(a, func() { t.welcomed(a, theirs, message) })
}

// welcomed ends the handshake on our side.
func (t *Table) welcomed(a *attempt, theirs uint32, message []byte) {
	payload, _, _, err := a.noise.ReadMessage(nil, message)
	if err != nil { // forged, so we begin anew
		t.cfg.Fail("forged")
		t.sendHello(a)
		return
	}
	who, _, err := t.verify(payload, a.noise.PeerStatic())
	if want := a.p.who.ID; err == nil && !want.IsZero() && who != want {
		err = wrongID{want, who}
	}
	if err != nil {
		t.refuse(a.addr, err)
		t.mu.Lock()
		t.end(a, reasonOf(err))
		t.mu.Unlock()
		return
	}
	mine := *t.mine.Load()
	first := t.firstFor(a, len(mine))
	last, c1, c2, err := a.noise.WriteMessage(nil, slices.Concat(mine, first))
	if err != nil {
		t.cfg.Fail("forged") // a key of low order
		t.sendHello(a)
		return
	}
	s := newSession(c1, c2)
	s.who, s.addr, s.initiator = machine.Peer{ID: who, Addr: a.p.who.Addr}, a.addr, true
	s.ours, s.theirs = a.ours, theirs
	s.confirm = append(binary.BigEndian.AppendUint32([]byte{typeConfirm}, theirs), last...)
	t.begunSession(a, s, first != nil)
}

// firstFor is the first message that waits, if it fits into the confirm beside
// our credentials: so it
// needs no packet of its own, and comes when that comes.
func (t *Table) firstFor(a *attempt, mine int) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := a.p.waiting; a.p.attempt == a && len(w) > 0 && len(w[0]) <= MaxPacket-confirmHead-dhSize-2*tagSize-mine {
		return w[0]
	}
	return nil
}

// begunSession is when the other end has proven who it is. What waited goes out
// with our own proof and behind it.
func (t *Table) begunSession(a *attempt, s *session, first bool) {
	t.mu.Lock()
	p := a.p
	if p.attempt != a {
		t.mu.Unlock()
		return
	}
	waiting := p.waiting
	if first {
		waiting = waiting[1:]
	}
	t.end(a, "")
	t.add(s)
	t.peerOf(p.who) // end may have forgotten it
	t.peerOf(s.who)
	for _, p := range t.users(s) {
		if p.current == nil {
			p.current = s
		} else if p.current != s {
			p.next = s
		}
	}
	s.again = time.AfterFunc(retryAfter, func() { t.confirmAgain(s) })
	confirm := s.confirm
	t.mu.Unlock()
	t.cfg.Send(confirm, s.addr)
	for _, b := range waiting {
		t.seal(s, b)
	}
}

// confirmAgain is when the other end has not sent anything in the session yet.
func (t *Table) confirmAgain(s *session) {
	t.mu.Lock()
	if s.confirm == nil || t.slots[s.ours] != any(s) {
		t.mu.Unlock()
		return
	}
	if s.tries++; s.tries == attempts {
		t.drop(s)
		t.mu.Unlock()
		t.cfg.Fail("no answer")
		return
	}
	s.again.Reset(retryAfter << s.tries)
	packet := s.confirm
	t.mu.Unlock()
	t.cfg.Send(packet, s.addr)
}

// isConfirmed is when the first packet in a session has come: the other end has
// our proof.
func (t *Table) isConfirmed(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.confirmed.Store(true)
	s.confirm = nil
	if s.again != nil {
		s.again.Stop()
	}
	for _, p := range t.users(s) {
		if p.next == s {
			t.use(p, s)
		}
	}
}

// onUnknown hears that the other end does not have a session. Anyone could say
// so: the session stays until there is a new one.
func (t *Table) onUnknown(h *header, from netip.AddrPort) {
	t.mu.Lock()
	s := t.hints[hint{from, h.to}]
	now := int64(t.now())
	if s == nil || s.doubted.Load() != 0 && now-s.doubted.Load() < int64(hintEvery) {
		t.mu.Unlock()
		return
	}
	s.doubted.Store(now)
	confirm := s.confirm
	for _, p := range t.users(s) {
		if confirm == nil && p.attempt == nil && p.current == s {
			t.begin(p)
		}
	}
	t.mu.Unlock()
	if confirm != nil {
		t.cfg.Send(confirm, from)
	}
}

// onVersion hears that the other end speaks another version. Anyone could say
// so: it is the reason if nothing else comes.
func (t *Table) onVersion(h *header, from netip.AddrPort) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.attemptOf(h, from); a != nil && h.version != Version {
		a.version = h.version
	}
}

// wrongID: somebody else is at that address.
type wrongID struct{ want, got id.ID }

func (w wrongID) Error() string {
	return fmt.Sprintf("node %s is there, not %s", w.got.Short(), w.want.Short())
}

func reasonOf(err error) string {
	switch err.(type) {
	case wrongID:
		return "wrong id"
	case admission:
		return "admission"
	}
	return "credentials"
}

func (t *Table) refuse(at netip.AddrPort, err error) {
	if t.cfg.Refused != nil {
		t.cfg.Refused(at, err)
	}
}
