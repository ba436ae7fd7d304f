package storagelab

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// The search finds the mixture that does most harm, also if each way alone does little,
// and tries no mixture twice.
func TestWorstMixture(t *testing.T) {
	rounds := 0
	try := func(round []string) (rows []siegeRow, err error) {
		rounds++
		for _, ways := range round {
			var r siegeResult
			for w := range strings.SplitSeq(ways, "+") {
				switch w {
				case "twice":
					r.Ineffective++
				case "silence":
					r.Ineffective += 2
				}
			}
			if r.Signed = 2000; r.Ineffective == 3 {
				r.Stuck = 1
			}
			rows = append(rows, siegeRow{results: []siegeResult{r}})
		}
		return rows, nil
	}
	among := []string{"swap", "twice", "silence"}
	worst, tried, err := worstSearch{among: among, seeds: 1, most: 5}.find(try)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(worst.ways, "twice") || !strings.Contains(worst.ways, "silence") || worst.row.fallen() != 1 {
		t.Errorf("the worst of %d mixtures is %s", len(tried), worst.ways)
	}
	seen := map[string]bool{}
	for _, m := range tried {
		if seen[m.ways] {
			t.Errorf("%s was tried twice", m.ways)
		}
		seen[m.ways] = true
	}
	if rounds != 3 || seen["twice+silence"] == seen["silence+twice"] {
		t.Errorf("%d rounds: %v", rounds, seen)
	}
	rounds = 0
	if worst, _, err = (worstSearch{among: among, seeds: 1}).find(try); err != nil || rounds != 1 || worst.ways != "silence" {
		t.Errorf("nothing may be added: %s after %d rounds, %v", worst.ways, rounds, err)
	}
}

// Who is done early does more harm than who has tampered with more in the end.
func TestEarlyIsWorse(t *testing.T) {
	row := func(updates int64, objects int) mixture {
		return mixture{row: siegeRow{results: []siegeResult{{First: updates, Updates: updates, Objects: objects}}}}
	}
	if early, late := row(2, 82), row(4, 103); !early.worseThan(late) || late.worseThan(early) {
		t.Error("82 objects after two updates are not worse than 103 after four")
	}
	none := mixture{row: siegeRow{results: []siegeResult{{Updates: 6}}}}
	if late := row(6, 1); !late.worseThan(none) || none.worseThan(late) {
		t.Error("an object is not worse than none")
	}
}

// A run fails for each of the four reasons, and not for less.
func TestWhenARunFails(t *testing.T) {
	for _, c := range []struct {
		name string
		r    siegeResult
		want bool
	}{
		{"nothing", siegeResult{}, false},
		{"an object was tampered with", siegeResult{First: 3}, true},
		{"one replica was", siegeResult{Seen: 3, Nodes: 1}, false},
		{"an object is stuck", siegeResult{siegeVerdict: siegeVerdict{Stuck: 1}}, true},
		{"half are in doubt", siegeResult{siegeVerdict: siegeVerdict{Doubtful: 1}}, true},
		{"one action in a thousand", siegeResult{siegeVerdict: siegeVerdict{Signed: 1000, Ineffective: 1}}, false},
		{"two actions in a thousand", siegeResult{siegeVerdict: siegeVerdict{Signed: 1000, Ineffective: 2}}, true},
	} {
		if got := c.r.fails(); got != c.want {
			t.Errorf("%s: fails %t", c.name, got)
		}
	}
}

// Attackers who know the protocol, alone and together, with a tenth of the nodes: nobody
// honest is harmed. Who signs two batches has proven it, and nobody else has.
func TestLongMoreWaysToAttack(t *testing.T) {
	simtest.Long(t)
	for _, ways := range []string{"silence", "twice", "late", "push+leave", "peers", "wake", "thesis+twice"} {
		o := smallSiege(ways, 4)
		o.Protocol, o.Updates = storage.ProtocolHardened, 5
		s, err := newSiege(o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.fails() || r.Signed == 0 {
			t.Errorf("%s: %+v", ways, r)
		}
		guilty := map[id.ID]bool{}
		for _, node := range s.live() {
			for _, f := range node.machine().Faults() {
				guilty[f.By()] = true
				if !s.gang.Has(f.By()) {
					t.Errorf("%s: node %s is held guilty, and is honest", ways, f.By().Short())
				}
			}
		}
		if twice := strings.Contains(ways, "twice"); twice != (len(guilty) > 0) {
			t.Errorf("%s: %d are guilty", ways, len(guilty))
		}
	}
}

// An action that its player has signed, and that no honest node hears of, is without
// effect, and the oracle that follows what was signed says so.
func TestLongActionsWithoutEffect(t *testing.T) {
	simtest.Long(t)
	o := smallSiege("stores", 24)
	o.Protocol = storage.ProtocolHardened
	if r := besiege(t, o); r.Ineffective == 0 || !r.fails() {
		t.Errorf("with most nodes dropping batches: %+v", r)
	}
}
