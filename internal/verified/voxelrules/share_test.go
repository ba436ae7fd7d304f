package voxelrules

import (
	"slices"
	"sync"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What a region's replay is remembered by is all that it depends on: who knows
// other parts of the world, or of what was done, gets what somebody gets who
// remembers nothing.
func TestLongWhatIsRememberedIsWhatItWouldBe(t *testing.T) {
	simtest.Long(t)
	cfg := Config{Seed: 3, Regions: 6, Mobs: 6}
	seq, shared := NewSequence(cfg), New(cfg)
	crowd, draw := newBuilders(14, 5), rng.New(9, 1)
	steps, shown, runs := 7, 0, 0
	if testing.Short() {
		steps = 4
	}
	for i := range machine.Time(steps) {
		from := i * interval
		for n, p := range crowd.players { // in a cross over the corner where four regions meet
			seq.Activate(p, geom.Point{X: 3*cellSide + int32(n-7)*300, Y: 3*cellSide + int32(n%3-1)*200})
		}
		var all []*state.Object
		seq.Cells(func(c geom.Rect) { all = append(all, seq.Objects(c)...) })
		all = slices.DeleteFunc(inOrder(all), func(o *state.Object) bool { return o.Static })
		actions := crowd.batches(from, seq.Player)
		seq.Cells(func(c geom.Rect) {
			if x, y := beyond(c, geom.Point{X: 3 * cellSide, Y: 3 * cellSide}); max(x, y) > cellSide {
				return // nobody comes so far
			}
			for view := range 6 { // the first knows all, the others not one region in four, nor one player's acts in eight
				knows := map[[2]int32]bool{}
				s := &state.Step{From: from, To: from + interval, Target: c}
				for _, o := range all {
					at := [2]int32{o.Pos.X / cellSide, o.Pos.Y / cellSide}
					if _, drawn := knows[at]; !drawn {
						knows[at] = view == 0 || !draw.OneIn(4)
					}
					if knows[at] {
						s.Objects = append(s.Objects, o)
					}
				}
				skip := -1
				if view > 0 && draw.OneIn(2) {
					skip = draw.Intn(len(crowd.players))
				}
				for _, a := range actions {
					if skip < 0 || a.Player != crowd.players[skip] {
						s.Actions = append(s.Actions, a)
					}
				}
				alone := New(cfg)
				alone.columns = shared.columns // pure
				got, want := shared.Replay(s), alone.Replay(s)
				shown += len(want)
				if !slices.EqualFunc(got, want, func(a, b *state.Object) bool { return a.ID == b.ID && a.Digest == b.Digest }) {
					t.Fatalf("step %d, %v, view %d: %d objects that are remembered are not the %d that are replayed", i, shared.regionAt(c.Min), view, len(got), len(want))
				}
			}
		})
		seq.Advance(from, from+interval, actions)
		runs = max(runs, shared.runs.Len())
	}
	if shown < 150*steps || runs < 20 {
		t.Errorf("only %d objects were compared, and %d replays remembered: too little is tested", shown, runs)
	}
}

// plain is a world of stone up to the sea.
type plain struct{}

func (plain) Surface(_, _ int32) int { return terrain.SeaLevel }

func (plain) Column(pos world.ColumnPos) *world.Column {
	plainOnce.Do(func() {
		for y := range terrain.SeaLevel + 1 {
			for i := range world.ChunkSize * world.ChunkSize {
				plainColumn.Chunks[y/world.ChunkSize].Set(i&31, y&31, i>>5, world.Stone)
			}
		}
	})
	c := plainColumn.Clone()
	c.Pos = pos
	return c
}

var (
	plainOnce   sync.Once
	plainColumn world.Column
)

// Each thing beyond a region's border that a replay of it depends on makes it
// another one.
func TestWhatLiesBeyondTheBorderCounts(t *testing.T) {
	r := New(Config{Regions: 6, Terrain: plain{}})
	here, there := world.RegionPos{}, world.RegionPos{X: 1}
	ground := int32(terrain.SeaLevel + 1)
	who := &state.Player{ID: id.Of([]byte("who")), Home: geom.Point{X: 5, Y: 5}}
	at := func(x int32) *state.Object { // somebody who stands so far from the corner
		return r.newCharacter(who, false, &character{body: world.NewPlayer(who.ID, "who", world.Survival, world.Pos{X: x, Y: ground, Z: 60}.Centre())})
	}
	walk := Batch{First: 1}
	for range 100 {
		walk.Moments = append(walk.Moments, Moment{Input: world.Input{Buttons: world.ButtonForward, Yaw: 1 << 14}}) // east
	}
	acts := []*state.Action{{Player: who, Seq: 1, At: interval, Body: walk.AppendBinary(nil)}}
	wall := &difference{pos: there.Column(4), y: uint8(ground / world.ChunkSize)}
	for y := range int32(4) {
		for z := range int32(world.ChunkSize) {
			_, i := indexIn(world.Pos{X: 128, Y: ground + y, Z: z})
			wall.blocks = append(wall.blocks, changed{i, world.Stone})
		}
	}
	back := r.newRemoteEdit(&remoteEdit{answered: true, tick: 1, remote: world.Remote{
		Kind: world.RemotePlace, Player: who.ID, At: world.Pos{X: 133, Y: ground, Z: 3}, Block: world.Stone, Code: world.Occupied,
	}})
	letter := r.newRemoteEdit(&remoteEdit{answered: true, tick: 1, remote: world.Remote{Kind: world.RemotePlace, Player: who.ID, At: world.Pos{X: 3, Y: ground, Z: 3}}})
	sheep := r.newMob(world.NewMob(77, world.Sheep, world.Pos{X: 134, Y: ground + 9, Z: 60}.Centre())) // in the air
	cell := func(p world.RegionPos) geom.Rect {
		low := r.place(world.Pos{X: p.X * world.RegionSize, Z: p.Z * world.RegionSize}.Centre())
		low.X, low.Y = low.X/cellSide*cellSide, low.Y/cellSide*cellSide
		return geom.Rect{Min: low, Max: geom.Point{X: low.X + cellSide, Y: low.Y + cellSide}}
	}
	for name, c := range map[string]struct {
		target world.RegionPos
		always []*state.Object
		also   *state.Object // or not
	}{
		"an answer":                {here, []*state.Object{at(60)}, back},
		"a wall":                   {here, []*state.Object{at(126)}, r.newChunk(wall)},
		"who keeps it awake":       {there, []*state.Object{sheep}, at(120)},
		"who gets what lies in it": {here, []*state.Object{letter}, at(140)},
	} {
		step := func(also bool) *state.Step {
			s := &state.Step{To: interval, Target: cell(c.target), Objects: slices.Clone(c.always), Actions: acts}
			if also {
				s.Objects = append(s.Objects, c.also)
			}
			s.Objects = inOrder(s.Objects)
			return s
		}
		alone := func(also bool) []*state.Object { return New(r.cfg).Replay(step(also)) }
		same := func(a, b []*state.Object) bool {
			return slices.EqualFunc(a, b, func(a, b *state.Object) bool { return a.ID == b.ID && a.Digest == b.Digest })
		}
		if same(alone(true), alone(false)) {
			t.Fatalf("%s: it makes no difference, nothing is tested", name)
		}
		shared := New(r.cfg)
		for i, also := range []bool{true, false, true, false} {
			if !same(shared.Replay(step(also)), alone(also)) {
				t.Errorf("%s: replay %d is the one of something else", name, i)
			}
		}
	}
}
