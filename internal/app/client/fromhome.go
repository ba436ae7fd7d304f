package client

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Any region that a player looks at can reach the session, and may be led by a node
// that lies. About the player only its home is believed. What the next home says may
// overtake the word of the one before that the player is there now: it is kept until
// then.

// maxEarly bounds what is kept.
const maxEarly = 16

// fromOthers reports whether a message is about the player and not of its home.
func (s *Session) fromOthers(m machine.Message) bool {
	var of world.RegionPos
	keep := false
	switch m := m.(type) {
	case *region.Entered:
		of = m.Region
	case *region.Refused:
		of = m.Region
	case *region.Left:
		of = m.Region
	case *region.Moved:
		of, keep = m.Region, m.Reason == region.MovedHandover
	case *region.Self:
		of, keep = m.Region, true
	case *region.Inventory:
		of, keep = m.Region, true
	case *region.Container:
		of, keep = m.Region, true
	case *region.ActResult:
		if m.Region == s.before {
			return false // it was done before the player was given away
		}
		of, keep = m.Region, true
	case *region.Notice:
		return m.Region != s.home && !s.watch.watches(m.Region)
	case *region.Signs:
		return m.Region != s.home && !s.watch.watches(m.Region)
	case *region.Heard:
		return m.Region != s.home && !s.watch.watches(m.Region)
	default:
		return false
	}
	if of == s.home {
		return false
	}
	if keep {
		s.early = append(s.early[max(0, len(s.early)-maxEarly+1):], early{of, m})
	}
	return true
}

// early is what a region has said that is not the home yet.
type early struct {
	of world.RegionPos
	m  machine.Message
}

// takeEarly takes what the new home has said before the session knew that it is.
func (s *Session) takeEarly() {
	waiting, home := s.early, s.home
	s.early = nil
	for _, e := range waiting {
		if e.of == home {
			s.receive(e.m, (*queued)(s))
		} else {
			s.early = append(s.early, e)
		}
	}
	s.poke()
}
