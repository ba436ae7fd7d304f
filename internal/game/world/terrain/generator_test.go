package terrain

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var update = flag.Bool("update", false, "rewrite the files under testdata")

// goldenColumns are places of different kinds; their digests are in testdata.
var goldenColumns = []struct {
	seed uint64
	pos  world.ColumnPos
}{
	{1, world.ColumnPos{X: 0, Z: 0}}, {1, world.ColumnPos{X: -1, Z: -1}}, {1, world.ColumnPos{X: -13, Z: 2}}, {1, world.ColumnPos{X: 40, Z: -7}},
	{1, world.ColumnPos{X: 8191, Z: -8191}}, {2, world.ColumnPos{X: 5, Z: 5}}, {42, world.ColumnPos{X: -20, Z: 31}}, {1 << 63, world.ColumnPos{X: 3, Z: -100}},
}

func digest(c *world.Column) string {
	mask, b := c.AppendPayload(nil)
	sum := sha256.Sum256(append([]byte{mask}, b...))
	return hex.EncodeToString(sum[:8])
}

// TestGoldenColumns is the promise that a world looks the same tomorrow and on
// every machine. A change of the generator changes every world that exists.
func TestGoldenColumns(t *testing.T) {
	const file = "testdata/columns.txt"
	var got strings.Builder
	for _, g := range goldenColumns {
		fmt.Fprintf(&got, "%d %d %d %s\n", g.seed, g.pos.X, g.pos.Z, digest(New(g.seed).Column(g.pos)))
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got.String() {
		t.Errorf("the terrain has changed; if that is meant, run `go test -update ./internal/game/world/terrain`\n%s", got.String())
	}
}

func TestColumnsDoNotDependOnOrder(t *testing.T) {
	forth, back := New(5), New(5)
	var a, b [16]*world.Column
	for i := range a {
		a[i] = forth.Column(world.RegionPos{X: -1, Z: 2}.Column(i))
		b[15-i] = back.Column(world.RegionPos{X: -1, Z: 2}.Column(15 - i))
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			t.Errorf("column %d depends on what was generated before", i)
		}
		if m := a[i].Clone(); true {
			m.Compact()
			if !m.Equal(a[i]) {
				t.Errorf("column %d changes when compacted", i)
			}
		}
	}
}

// sample calls f for some columns of several worlds.
func sample(f func(g *Generator, c *world.Column)) {
	for seed := range uint64(4) {
		g := New(seed)
		for i := range int32(10) {
			f(g, g.Column(world.ColumnPos{X: i*i*7 - 200, Z: i*31 - 150}))
		}
	}
}

func TestSurfaceIsTheColumnsGround(t *testing.T) {
	g := New(1)
	for i := range int32(12) {
		b := &builder{g: g}
		p := world.ColumnPos{X: i*5 - 30, Z: i*3 - 8}
		b.build(p)
		for z := 0; z < world.ChunkSize; z += 3 {
			for x := 0; x < world.ChunkSize; x += 3 {
				at := p.Origin().Add(int32(x), 0, int32(z))
				if got, want := g.Surface(at.X, at.Z), int(b.floor[spot(x, z)]); got != want {
					t.Fatalf("%v %d,%d: Surface says %d, the column %d", p, x, z, got, want)
				}
			}
		}
	}
}

func TestBottomIsBedrock(t *testing.T) {
	sample(func(g *Generator, c *world.Column) {
		for z := range world.ChunkSize {
			for x := range world.ChunkSize {
				if b := c.At(x, 0, z); b != world.Bedrock {
					t.Fatalf("%v %d,0,%d is %v", c.Pos, x, z, b)
				}
				if b := c.At(x, world.Height-1, z); b != world.Air {
					t.Fatalf("%v: %v at the top", c.Pos, b)
				}
			}
		}
	})
}

// Water that stands beside or above air would flow off as soon as it is looked
// at.
func TestWaterIsAtRest(t *testing.T) {
	leaks := 0
	sample(func(g *Generator, c *world.Column) {
		for y := 1; y <= SeaLevel; y++ {
			for z := 1; z < world.ChunkSize-1; z++ {
				for x := 1; x < world.ChunkSize-1; x++ {
					if c.At(x, y, z) != world.Water {
						continue
					}
					for _, b := range [5]world.Block{c.At(x, y-1, z), c.At(x-1, y, z), c.At(x+1, y, z), c.At(x, y, z-1), c.At(x, y, z+1)} {
						if b == world.Air {
							leaks++
						}
					}
				}
			}
		}
	})
	if leaks > 0 {
		t.Errorf("%d places where water stands beside air", leaks)
	}
}

// A tree at a border grows into both columns: leaves are as frequent at the
// edges of columns as within.
func TestTreesCrossBorders(t *testing.T) {
	g := New(3)
	var edge, middle int
	for i := range int32(200) {
		c := g.Column(world.ColumnPos{X: i % 20, Z: i / 20})
		for y := SeaLevel; y < 140; y++ {
			for z := range world.ChunkSize {
				for _, x := range [2]int{0, 31} {
					edge += one01(world.Info(c.At(x, y, z)).Class == pack.Cutout)
				}
				for _, x := range [2]int{15, 16} {
					middle += one01(world.Info(c.At(x, y, z)).Class == pack.Cutout)
				}
			}
		}
	}
	if middle < 1000 || edge < middle*85/100 || edge > middle*115/100 {
		t.Errorf("%d leaves at the edges of columns, %d in the middle", edge, middle)
	}
}

func one01(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestSpawnIsSafe(t *testing.T) {
	for seed := range uint64(12) {
		g := New(seed)
		p := g.Spawn()
		c := g.Column(p.Column())
		x, z := int(p.X&31), int(p.Z&31)
		if !c.At(x, int(p.Y)-1, z).Solid() {
			t.Errorf("seed %d: %v is under the feet at %v", seed, c.At(x, int(p.Y)-1, z), p)
		}
		for y := int(p.Y); y < world.Height; y++ {
			if b := c.At(x, y, z); b != world.Air {
				t.Errorf("seed %d: %v above the feet at %v", seed, b, p)
				break
			}
		}
		if p.Y <= SeaLevel {
			t.Errorf("seed %d: spawn %v is not above the water", seed, p)
		}
	}
}

func TestFarTileIsLikeTheLand(t *testing.T) {
	g := New(1)
	r := world.RegionPos{X: -1, Z: -2}
	tile := g.Far(r)
	off := 0
	for i := range tile.Height {
		if !tile.Top[i].Known() || tile.Top[i] == world.Air {
			t.Fatalf("sample %d shows %v", i, tile.Top[i])
		}
		c := g.Column(world.ColumnPos{X: r.X*4 + int32(i%FarSize/8), Z: r.Z*4 + int32(i/FarSize/8)})
		top := c.Top(i%FarSize*FarStep&31, i/FarSize*FarStep&31)
		if d := top - int(tile.Height[i]); d > 12 || d < -12 {
			off++
		}
	}
	if off > len(tile.Height)/20 {
		t.Errorf("%d of %d samples are more than 12 m off", off, len(tile.Height))
	}
}

// The world's bytes must be the same everywhere, so it must build everywhere.
func TestBuildsForOtherMachines(t *testing.T) {
	slowtest.Skip(t, "builds the package for other machines")
	for _, target := range []string{"linux/arm64", "js/wasm", "windows/amd64", "linux/386"} {
		os, arch, _ := strings.Cut(target, "/")
		cmd := exec.Command("go", "build", ".")
		cmd.Env = append(cmd.Environ(), "GOOS="+os, "GOARCH="+arch, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", target, err, out)
		}
	}
}

func BenchmarkColumn(b *testing.B) {
	b.ReportAllocs()
	g := New(1)
	for i := range b.N {
		g.Column(world.ColumnPos{X: int32(i * 13), Z: int32(i * 7)})
	}
}

func BenchmarkFar(b *testing.B) {
	b.ReportAllocs()
	g := New(1)
	for i := range b.N {
		g.Far(world.RegionPos{X: int32(i), Z: 0})
	}
}

func BenchmarkSurface(b *testing.B) {
	b.ReportAllocs()
	g := New(1)
	for i := range b.N {
		g.Surface(int32(i*13), 5)
	}
}

func BenchmarkSpawn(b *testing.B) {
	for i := range b.N {
		New(uint64(i)).Spawn()
	}
}

// Newcomers begin where they may, though better places may lie elsewhere.
func TestSpawnWithin(t *testing.T) {
	elsewhere := 0
	for seed := range uint64(8) {
		g := New(seed)
		inside := func(r world.RegionPos) bool { return r.X >= -1 && r.Z >= -1 && r.X < 1 && r.Z < 1 }
		if p := g.SpawnWithin(inside); !inside(p.Region()) {
			t.Errorf("seed %d: spawn %v is outside", seed, p)
		}
		if !inside(g.Spawn().Region()) {
			elsewhere++
		}
	}
	if elsewhere == 0 {
		t.Error("all worlds begin there anyway: nothing was tested")
	}
}
