package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/client"
	"github.com/voxelpopuli/voxelpopuli/internal/host"
	"github.com/voxelpopuli/voxelpopuli/internal/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

var networkLoadExperiment = Experiment{
	Name:   "network-load",
	Shows:  "what a world of many nodes and players costs its nodes, and how many of both this machine carries: real sockets and disks, all in one process",
	Source: "dissertation 4.3.2, figure 4.6: 100 nodes, 1000 players, busiest node about 10 % of a core; TARGETS 11, 12",
	Settings: []Setting{
		{"nodes", "20", "", "in the first stage"},
		{"players", "200", "", "in the first stage, at nodes in turn"},
		{"seconds", "10", "s", "how long each stage is measured"},
		{"settle", "5", "s", "how long a stage is given to settle before"},
		{"ramp", "1", "", "stages; each adds as many nodes and players as the first"},
		{"profile", "none", "", "file for the CPU profile of the last stage's measured time; none: it is not kept"},
		{"spread", "0", "columns", "of the square that players are spread over, a side; 0: two for each ten nodes"},
	},
	Run: runNetworkLoad,
}

// paperNetwork is the share of a core that figure 4.6 shows for its busiest node.
const paperNetwork = 0.10

const (
	manyNodes  = 20
	nodeMemory = 45 << 20 // that a node takes in a process of many, or a little less
)

// network is many nodes in this process.
type network struct {
	dir   string
	mu    sync.Mutex
	hosts []*host.Host
}

// grow adds nodes, each joining by some of those there are.
func (n *network) grow(ctx context.Context, seed uint64, to int) error {
	for len(n.hosts) < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := nodeFolder(n.dir, len(n.hosts))
		if err != nil {
			return err
		}
		var join []string
		if len(n.hosts) == 0 {
			err = foundLab(data, seed)
		} else {
			for _, by := range []*host.Host{n.hosts[0], n.hosts[len(n.hosts)/2]} {
				if at := joinAddr(by); at != "" {
					join = append(join, at)
				}
			}
		}
		if err != nil {
			return err
		}
		pprof.SetGoroutineLabels(ofNode(ctx, len(n.hosts))) // of all that it starts, too
		h, err := host.Start(labConfig(data, join))
		pprof.SetGoroutineLabels(ctx)
		if err != nil {
			return fmt.Errorf("node %d: %w", len(n.hosts), err)
		}
		n.mu.Lock()
		n.hosts = append(n.hosts, h)
		n.mu.Unlock()
	}
	return nil
}

// of is the node of a player: they are at the nodes in turn.
func (n *network) of(number int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return number % len(n.hosts)
}

func (n *network) enter(ctx context.Context, who client.Identity, number int) (client.Conn, *wire.Welcome, error) {
	at := n.of(number)
	n.mu.Lock()
	h := n.hosts[at]
	n.mu.Unlock()
	return h.Client().Join(ctx, who)
}

// close ends all nodes, a few at a time.
func (n *network) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	turn := make(chan struct{}, 8)
	var wait sync.WaitGroup
	for _, h := range n.hosts {
		turn <- struct{}{}
		wait.Go(func() {
			_ = h.Close(ctx) // the world is forgotten: nothing needs to be handed over
			<-turn
		})
	}
	wait.Wait()
	return os.RemoveAll(n.dir)
}

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
	leaders        int     // nodes that lead a region or the hall
	packets        float64 // a second, that all nodes send each other
	nobodys        float64 // cores that belong to no node
	said, busiest  Table
}

// holds reports whether so many can be carried.
func (s *networkStage) holds() bool {
	return s.tickP99 <= tickLimit && s.lateP99 <= tickLimit && s.frames >= delivered && s.lost == 0
}

func runNetworkLoad(t *Trial) (err error) {
	nodes, players, ramp := t.Int("nodes", 1), t.Int("players", 1), t.Int("ramp", 1)
	seconds, settle, spread := t.Float("seconds", 0.5), t.Float("settle", 0), t.Int("spread", 0)
	if err := t.Settings(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return err
	}
	n := &network{dir: dir}
	defer func() { err = errors.Join(err, n.close()) }()
	if spread == 0 {
		spread = 4 + nodes*ramp/5
	}
	if nodes*ramp >= manyNodes {
		begin := time.Now()
		readyMemory(nodes * ramp * nodeMemory)
		t.Logf("memory for %d nodes, %d MB, was there after %.1f s", nodes*ramp, nodes*ramp*nodeMemory>>20, time.Since(begin).Seconds())
	}
	c := &crowd{since: time.Now(), heads: true, loyal: true}
	c.label = func(ctx context.Context, number int) context.Context { return ofNode(ctx, n.of(number)) }
	ctx, stop := context.WithCancel(t.Context)
	defer stop()
	c.begin(ctx, crowdOrder{Seed: t.Seed, Homes: squareHomes(t.Seed, spread)}, n.enter)
	defer func() { c.leave(len(c.all)) }()
	var stages []networkStage
	for i := range ramp {
		t.Logf("%d nodes", nodes*(i+1))
		begin := time.Now()
		if err := n.grow(t.Context, t.Seed, nodes*(i+1)); err != nil {
			return err
		}
		t.Logf("%d players", players*(i+1))
		c.join(t.Context, players*(i+1)-c.joined, 2*time.Millisecond)
		arrived := time.Since(begin).Seconds()
		s, err := n.measure(t, c, settle, seconds)
		if err != nil {
			return err
		}
		s.nodes, s.start = nodes*(i+1), arrived
		stages = append(stages, s)
		t.Logf("%d nodes, %d players: busiest %.1f %% of a core, tick p99 %.1f ms, %.2f %% of the frames, %.2f cores, other programs %.2f",
			s.nodes, s.players, 100*s.share, s.tickP99, 100*s.frames, s.cpu, s.others)
		if !s.holds() {
			break
		}
	}
	t.reportNetwork(stages)
	return nil
}

// squareHomes are the middles of the columns of a square around the spawn, in
// an order that spreads a few as widely as many.
func squareHomes(seed uint64, side int) []world.Pos {
	spawn := world.NewGenerator(seed).Spawn().Column()
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

// measure lets everybody play for a while. Those that have just come fly to
// their homes first.
func (n *network) measure(t *Trial, c *crowd, settle, seconds float64) (s networkStage, err error) {
	flight := 0.0
	for _, h := range c.order.Homes {
		away := h.Centre().Sub(c.order.Homes[0].Centre())
		flight = max(flight, max(away.X.Abs(), away.Z.Abs()).Metres()/20)
	}
	if err := pause(t.Context, settle+flight); err != nil {
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
	cpu, begin := cpuTime(), time.Now()
	machine, _ := machineCPU()
	err = pause(t.Context, seconds)
	r := c.report()
	took := time.Since(begin).Seconds()
	used := (cpuTime() - cpu).Seconds()
	whole, _ := machineCPU()
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
	s.frames = finite(float64(r.Frames) / (r.Seconds * 20 * float64(max(1, r.Players))))
	s.corrections = finite(float64(r.Corrections) / r.Seconds)
	s.memory = readMemory().Resident / float64(len(n.hosts))
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
	s.lateP99 = milliseconds(late.Quantile(0.99))
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
	s.tickP99 = milliseconds(ticks.Quantile(0.99))
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

func pause(ctx context.Context, seconds float64) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(seconds * float64(time.Second))):
		return nil
	}
}

func (t *Trial) reportNetwork(stages []networkStage) {
	table := Table{
		Name: "network-load", Title: "Nodes and players on one machine",
		Columns: []string{"nodes", "players", "in after s", "busiest %", "mean %", "busiest loop %", "cores", "no node's", "others' cores", "tick p99 ms", "late p99 ms", "frames %", "corrections a second", "sent away", "MB a node", "nodes that lead", "packets a second"},
	}
	busiest, average := Series{Name: "busiest node"}, Series{Name: "average node"}
	var most *networkStage
	for i := range stages {
		s := &stages[i]
		table.Row(s.nodes, s.players, s.start, 100*s.share, 100*s.mean, 100*s.loop, s.cpu, s.nobodys, s.others, s.tickP99, s.lateP99, 100*s.frames, s.corrections, s.back, s.memory, s.leaders, s.packets)
		busiest.Points = append(busiest.Points, [2]float64{float64(s.nodes), 100 * s.share})
		average.Points = append(average.Points, [2]float64{float64(s.nodes), 100 * s.mean})
		if s.holds() {
			most = s
		}
	}
	t.Table(table)
	t.Table(stages[len(stages)-1].busiest)
	t.Table(stages[len(stages)-1].said)
	t.Plot(Plot{Name: "network-load", Title: "CPU of a node as nodes and players are added, beside figure 4.6", X: "nodes", Y: "% of a core", Series: []Series{busiest, average,
		{Name: "dissertation, 100 nodes", Points: [][2]float64{{0, 100 * paperNetwork}, {100, 100 * paperNetwork}}, Dashed: true}}})
	first := stages[0]
	t.Against("busiest_core_share", first.share, "cores", paperNetwork)
	t.Metric("mean_core_share", first.mean, "cores")
	t.Metric("cores_per_node", first.mean, "cores")
	t.Metric("cores_per_player", first.cpu/float64(max(1, first.players)), "cores")
	t.Metric("mb_per_node", first.memory, "MB")
	t.Metric("tick_p99_ms", first.tickP99, "ms")
	t.Metric("start_s", first.start, "s")
	t.Metric("frames_share", first.frames, "")
	t.Metric("sent_away", float64(first.back), "players")
	t.Metric("packets_per_s", first.packets, "1/s")
	nodes, players := 0, 0
	if most != nil {
		nodes, players = most.nodes, most.players
	}
	t.Against("max_nodes", float64(nodes), "nodes", 100)
	t.Against("max_players", float64(players), "players", 1000)
}
