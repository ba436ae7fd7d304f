package storagelab

import (
	"context"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// smallSiege is one that takes less than a second.
func smallSiege(ways string, malicious int) siegeRun {
	return siegeRun{
		storageRun: storageRun{Nodes: 40, R: 4, Seed: 5, Updates: 3, NPCs: 1000},
		Malicious:  malicious, Ways: ways, ToEnd: true,
	}
}

func besiege(t *testing.T, o siegeRun) siegeResult {
	t.Helper()
	r, err := o.Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each of the ways of 6.4.4 alone does what it is for, in a network with enough
// attackers, and without attackers nothing is tampered with.
func TestLongWaysToAttack(t *testing.T) {
	simtest.Long(t)
	for _, c := range []struct {
		ways string
		m    int
		done func(r siegeResult) bool
	}{
		{"thesis", 0, func(r siegeResult) bool {
			return r.Seen == 0 && r.Dropped == 0 && r.Tried == [messages.Kinds]int{} && r.Tampered == [messages.Kinds]int{}
		}},
		{"claim", 12, func(r siegeResult) bool { return r.Tampered[messages.ForUpdate] > 0 && r.Objects > 0 }},
		{"parts", 12, func(r siegeResult) bool { return r.Tampered[messages.ForUpdate] > 0 && r.Objects > 0 }},
		{"actions", 12, func(r siegeResult) bool {
			return r.Tried[messages.ForActions] > 0 && r.Tampered[messages.ForActions] > 0 && r.Objects > 0
		}},
		{"stores", 12, func(r siegeResult) bool { return r.Dropped > 0 && r.Tampered[messages.ForActions] > 0 && r.Objects > 0 }},
		{"thesis", 12, func(r siegeResult) bool { return r.Tried[messages.ForUpdate] > 0 && r.Objects > 0 }},
	} {
		if r := besiege(t, smallSiege(c.ways, c.m)); !c.done(r) {
			t.Errorf("%d attackers, %s: %+v", c.m, c.ways, r)
		}
	}
}

// Who has sent digests of cells that were tampered with sends the cells, too.
func TestLongAttackersKeepToTheirDigests(t *testing.T) {
	simtest.Long(t)
	o := smallSiege("claim", 16)
	o.Protocol = storage.ProtocolHardened
	if r := besiege(t, o); r.Tampered[messages.ForLook] == 0 {
		t.Errorf("%+v", r)
	}
}

// The same seed gives the same run, and one that ends when objects have been
// tampered with has seen the same until then.
func TestLongSiegeIsDeterministic(t *testing.T) {
	simtest.Long(t)
	o := smallSiege("thesis", 12)
	a, b := besiege(t, o), besiege(t, o)
	if a != b {
		t.Errorf("two runs with one seed:\n%+v\n%+v", a, b)
	}
	o.ToEnd = false
	if c := besiege(t, o); c.First != a.First || c.Seen != a.Seen || c.Events >= a.Events {
		t.Errorf("a run that ends early:\n%+v, not\n%+v", c, a)
	}
}

// A search finds the most that all runs stand, whatever that is, and its rows
// ascend.
func TestSiegeSearch(t *testing.T) {
	for most := 1; most < 12; most++ {
		for limit := 0; limit <= most; limit++ {
			rows, err := searchSiege(most, func(m int) (siegeRow, error) {
				r := siegeRow{malicious: m, results: make([]siegeResult, 2)}
				if m > limit {
					r.results[1].First = 3
				}
				return r, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			stood := 0
			for i, row := range rows {
				if i > 0 && rows[i-1].malicious >= row.malicious {
					t.Fatalf("rows are not in order: %d after %d", row.malicious, rows[i-1].malicious)
				}
				if row.fallen() == 0 {
					stood = row.malicious
				}
			}
			if stood != limit {
				t.Fatalf("found %d of %d, want %d", stood, most, limit)
			}
		}
	}
}
