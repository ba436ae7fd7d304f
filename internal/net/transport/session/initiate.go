package session

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// initiator has the handshakes that we have begun.
type initiator struct {
	*core
	registry *registry

	begun int
}

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

// begin begins a handshake. The table is locked.
func (in *initiator) begin(p *peer) {
	if in.begun >= in.cfg.Begun {
		in.cfg.Fail("busy")
		p.waiting = nil
		in.registry.forget(p)
		return
	}
	a := &attempt{p: p, addr: p.who.Addr.AddrPort()}
	a.ours = in.number(a)
	p.attempt = a
	in.begun++
	in.run(a, func() { in.sendHello(a) })
}

// run does the costly part of a handshake elsewhere. The table is locked.
func (in *initiator) run(a *attempt, job func()) {
	if !in.cfg.Go(job) {
		in.end(a, "busy")
	}
}

// end gives an attempt up. The table is locked.
func (in *initiator) end(a *attempt, why string) {
	if a.p.attempt != a {
		return
	}
	a.p.attempt, a.p.waiting, a.rests = nil, nil, false
	delete(in.slots, a.ours)
	in.begun--
	if a.again != nil {
		a.again.Stop()
	}
	in.registry.forget(a.p)
	if why != "" {
		in.cfg.Fail(why)
	}
}

func (in *initiator) sendHello(a *attempt) {
	if packet := in.prepare(a); packet != nil {
		in.cfg.Send(packet, a.addr)
	}
}

// anew begins a handshake once more that somebody has meddled with: under another
// number, because the other end would repeat what it has answered to this one.
// The hello goes out when it would have been repeated.
func (in *initiator) anew(a *attempt) {
	in.cfg.Fail("forged")
	in.mu.Lock()
	if a.p.attempt == a {
		delete(in.slots, a.ours)
		a.ours = in.number(a)
	}
	in.mu.Unlock()
	in.prepare(a)
}

// prepare makes an attempt's hello, and has it repeated until there is an answer.
func (in *initiator) prepare(a *attempt) []byte {
	n, err := in.handshake(true)
	if err != nil {
		panic(err) // the configuration is a constant
	}
	question := in.questionOf(a)
	first, _, _, err := n.WriteMessage(nil, question)
	if err != nil {
		panic(err) // there is nothing in it that could fail
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if a.p.attempt != a {
		return nil
	}
	a.asks = question != nil
	a.noise, a.packet, a.busy = n, hello(in.cfg.World, a.ours, [cookieSize]byte{}, first), false
	if a.again == nil {
		a.again = time.AfterFunc(retryAfter, func() { in.sendAgain(a) })
	}
	return a.packet
}

// questionOf is the question that an attempt's hello takes.
func (in *initiator) questionOf(a *attempt) []byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	if w := a.p.waiting; a.p.attempt == a && len(w) > 0 && w[0].question {
		return w[0].b
	}
	return nil
}

// sendAgain is when no answer has come, or when who has answered is to hear now
// who has asked.
func (in *initiator) sendAgain(a *attempt) {
	in.mu.Lock()
	if a.p.attempt != a || a.rests {
		in.hurry(a)
		in.mu.Unlock()
		return
	}
	if a.tries++; a.tries == attempts {
		why := "no answer"
		if a.version != 0 {
			why = "version"
		}
		in.end(a, why)
		in.mu.Unlock()
		if a.version != 0 {
			in.refuse(a.addr, OtherVersion(a.version))
		}
		return
	}
	a.again.Reset(retryAfter << a.tries)
	packet := a.packet
	in.mu.Unlock()
	in.cfg.Send(packet, a.addr)
}

// attemptOf returns the attempt that a packet answers. The table is locked.
func (in *initiator) attemptOf(h *header, from netip.AddrPort) *attempt {
	a, _ := in.slots[h.to].(*attempt)
	if a == nil || a.addr != from || a.noise == nil || a.busy {
		return nil
	}
	return a
}

// onRetry sends the hello with the cookie that the other end wants to see.
func (in *initiator) onRetry(h *header, from netip.AddrPort) {
	in.mu.Lock()
	a := in.attemptOf(h, from)
	if a == nil || a.cookies == attempts {
		in.mu.Unlock()
		return
	}
	a.cookies++
	packet := append([]byte(nil), a.packet...)
	copy(packet[helloHead:], h.cookie[:])
	a.packet = packet
	in.mu.Unlock()
	in.cfg.Send(packet, from)
}

func (in *initiator) onWelcome(h *header, from netip.AddrPort) {
	in.mu.Lock()
	defer in.mu.Unlock()
	a := in.attemptOf(h, from)
	if a == nil {
		return
	}
	a.busy = true
	theirs, message := h.from, append([]byte(nil), h.rest...)
	in.run(a, func() { in.welcomed(a, theirs, message) })
}

// welcomed is when the other end has shown who it is.
func (in *initiator) welcomed(a *attempt, theirs uint32, message []byte) {
	payload, _, _, err := a.noise.ReadMessage(nil, message)
	if err != nil {
		in.anew(a)
		return
	}
	who, answer, err := in.verify(payload, a.noise.PeerStatic())
	if want := a.p.who.ID; err == nil && !want.IsZero() && who != want {
		err = wrongID{want, who}
	}
	if err != nil {
		in.refuse(a.addr, err)
		in.mu.Lock()
		in.end(a, reasonOf(err))
		in.mu.Unlock()
		return
	}
	a.who, a.theirs = machine.Peer{ID: who, Addr: a.p.who.Addr}, theirs
	if len(answer) == 0 || !a.asks || !in.answered(a, answer) {
		in.prove(a)
	}
}

// answered delivers the answer to an attempt's question. It reports whether the
// rest of the handshake can wait.
func (in *initiator) answered(a *attempt, answer []byte) (rests bool) {
	in.mu.Lock()
	if a.p.attempt != a { // the question has gone another way
		in.mu.Unlock()
		return true
	}
	a.p.waiting = a.p.waiting[1:]
	if rests = len(a.p.waiting) == 0; rests {
		a.rests = true
		a.again.Reset(proveAfter)
	}
	in.mu.Unlock()
	in.cfg.Deliver(a.who, answer)
	return rests
}

// onUnknown hears that the other end does not have a session. Anyone could say
// so: the session stays until there is a new one.
func (in *initiator) onUnknown(h *header, from netip.AddrPort) {
	in.mu.Lock()
	s := in.registry.hints[hint{from, h.to}]
	now := int64(in.now())
	if s == nil || s.doubted.Load() != 0 && now-s.doubted.Load() < int64(hintEvery) {
		in.mu.Unlock()
		return
	}
	s.doubted.Store(now)
	confirm := s.confirm
	for _, p := range in.registry.users(s) {
		if confirm == nil && p.attempt == nil && p.current == s {
			in.begin(p)
		}
	}
	in.mu.Unlock()
	if confirm != nil {
		in.cfg.Send(confirm, from)
	}
}

// onVersion hears that the other end speaks another version. Anyone could say
// so: it is the reason if nothing else comes.
func (in *initiator) onVersion(h *header, from netip.AddrPort) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if a := in.attemptOf(h, from); a != nil && h.version != Version {
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

func (co *core) refuse(at netip.AddrPort, err error) {
	if co.cfg.Refused != nil {
		co.cfg.Refused(at, err)
	}
}
