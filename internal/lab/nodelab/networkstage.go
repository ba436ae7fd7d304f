package nodelab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// networkStage is what a stage of network-load measured.
type networkStage struct {
	nodes, players int
	start          float64 // seconds until all of the stage were in
	share          float64 // of a core: the busiest node
	mean           float64 // the average node
	loop           float64 // of a core: the busiest loop alone, by the clock
	cpu            float64 // cores, the whole process: nodes and players
	tickP99        float64 // ms
	lateP99        float64
	frames         float64 // share of those that were due
	corrections    float64 // of a player's place by its region, a second
	lost, back     int     // players; of whom some were sent away for a while and came back
	memory         float64 // MB for each node
	others         float64 // cores that other programs took
	leaders        int     // nodes that lead a region or the lobby
	packets        float64 // a second, that all nodes send each other
	nobodys        float64 // cores that belong to no node
	said, busiest  lab.Table
}

// holds reports whether so many can be carried.
func (s *networkStage) holds() bool {
	return s.tickP99 <= tickLimit && s.lateP99 <= tickLimit && s.frames >= delivered && s.lost == 0
}

// squareHomes are the middles of the columns of a square around the spawn, in
// an order that spreads a few as widely as many.
func squareHomes(seed uint64, side int) []world.Pos {
	spawn := terrain.New(seed).Spawn().Column()
	out := make([]world.Pos, 0, side*side)
	for i := range side * side {
		k := i * 7919 % (side * side) // a prime: all columns, far apart
		if side%7919 == 0 {
			k = i
		}
		at := world.ColumnPos{X: spawn.X + int32(k%side-side/2), Z: spawn.Z + int32(k/side-side/2)}
		out = append(out, at.Origin().Add(world.ChunkSize/2, 80, world.ChunkSize/2))
	}
	return out
}

// measureLoad lets everybody play for a while. Those that have just come fly to
// their homes first.
func (n *network) measure(t *lab.Trial, c *crowd, settle, seconds float64) (s networkStage, err error) {
	flight := 0.0
	for _, h := range c.order.Homes {
		away := h.Centre().Sub(c.order.Homes[0].Centre())
		flight = max(flight, max(away.X.Abs(), away.Z.Abs()).Metres()/20)
	}
	if err := lab.Sleep(t.Context, lab.Duration(settle+flight)); err != nil {
		return s, err
	}
	runtime.GC()
	if r := c.report(); r.Lost+r.Back > 0 { // and it counts anew from here
		t.Logf("%d times a player was told to come back later, and %d could not come in or were lost: %s", r.Back, r.Lost, r.Error)
	}
	before, err := n.read(t.Context)
	if err != nil {
		return s, err
	}
	quiet, err := n.listen(t.Context)
	if err != nil {
		return s, err
	}
	profile, err := startProfile(t.Text("profile"))
	if err != nil {
		return s, err
	}
	cpu, begin := lab.CPUTime(), time.Now()
	machine, _ := lab.MachineCPU()
	err = lab.Sleep(t.Context, lab.Duration(seconds))
	r := c.report()
	took := time.Since(begin).Seconds()
	used := (lab.CPUTime() - cpu).Seconds()
	whole, _ := lab.MachineCPU()
	byNode, nobodys, wrong := profile.end()
	if err := errors.Join(err, wrong); err != nil {
		return s, err
	}
	after, err := n.read(t.Context)
	if err != nil {
		return s, err
	}
	heard, err := n.listen(t.Context)
	if err != nil {
		return s, err
	}
	s.said = heard.table(&quiet, took)
	for c := range heard.packets {
		s.packets += float64(heard.packets[c]-quiet.packets[c]) / took
	}
	s.players, s.lost, s.back, s.cpu = r.Players, r.Lost, r.Back, used/took
	s.nobodys = nobodys.Seconds() / took
	s.others = max(0, (whole-machine).Seconds()/took-s.cpu)
	s.frames = lab.Finite(float64(r.Frames) / (r.Seconds * 20 * float64(max(1, r.Players))))
	s.corrections = lab.Finite(float64(r.Corrections) / r.Seconds)
	s.memory = lab.ReadMemory().Resident / float64(len(n.hosts))
	if r.Players == 0 {
		return s, fmt.Errorf("all players were lost: %s", r.Error)
	}
	var ticks, late transport.Histogram
	loops := make([]float64, len(after))
	for i := range after {
		loops[i] = loopTime(&before[i], &after[i]) / took
		l := after[i].Late.Since(&before[i].Late)
		late.Merge(&l)
	}
	s.mean = s.cpu / float64(len(n.hosts))
	s.lateP99 = Milliseconds(late.Quantile(0.99))
	all := costs(s.cpu, byNode, loops)
	for i, h := range n.hosts {
		st, err := h.Stats(t.Context)
		if err != nil {
			return s, err
		}
		for k := range st.Regions {
			ticks.Merge(&st.Regions[k].Tick)
		}
		c := &all[i]
		c.does(&st)
		c.packets = float64(heard.sent[i]-quiet.sent[i]) / took
		if c.led > 0 {
			s.leaders++
		}
		s.share, s.loop = max(s.share, c.cpu), max(s.loop, c.loop)
	}
	s.busiest = busiestTable(all)
	s.tickP99 = Milliseconds(ticks.Quantile(0.99))
	return s, nil
}

func (n *network) read(ctx context.Context) ([]transport.Stats, error) {
	out := make([]transport.Stats, len(n.hosts))
	for i, h := range n.hosts {
		var err error
		if out[i], err = h.LoopStats(ctx); err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
	}
	return out, nil
}
