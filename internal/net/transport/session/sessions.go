package session

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// add notes a session. t is locked.
func (t *Table) add(s *session) {
	if t.live >= t.cfg.Sessions {
		t.evict()
	}
	s.born = t.now()
	s.used.Store(int64(s.born))
	t.slots[s.ours] = s
	t.hints[hint{s.addr, s.theirs}] = s
	t.addrs[s.addr]++
	t.live++
	if s.initiator {
		t.done[1]++
	} else {
		t.done[0]++
	}
	if t.sweeper == nil {
		t.sweeper = time.AfterFunc(sweep, t.sweep)
	}
}

// drop forgets a session. t is locked.
func (t *Table) drop(s *session) {
	if t.slots[s.ours] != any(s) {
		return
	}
	delete(t.slots, s.ours)
	if h := (hint{s.addr, s.theirs}); t.hints[h] == s {
		delete(t.hints, h)
	}
	if t.addrs[s.addr]--; t.addrs[s.addr] == 0 {
		delete(t.addrs, s.addr)
	}
	t.live--
	if s.again != nil {
		s.again.Stop()
	}
	for _, p := range t.users(s) {
		if p.current == s {
			p.current = nil
		}
		if p.next == s {
			p.next = nil
		}
		t.forget(p)
	}
}

// users are those who may send over a session: by its node's name, and by its
// address alone. t is locked.
func (t *Table) users(s *session) (all []*peer) {
	for _, who := range []machine.Peer{s.who, {Addr: s.who.Addr}} {
		if p := t.peers[who]; p != nil {
			all = append(all, p)
		}
	}
	return all
}

// use makes a session the one to send over. t is locked.
func (t *Table) use(p *peer, s *session) {
	if old := p.current; old != nil && old != s {
		old.retired = true // what is on its way still arrives
	}
	p.current = s
	if p.next == s {
		p.next = nil
	}
}

// evict makes room: of a few sessions that happen to be looked at, the one
// unused for longest goes. t is locked.
func (t *Table) evict() {
	var oldest *session
	seen := 0
	for _, s := range t.hints {
		if oldest == nil || s.retired || s.used.Load() < oldest.used.Load() {
			oldest = s
		}
		if seen++; seen == 16 || oldest.retired {
			break
		}
	}
	if oldest != nil {
		t.drop(oldest)
		t.cfg.Fail("evicted")
	}
}

// sweep drops what is not used any more.
func (t *Table) sweep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, slot := range t.slots {
		s, ok := slot.(*session)
		if !ok {
			continue
		}
		limit := idle
		if !s.initiator {
			limit += idleGrace
		}
		if s.retired || now-s.born > lifetime || now-time.Duration(s.used.Load()) > limit {
			t.drop(s)
		}
	}
	t.sweeper = nil
	if t.live > 0 && !t.closed {
		t.sweeper = time.AfterFunc(sweep, t.sweep)
	}
}

// usable returns the session to send over, nil if there is none. t is locked.
func (t *Table) usable(p *peer, now time.Duration) *session {
	for _, s := range []*session{p.current, p.next} {
		if s != nil && now-s.born < lifetime {
			return s
		}
	}
	return nil
}

// Send sends a message to a peer; without a session one is made first. A peer
// with the zero ID is whoever is at that address.
func (t *Table) Send(to machine.Peer, plain []byte) { t.send(&Way{To: to}, message{b: plain}) }

// Ask is Send for what onlookers may read. A peer without a session gets it with
// the hello; then its answer comes before it knows who asks.
func (t *Table) Ask(to machine.Peer, plain []byte) {
	t.send(&Way{To: to}, message{plain, len(plain) <= MaxQuestion})
}

// Way is a peer who is sent to often: it is not looked up each time.
type Way struct {
	To machine.Peer
	p  *peer // the table's lock guards it
}

// SendBy is Send over a way.
func (t *Table) SendBy(w *Way, plain []byte) { t.send(w, message{b: plain}) }

func (t *Table) send(w *Way, m message) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	if w.p == nil || w.p.gone {
		w.p = t.peerOf(w.To)
	}
	p := w.p
	now := t.now()
	s := t.usable(p, now)
	if s == nil {
		t.wait(p, m)
		t.mu.Unlock()
		return
	}
	t.review(p, s, now)
	t.mu.Unlock()
	t.seal(s, m.b)
}

// SendFresh sends a message in a session that is begun for it, whatever sessions
// there are: it comes to who is there now.
func (t *Table) SendFresh(to machine.Peer, plain []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.wait(t.peerOf(to), message{b: plain})
	}
}

// wait keeps a message until there is a session. t is locked.
func (t *Table) wait(p *peer, m message) {
	if len(p.waiting) == maxWaiting {
		t.cfg.Fail("queue full")
		return
	}
	m.b = append([]byte(nil), m.b...)
	p.waiting = append(p.waiting, m)
	t.need(p)
}

// review begins a new session if this one is old, or if the other end does not
// seem to know it. t is locked.
func (t *Table) review(p *peer, s *session, now time.Duration) {
	asked := time.Duration(s.asked.Load())
	switch {
	case p.attempt != nil:
	case asked != 0 && now-asked > p.doubt:
		p.doubt = min(2*p.doubt, maxDoubt)
		t.begin(p)
	case asked == 0 && p.doubt > unanswered:
		p.doubt = unanswered
	case s.initiator && now-s.born > rekeyAfter:
		t.begin(p)
	}
}

// Ready reports whether a message to a peer would be sent at once. If not, a
// session is begun.
func (t *Table) Ready(to machine.Peer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	p := t.peerOf(to)
	if t.usable(p, t.now()) != nil {
		return true
	}
	t.need(p)
	return false
}

// need sees to it that there will be a session. t is locked.
func (t *Table) need(p *peer) {
	if p.attempt == nil {
		t.begin(p)
	} else {
		t.hurry(p.attempt)
	}
}
