package group

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// links is what is known of the links to members. Links belong to the node, which
// shares them among its groups and closes those that nobody needs.
type links struct {
	component

	known map[machine.Peer]*link
}

type link struct {
	down bool
	at   machine.Time // when it was opened, or failed
}

// reopen is how long a failed link is left alone.
const reopen = 200 * time.Millisecond

// open opens a link unless there is one, or it failed a moment ago. It reports
// whether sending makes sense.
func (s *links) open(p machine.Peer) bool {
	l := s.known[p]
	if l == nil {
		l = &link{down: true, at: -forever}
		s.known[p] = l
	}
	if !l.down {
		return true
	}
	if s.now() < l.at.Add(reopen) {
		return false
	}
	l.down, l.at = false, s.now()
	s.env.Open(p)
	return true
}

// openAll opens links to all other members.
func (s *links) openAll() {
	for m := range s.st.others() {
		s.open(m.Peer)
	}
}

// heard is called when a message came over a link.
func (s *links) heard(from machine.Peer) {
	if l := s.known[from]; l != nil {
		l.down = false
	} else {
		s.known[from] = &link{}
	}
}

// onEvent notes that a link was opened or failed. It reports whether one to a member
// failed.
func (s *links) onEvent(p machine.Peer, ev machine.LinkEvent) (failed bool) {
	l := s.known[p]
	if l == nil {
		return false
	}
	if ev == machine.LinkUp {
		l.down = false
		return false
	}
	l.down, l.at = true, s.now()
	return true
}
