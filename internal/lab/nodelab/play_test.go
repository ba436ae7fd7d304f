package nodelab

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/labtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

func TestEditLatencyMeasures(t *testing.T) {
	r, _ := labtest.RunProcesses(t, EditLatency, map[string]string{"seconds": "2"})
	if r.Metric("p50_ms") <= 0 || r.Metric("p99_ms") < r.Metric("p50_ms") {
		t.Errorf("metrics %+v", r.Metrics)
	}
}

// Dissertation 4.5: play goes on after a node has failed; here nothing that was
// acknowledged goes with it.
func TestNodeFailureLosesNothing(t *testing.T) {
	r, _ := labtest.RunProcesses(t, NodeFailure, map[string]string{"kills": "1", "load": "1"})
	if r.Metric("recover_p99_s") <= 0 || r.Metric("lost_edits") != 0 || r.Metric("checked_edits") < 1 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}

func TestNetworkLoadMeasures(t *testing.T) {
	r, _ := labtest.RunProcesses(t, NetworkLoad, map[string]string{"nodes": "4", "players": "8", "seconds": "1", "settle": "1", "spread": "4"})
	if r.Metric("busiest_core_share") <= 0 || r.Metric("frames_share") <= 0 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}

// Gaps are those of a player's own stream, within a second of a crossing, and
// only crossings between hosts count.
func TestCrossingsAndTheirGaps(t *testing.T) {
	begin := time.Unix(1000, 0)
	west, east := world.RegionPos{X: 0}, world.RegionPos{X: 1}
	var s stream
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	for ms := 0; ms < 6000; ms += 50 {
		if ms > 3000 && ms < 3120 {
			continue // nothing comes for a while
		}
		f := heard{at: at(ms), region: west, home: true}
		if ms >= 3000 {
			f.region = east
		}
		s.frames = append(s.frames, f)
	}
	s.frames = append(s.frames, heard{at: at(6000), region: west}) // a neighbour's
	found := s.crossings()
	if len(found) != 1 || found[0].from != west || found[0].to != east || found[0].gap != 150 {
		t.Fatalf("found %+v", found)
	}
	one, two := machine.Peer{Addr: machine.Addr{1}}, machine.Peer{Addr: machine.Addr{2}}
	for name, c := range map[string]struct {
		by   map[world.RegionPos]machine.Peer
		want bool
	}{
		"two hosts": {map[world.RegionPos]machine.Peer{west: one, east: two}, true},
		"one host":  {map[world.RegionPos]machine.Peer{west: one, east: one}, false},
		"not known": {map[world.RegionPos]machine.Peer{west: one}, false},
	} {
		if got := found[0].between([]leads{{at(2000), nil}, {at(3100), c.by}}); got != c.want {
			t.Errorf("%s: between hosts: %v", name, got)
		}
	}
}

// Dissertation 4.6.1.
func TestEstimateReadsEarlierResults(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	network := file("n.json", `{"name":"network-load","settings":{"nodes":10,"players":100},"metrics":[{"name":"mean_core_share","value":0.05}]}`)
	load := file("l.json", `{"name":"region-load","metrics":[{"name":"max_players","value":1000},{"name":"kb_s_per_player","value":5}]}`)
	run := func(set map[string]string) (string, error) {
		var out bytes.Buffer
		err := lab.Run(context.Background(), Estimate, lab.Options{Report: &out, Set: set}, nil)
		return out.String(), err
	}
	// 0.005 cores and 5 kB/s for each of 63,000 players, over 0.25 cores and 250 kB/s.
	out, err := run(map[string]string{"network": network, "load": load})
	if err != nil || !strings.Contains(out, "cpu_nodes") || !strings.Contains(out, "1260") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := run(map[string]string{"network": load}); err == nil {
		t.Error("took another experiment's results")
	}
}

// TestLongTakeover: nodes with searched keys come to worlds of each kind, and a host of the
// region fails while they are there. They are never most of the hosts, and nothing is
// missing after they have left.
func TestLongTakeover(t *testing.T) {
	simtest.Long(t)
	for _, hosting := range hostings {
		t.Run(hosting, func(t *testing.T) {
			r, _ := labtest.RunProcesses(t, Takeover, map[string]string{"worlds": hosting, "restarts": "1", "load": "2", "down": "11"})
			if r.Metric("attacker_majority") != 0 || r.Metric("lost_edits") != 0 || r.Metric("checked_edits") < 1 {
				t.Errorf("metrics %+v", r.Metrics)
			}
		})
	}
}

// TestLongOldDisk: a host comes back with its disk of some seconds ago, and the only other one
// slept meanwhile. What is lost is said.
func TestLongOldDisk(t *testing.T) {
	simtest.Long(t)
	r, _ := labtest.RunProcesses(t, OldDisk, map[string]string{"load": "2", "back": "6"})
	if r.Metric("checked_edits") < 1 || r.Metric("lost_unsaid") != 0 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}
