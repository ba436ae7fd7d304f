package gateway

import (
	"net/netip"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// conns are the TCP connections on which nobody has shown a token yet. Of those
// anybody can open as many as they like, so they are few, for each address and in
// all. One more takes the place of the one that was idle for longest: of the same
// address, or of the address that has most.
type conns struct {
	limits Limits
	shared func(netip.Addr) bool // a trusted proxy, which connects for many

	mu   sync.Mutex
	from map[netip.Prefix]map[*tcp]struct{}
	n    int
}

// idleness is what decides which connection has to go; conns.mu guards it.
type idleness struct {
	key   netip.Prefix
	busy  bool      // a request is being answered
	since time.Time // when it was accepted, or the last request came
}

// before reports whether a connection has to go before another.
func (i *idleness) before(j *idleness) bool {
	if i.busy != j.busy {
		return !i.busy
	}
	return i.since.Before(j.since)
}

// add counts a connection that was accepted, and closes another if it is too many.
func (s *conns) add(c *tcp, from netip.Addr) {
	s.mu.Lock()
	c.idle = idleness{key: limit.Key(from), since: time.Now()}
	var gone *tcp
	if crowd := s.from[c.idle.key]; len(crowd) >= s.limits.PendingPerAddress && !s.shared(from) {
		gone = s.evict(crowd)
	} else if s.n >= s.limits.Pending {
		gone = s.evict(s.largest())
	}
	crowd := s.from[c.idle.key]
	if crowd == nil {
		crowd = map[*tcp]struct{}{}
		s.from[c.idle.key] = crowd
	}
	crowd[c] = struct{}{}
	s.n++
	s.mu.Unlock()
	if gone != nil {
		gone.Close()
	}
}

// largest are the connections of the address that has most. s.mu is locked.
func (s *conns) largest() (most map[*tcp]struct{}) {
	for _, crowd := range s.from {
		if len(crowd) > len(most) {
			most = crowd
		}
	}
	return most
}

// evict chooses the connection that has to go. s.mu is locked.
func (s *conns) evict(crowd map[*tcp]struct{}) (gone *tcp) {
	for c := range crowd {
		if gone == nil || c.idle.before(&gone.idle) {
			gone = c
		}
	}
	s.drop(gone)
	return gone
}

// drop stops counting a connection. s.mu is locked.
func (s *conns) drop(c *tcp) {
	crowd := s.from[c.idle.key]
	if _, counted := crowd[c]; !counted {
		return
	}
	delete(crowd, c)
	s.n--
	if len(crowd) == 0 {
		delete(s.from, c.idle.key)
	}
}

// remove is when a connection is closed, or was let in and counts as a player's.
func (s *conns) remove(c *tcp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(c)
}

// request is when a request begins to be answered, or has been.
func (s *conns) request(c *tcp, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.idle.busy, c.idle.since = busy, time.Now()
}
