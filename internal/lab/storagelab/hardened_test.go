package storagelab

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Attackers who know the hardened protocol, and what they achieve: nothing in the
// world becomes what it should not, though they are a tenth of the nodes.
func TestLongAttackersWhoKnowTheProtocol(t *testing.T) {
	simtest.Long(t)
	for _, c := range []struct {
		ways string
		hand bool // they can be seen to have a hand in retrievals
	}{
		{"views", true}, // false views at the wrong moment
		{"swap", true},  // other cells than their digests promise
		{"lazy", true},  // digests of others, and no cells
		{"stores", false},
		{"chorus", true},
	} {
		o := smallSiege(c.ways, 4)
		o.Protocol = storage.ProtocolHardened
		r := besiege(t, o)
		if r.Objects > 0 || r.Lost > 0 {
			t.Errorf("%s: %d objects were tampered with, %d are known to nobody", c.ways, r.Objects, r.Lost)
		}
		if c.hand != (r.Tried[messages.ForUpdate] > 0) || c.ways == "stores" && r.Dropped == 0 {
			t.Errorf("%s: the attackers have done nothing: %+v", c.ways, r)
		}
	}
}

// Nobody silences a player: not by receipts of those who are not responsible, not by
// answers that nobody has asked for. Six of forty nodes are
// malicious.
func TestLongReceiptsSilenceNobody(t *testing.T) {
	simtest.Long(t)
	for _, ways := range []string{"forge", "shout", "shout+stores"} {
		o := smallSiege(ways, 6)
		o.Protocol = storage.ProtocolHardened
		r := besiege(t, o)
		if r.Objects > 0 || r.Tampered[messages.ForActions] > 0 {
			t.Errorf("%s: %d objects are tampered with, %d retrievals of actions found what is not true", ways, r.Objects, r.Tampered[messages.ForActions])
		}
		if r.Queries[messages.ForActions] == 0 {
			t.Errorf("%s: nobody has asked for actions", ways)
		}
	}
}

// A player deposits what it has done in some zones and that it has done nothing in
// the others. In three of four zones that is certified, and counts for everybody.
// In two of four neither version has a majority: nothing that it did counts, so its character,
// which was asleep, stays so (decision 247). Nobody is split, all honest nodes have the same
// world.
func TestLongAmbiguousBatches(t *testing.T) {
	simtest.Long(t)
	for _, c := range []struct {
		zones uint32
		awake bool
	}{{0b0111, true}, {0b0011, false}} {
		o := smallSiege("thesis", 0)
		o.Protocol, o.Still, o.Updates = storage.ProtocolHardened, true, 4
		s, err := newSiege(o)
		if err != nil {
			t.Fatal(err)
		}
		const of = 2
		var liar *state.Player
		s.sim.At(s.update(of).Add(time.Millisecond), func() { liar = s.lie(t, of, c.zones) })
		tainted, awake := 0, 0
		s.sim.At(s.stored(of+1), func() {
			tainted = s.several(t)
			awake = s.awake(liar)
		})
		if _, err := s.storageNet.do(context.Background(), func() {}); err != nil {
			t.Fatal(err)
		}
		if liar == nil {
			t.Fatal("no player has done anything")
		}
		if tainted > 0 || (awake > 0) != c.awake {
			t.Errorf("zones %b: %d objects are within reach of an action that does not count, %d nodes have the player awake", c.zones, tainted, awake)
		}
	}
}

// awake is how many nodes have the character of a player awake.
func (s *siege) awake(who *state.Player) (n int) {
	for _, o := range s.live() {
		now := o.machine().State()
		n += lab.Indicator(slices.ContainsFunc(now.Objects(&now.Cover, s.rules.World(), nil), func(x *state.Object) bool {
			return x.Player != nil && who != nil && x.Player.ID == who.ID && !x.Static
		}))
	}
	return n
}

// lie lets the first player who has acted in an interval deposit two batches. It returns the
// player, if there is one.
func (s *siege) lie(t *testing.T, of int64, zones uint32) *state.Player {
	var acts []*state.Action
	for _, a := range s.actions {
		if a.At > s.update(of-1) && a.At <= s.update(of) && (len(acts) == 0 || acts[0].Player == a.Player) {
			acts = append(acts, a)
		}
	}
	if len(acts) == 0 {
		return nil
	}
	batch := func(acts []*state.Action, p *state.Player) *state.Batch {
		b, err := state.NewBatch(p, of, acts)
		if err != nil {
			t.Error(err)
		}
		return b.Signed([]byte("the player's"))
	}
	p := acts[0].Player
	for _, o := range s.live() {
		if o.player == p {
			o.Call(func() { attack.Ambiguous(o.machine(), s.space, batch(acts, p), batch(nil, p), zones) })
		}
	}
	return p
}

// several fails if nodes hold different versions of an object. It returns how
// many objects are tainted.
func (s *siege) several(t *testing.T) int {
	first, tainted := map[state.ObjectID]*state.Object{}, map[state.ObjectID]bool{}
	for _, o := range s.live() {
		state := o.machine().State()
		for _, x := range state.Objects(&state.Cover, s.rules.World(), nil) {
			if f := first[x.ID]; f != nil && f.Digest != x.Digest {
				t.Errorf("object %d has several versions at t_%d", x.ID, state.Of)
				return 0
			}
			first[x.ID] = x
			if attack.Tampered(x) {
				tainted[x.ID] = true
			}
		}
	}
	return len(tainted)
}
