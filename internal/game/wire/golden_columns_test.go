package wire

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// goldenColumn is a packed column as other clients' tests read it: the payload
// in base64, and FNV-1a (32 bits) of its blocks as little-endian u16, x
// fastest, then z, then y.
type goldenColumn struct {
	Name     string `json:"name"`
	X        int32  `json:"x"`
	Z        int32  `json:"z"`
	Mask     uint8  `json:"mask"`
	Deflated string `json:"deflated"`
	Blocks   uint32 `json:"blocks"`
}

const goldenColumnsFile = "testdata/columns.json"

func hashBlocks(c *world.Column) uint32 {
	h := fnv.New32a()
	var b [2]byte
	for y := range world.Height {
		for z := range world.ChunkSize {
			for x := range world.ChunkSize {
				binary.LittleEndian.PutUint16(b[:], uint16(c.At(x, y, z)))
				h.Write(b[:])
			}
		}
	}
	return h.Sum32()
}

// goldenColumns have palettes of one entry and indices of 1, 2, 4 and 8 bits.
func goldenColumns() map[string]*world.Column {
	steps := &world.Column{Pos: world.ColumnPos{X: -3, Z: 70000}}
	for chunk, kinds := range []int{1, 2, 3, 5, 17, 40} {
		for i := range 32 * 32 * 32 {
			x, y, z := i&31, i>>10, i>>5&31
			b := world.Block(1 + (i*7+x*y+z)%kinds)
			if chunk != 4 { // one with air in it
				b += world.Block(chunk)
			} else if b == 3 {
				b = world.Air
			}
			steps.Set(x, chunk*32+y, z, b)
		}
	}
	land := terrain.New(42).Column(world.ColumnPos{X: 2, Z: -1})
	return map[string]*world.Column{"all widths": steps, "land": land, "air": {}}
}

func TestGoldenColumns(t *testing.T) {
	all := goldenColumns()
	if *update {
		writeGoldenColumns(t, all)
	}
	text, err := os.ReadFile(goldenColumnsFile)
	if err != nil {
		t.Fatal(err)
	}
	var examples []goldenColumn
	if err := json.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) != len(all) {
		t.Errorf("%d examples, want %d", len(examples), len(all))
	}
	var u Unpacker
	for _, e := range examples {
		deflated, err := base64.StdEncoding.DecodeString(e.Deflated)
		if err != nil {
			t.Fatal(err)
		}
		c, err := u.Column(&Column{Pos: world.ColumnPos{X: e.X, Z: e.Z}, Mask: e.Mask, Deflated: deflated})
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if got, want := hashBlocks(c), hashBlocks(all[e.Name]); got != want || got != e.Blocks {
			t.Errorf("%s: blocks hash to %d in the file, to %d when read, to %d when made: run with -update", e.Name, e.Blocks, got, want)
		}
	}
}

func writeGoldenColumns(t *testing.T, all map[string]*world.Column) {
	t.Helper()
	var p Packer
	var examples []goldenColumn
	for _, name := range []string{"air", "all widths", "land"} {
		c := all[name]
		m := p.Column(c)
		examples = append(examples, goldenColumn{name, c.Pos.X, c.Pos.Z, m.Mask, base64.StdEncoding.EncodeToString(m.Deflated), hashBlocks(c)})
	}
	text, err := json.MarshalIndent(examples, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenColumnsFile, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
