package session

import (
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// registry has the sessions that there are, and what is known of peers.
type registry struct {
	*core

	peers   map[machine.Peer]*peer
	hints   map[hint]*session
	addrs   map[netip.AddrPort]int // sessions with each address
	live    int                    // sessions
	done    [2]uint64              // handshakes, begun by others and by us
	sweeper *time.Timer
}

// add notes a session. The table is locked.
func (rg *registry) add(s *session) {
	if rg.live >= rg.cfg.Sessions {
		rg.evict()
	}
	s.born = rg.now()
	s.used.Store(int64(s.born))
	rg.slots[s.ours] = s
	rg.hints[hint{s.addr, s.theirs}] = s
	rg.addrs[s.addr]++
	rg.live++
	if s.initiator {
		rg.done[1]++
	} else {
		rg.done[0]++
	}
	if rg.sweeper == nil {
		rg.sweeper = time.AfterFunc(sweep, rg.sweep)
	}
}

// drop forgets a session. The table is locked.
func (rg *registry) drop(s *session) {
	if rg.slots[s.ours] != any(s) {
		return
	}
	delete(rg.slots, s.ours)
	if h := (hint{s.addr, s.theirs}); rg.hints[h] == s {
		delete(rg.hints, h)
	}
	if rg.addrs[s.addr]--; rg.addrs[s.addr] == 0 {
		delete(rg.addrs, s.addr)
	}
	rg.live--
	if s.again != nil {
		s.again.Stop()
	}
	for _, p := range rg.users(s) {
		if p.current == s {
			p.current = nil
		}
		if p.next == s {
			p.next = nil
		}
		rg.forget(p)
	}
}

// users are those who may send over a session: by its node's name, and by its
// address alone. The table is locked.
func (rg *registry) users(s *session) (all []*peer) {
	for _, who := range []machine.Peer{s.who, {Addr: s.who.Addr}} {
		if p := rg.peers[who]; p != nil {
			all = append(all, p)
		}
	}
	return all
}

// use makes a session the one to send over. The table is locked.
func (rg *registry) use(p *peer, s *session) {
	if old := p.current; old != nil && old != s {
		old.retired = true // what is on its way still arrives
	}
	p.current = s
	if p.next == s {
		p.next = nil
	}
}

// evict makes room: of a few sessions that happen to be looked at, the one
// unused for longest goes. The table is locked.
func (rg *registry) evict() {
	var oldest *session
	seen := 0
	for _, s := range rg.hints {
		if oldest == nil || s.retired || s.used.Load() < oldest.used.Load() {
			oldest = s
		}
		if seen++; seen == 16 || oldest.retired {
			break
		}
	}
	if oldest != nil {
		rg.drop(oldest)
		rg.cfg.Fail("evicted")
	}
}

// sweep drops what is not used any more.
func (rg *registry) sweep() {
	rg.mu.Lock()
	defer rg.mu.Unlock()
	now := rg.now()
	for _, slot := range rg.slots {
		s, ok := slot.(*session)
		if !ok {
			continue
		}
		limit := idle
		if !s.initiator {
			limit += idleGrace
		}
		if s.retired || now-s.born > lifetime || now-time.Duration(s.used.Load()) > limit {
			rg.drop(s)
		}
	}
	rg.sweeper = nil
	if rg.live > 0 && !rg.closed {
		rg.sweeper = time.AfterFunc(sweep, rg.sweep)
	}
}

// usable returns the session to send over, nil if there is none. The table is locked.
func (rg *registry) usable(p *peer, now time.Duration) *session {
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
		w.p = t.registry.peerOf(w.To)
	}
	p := w.p
	now := t.now()
	s := t.registry.usable(p, now)
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
		t.wait(t.registry.peerOf(to), message{b: plain})
	}
}

// wait keeps a message until there is a session. The table is locked.
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
// seem to know it. The table is locked.
func (t *Table) review(p *peer, s *session, now time.Duration) {
	asked := time.Duration(s.asked.Load())
	switch {
	case p.attempt != nil:
	case asked != 0 && now-asked > p.doubt:
		p.doubt = min(2*p.doubt, maxDoubt)
		t.initiator.begin(p)
	case asked == 0 && p.doubt > unanswered:
		p.doubt = unanswered
	case s.initiator && now-s.born > rekeyAfter:
		t.initiator.begin(p)
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
	p := t.registry.peerOf(to)
	if t.registry.usable(p, t.now()) != nil {
		return true
	}
	t.need(p)
	return false
}

// need sees to it that there will be a session. The table is locked.
func (t *Table) need(p *peer) {
	if p.attempt == nil {
		t.initiator.begin(p)
	} else {
		t.initiator.hurry(p.attempt)
	}
}
