package storagelab

import (
	"context"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Members leave alone and all at once, come back and play again, and attack in one way
// after the other. Nobody honest is harmed.
func TestLongMembersComeAndGo(t *testing.T) {
	simtest.Long(t)
	o := smallSiege("thesis+push+peers/thesis+twice/guess+wake+late/thesis+shout+flood", 4)
	o.Protocol, o.Updates, o.Silent, o.Coming, o.ToEnd = storage.ProtocolHardened, 40, 50, true, false
	s, err := newSiege(o)
	if err != nil {
		t.Fatal(err)
	}
	least := o.Malicious
	for of := int64(exodusEvery); of <= s.lastComing(); of++ {
		s.sim.At(s.update(of), func() {
			n := 0
			for _, node := range s.live() {
				if s.gang.Has(node.self.ID) {
					n++
				}
			}
			least = min(least, n)
		})
	}
	again := map[*state.Player]bool{} // members' players that have acted after they had come back
	s.acted = func(a *state.Action) {
		s.taint.Acted(a)
		cameBack := func(n *storageNode) bool { return n.player == a.Player && n.came > s.begin && !n.gone }
		if s.gang.Has(a.Player.ID) && slices.ContainsFunc(s.all[:s.started], cameBack) {
			again[a.Player] = true
		}
	}
	r, err := s.Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.fails() || r.Signed == 0 || r.Updates != 40 {
		t.Errorf("%+v", r)
	}
	if r.Left <= o.Malicious || r.Back != r.Left || least > 1 || len(again) == 0 {
		t.Errorf("members left %d times and came back %d times, %d were there at least, %d have played again", r.Left, r.Back, least, len(again))
	}
	for _, way := range []string{"guess", "flood"} {
		if s.gang.Did[way] == 0 {
			t.Errorf("nobody has done %s", way)
		}
	}
}

// A character that is asleep is missed like all others, and so is one of which there are
// other versions.
func TestLongSleepersAreLookedAt(t *testing.T) {
	simtest.Long(t)
	o := smallSiege("thesis", 0)
	o.Protocol = storage.ProtocolHardened
	s, err := newSiege(o)
	if err != nil {
		t.Fatal(err)
	}
	const of = 3
	var before, after []state.ObjectID
	s.sim.At(s.stored(of)-1, func() {
		before = s.objectsAmiss(of)
		for i, x := range s.truth.objects {
			if x.Static && x.Player != nil {
				other := *x
				other.ID++ // nobody holds a character of that name here
				s.truth.objects[i] = attack.Tamper(&other)
				break
			}
		}
		after = s.objectsAmiss(of)
	})
	if _, err := s.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(before) > 0 || len(after) != 1 {
		t.Errorf("%v are amiss, and with one sleeper that nobody holds %v", before, after)
	}
}

// Where members are most and answer nothing, half of the honest nodes are unsure about
// more than a hundredth of what they hold, and that alone lets a run fail.
func TestLongDoubtsCount(t *testing.T) {
	simtest.Long(t)
	o := smallSiege("silence", 30)
	o.Protocol, o.Updates = storage.ProtocolHardened, 5
	r := besiege(t, o)
	if r.Doubtful == 0 || !(&siegeResult{siegeVerdict: siegeVerdict{Doubtful: r.Doubtful}}).fails() {
		t.Errorf("with most nodes silent: %+v", r)
	}
}

// The mixtures that take turns are ones that there are.
func TestTurnsParse(t *testing.T) {
	if turns, err := (siegeRun{Ways: allTurns()}).turns(); err != nil || len(turns) < 15 || !turns[0].Claim {
		t.Errorf("%d turns: %v", len(turns), err)
	}
	if _, err := (siegeRun{Ways: "thesis/nonsense"}).turns(); err == nil {
		t.Error("a way that there is not was taken")
	}
}
