package worldlab

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// Progress lets a player begin with nothing and make the best tool.
var Progress = lab.Experiment{
	Name:   "progress",
	Shows:  "how long a player takes who begins with nothing, by day, to come to an iron pickaxe: one who knows where everything lies, digs straight there and makes no detour",
	Source: "own aim: it is possible with every seed",
	Settings: []lab.Setting{
		{Name: "minutes", Default: "60", Unit: "min", Text: "of the world, after which it counts as failed"},
	},
	Run: runProgress,
}

func runProgress(t *lab.Trial) error {
	minutes := t.Int("minutes", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	s := newSurvivor(t.Seed)
	table := lab.Table{Name: "steps", Title: "What it had when", Columns: []string{"step", "min", "health", "deaths"}}
	for !s.done() {
		if s.tick > uint64(minutes)*60*20 {
			return fmt.Errorf("seed %d: after %d minutes it is still at %q", t.Seed, minutes, s.goal())
		}
		if err := t.Context.Err(); err != nil {
			return err
		}
		if was := s.stage; s.step() {
			table.Row(survivorPlan[was].name, minutesOf(s.tick), int(s.p.Health), s.deaths)
		}
	}
	t.Metric("minutes", minutesOf(s.tick), "min")
	t.Metric("deaths", float64(s.deaths), "")
	t.Metric("dug", float64(s.dug), "blocks")
	t.Table(table)
	return nil
}

func minutesOf(ticks uint64) float64 { return float64(ticks) / 20 / 60 }

// wild is the region of a world's spawn, or the nearest one east or west of it with trees.
func wild(seed uint64, mobs int) (a *world.Area, start world.Pos) {
	g := terrain.New(seed)
	home := g.Spawn().Region()
	for _, d := range [...]int32{0, 1, -1, 2, -2} {
		pos := home
		pos.X += d
		land := world.NewArea(world.AreaConfig{}, pos, nil)
		for i := range int32(world.Columns) {
			land.SetColumn(g.Column(world.ColumnPos{X: pos.X*4 + i&3, Z: pos.Z*4 + i>>2}))
		}
		start = middle(land)
		a = world.NewArea(world.AreaConfig{Seed: seed, Spawn: start, Mobs: mobs}, pos, nil)
		for i := range world.Columns {
			a.SetColumn(land.Column(i))
		}
		if countLogs(a) >= 30 {
			break
		}
	}
	return a, start
}

// countLogs counts those of trees.
func countLogs(a *world.Area) (n int) {
	for i := range world.Columns {
		c := a.Column(i)
		for at := range world.ChunkSize * world.ChunkSize {
			x, z := at%world.ChunkSize, at/world.ChunkSize
			for y := c.Top(x, z); y > 0 && !world.Block(c.At(x, y, z)).Opaque() || isLog[c.At(x, y, z)]; y-- {
				if isLog[c.At(x, y, z)] {
					n++
				}
			}
		}
	}
	return n
}

// middle is the ground nearest to the middle of a region that is dry.
func middle(a *world.Area) world.Pos {
	at := world.Pos{X: a.Pos().X*world.RegionSize + world.RegionSize/2, Z: a.Pos().Z*world.RegionSize + world.RegionSize/2}
	for far := int32(0); far < world.RegionSize/2-4; far++ {
		for _, p := range []world.Pos{at.Add(far, 0, 0), at.Add(-far, 0, 0), at.Add(0, 0, far), at.Add(0, 0, -far)} {
			p.Y = world.Height - 1
			for b, _ := a.Block(p.Next(world.FaceDown)); !b.Solid() && b.FluidLevel() == 0 && p.Y > 1; b, _ = a.Block(p.Next(world.FaceDown)) {
				p.Y--
			}
			if b, _ := a.Block(p.Next(world.FaceDown)); b.Solid() && b.Opaque() && !isLog[b] {
				return p
			}
		}
	}
	return at
}
