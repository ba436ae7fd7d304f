package worldlab

import (
	"image"
	"runtime"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Terrain = lab.Experiment{
	Name:   "terrain",
	Shows:  "how long the generation of a column of 32×32×256 blocks takes, on one core, and what the land looks like",
	Source: "own aims: 2 ms, better 0.7 ms",
	Settings: []lab.Setting{
		{Name: "columns", Default: "600", Text: "columns to generate, spread over the world"},
		{Name: "picture", Default: "512", Unit: "m", Text: "edge of the pictures that --out writes; 0 for none"},
	},
	Run: runTerrain,
}

func runTerrain(t *lab.Trial) error {
	columns, edge := t.Int("columns", 10), t.Int("picture", 0)
	if err := t.Settings(); err != nil {
		return err
	}
	g := terrain.New(t.Seed)
	var ms, bytes []float64
	biomes := map[terrain.Biome]int{}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := range columns {
		if err := t.Context.Err(); err != nil {
			return err
		}
		p := world.ColumnPos{X: int32(i%25*11 - 130), Z: int32(i/25*11 - 130)}
		start := time.Now()
		c := g.Column(p)
		ms = append(ms, time.Since(start).Seconds()*1e3)
		_, payload := c.AppendPayload(nil)
		bytes = append(bytes, float64(len(payload)))
		biomes[g.Biome(p.X*32+16, p.Z*32+16)]++
	}
	start := time.Now()
	const tiles = 50
	for i := range int32(tiles) {
		g.Far(world.RegionPos{X: i, Z: -i})
	}
	far := time.Since(start).Seconds() * 1e3 / tiles
	start = time.Now()
	spawn := g.Spawn()
	t.Metric("column_ms", lab.Mean(ms), "ms")
	t.Metric("column_p50_ms", lab.Percentile(ms, 0.5), "ms")
	t.Metric("column_p99_ms", lab.Percentile(ms, 0.99), "ms")
	t.Metric("column_kb", lab.Mean(bytes)/1e3, "kB")
	t.Metric("far_tile_ms", far, "ms")
	t.Metric("spawn_ms", time.Since(start).Seconds()*1e3, "ms")
	t.Fact("spawn", spawn.String()+", "+g.Biome(spawn.X, spawn.Z).String())

	table := lab.Table{Name: "biomes", Title: "What the land is made of", Columns: []string{"biome", "share %"}}
	for b := terrain.Ocean; b <= terrain.Peaks; b++ {
		table.Row(b, 100*float64(biomes[b])/float64(columns))
	}
	t.Table(table)
	if edge > 0 {
		drawTerrain(t, g, spawn, edge)
	}
	return nil
}

// drawTerrain draws the surroundings of the spawn.
func drawTerrain(t *lab.Trial, g *terrain.Generator, spawn world.Pos, edge int) {
	land := newGenerated(g)
	x, z := int(spawn.X), int(spawn.Z)
	t.Picture("overview", func() image.Image { return overview(g, x/world.RegionSize, z/world.RegionSize, 24) })
	t.Picture("above", func() image.Image { return land.topDown(x-edge/2, z-edge/2, edge) })
	t.Picture("cut", func() image.Image { return land.cut(x-edge/2, z, edge) })
	for i, name := range []string{"north", "east", "south", "west"} {
		t.Picture(name, func() image.Image {
			return land.view(float64(x)+0.5, float64(spawn.Y)+2.6, float64(z)+0.5, float64(i)*1.5708, 0, edge*15/8, edge)
		})
	}
}
