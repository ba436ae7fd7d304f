package session

import (
	"encoding/binary"
	"slices"
	"time"
)

// hurry goes on with an attempt that rests. t is locked.
func (t *Table) hurry(a *attempt) {
	if a.rests && !t.closed {
		a.rests = false
		a.again.Stop()
		t.run(a, func() { t.prove(a) })
	}
}

// prove ends the handshake on our side.
func (t *Table) prove(a *attempt) {
	mine := *t.mine.Load()
	first := t.firstFor(a, len(mine))
	last, c1, c2, err := a.noise.WriteMessage(nil, slices.Concat(mine, first))
	if err != nil {
		t.anew(a) // a key of low order
		return
	}
	s := newSession(c1, c2)
	s.who, s.addr, s.initiator = a.who, a.addr, true
	s.ours, s.theirs = a.ours, a.theirs
	s.confirm = append(binary.BigEndian.AppendUint32([]byte{typeConfirm}, a.theirs), last...)
	t.begunSession(a, s, first != nil)
}

// firstFor is the first message that waits, if it fits into the confirm beside
// our credentials: so it needs no packet of its own, and comes when that comes.
func (t *Table) firstFor(a *attempt, mine int) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := a.p.waiting; a.p.attempt == a && len(w) > 0 && len(w[0].b) <= MaxPacket-confirmHead-dhSize-2*tagSize-mine {
		return w[0].b
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
	for _, m := range waiting {
		t.seal(s, m.b)
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
