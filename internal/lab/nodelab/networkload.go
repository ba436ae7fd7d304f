package nodelab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var NetworkLoad = lab.Experiment{
	Name:   "network-load",
	Shows:  "what a world of many nodes and players costs its nodes, and how many of both this machine carries: real sockets and disks, all in one process",
	Source: "dissertation 4.3.2, figure 4.6: 100 nodes, 1000 players, busiest node about 10 % of a core",
	Settings: []lab.Setting{
		{Name: "nodes", Default: "20", Text: "in the first stage"},
		{Name: "players", Default: "200", Text: "in the first stage, at nodes in turn"},
		{Name: "seconds", Default: "10", Unit: "s", Text: "how long each stage is measured"},
		{Name: "settle", Default: "5", Unit: "s", Text: "how long a stage is given to settle before"},
		{Name: "ramp", Default: "1", Text: "stages; each adds as many nodes and players as the first"},
		{Name: "profile", Default: "none", Text: "file for the CPU profile of the last stage's measured time; none: it is not kept"},
		{Name: "spread", Default: "0", Unit: "columns", Text: "of the square that players are spread over, a side; 0: two for each ten nodes"},
		{Name: "unchecked", Default: "no", Text: "yes: no log is kept, followed or compared, and no copy is kept elsewhere, so that what that takes can be seen"},
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
	dir       string
	unchecked bool
	mu        sync.Mutex
	hosts     []*host.Host
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
			err = FoundLab(data, seed)
		} else {
			for _, by := range []*host.Host{n.hosts[0], n.hosts[len(n.hosts)/2]} {
				if at := JoinAddr(by); at != "" {
					join = append(join, at)
				}
			}
		}
		if err != nil {
			return err
		}
		pprof.SetGoroutineLabels(ofNode(ctx, len(n.hosts))) // of all that it starts, too
		cfg := LabConfig(data, join)
		if n.unchecked {
			cfg.Faults.Unchecked, cfg.CopiesDisk, cfg.CopiesUpload = true, -1, -1
		}
		h, err := host.Start(cfg)
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

func runNetworkLoad(t *lab.Trial) (err error) {
	nodes, players, ramp := t.Int("nodes", 1), t.Int("players", 1), t.Int("ramp", 1)
	seconds, settle, spread := t.Float("seconds", 0.5), t.Float("settle", 0), t.Int("spread", 0)
	unchecked := t.Flag("unchecked")
	if err := t.Settings(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return err
	}
	n := &network{dir: dir, unchecked: unchecked}
	defer func() { err = errors.Join(err, n.close()) }()
	if spread == 0 {
		spread = 4 + nodes*ramp/5
	}
	if nodes*ramp >= manyNodes {
		begin := time.Now()
		lab.PrepareMemory(nodes * ramp * nodeMemory)
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
	reportNetwork(t, stages)
	return nil
}

func reportNetwork(t *lab.Trial, stages []networkStage) {
	table := lab.Table{
		Name: "network-load", Title: "Nodes and players on one machine",
		Columns: []string{"nodes", "players", "in after s", "busiest %", "mean %", "busiest loop %", "cores", "no node's", "others' cores", "tick p99 ms", "late p99 ms", "frames %", "corrections a second", "sent away", "MB a node", "nodes that lead", "packets a second"},
	}
	busiest, average := lab.Series{Name: "busiest node"}, lab.Series{Name: "average node"}
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
	t.Plot(lab.Plot{Name: "network-load", Title: "CPU of a node as nodes and players are added, beside figure 4.6", X: "nodes", Y: "% of a core", Series: []lab.Series{busiest, average,
		{Name: "dissertation, 100 nodes", Points: [][2]float64{{0, 100 * paperNetwork}, {100, 100 * paperNetwork}}, Dashed: true}}})
	first := stages[0]
	t.Against("busiest_core_share", first.share, "cores", paperNetwork)
	t.Metric("mean_core_share", first.mean, "cores")
	t.Metric("cores_per_node", first.mean, "cores")
	t.Metric("cores_per_1000", 1000*first.cpu/float64(max(1, first.players)), "cores")
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
