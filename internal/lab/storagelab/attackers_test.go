package storagelab

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// doSiege runs a small siege of the hardened protocol.
func doSiege(t *testing.T, ways string, updates int, prepare func(*siege)) (*siege, siegeResult) {
	t.Helper()
	o := smallSiege(ways, 4)
	o.Protocol, o.Updates = storage.ProtocolHardened, updates
	s, err := newSiege(o)
	if err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(s)
	}
	r, err := s.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// Each attacker does what it is for, and nobody honest is harmed.
func TestLongAttackersAct(t *testing.T) {
	simtest.Long(t)
	for _, ways := range []string{"names", "digests", "batches", "crowd", "rouse", "adaptive", "chosen", "thesis+chosen", "guess", "eclipse", "delay", "flood"} {
		s, r := doSiege(t, ways, 5, nil)
		if s.gang.Did[strings.TrimPrefix(ways, "thesis+")] == 0 {
			t.Errorf("%s: nobody has done it", ways)
		}
		if r.fails() {
			t.Errorf("%s: %+v", ways, r)
		}
		if asked := s.gang.Did["flood"] * 20; ways == "flood" && 2*s.gang.Did["given"] > asked {
			t.Errorf("members were given cells %d times of %d that they asked", s.gang.Did["given"], asked)
		}
	}
}

// Members that come in at once are not there before, and all of them afterwards.
func TestLongMassJoin(t *testing.T) {
	simtest.Long(t)
	members := func(s *siege) (n int) {
		for _, node := range s.live() {
			if s.gang.Has(node.self.ID) {
				n++
			}
		}
		return n
	}
	before := -1
	s, r := doSiege(t, "join+thesis", 5, func(s *siege) {
		s.sim.At(s.update(joinAt), func() { before = members(s) })
	})
	if before != 0 || members(s) != s.settings.Malicious || r.fails() {
		t.Errorf("%d members before, %d afterwards: %+v", before, members(s), r)
	}
}

// Half of the zones have heard that a member's player has done something, the others not.
// What has come of it is the same for all a few updates after that has ended.
func TestLongSplitsHeal(t *testing.T) {
	simtest.Long(t)
	const cheatUntil, healed = 4, 8
	split, left := 0, 0
	_, _ = doSiege(t, "chosen", healed, func(s *siege) {
		s.gang.CheatUntil = cheatUntil
		s.sim.At(s.stored(cheatUntil)-1, func() { split = s.versions() })
		s.sim.At(s.stored(healed)-1, func() { left = s.versions() })
	})
	if split == 0 || left > 0 {
		t.Errorf("honest nodes held %d objects otherwise than others, and %d at last", split, left)
	}
}

// versions counts the moving objects of which honest nodes hold different versions.
func (s *siege) versions() (n int) {
	seen, different := map[state.ObjectID]state.Digest{}, map[state.ObjectID]bool{}
	for _, node := range s.live() {
		if m := node.machine(); !s.gang.Has(node.self.ID) && m.State() != nil {
			for _, o := range m.State().Objects(&m.State().Cover, s.rules.World(), nil) {
				if d, held := seen[o.ID]; held && d != o.Digest {
					different[o.ID] = true
				}
				seen[o.ID] = o.Digest
			}
		}
	}
	return len(different)
}
