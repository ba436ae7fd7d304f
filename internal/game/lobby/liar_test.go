package lobby

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var (
	spawnAt = world.RegionPos{X: 1, Z: -1} // of the stage's world
	next    = world.RegionPos{X: 2, Z: -1}
	liarAt  = world.RegionPos{X: 9, Z: 9}
)

// located lets the region that the lobby has asked last answer.
func (s *stage) located(m Located) {
	for tag, e := range s.h.whereabouts.requests {
		m.Region, m.Tag, m.Player = e.at, tag, e.player.id
		s.h.OnMessage(machine.Peer{}, &m)
		return
	}
	panic("nobody was asked")
}

// TestRegionsThatLie: no region gets a player by saying that it has it, or that it is
// about to have it; the lobby asks the home that it knows.
func TestRegionsThatLie(t *testing.T) {
	s := newStage()
	ann := playerOf("ann")
	s.act("local a ann Ann")
	s.h.OnMessage(machine.Peer{}, &Arrived{spawnAt, ann, 5})
	p := s.h.players[ann]
	home := func(want world.RegionPos, epoch uint32) {
		t.Helper()
		if p.rec.Home != want || p.rec.Epoch != epoch || p.region != want {
			t.Errorf("the home is %v with %d, shown as %v", p.rec.Home, p.rec.Epoch, p.region)
		}
	}
	for _, epoch := range []uint32{5, 6, 1 << 31, 1<<32 - 1} {
		s.h.OnMessage(machine.Peer{}, &Arrived{liarAt, ann, epoch})
		if len(s.h.whereabouts.requests) > 0 {
			s.located(Located{Found: true, Epoch: 5})
		}
		home(spawnAt, 5)
		s.wait(doubtFor)
	}
	s.h.OnMessage(machine.Peer{}, &Claim{Region: next, From: liarAt, Player: ann, Epoch: 7})
	s.out.Reset()
	s.located(Located{Stored: true, Epoch: 5})
	if !strings.Contains(s.out.String(), `"OK":false`) {
		t.Errorf("a claim of a liar was granted: %s", s.out.String())
	}
	s.wait(doubtFor)

	// Who asks whether the player is at home where it is has not been given it.
	s.h.OnMessage(machine.Peer{}, &Claim{Region: liarAt, From: spawnAt, Player: ann, Epoch: 8})
	s.h.OnMessage(machine.Peer{}, &Arrived{liarAt, ann, 8})
	home(spawnAt, 5)
	s.located(Located{Found: true, Epoch: 5})
	home(spawnAt, 5)
	s.wait(doubtFor)

	// An answer counts only from the region that was asked.
	s.h.OnMessage(machine.Peer{}, &Arrived{liarAt, ann, 8})
	for tag := range s.h.whereabouts.requests {
		s.h.OnMessage(machine.Peer{}, &NotHere{Region: liarAt, Player: ann, Tag: tag, To: liarAt})
		s.h.OnMessage(machine.Peer{}, &Located{Region: liarAt, Player: ann, Tag: tag, Found: true, Epoch: 8})
	}
	home(spawnAt, 5)
	s.wait(locateTimeout + doubtFor)
	home(spawnAt, 5)

	// What is true is believed: by the word of the home that gave the player away.
	s.h.OnMessage(machine.Peer{}, &Arrived{next, ann, 9})
	for tag := range s.h.whereabouts.requests {
		s.h.OnMessage(machine.Peer{}, &NotHere{Region: spawnAt, Player: ann, Tag: tag, To: next})
	}
	s.located(Located{Found: true, Epoch: 9})
	home(next, 9)
	s.h.OnMessage(machine.Peer{}, &Claim{Region: spawnAt, From: next, Player: ann, Epoch: 10})
	s.h.OnMessage(machine.Peer{}, &Arrived{spawnAt, ann, 10})
	for tag := range s.h.whereabouts.requests {
		s.h.OnMessage(machine.Peer{}, &NotHere{Region: next, Player: ann, Tag: tag, To: spawnAt})
	}
	s.located(Located{Found: true, Epoch: 10})
	home(spawnAt, 10)
}

// TestHomeIsGone: when all hosts of a home are gone, who says for long that it has
// the player is believed.
func TestHomeIsGone(t *testing.T) {
	s := newStage()
	ann := playerOf("ann")
	s.act("local a ann Ann")
	s.h.OnMessage(machine.Peer{}, &Arrived{spawnAt, ann, 5})
	for range 6 {
		s.h.OnMessage(machine.Peer{}, &Arrived{next, ann, 6})
		s.wait(10 * locateTimeout / 2)
	}
	if p := s.h.players[ann]; p.rec.Home != next {
		t.Errorf("the home is still %v", p.rec.Home)
	}
	if n := len(s.h.whereabouts.requests); n > 0 {
		t.Errorf("%d errands are left", n)
	}
}
