package nodelab

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// runRamp adds players to one region, all in sight of each other, until its
// ticks take too long or moves are lost (figures 4.4 and 4.5).
func runRamp(t *lab.Trial, sizes []int, stage, settle float64, followers int) (err error) {
	s, err := startFollowed(t.Context, t.Seed, followers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c, err := startCrowd(t.Context, crowdOrder{Addr: s.LocalURL(), Seed: s.Seed(), Homes: s.homes(4, 2)})
	if err != nil {
		return err
	}
	defer c.close()

	var stages []load
	for _, players := range sizes {
		have := 0
		if len(stages) > 0 {
			have = stages[len(stages)-1].players
		}
		if _, err := c.do(crowdOrder{Join: players - have, Pause: 2 * time.Millisecond}); err != nil {
			return err
		}
		l, err := measureAgain(t, s, c, settle, stage, players)
		if err != nil {
			return fmt.Errorf("%d players: %w", players, err)
		}
		stages = append(stages, l)
		t.Logf("%d players: %.0f %% CPU (theirs %.0f %%, followers %.0f %%, %.0f entries/s, other programs %.0f %%), tick p99 %.1f ms, late p99 %.1f ms, %.2f %% of the moves, %.1f kB/s a player",
			l.Players, 100*l.Window.CPU, 100*l.crowdCPU(), 100*l.followers, l.replayed, 100*l.others(), l.TickP99, l.LateP99, 100*l.share(), l.kbPerPlayer())
		if l.Lost > 0 {
			t.Logf("%d players were lost: %s", l.Lost, l.Error)
		}
		if !l.holds(players) {
			break
		}
	}
	reportRamp(t, stages)
	return nil
}

// rampStages returns how many players the stages of a ramp have: finely up to
// two steps, where the source's figures end, then a quarter more each time.
func rampStages(step, most int) (out []int) {
	for _, n := range []int{max(1, step/5), max(1, step/2), step, step + step/2} {
		if n <= most && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for n := 2 * step; n <= most; n += max(step, n/4/step*step) {
		out = append(out, n)
	}
	return out
}

// How often a stage that does not hold is measured again: a few times because
// luck has its part in a p99, more often while other programs are in the way.
const (
	tries      = 3
	triesBusy  = 12
	othersBusy = 0.3 // cores
)

// measureAgain measures a stage until it holds or was tried often enough.
func measureAgain(t *lab.Trial, s *followed, c *crowdProcess, settle, stage float64, players int) (l load, err error) {
	for i := range triesBusy {
		l, err = measureLoad(t, s, c, settle, stage)
		if err != nil || l.holds(players) || l.Lost > 0 || i+1 >= tries && l.others() < othersBusy {
			break
		}
	}
	return l, err
}

// holds reports whether a region can hold so many players: ticks in time, moves
// delivered, nobody lost.
func (l *load) holds(players int) bool {
	return l.TickP99 <= tickLimit && l.LateP99 <= tickLimit && l.Missed <= 1-delivered && l.share() >= delivered && l.Players >= players && l.Lost == 0
}

func reportRamp(t *lab.Trial, stages []load) {
	table := lab.Table{
		Name: "ramp", Title: "More and more players in one region, all in sight of each other",
		Columns: []string{"players", "CPU %", "crowd's %", "followers' %", "replayed a second", "others' %", "heap MB", "resident MB", "tick p50 ms", "tick p99 ms", "late p99 ms", "missed %", "delivered %", "M moves/core·s", "kB/s a player"},
	}
	var most, hundred *load
	for i := range stages {
		l := &stages[i]
		table.Row(l.Players, 100*l.Window.CPU, 100*l.crowdCPU(), 100*l.followers, l.replayed, 100*l.others(), l.Heap, l.Resident,
			l.TickP50, l.TickP99, l.LateP99, 100*l.Missed, 100*l.share(), l.deliveries()/l.Window.CPU/1e6, l.kbPerPlayer())
		if l.holds(l.Players) {
			most = l
		}
		if hundred == nil && l.Players >= 100 {
			hundred = l
		}
	}
	t.Table(table)
	if most != nil {
		t.Against("max_players", float64(most.Players), "players", paperRamp)
		t.Metric("deliveries_per_core_s", most.deliveries()/most.Window.CPU, "1/s")
		t.Metric("max_tick_p99_ms", most.TickP99, "ms")
		t.Metric("max_cpu", 100*most.Window.CPU, "%")
	} else {
		t.Against("max_players", 0, "players", paperRamp)
	}
	if hundred != nil {
		t.Metric("kb_s_per_player", hundred.kbPerPlayer(), "kB/s")
		t.Metric("hundred_cpu", 100*hundred.Window.CPU, "%")
		t.Metric("hundred_delivered_share", hundred.share(), "")
	}
	plotRamp(t, stages)
}

func plotRamp(t *lab.Trial, stages []load) {
	line := func(name string, y func(l *load) float64) lab.Series {
		s := lab.Series{Name: name}
		for i := range stages {
			s.Points = append(s.Points, [2]float64{float64(stages[i].Players), y(&stages[i])})
		}
		return s
	}
	node := line("node", func(l *load) float64 { return 100 * l.Window.CPU })
	crowd := line("players' process", func(l *load) float64 { return 100 * l.crowdCPU() })
	heap := line("heap", func(l *load) float64 { return l.Heap })
	resident := line("resident", func(l *load) float64 { return l.Resident })
	const players, cpu, mb = "players in one region", "CPU, % of a core", "MB"
	// The source's line: about linear to 100 % of a core at seventy players.
	paper := lab.Series{Name: "dissertation, about", Points: [][2]float64{{0, 0}, {70, 100}, {100, 100}}, Dashed: true}
	t.Plot(lab.Plot{Name: "figure-4-5-cpu", Title: "CPU as players are added, beside figures 4.4 and 4.5", X: players, Y: cpu, Series: []lab.Series{node.UpTo(100), paper}})
	t.Plot(lab.Plot{Name: "figure-4-5-memory", Title: "Memory as players are added (figures 4.4, 4.5)", X: players, Y: mb, Series: []lab.Series{heap.UpTo(100), resident.UpTo(100)}})
	t.Plot(lab.Plot{Name: "ramp-cpu", Title: "CPU as players are added, to the end", X: players, Y: cpu, Series: []lab.Series{node, crowd}})
	t.Plot(lab.Plot{Name: "ramp-memory", Title: "Memory as players are added, to the end", X: players, Y: mb, Series: []lab.Series{heap, resident}})
	limit := line("limit", func(*load) float64 { return tickLimit })
	limit.Dashed = true
	t.Plot(lab.Plot{
		Name: "ramp-ticks", Title: "How long a tick takes", X: players, Y: "ms",
		Series: []lab.Series{line("p50", func(l *load) float64 { return l.TickP50 }), line("p99", func(l *load) float64 { return l.TickP99 }), limit},
	})
	t.Plot(lab.Plot{
		Name: "ramp-bytes", Title: "What a player is sent", X: players, Y: "kB/s",
		Series: []lab.Series{line("a player", (*load).kbPerPlayer)},
	})
}
