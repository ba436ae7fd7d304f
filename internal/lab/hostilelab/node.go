package hostilelab

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/hostile"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

var Node = lab.Experiment{
	Name:   "hostile-node",
	Shows:  "that a node which has joined a world and sends well-formed messages of every kind with random contents neither crashes another one, nor makes it grow, nor gets at its players",
	Source: "issue 23",
	Settings: []lab.Setting{
		{Name: "minutes", Default: "1", Unit: "min", Text: "how long"},
		{Name: "rate", Default: "1000", Unit: "1/s", Text: "messages that the hostile node sends"},
		{Name: "hosts", Default: "no", Text: "yes: it agrees to host parts that nobody plays in, and is a member of their groups"},
		{Name: "verified", Default: "no", Text: "yes: the world has an authority and a storage, and the hostile node a certificate"},
		{Name: "only", Default: "all", Text: "kinds of messages that it sends, routing.LeaderQuery,region.Act say, or after a - those that it does not: to find which does harm"},
	},
	Run: runHostileNode,
}

// hostileTurns is how many times the victim is looked at.
const hostileTurns = 12

// What may be more at the end than after a third of the time, besides a soak's share.
const (
	hostileHeap     = 40    // MB: caches that fill up
	hostileElements = 40000 // of the lists and maps of one field
)

// intrusion is a run of the experiment.
type intrusion struct {
	t        *lab.Trial
	host     *host.Host
	world    *hostileWorld
	editor   *nodelab.Honest
	bystand  *nodelab.Bystander
	home     world.RegionPos
	intruder *hostile.Intruder
	edits    chan nodelab.Edit
	turns    []intrusionTurn
}

// intrusionTurn is what the victim held at one moment.
type intrusionTurn struct {
	heap     float64
	routines int
	census   map[string]int
}

func runHostileNode(t *lab.Trial) (err error) {
	minutes, rate := t.Float("minutes", 0.05), t.Int("rate", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &intrusion{t: t, edits: make(chan nodelab.Edit, 1<<16)}
	if s.world, err = foundHostile(dir, t.Seed, t.Text("verified") == "yes"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.world.close()) }()
	cfg := s.world.config
	cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})) // a crash says where
	if s.host, err = host.Start(cfg); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		err = errors.Join(err, s.host.Close(ctx))
	}()
	t.Logf("seed %d", t.Seed)
	if err := s.begin(rate); err != nil {
		return err
	}
	defer s.editor.Close()
	defer s.bystand.Close()
	err = s.run(time.Duration(minutes * float64(time.Minute)))
	s.logGrowth()
	if err != nil {
		return err
	}
	return s.report()
}

// begin brings the players, and then the hostile node.
func (s *intrusion) begin(rate int) (err error) {
	t := s.t
	if s.editor, s.bystand, err = nodelab.HonestPair(t.Context, s.host.URL(), s.host.LocalURL()); err != nil {
		return err
	}
	m := s.host.World()
	record, err := genesis.DecodeText(m.Record)
	if err != nil {
		return err
	}
	// Regions that players see are not the hostile node's to host, nor is the lobby:
	// with those a host may do as it likes.
	s.home = m.Spawn.Region()
	theirs := []shards.Shard{{Lobby: true}, {Region: s.home}}
	stats, err := s.host.Stats(t.Context)
	if err != nil {
		return err
	}
	self := stats.Self
	key, err := hostile.KeyFarther(record, self.ID, theirs)
	if err != nil {
		return err
	}
	proof, err := s.world.admit(key)
	if err != nil {
		return err
	}
	known := []any{region.PeerOf(s.home), region.Lobby}
	for _, who := range []client.Identity{s.editor.Who, s.bystand.Who} {
		known = append(known, who.Player(), struct{ Player id.ID }{who.Player()})
	}
	for _, p := range theirs {
		known = append(known, p, struct{ Space string }{p.Space()}, struct{ Region world.RegionPos }{p.Region})
	}
	s.intruder, err = hostile.Join(record, key, proof, hostile.Config{
		Seed: t.Seed, Victim: hostile.PeerAt(self.ID, s.host.NodeAddr()), Known: known, Spares: s.spares, Rate: rate, Leave: s.leaves,
	})
	return err
}

// spares reports whether the hostile node does not agree to host a part.
func (s *intrusion) spares(p shards.Shard) bool {
	return s.t.Text("hosts") != "yes" || p.Lobby || max(nodelab.Abs(p.Region.X-s.home.X), nodelab.Abs(p.Region.Z-s.home.Z)) <= 2
}

// leaves reports whether the hostile node does not send a message.
func (s *intrusion) leaves(m machine.Message) bool {
	kinds, without := strings.CutPrefix(s.t.Text("only"), "-")
	if kinds == "all" {
		return false
	}
	return without == slices.Contains(strings.Split(kinds, ","), strings.TrimPrefix(fmt.Sprintf("%T", m), "*"))
}

// run lets the hostile node do its worst, while the players play.
func (s *intrusion) run(d time.Duration) error {
	ctx, stop := context.WithTimeout(s.t.Context, d)
	defer stop()
	defer s.intruder.Leave()
	go s.editor.Play(ctx, s.edits)
	go s.editor.HoldNoon(ctx)
	watched := make(chan error, 1)
	go func() { watched <- s.bystand.Watch(ctx) }()
	turn := time.NewTicker(d / hostileTurns)
	defer turn.Stop()
	for {
		select {
		case err := <-watched:
			return err
		case <-s.host.Failed():
			return fmt.Errorf("the node has crashed (seed %d)", s.t.Seed)
		case <-s.intruder.Done():
			return fmt.Errorf("the hostile node has crashed: %w", s.intruder.Err())
		case err := <-s.editor.Ended:
			return fmt.Errorf("the editor's connection has ended: %v", err)
		case <-turn.C:
			if err := s.look(); err != nil {
				return err
			}
		}
	}
}

// The census of the victim is made in slices: between them the node works, so that
// edits are as fast as without it.
const (
	censusSlice = 4 * time.Millisecond
	censusPause = 12 * time.Millisecond
)

// count counts what the victim holds.
func (s *intrusion) count() (map[string]int, error) {
	var c *hostile.Census
	for complete := false; !complete; time.Sleep(censusPause) {
		if err := s.host.Inspect(s.t.Context, func(n *node.Node) {
			if c == nil {
				c = hostile.NewCensus(n)
			}
			complete = c.Count(censusSlice)
		}); err != nil {
			return nil, err
		}
	}
	return c.Counts(), nil
}

// look notes what the victim holds.
func (s *intrusion) look() (err error) {
	var l intrusionTurn
	began := time.Now()
	if l.census, err = s.count(); err != nil {
		return err
	}
	took := time.Since(began)
	stats, err := s.host.Stats(s.t.Context)
	if err != nil {
		return err
	}
	l.heap, l.routines = lab.LiveHeap(), runtime.NumGoroutine()
	s.turns = append(s.turns, l)
	s.t.Logf("census in %v, %d edits, heap %.1f MB, %d goroutines, %d shards, %d dropped, links %d, messages back %d",
		took.Round(time.Millisecond), len(s.edits), l.heap, l.routines, len(stats.Shards), stats.Counts.Dropped, s.intruder.Links.Load(), s.intruder.Came.Load())
	return nil
}

// logGrowth says what has become more.
func (s *intrusion) logGrowth() {
	if len(s.turns) == 0 {
		return
	}
	first, last := s.turns[len(s.turns)/3].census, s.turns[len(s.turns)-1].census
	for _, name := range slices.Sorted(maps.Keys(last)) {
		if was, is := first[name], last[name]; is > was+was/4+20 {
			s.t.Logf("%s grew from %d to %d", name, was, is)
		}
	}
}

// report reports, and fails if something was gained.
func (s *intrusion) report() error {
	t := s.t
	var broken []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			broken = append(broken, fmt.Errorf(format, args...))
		}
	}
	e := gather(s.edits)
	sent := 0
	kinds := lab.Table{Name: "hostile-node", Title: "What the hostile node sent", Columns: []string{"message", "sent"}}
	for _, name := range slices.Sorted(maps.Keys(s.intruder.Sent)) {
		sent += s.intruder.Sent[name]
		kinds.Row(name, s.intruder.Sent[name])
	}
	t.Table(kinds)
	first, last := s.turns[len(s.turns)/3], s.turns[len(s.turns)-1]
	t.Metric("sent", float64(sent), "messages")
	t.Metric("kinds", float64(len(s.intruder.Sent)), "")
	t.Metric("links", float64(s.intruder.Links.Load()), "")
	t.Metric("came", float64(s.intruder.Came.Load()), "messages")
	t.Metric("edits", float64(len(e.ms)), "")
	t.Metric("edit_p99_ms", lab.Percentile(e.ms, 0.99), "ms")
	t.Metric("heap_begin_mb", first.heap, "MB")
	t.Metric("heap_end_mb", last.heap, "MB")
	t.Metric("goroutines_end", float64(last.routines), "")
	check(len(e.ms) > 0 && e.refused["unanswered"] == 0, "%d edits were acknowledged, of the others: %v", len(e.ms), e.refused)
	t.Logf("refused edits: %v", e.refused)
	check(last.heap <= first.heap*nodelab.SoakGrowth+hostileHeap, "the live heap grew from %.1f to %.1f MB", first.heap, last.heap)
	check(last.routines <= first.routines+nodelab.SoakRoutines, "goroutines grew from %d to %d", first.routines, last.routines)
	for name, is := range last.census {
		check(is <= first.census[name]*2+hostileElements, "%s grew from %d to %d elements", name, first.census[name], is)
	}
	return errors.Join(broken...)
}
