package session

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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
	busy    bool  // a welcome is being looked at, or has been
	version uint8 // what the other end is said to speak, if it is not ours

	asks   bool         // the hello bears a question: what waits first
	who    machine.Peer // is there, as its welcome shows
	theirs uint32       // its number
	rests  bool         // it has answered, and there is nothing else to say yet
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
	a.p.attempt, a.p.waiting, a.rests = nil, nil, false
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
	if packet := t.prepare(a); packet != nil {
		t.cfg.Send(packet, a.addr)
	}
}

// anew begins a handshake once more that somebody has meddled with: under another
// number, because the other end would repeat what it has answered to this one.
// The hello goes out when it would have been repeated.
func (t *Table) anew(a *attempt) {
	t.cfg.Fail("forged")
	t.mu.Lock()
	if a.p.attempt == a {
		delete(t.slots, a.ours)
		a.ours = t.number(a)
	}
	t.mu.Unlock()
	t.prepare(a)
}

// prepare makes an attempt's hello, and has it repeated until there is an answer.
func (t *Table) prepare(a *attempt) []byte {
	n, err := t.handshake(true)
	if err != nil {
		panic(err) // the configuration is a constant
	}
	question := t.questionOf(a)
	first, _, _, err := n.WriteMessage(nil, question)
	if err != nil {
		panic(err) // there is nothing in it that could fail
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.p.attempt != a {
		return nil
	}
	a.asks = question != nil
	a.noise, a.packet, a.busy = n, hello(t.cfg.World, a.ours, [cookieSize]byte{}, first), false
	if a.again == nil {
		a.again = time.AfterFunc(retryAfter, func() { t.sendAgain(a) })
	}
	return a.packet
}

// questionOf is the question that an attempt's hello takes.
func (t *Table) questionOf(a *attempt) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := a.p.waiting; a.p.attempt == a && len(w) > 0 && w[0].question {
		return w[0].b
	}
	return nil
}

// sendAgain is when no answer has come, or when who has answered is to hear now
// who has asked.
func (t *Table) sendAgain(a *attempt) {
	t.mu.Lock()
	if a.p.attempt != a || a.rests {
		t.hurry(a)
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

// welcomed is when the other end has shown who it is.
func (t *Table) welcomed(a *attempt, theirs uint32, message []byte) {
	payload, _, _, err := a.noise.ReadMessage(nil, message)
	if err != nil {
		t.anew(a)
		return
	}
	who, answer, err := t.verify(payload, a.noise.PeerStatic())
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
	a.who, a.theirs = machine.Peer{ID: who, Addr: a.p.who.Addr}, theirs
	if len(answer) == 0 || !a.asks || !t.answered(a, answer) {
		t.prove(a)
	}
}

// answered delivers the answer to an attempt's question. It reports whether the
// rest of the handshake can wait.
func (t *Table) answered(a *attempt, answer []byte) (rests bool) {
	t.mu.Lock()
	if a.p.attempt != a { // the question has gone another way
		t.mu.Unlock()
		return true
	}
	a.p.waiting = a.p.waiting[1:]
	if rests = len(a.p.waiting) == 0; rests {
		a.rests = true
		a.again.Reset(proveAfter)
	}
	t.mu.Unlock()
	t.cfg.Deliver(a.who, answer)
	return rests
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
