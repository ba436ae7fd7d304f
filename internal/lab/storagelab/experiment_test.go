package storagelab

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// A small network shows the thesis' shape: each query of actions is over after
// half of the zones' answers (table 6.27), and a store travels over one link but
// in its own zone (table 6.28).
func TestLongStorageRun(t *testing.T) {
	simtest.Long(t)
	o := storageRun{Nodes: 24, R: 4, Seed: 3, Updates: 3}
	r, err := o.Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.Nodes < 18 || r.Sent == 0 || r.Bandwidth.Mean <= 0 {
		t.Fatalf("%+v", r)
	}
	actions, store := r.Queries[0], r.Queries[len(r.Queries)-1]
	if actions.Count == 0 || math.Abs(actions.Messages-2) > 0.1 {
		t.Errorf("queries of actions: %+v, want 2 answers", actions)
	}
	if math.Abs(store.Hops-0.75) > 0.02 {
		t.Errorf("stores: %+v, want 0.75 hops", store)
	}
	// Four zones of 44.89 km² share the world.
	if cell := 4 * 44.89e6 / float64(r.Nodes); math.Abs(r.Voronoi.Mean/cell-1) > 0.1 {
		t.Errorf("Voronoi cells have %.0f m² on average, want about %.0f", r.Voronoi.Mean, cell)
	}
}

// States are compared with the truth at every update, not only in the end: with the
// hardened protocol there is nothing to be found, and if the truth lacks an object at
// one update, that is found in every zone.
func TestLongStatesAreCompared(t *testing.T) {
	simtest.Long(t)
	for _, lacks := range []bool{false, true} {
		n := newStorageNet(storageRun{Nodes: 24, R: 4, Seed: 3, Updates: 4, NPCs: 2000, Check: true, Protocol: storage.ProtocolHardened})
		truth := n.follow()
		n.sim.At(n.update(2).Add(2), func() {
			if lacks {
				truth.at[2] = state.NewSnapshot(2, truth.objects[1:], n.rules.World())
			}
		})
		if _, err := n.do(context.Background(), func() {}); err != nil {
			t.Fatal(err)
		}
		end := n.look()
		least, most := 0, 0
		if lacks {
			least, most = 4, end.States.All/4
		}
		if s := end.States; s.All < 4*18 || s.Wrong < least || s.Wrong > most || end.Wrong > 0 {
			t.Errorf("lacks %v: %+v, and %d are wrong in the end", lacks, s, end.Wrong)
		}
	}
}

func TestCorrelation(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{2, 4, 6}, 1}, {[]float64{1, 2, 3}, []float64{3, 2, 1}, -1}, {[]float64{1, 2, 1, 2}, []float64{1, 1, 2, 2}, 0},
	} {
		if got := correlation(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("correlation of %v and %v is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// Every zone holds what one replay of what players have signed holds, something has
// happened, and the same seed gives the same.
func TestLongTruthVoxel(t *testing.T) {
	simtest.Long(t)
	var traces [2]string
	for i := range traces {
		trial := &lab.Trial{Context: context.Background(), Seed: 4, Set: map[string]string{
			"nodes": "16", "r": "4", "minutes": "1", "regions": "4", "towns": "2", "mobs": "4", "iad": "0", "protocol": "hardened",
		}}
		if err := runTruthVoxel(trial); err != nil {
			t.Fatal(err)
		}
		for _, m := range trial.Metrics {
			if least := map[string]float64{"players": 15, "acts_done": 50, "blocks_changed": 20, "checks": 4}[m.Name]; m.Value < least {
				t.Errorf("%s is %g, want at least %g", m.Name, m.Value, least)
			}
		}
		traces[i] = trial.Facts[0].Text
	}
	if traces[0] != traces[1] {
		t.Errorf("two runs with one seed: %s and %s", traces[0], traces[1])
	}
}

// TestStorageSettings: experiments with the storage declare all settings that their runs
// read, and say what is wrong with a value before anything is simulated.
func TestStorageSettings(t *testing.T) {
	for _, e := range []lab.Experiment{Data, Bandwidth} {
		for _, setting := range []string{"swing", "silent"} {
			o := lab.Options{Seed: 1, Runs: 1, Report: io.Discard, Set: map[string]string{setting: "101"}}
			if err := lab.Run(context.Background(), e, o, nil); err == nil || !strings.Contains(err.Error(), setting+" is 101 %") {
				t.Errorf("%s with %s=101: %v", e.Name, setting, err)
			}
		}
	}
}
