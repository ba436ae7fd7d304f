package nodelab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var BorderCrossing = lab.Experiment{
	Name:   "border-crossing",
	Shows:  "the longest gap in what players are sent while they fly over borders between regions of different machines",
	Source: "own aims: 150 ms, better one tick (50 ms)",
	Settings: []lab.Setting{
		{Name: "nodes", Default: "3", Text: "processes that host the world"},
		{Name: "players", Default: "6", Text: "that fly to and fro, at nodes in turn"},
		{Name: "seconds", Default: "40", Unit: "s", Text: "how long"},
	},
	Run: runBorderCrossing,
}

// stream is what came to a walker, and when.
type stream struct{ frames []heard }

// heard is one frame. Every player sends an input for each tick, so that its
// home's frames acknowledge one each: a frame that does is the home's.
type heard struct {
	at     time.Time
	region world.RegionPos
	home   bool
}

func (s *stream) frame(h *frame.Head) {
	s.frames = append(s.frames, heard{time.Now(), h.Region, h.Own.HasAck})
}

// crossing is a walk over a border.
type crossing struct {
	at       time.Time // the first word of the new home
	from, to world.RegionPos
	gap      float64 // ms: longest between two frames of the player's home, old or new
	any      float64 // ms: longest between any two frames
}

// around is how long before and after a crossing gaps count as its own.
const around = time.Second

// crossings finds the walks over borders and the gaps around them. Those too
// near to an end of the stream are left out.
func (s *stream) crossings() (out []crossing) {
	var home world.RegionPos
	met := false
	for _, f := range s.frames {
		if !f.home {
			continue
		}
		if met && f.region != home && f.at.Sub(s.frames[0].at) > around && s.frames[len(s.frames)-1].at.Sub(f.at) > around {
			c := crossing{at: f.at, from: home, to: f.region}
			c.gap, c.any = s.gaps(f.at.Add(-around), f.at.Add(around))
			out = append(out, c)
		}
		home, met = f.region, true
	}
	return out
}

// gaps returns the longest gaps between two times, in milliseconds.
func (s *stream) gaps(from, to time.Time) (home, any float64) {
	var lastHome, last time.Time
	for _, f := range s.frames {
		if f.at.Before(from) || f.at.After(to) {
			continue
		}
		if !last.IsZero() {
			any = max(any, Milliseconds(f.at.Sub(last)))
		}
		last = f.at
		if !f.home {
			continue
		}
		if !lastHome.IsZero() {
			home = max(home, Milliseconds(f.at.Sub(lastHome)))
		}
		lastHome = f.at
	}
	return home, any
}

// leads is who led regions at some time.
type leads struct {
	at time.Time
	by map[world.RegionPos]machine.Peer
}

// whoLeads asks all nodes who leads regions.
func (c *cluster) whoLeads(regions []world.RegionPos) (leads, error) {
	l := leads{at: time.Now(), by: map[world.RegionPos]machine.Peer{}}
	for _, r := range regions {
		p, _, err := c.leader(r)
		if err != nil {
			return l, err
		}
		if p != nil {
			l.by[r] = p.Self
		}
	}
	return l, nil
}

// between reports whether a crossing went from one host to another.
func (c *crossing) between(log []leads) bool {
	for i := range log {
		if log[i].at.After(c.at) {
			a, b := log[i].by[c.from], log[i].by[c.to]
			return a != b && a != (machine.Peer{}) && b != (machine.Peer{})
		}
	}
	return false
}

func runBorderCrossing(t *lab.Trial) error {
	nodes, players, seconds := t.Int("nodes", 2), t.Int("players", 1), t.Float("seconds", 5)
	return withCluster(t, nodes, func(c *cluster) error { return crossBorders(t, c, players, seconds) })
}

// crossBorders lets players walk to and fro between regions of different hosts.
func crossBorders(t *lab.Trial, c *cluster, players int, seconds float64) error {
	middle := c.spawn.Region()
	regions := []world.RegionPos{{X: middle.X - 1, Z: middle.Z}, middle, {X: middle.X + 1, Z: middle.Z}}
	all, err := c.tourists(t, players, regions[0], regions[2])
	if err != nil {
		return err
	}
	defer all.leave(players)
	var log []leads
	for end := time.Now().Add(lab.Duration(seconds)); time.Now().Before(end); {
		l, err := c.whoLeads(regions)
		if err != nil {
			return err
		}
		log = append(log, l)
		if err := lab.Sleep(c.ctx, 250*time.Millisecond); err != nil {
			return err
		}
	}
	var found, same []crossing
	var plain []float64
	for _, w := range all.all {
		w.mu.Lock()
		for _, x := range w.stream.crossings() {
			if x.between(log) {
				found = append(found, x)
			} else {
				same = append(same, x)
			}
		}
		if n := len(w.stream.frames); n > 0 {
			for at := w.stream.frames[0].at; at.Before(w.stream.frames[n-1].at); at = at.Add(2 * around) {
				home, _ := w.stream.gaps(at, at.Add(2*around))
				plain = append(plain, home)
			}
		}
		w.mu.Unlock()
	}
	t.Logf("%d crossings between hosts, %d within one", len(found), len(same))
	if len(found) == 0 {
		return errors.New("nobody crossed a border between two hosts: try more seconds, or more nodes")
	}
	reportCrossings(t, found, same, plain)
	return nil
}

// tourists brings players that fly between two regions to the nodes in turn.
func (c *cluster) tourists(t *lab.Trial, players int, west, east world.RegionPos) (*crowd, error) {
	ends := []world.Pos{west.Column(5).Origin().Add(world.ChunkSize/2, 80, world.ChunkSize/2), east.Column(6).Origin().Add(world.ChunkSize/2, 80, world.ChunkSize/2)}
	all := &crowd{since: time.Now()}
	all.begin(t.Context, crowdOrder{Seed: t.Seed, Homes: ends}, func(ctx context.Context, who client.Identity, number int) (client.Conn, *wire.Welcome, error) {
		return client.Dial(ctx, c.nodes[number%len(c.nodes)].URL, who, "")
	})
	all.tour = []world.Vec{ends[0].Centre(), ends[1].Centre()}
	// Not all at once, so that they do not cross together.
	all.join(t.Context, players, 500*time.Millisecond)
	if len(all.all) < players {
		all.leave(players)
		return nil, fmt.Errorf("%d of %d players could not join: %w", players-len(all.all), players, all.why)
	}
	return all, nil
}

func reportCrossings(t *lab.Trial, found, same []crossing, plain []float64) {
	table := lab.Table{Name: "border-crossing", Title: "The longest gap within a second before and after a crossing", Columns: []string{"", "crossings", "p50 ms", "p90 ms", "p99 ms", "max ms"}}
	row := func(name string, ms []float64) {
		table.Row(name, len(ms), lab.Percentile(ms, 0.5), lab.Percentile(ms, 0.9), lab.Percentile(ms, 0.99), lab.Percentile(ms, 1))
	}
	home := func(x *crossing) float64 { return x.gap }
	gaps := func(of []crossing, get func(*crossing) float64) (ms []float64) {
		for i := range of {
			ms = append(ms, get(&of[i]))
		}
		return ms
	}
	own, any := gaps(found, home), gaps(found, func(x *crossing) float64 { return x.any })
	row("between hosts: frames of the home", own)
	row("between hosts: frames of any region", any)
	row("within one host: frames of the home", gaps(same, home))
	row("two seconds anywhere: frames of the home", plain)
	t.Table(table)
	line := lab.Series{Name: "between hosts", Points: lab.Cumulative(own)}
	t.Plot(lab.Plot{Name: "border-crossing", Title: "Crossings whose longest gap is at most", X: "ms", Y: "% of the crossings", Series: []lab.Series{line}})
	t.Metric("gap_p99_ms", lab.Percentile(own, 0.99), "ms")
	t.Metric("gap_p50_ms", lab.Percentile(own, 0.5), "ms")
	t.Metric("any_gap_p99_ms", lab.Percentile(any, 0.99), "ms")
	t.Metric("plain_gap_p99_ms", lab.Percentile(plain, 0.99), "ms")
	t.Metric("crossings", float64(len(found)), "")
}
