package overlaylab

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

var Scale = lab.Experiment{
	Name:   "overlay-scale",
	Shows:  "an overlay of thousands of nodes: they join at a steady rate, come and go for a while, and have to be the Delaunay graph after a quiet minute",
	Source: "beyond the thesis, which stops at 1,200 nodes",
	Settings: []lab.Setting{
		{Name: "nodes", Default: "1000", Text: "how many there are once all have joined"},
		{Name: "rate", Default: "10", Unit: "1/s", Text: "joins"},
		{Name: "r", Default: "4", Text: "zones: 4, 9 or 16"},
		{Name: "minutes", Default: "10", Unit: "min", Text: "of churn: sessions last two hours on average"},
	},
	Differs: differsScale,
	Run:     runOverlayScale,
}

func runOverlayScale(t *lab.Trial) error {
	nodes, rate, r, minutes := t.Int("nodes", 2), t.Int("rate", 1), t.Int("r", 4), t.Int("minutes", 1)
	if r != 4 && r != 9 && r != 16 {
		t.Reject("r", "4, 9 or 16")
	}
	if err := t.Settings(); err != nil {
		return err
	}
	begin, cpu, peak := time.Now(), lab.CPUTime(), 0.0
	churn := time.Duration(minutes+1) * time.Minute
	iad := 2 * time.Hour / time.Duration(nodes)
	n := newOverlayNet(t.Seed, overlay.SpaceFor(r), nodes+int(2*churn/iad)+100)
	joined := time.Duration(nodes/rate+30) * time.Second
	for k := range nodes {
		at := time.Duration(k) * time.Second / time.Duration(rate)
		n.sim.At(machine.Time(at), func() { n.add() })
	}
	n.sim.At(machine.Time(joined), func() {
		until := n.sim.Now().Add(churn - time.Minute)
		for _, o := range n.live() {
			n.sim.Session(o.Node, sim.Churn{Session: 2 * time.Hour, Until: until})
		}
		n.churn(iad, 2*time.Hour, churn)
	})
	end := machine.Time(joined + churn)
	for k, step := 0, (joined+churn)/50; n.sim.Now() < end; k++ {
		if err := t.Context.Err(); err != nil {
			return err
		}
		n.sim.Run(step)
		peak = max(peak, lab.ReadMemory().Resident)
		t.Logf("%v of %v, %d nodes", n.sim.Now().Sub(0).Round(time.Second), joined+churn, len(n.live()))
	}
	wall, cpu := time.Since(begin), lab.CPUTime()-cpu
	s := n.look()
	reportStructure(t, n, s, overlayPaper{}, false)
	reportCost(t, n, wall, cpu, peak)
	if s.wrong > 0 {
		return fmt.Errorf("%d of %d neighbourhoods are not the Delaunay graph", s.wrong, s.nodes)
	}
	return nil
}
