package nodelab

import (
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Soak = lab.Experiment{
	Name:   "soak",
	Shows:  "that a node stays as it is while players come and go for a long time: memory and goroutines flat, ticks on time",
	Source: "issue 2: an hour; dissertation 4.3.1: memory approximately constant",
	Settings: []lab.Setting{
		{Name: "minutes", Default: "60", Unit: "min", Text: "how long"},
		{Name: "players", Default: "60", Text: "at a time"},
		{Name: "churn", Default: "5", Text: "players that leave and others that come in their place, every turn"},
		{Name: "turn", Default: "5", Unit: "s", Text: "length of a turn"},
		{Name: "chunks", Default: "30", Text: "columns over which the players are spread"},
	},
	Run: runSoak,
}

// What may not be exceeded.
const (
	SoakGrowth   = 1.25 // live heap at the end over that after warming up …
	soakSlack    = 6.0  // … plus MB
	SoakRoutines = 40   // goroutines more than after warming up
	soakTick     = 50.0 // ms: p99 of the ticks, in the median turn
	warmUp       = 5    // turns, at the most a quarter of all
)

func runSoak(t *lab.Trial) (err error) {
	minutes, turn := t.Float("minutes", 0.05), t.Float("turn", 0.5)
	players, churn, chunks := t.Int("players", 1), t.Int("churn", 0), t.Int("chunks", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	s, err := startServer(t.Seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c, err := startCrowd(t.Context, crowdOrder{Addr: s.LocalURL(), Seed: s.Seed(), Homes: s.homes(chunks, min(chunks, 10))})
	if err != nil {
		return err
	}
	defer c.close()
	if _, err := c.do(crowdOrder{Join: players}); err != nil {
		return err
	}
	turns := max(4, int(minutes*60/turn))
	log := make([]soakTurn, 0, turns)
	began, why := time.Now(), ""
	for i := range turns {
		w, err := s.Watch(t.Context, lab.Duration(turn))
		if err != nil {
			return err
		}
		r, err := c.do(crowdOrder{Leave: min(churn, players), Join: min(churn, players)})
		if err != nil {
			return err
		}
		if r.Lost > 0 {
			t.Logf("%d players were thrown out: %s", r.Lost, r.Error)
			why = r.Error
		}
		log = append(log, soakTurn{Window: w, live: lab.LiveHeap(), lost: r.Lost, minute: time.Since(began).Minutes()})
		if i%12 == 11 || i == turns-1 {
			l := &log[i]
			t.Logf("%.1f min: heap %.1f MB, %d goroutines, %d regions, tick p99 %.1f ms, CPU %.0f %%", l.minute, l.live, l.Routines, l.Regions, l.TickP99, 100*l.CPU)
		}
	}
	return reportSoak(t, log, churn, why)
}

// soakTurn is one turn of a soak.
type soakTurn struct {
	Window
	live   float64 // MB
	lost   int     // players whose connection the node ended
	minute float64
}

// reportSoak reports the turns and what they broke; why is the last reason for
// which a player was thrown out.
func reportSoak(t *lab.Trial, log []soakTurn, churn int, why string) error {
	warm := min(warmUp, len(log)/4)
	steady := log[warm:]
	column := func(turns []soakTurn, get func(*soakTurn) float64) []float64 {
		out := make([]float64, len(turns))
		for i := range turns {
			out[i] = get(&turns[i])
		}
		return out
	}
	live := func(l *soakTurn) float64 { return l.live }
	routines := func(l *soakTurn) float64 { return float64(l.Routines) }
	// Thirds, so that a single peak at either end does not decide.
	third := max(1, len(steady)/3)
	first, last := steady[:third], steady[len(steady)-third:]
	heap0, heap1 := lab.Percentile(column(first, live), 0.5), lab.Percentile(column(last, live), 0.5)
	go0, go1 := lab.Percentile(column(first, routines), 0.5), lab.Percentile(column(last, routines), 0.5)
	tick := lab.Percentile(column(steady, func(l *soakTurn) float64 { return l.TickP99 }), 0.5)
	missed := lab.Mean(column(steady, func(l *soakTurn) float64 { return l.Missed }))
	lost := 0
	for i := range log {
		lost += log[i].lost
	}
	t.Metric("minutes", log[len(log)-1].minute, "min")
	t.Metric("came_and_went", float64(churn*len(log)), "players")
	t.Metric("heap_begin_mb", heap0, "MB")
	t.Metric("heap_end_mb", heap1, "MB")
	t.Metric("goroutines_begin", go0, "")
	t.Metric("goroutines_end", go1, "")
	t.Metric("tick_p99_ms", tick, "ms")
	t.Metric("ticks_missed_share", missed, "")
	t.Metric("lost_players", float64(lost), "players")
	t.Metric("cpu", 100*lab.Mean(column(steady, func(l *soakTurn) float64 { return l.CPU })), "%")
	plotSoak(t, log)

	var broken []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			broken = append(broken, fmt.Errorf(format, args...))
		}
	}
	check(heap1 <= heap0*SoakGrowth+soakSlack, "the live heap grew from %.1f to %.1f MB", heap0, heap1)
	check(go1 <= go0+SoakRoutines, "goroutines grew from %.0f to %.0f", go0, go1)
	check(tick <= soakTick, "p99 of the ticks is %.1f ms", tick)
	check(lost == 0, "%d players were thrown out: %s", lost, why)
	return errors.Join(broken...)
}

func plotSoak(t *lab.Trial, log []soakTurn) {
	line := func(name string, get func(*soakTurn) float64) lab.Series {
		s := lab.Series{Name: name}
		for i := range log {
			s.Points = append(s.Points, [2]float64{log[i].minute, get(&log[i])})
		}
		return s
	}
	t.Plot(lab.Plot{Name: "soak-memory", Title: "Memory of the node", X: "minutes", Y: "MB", Series: []lab.Series{
		line("live heap", func(l *soakTurn) float64 { return l.live }), line("resident", func(l *soakTurn) float64 { return l.Resident }),
	}})
	t.Plot(lab.Plot{Name: "soak-goroutines", Title: "Goroutines of the node", X: "minutes", Y: "goroutines", Series: []lab.Series{
		line("goroutines", func(l *soakTurn) float64 { return float64(l.Routines) }),
	}})
	t.Plot(lab.Plot{Name: "soak-ticks", Title: "Ticks of the busiest region", X: "minutes", Y: "ms", Series: []lab.Series{
		line("p50", func(l *soakTurn) float64 { return l.TickP50 }), line("p99", func(l *soakTurn) float64 { return l.TickP99 }),
	}})
}
