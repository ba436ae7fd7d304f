package group

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// failover kills the leader at a random moment under load and returns how long
// it took until a write was acknowledged again.
func failover(t testing.TB, seed uint64, scfg sim.Config) time.Duration {
	net := newNet(t, seed, scfg, Config{}, 3)
	net.create(0, 1, 2)
	busy := func(d time.Duration) {
		for end := net.sim.Now().Add(d); net.sim.Now() < end; net.sim.Run(50 * time.Millisecond) {
			if l := net.leader(); l >= 0 {
				net.put(l, "a")
			}
		}
	}
	busy(time.Second + time.Duration(net.sim.Rand().Intn(int(time.Second))))
	l := net.leader()
	if l < 0 {
		net.until("somebody leads", func() bool { l = net.leader(); return l >= 0 })
	}
	net.nodes[l].Crash()
	began := net.sim.Now()
	done := false
	net.acked = func(int, uint64) { done = true }
	for !done && net.sim.Now() < began.Add(time.Minute) {
		if n := net.leader(); n >= 0 {
			net.put(n, "b")
		}
		net.sim.RunUntil(func() bool { return done }, 5*time.Millisecond)
	}
	return net.sim.Now().Sub(began)
}

// scale is how many times as long as in a quick check the figures are taken:
// GROUP_SCALE=60 gives those of docs/protocols/group.md.
func scale() int {
	n, _ := strconv.Atoi(os.Getenv("GROUP_SCALE"))
	return max(n, 1)
}

func quantiles(ds []time.Duration) (p50, p99, most time.Duration) {
	slices.Sort(ds)
	return ds[len(ds)/2], ds[len(ds)*99/100], ds[len(ds)-1]
}

// TestFailover shows how long edits are not accepted after the leader was
// killed. The aim is a p99 below 1 s on a quick network.
func TestFailover(t *testing.T) {
	runs := uint64(30 * scale())
	for name, scfg := range map[string]sim.Config{
		"simple": {}, "lan": lan(), "thesis": {Internet: sim.ThesisInternet()},
	} {
		var ds []time.Duration
		for seed := range runs {
			ds = append(ds, failover(t, seed, scfg))
		}
		p50, p99, most := quantiles(ds)
		t.Logf("%-6s p50 %v, p99 %v, most %v", name, p50, p99, most)
		if name != "thesis" && p99 > time.Second {
			t.Errorf("%s: p99 is %v", name, p99)
		}
	}
}

// TestSteady: without faults a leader stays, even with the latencies of the
// thesis (20 ms to 5 s, Pareto).
func TestSteady(t *testing.T) {
	for name, scfg := range map[string]sim.Config{
		"lan": lan(), "thesis": {Internet: sim.ThesisInternet()},
	} {
		lost, terms, led, all := 0, uint64(0), time.Duration(0), time.Duration(0)
		for seed := range uint64(scale()) {
			net := newNet(t, seed, scfg, Config{}, 3)
			net.create(0, 1, 2)
			from := net.node(net.leader()).raftStatus().term
			for end := net.sim.Now().Add(time.Minute); net.sim.Now() < end; net.sim.Run(50 * time.Millisecond) {
				all += 50 * time.Millisecond
				if l := net.leader(); l >= 0 {
					led += 50 * time.Millisecond
					net.put(l, "a")
				}
			}
			for i := range 3 {
				lost += len(net.node(i).follows)
			}
			net.until("somebody leads", func() bool { return net.leader() >= 0 })
			terms += net.node(net.leader()).raftStatus().term - from
		}
		t.Logf("%-6s in %v: led %.3f %%, leadership lost %d times, %d elections", name, all, 100*float64(led)/float64(all), lost, terms)
		if name == "lan" && lost > 0 {
			t.Errorf("%s: leadership was lost %d times", name, lost)
		}
	}
}
