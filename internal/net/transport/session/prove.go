package session

import (
	"encoding/binary"
	"slices"
	"time"
)

// hurry goes on with an attempt that rests. The table is locked.
func (in *initiator) hurry(a *attempt) {
	if a.rests && !in.closed {
		a.rests = false
		a.again.Stop()
		in.run(a, func() { in.prove(a) })
	}
}

// prove ends the handshake on our side.
func (in *initiator) prove(a *attempt) {
	mine := *in.mine.Load()
	first := in.firstFor(a, len(mine))
	last, c1, c2, err := a.noise.WriteMessage(nil, slices.Concat(mine, first))
	if err != nil {
		in.anew(a) // a key of low order
		return
	}
	s := newSession(c1, c2)
	s.who, s.addr, s.initiator = a.who, a.addr, true
	s.ours, s.theirs = a.ours, a.theirs
	s.confirm = append(binary.BigEndian.AppendUint32([]byte{typeConfirm}, a.theirs), last...)
	in.begunSession(a, s, first != nil)
}

// firstFor is the first message that waits, if it fits into the confirm beside
// our credentials: so it needs no packet of its own, and comes when that comes.
func (in *initiator) firstFor(a *attempt, mine int) []byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	if w := a.p.waiting; a.p.attempt == a && len(w) > 0 && len(w[0].b) <= MaxPacket-confirmHead-dhSize-2*tagSize-mine {
		return w[0].b
	}
	return nil
}

// begunSession is when the other end has proven who it is. What waited goes out
// with our own proof and behind it.
func (in *initiator) begunSession(a *attempt, s *session, first bool) {
	in.mu.Lock()
	p := a.p
	if p.attempt != a {
		in.mu.Unlock()
		return
	}
	waiting := p.waiting
	if first {
		waiting = waiting[1:]
	}
	in.end(a, "")
	in.registry.add(s)
	in.registry.peerOf(p.who) // end may have forgotten it
	in.registry.peerOf(s.who)
	for _, p := range in.registry.users(s) {
		if p.current == nil {
			p.current = s
		} else if p.current != s {
			p.next = s
		}
	}
	s.again = time.AfterFunc(retryAfter, func() { in.confirmAgain(s) })
	confirm := s.confirm
	in.mu.Unlock()
	in.cfg.Send(confirm, s.addr)
	for _, m := range waiting {
		in.seal(s, m.b)
	}
}

// confirmAgain is when the other end has not sent anything in the session yet.
func (in *initiator) confirmAgain(s *session) {
	in.mu.Lock()
	if s.confirm == nil || in.slots[s.ours] != any(s) {
		in.mu.Unlock()
		return
	}
	if s.tries++; s.tries == attempts {
		in.registry.drop(s)
		in.mu.Unlock()
		in.cfg.Fail("no answer")
		return
	}
	s.again.Reset(retryAfter << s.tries)
	packet := s.confirm
	in.mu.Unlock()
	in.cfg.Send(packet, s.addr)
}

// isConfirmed is when the first packet in a session has come: the other end has
// our proof.
func (in *initiator) isConfirmed(s *session) {
	in.mu.Lock()
	defer in.mu.Unlock()
	s.confirmed.Store(true)
	s.confirm = nil
	if s.again != nil {
		s.again.Stop()
	}
	for _, p := range in.registry.users(s) {
		if p.next == s {
			in.registry.use(p, s)
		}
	}
}
