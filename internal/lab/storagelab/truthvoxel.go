package storagelab

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

var TruthVoxel = lab.Experiment{
	Name:          "truth-voxel",
	Shows:         "the voxel world on the replicated storage: players walk, dig and build, mobs wander; in the end every zone holds, digest for digest, what one replay of what players have signed holds, and no signed action is lost; fails if not",
	Source:        "beyond the thesis, whose world is its NPCs and characters",
	Deterministic: true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "48", Text: "each with a player"},
		{Name: "r", Default: "4", Text: "zones: 4, 9 or 16"},
		{Name: "minutes", Default: "3", Unit: "min", Text: "of updates, six in each"},
		{Name: "regions", Default: "0", Text: "the world is so many regions (of 128 m) a side, an even number; 0: about as many regions as nodes"},
		{Name: "towns", Default: "0", Text: "places where players begin; 0: one for 16 nodes"},
		{Name: "mobs", Default: "6", Text: "in a region at most"},
		{Name: "iad", Default: "0", Unit: "s", Text: "mean time between two arrivals, at sessions of two hours; 0: nobody comes or goes"},
		{Name: "protocol", Default: "hardened", Text: ProtocolSetting.Text},
	},
	Run: runTruthVoxel,
}

// voxelNet is a storage that keeps the voxel world, and the one replay that it
// has to agree with.
type voxelNet struct {
	*storageNet
	once   *voxelrules.Sequence
	agreed uint64                   // tick of its state
	woken  map[int64][]*storageNode // by the update they are announced for
	log    TruthLog
	count  TruthCount
	tally  voxelrules.Tally
	wrong  int // checks of zones that failed on the way
	checks int
}

func newVoxelNet(o storageRun, cfg voxelrules.Config, towns int) *voxelNet {
	n := &voxelNet{
		storageNet: newBareStorageNet(o),
		woken:      map[int64][]*storageNode{}, log: NewTruthLog(),
	}
	rules := voxelrules.New(cfg)
	n.rules, n.metre, n.once = rules, 64, rules.Sequence()
	shape := rules.World()
	n.settle(shape)
	draw := rng.New(o.Seed, 0x70)
	var places []geom.Point
	for range towns {
		places = append(places, geom.Point{X: int32(draw.Intn(int(shape.Side))), Y: int32(draw.Intn(int(shape.Side)))})
	}
	for _, s := range n.all {
		s.bed = voxelHome(&draw, shape.Side, places)
	}
	n.mind = n.newPlayer
	n.woke = func(s *storageNode, of int64) { n.woken[of] = append(n.woken[of], s) }
	n.probe.heard, n.probe.signed = n.heard, n.log.Sign
	for of := int64(1); of <= int64(o.updates()); of++ {
		n.sim.At(n.update(of).Add(3*storage.DefaultLMax+200*time.Millisecond), func() { n.advance(of) })
	}
	return n
}

func (n *voxelNet) newPlayer(s *storageNode, at machine.Time) storagePlayer {
	next := at - (at-n.begin)%machine.Time(voxelEvery)
	return &voxelPlayer{
		r:      rng.New(n.run.Seed, 0x71, uint64(s.Node.Peer().ID[0])<<8|uint64(s.Node.Peer().ID[1]), uint64(at)),
		see:    func() (*world.Player, uint64) { return n.once.Player(s.player.ID), n.agreed },
		around: n.once, at: n.once.Place, next: next.Add(voxelEvery), where: s.bed,
	}
}

// heard notes what a node was told that a player has done.
func (n *voxelNet) heard(r storage.Report) {
	if r.Kind == messages.ForActions && len(r.Batches) > 0 {
		n.log.Tell(r.Batches[0])
	}
}

// advance continues the one replay to t_of, and compares now and then.
func (n *voxelNet) advance(of int64) {
	for _, s := range n.woken[of-1] {
		n.once.Activate(s.player, s.bed)
	}
	actions, count := n.log.Take(of, n.once.TakesPart)
	n.count.Add(count)
	n.tally.Add(n.once.Advance(n.update(of-1), n.update(of), actions))
	n.agreed = voxelrules.TickAt(n.update(of))
	delete(n.woken, of-1)
	n.actions = n.actions[:0]
	if of%6 == 0 {
		for _, z := range n.zones(of) {
			n.checks++
			if !z.right() {
				n.wrong++
			}
		}
	}
}

// zoneState is what the nodes of a zone hold together.
type zoneState struct {
	nodes, behind        int // nodes; those without the state of the time
	objects              int
	missing, wrong, more int // objects: nobody has them; not as they should be; that should not be
	digest, want         string
}

func (z zoneState) right() bool { return z.digest == z.want && z.missing+z.wrong+z.more == 0 }

// zones compares every zone with the one replay, at t_of.
func (n *voxelNet) zones(of int64) []zoneState {
	var all []*state.Object
	n.once.Cells(func(c geom.Rect) {
		for _, o := range n.once.Objects(c) {
			if !o.Static {
				all = append(all, o)
			}
		}
	})
	slices.SortFunc(all, state.ByID)
	right := make(map[state.ObjectID]state.Digest, len(all))
	sum := sha256.New()
	for _, o := range all {
		right[o.ID] = o.Digest
		sum.Write(o.Digest[:])
	}
	want := fmt.Sprintf("%x", sum.Sum(nil)[:10])
	out := make([]zoneState, n.space.Zones())
	held := make([]map[state.ObjectID]state.Digest, len(out))
	for i := range held {
		held[i] = map[state.ObjectID]state.Digest{}
		out[i].want = want
	}
	for _, s := range n.live() {
		zone := n.space.Zone(s.self.Pos)
		z := &out[zone]
		z.nodes++
		state := s.machine().State()
		if state == nil || state.Of != of {
			z.behind++
			continue
		}
		for _, o := range state.Objects(&state.Cover, n.rules.World(), nil) {
			d, known := right[o.ID]
			switch {
			case !known:
				z.more++
			case d != o.Digest:
				z.wrong++
			}
			held[zone][o.ID] = o.Digest
		}
	}
	for i := range out {
		sum := sha256.New()
		for _, o := range all {
			if d, ok := held[i][o.ID]; ok {
				sum.Write(d[:])
			} else {
				out[i].missing++
			}
		}
		out[i].objects, out[i].digest = len(held[i]), fmt.Sprintf("%x", sum.Sum(nil)[:10])
	}
	return out
}

func runTruthVoxel(t *lab.Trial) error {
	o := storageRun{
		Nodes: t.Int("nodes", 8), R: t.Zones("r")[0], IAD: t.Float("iad", 0), Seed: t.Seed, Updates: 6 * t.Int("minutes", 1),
		Protocol: ProtocolOf(t),
	}
	o.Still = o.IAD == 0
	cfg := voxelrules.Config{Seed: t.Seed, Regions: int32(t.Int("regions", 0)), Mobs: t.Int("mobs", 0)}
	if cfg.Regions == 0 {
		cfg.Regions = max(4, 2*int32(math.Round(math.Sqrt(float64(o.Nodes))/2)))
	}
	cfg.Columns = int(cfg.Regions*cfg.Regions) * world.Columns
	towns := t.Int("towns", 0)
	if towns == 0 {
		towns = (o.Nodes + 15) / 16
	}
	if cfg.Regions%2 != 0 {
		t.Reject("regions", "an even number")
	}
	if err := t.Settings(); err != nil {
		return err
	}
	begin, peak := time.Now(), 0.0
	n := newVoxelNet(o, cfg, towns)
	k := 0
	if _, err := n.do(t.Context, func() {
		if k++; k%30 == 0 {
			peak = max(peak, lab.ReadMemory().Resident)
			t.Logf("%v, %d nodes, %d acts done, %d refused, %d blocks changed, %d of %d checks of a zone failed",
				n.sim.Now().Sub(0).Round(time.Second), len(n.live()), n.tally.Done, n.tally.Refused, n.tally.Blocks, n.wrong, n.checks)
		}
	}); err != nil {
		return err
	}
	return n.report(t, time.Since(begin), peak)
}

func (n *voxelNet) report(t *lab.Trial, wall time.Duration, peak float64) error {
	table := lab.Table{
		Name: "zones", Title: "What the zones hold in the end, beside one replay of what players have signed",
		Columns: []string{"zone", "nodes", "behind", "objects", "missing", "wrong", "too much", "digest", "of the replay"},
	}
	bad := 0
	for i, z := range n.zones(int64(n.run.updates())) {
		table.Row(i, z.nodes, z.behind, z.objects, z.missing, z.wrong, z.more, z.digest, z.want)
		if !z.right() {
			bad++
		}
	}
	t.Table(table)
	t.Table(n.queryTable())
	players := 0
	for _, s := range n.all[:n.started] {
		if n.once.Player(s.player.ID) != nil {
			players++
		}
	}
	r := n.result()
	t.Metric("zones_wrong", float64(bad), "")
	t.Metric("checks_wrong", float64(n.wrong), "")
	t.Metric("checks", float64(n.checks), "")
	t.Metric("players", float64(players), "")
	t.Metric("actions_signed", float64(n.count.Signed), "")
	t.Metric("actions_lost", float64(n.count.Lost), "")
	t.Metric("acts_done", float64(n.tally.Done), "")
	t.Metric("acts_refused", float64(n.tally.Refused), "")
	t.Metric("blocks_changed", float64(n.tally.Blocks), "")
	t.Metric("region_ticks", float64(n.tally.Ticks), "")
	t.Metric("updates_failed", float64(r.Failed), "")
	t.Metric("upstream_kb_s", r.Bandwidth.Mean/1000, "kB/s")
	t.Metric("stored_kb", r.Stored.Mean/1000, "kB")
	t.Metric("steps_replayed", float64(r.Replays), "")
	t.Metric("steps_shared", float64(r.Reused), "")
	t.Metric("wall_s", wall.Seconds(), "s")
	t.Metric("peak_mb", peak, "MB")
	t.Fact("trace", r.Trace)
	if bad > 0 || n.count.Lost > 0 {
		return fmt.Errorf("%d of %d zones do not hold what one replay of the signed actions holds; of %d signed actions %d took effect nowhere", bad, n.space.Zones(), n.count.Signed, n.count.Lost)
	}
	return nil
}
