package foreignworld

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/nbt"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// memory is a store.
type memory map[string]map[string][]byte

func (m memory) put(space string, key, value []byte) error {
	if m[space] == nil {
		m[space] = map[string][]byte{}
	}
	m[space][string(key)] = slices.Clone(value)
	return nil
}

func (m memory) Read(r machine.DiskRead) (out []machine.KV, err error) {
	for k, v := range m[r.Space] {
		out = append(out, machine.KV{Key: []byte(k), Value: v})
	}
	slices.SortFunc(out, func(a, b machine.KV) int { return bytes.Compare(a.Key, b.Key) })
	return out, nil
}

func (m memory) Apply(w machine.DiskWrite) error {
	for _, kv := range w.Put {
		_ = m.put(w.Space, kv.Key, kv.Value)
	}
	return nil
}

// at is a block of a store.
func (m memory) at(t *testing.T, g *terrain.Generator, p world.Pos) world.Block {
	t.Helper()
	kvs, _ := m.Read(machine.DiskRead{Space: region.Space(p.Region())})
	c, err := region.Stored(p.Column(), kvs, g.Column)
	if err != nil {
		t.Fatal(err)
	}
	return c.At(int(p.X&31), int(p.Y), int(p.Z&31))
}

var ground = terrain.New(7)

// flat is a chunk of stone with its bottom at y, in zlib.
func flat(x, z, y int) []byte {
	c := nbt.Compound{
		"DataVersion": nbt.Int(3465), "Status": "minecraft:full", "xPos": nbt.Int(x), "zPos": nbt.Int(z),
		"sections": nbt.List{nbt.Compound{"Y": nbt.Byte(y / 16), "block_states": nbt.Compound{"palette": nbt.List{nbt.Compound{"Name": "minecraft:gold_ore"}}}}},
	}
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(nbt.Append(nil, "", c))
	_ = w.Close()
	return out.Bytes()
}

// writeRegion writes a region file with chunks at places in it.
func writeRegion(t *testing.T, dir string, rx, rz int, chunks map[[2]int][]byte) {
	t.Helper()
	table, body := make([]byte, 2*sector), []byte{}
	for at, b := range chunks {
		binary.BigEndian.PutUint32(table[4*(at[1]*perRegion+at[0]):], uint32((2+len(body)/sector)<<8|1))
		b = append(binary.BigEndian.AppendUint32(nil, uint32(len(b)+1)), append([]byte{packedZlib}, b...)...)
		body = append(body, append(b, make([]byte, sector-len(b)%sector)...)...)
	}
	name := filepath.Join(dir, fmt.Sprintf("r.%d.%d.mca", rx, rz))
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(name, append(table, body...), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestAnvil: chunks come where they were, in regions of ours, with the offset; what is
// missing or damaged is our terrain.
func TestAnvil(t *testing.T) {
	dir := t.TempDir()
	writeRegion(t, filepath.Join(dir, "region"), -1, 0, map[[2]int][]byte{
		{30, 4}: flat(-2, 4, -64), {31, 4}: flat(-1, 4, -64), {30, 5}: flat(-2, 5, -64), {31, 5}: flat(-1, 5, -64),
		{0, 0}: flat(-32, 0, 0), {8, 8}: flat(3, 3, 0), {9, 9}: []byte("no chunk"),
	})
	level := nbt.Append(nil, "", nbt.Compound{"Data": nbt.Compound{"GameType": nbt.Int(1), "SpawnX": nbt.Int(-20), "SpawnY": nbt.Int(-48), "SpawnZ": nbt.Int(70)}})
	if err := os.WriteFile(filepath.Join(dir, "level.dat"), level, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, 64)
	if err != nil || !s.Creative || s.Spawn != (world.Pos{X: -20, Y: 16, Z: 70}) {
		t.Fatalf("%+v, %v", s, err)
	}
	m := memory{}
	r, err := s.Import(t.Context(), Options{Terrain: ground}, m.put)
	if err != nil || r.Columns != 2 || r.Damaged != 2 || r.FirstDamage == nil || r.Blocks != 6*4096 {
		t.Fatalf("%+v, %v", r, err)
	}
	for at, want := range map[world.Pos]world.Block{
		{X: -1, Y: 1, Z: 64}:   world.GoldOre,
		{X: -32, Y: 15, Z: 95}: world.GoldOre,
		{X: -1, Y: 16, Z: 64}:  world.Air,
		{X: -1, Y: 0, Z: 64}:   world.Bedrock,
		{X: -512, Y: 64, Z: 0}: world.GoldOre,
		{X: -512, Y: 63, Z: 0}: world.Air,
	} {
		if got := m.at(t, ground, at); got != want {
			t.Errorf("%v: %v, not %v", at, got, want)
		}
	}
	beside := world.Pos{X: -490, Y: 40, Z: 3}
	if c := ground.Column(beside.Column()); m.at(t, ground, beside) != c.At(int(beside.X&31), 40, 3) {
		t.Error("beside the only chunk of a column is not our terrain")
	}
	low, err := Open(dir, 0)
	if err == nil {
		r, err = low.Import(t.Context(), Options{Terrain: ground}, m.put)
	}
	if err != nil || r.Outside != 4*4096 {
		t.Errorf("below our world: %d, %v", r.Outside, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Import(ctx, Options{Terrain: ground}, m.put); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestHostileRegionFiles: tables that point anywhere, lengths that are wrong.
func TestHostileRegionFiles(t *testing.T) {
	for name, file := range map[string][]byte{
		"empty":       nil,
		"short":       make([]byte, 100),
		"points away": bytes.Repeat([]byte{0xff}, 2*sector),
		"too long":    append(append([]byte{0, 0, 1, 1}, make([]byte, sector-4)...), 0xff, 0xff, 0xff, 0xff, 2),
		"lz4":         append(append([]byte{0, 0, 1, 1}, make([]byte, sector-4)...), append([]byte{0, 0, 0, 20, packedLZ4}, "LZ4Block\x20aaaabbbbccccdd"...)...),
		"its own":     append(append([]byte{0, 0, 1, 1}, make([]byte, sector-4)...), 0, 0, 0, 1, external|packedZlib),
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "r.0.0.mca"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, 0)
		if err == nil {
			_, err = s.Import(t.Context(), Options{Terrain: ground}, memory{}.put)
		}
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchematicOfAWorld: what is exported from a world and put into another is the same,
// over borders of regions; a chest with something in it stays.
func TestSchematicOfAWorld(t *testing.T) {
	from, file := memory{}, filepath.Join(t.TempDir(), "house.schem")
	z := world.Zone{Min: world.Pos{X: 120, Y: 60, Z: 120}, Max: world.Pos{X: 135, Y: 90, Z: 131}}
	house := clipboard.Of(z)
	for i := range house.Blocks {
		house.Blocks[i] = []world.Block{world.Stone, world.OakPlanks, world.Air}[i%3]
	}
	for _, pos := range regionsOf(z) {
		if _, err := change(from, ground, pos, z, house, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []int{2, 3} {
		if rep, err := Export(from, ground, z, version, file); err != nil || len(rep.Unmapped) > 0 {
			t.Fatalf("%v, %v", rep, err)
		}
		to, at := memory{}, world.Pos{X: -140, Y: 10, Z: 250}
		chest := at.Add(1, 1, 1)
		c := &world.Container{At: chest, Slots: make([]world.Stack, 9)}
		c.Slots[0] = world.Stack{Block: world.Stick, Count: 3}
		kv := region.StoredContainer(c)
		_ = to.put(region.Space(chest.Region()), kv.Key, kv.Value)
		was := to.at(t, ground, chest)
		_, changed, err := Import(to, ground, at, file)
		if err != nil || changed == 0 {
			t.Fatalf("%d, %v", changed, err)
		}
		differ := 0
		box := world.Zone{Min: at, Max: at.Add(int32(house.X-1), int32(house.Y-1), int32(house.Z-1))}
		for _, pos := range regionsOf(box) {
			kvs, _ := to.Read(machine.DiskRead{Space: region.Space(pos)})
			part := box.Common(pos.Bounds())
			want := house.Cut(at, part)
			if err := eachOf(part, blocksOf(kvs, ground), func(p world.Pos, b world.Block) {
				if b != want[0] && p != chest {
					differ++
				}
				want = want[1:]
			}); err != nil {
				t.Fatal(err)
			}
		}
		if differ > 0 || to.at(t, ground, chest) != was {
			t.Errorf("version %d: %d blocks differ; in the chest's place %v, %v before", version, differ, to.at(t, ground, chest), was)
		}
		if _, again, err := Import(to, ground, at, file); err != nil || again != 0 {
			t.Errorf("the second time %d blocks change, %v", again, err)
		}
	}
	if _, _, err := Import(from, ground, world.Pos{Y: 240}, file); err == nil || !strings.Contains(err.Error(), "world") {
		t.Errorf("above the world: %v", err)
	}
}

// TestTextsOfSigns: what is written on signs comes along, from a schematic and from a world.
func TestTextsOfSigns(t *testing.T) {
	text := func(m memory, at world.Pos) string {
		c, err := world.DecodeContainer(m[region.Space(at.Region())][string(region.StoredContainer(&world.Container{At: at}).Key)])
		if err != nil {
			t.Logf("%v: %v", at, err)
			return ""
		}
		return c.Text
	}
	written := func(more nbt.Compound) nbt.Compound {
		more["front_text"] = nbt.Compound{"messages": nbt.List{`{"text":"Mill"}`, `""`, `""`, `""`}}
		return more
	}
	file := filepath.Join(t.TempDir(), "sign.schem")
	schem := nbt.Append(nil, "", nbt.Compound{"Schematic": nbt.Compound{
		"Version": nbt.Int(3), "Width": nbt.Short(2), "Height": nbt.Short(1), "Length": nbt.Short(1),
		"Blocks": nbt.Compound{
			"Palette": nbt.Compound{"minecraft:oak_sign[rotation=8]": nbt.Int(0), "minecraft:stone": nbt.Int(1)}, "Data": []byte{0, 1},
			"BlockEntities": nbt.List{
				nbt.Compound{"Id": "minecraft:sign", "Pos": []int32{0, 0, 0}, "Data": written(nbt.Compound{})},
				nbt.Compound{"Id": "minecraft:sign", "Pos": []int32{1, 0, 0}, "Data": written(nbt.Compound{})},
				nbt.Compound{"Id": "minecraft:sign", "Pos": []int32{-9, 4000, 9}, "Data": written(nbt.Compound{})},
			},
		},
	}})
	if err := os.WriteFile(file, schem, 0o600); err != nil {
		t.Fatal(err)
	}
	m, at := memory{}, world.Pos{X: 127, Y: 70, Z: -5}
	if _, changed, err := Import(m, ground, at, file); err != nil || changed != 2 || text(m, at) != "Mill" || !m.at(t, ground, at).IsSign() {
		t.Errorf("a schematic: %d blocks, %q, %v", changed, text(m, at), err)
	}
	if beside := at.Add(1, 0, 0); text(m, beside) != "" {
		t.Error("a stone has a text")
	}

	dir := t.TempDir()
	chunk := nbt.Append(nil, "", nbt.Compound{
		"DataVersion": nbt.Int(3465), "Status": "minecraft:full", "xPos": nbt.Int(3), "zPos": nbt.Int(4),
		"sections":       nbt.List{nbt.Compound{"Y": nbt.Byte(4), "block_states": nbt.Compound{"palette": nbt.List{nbt.Compound{"Name": "minecraft:oak_sign"}}}}},
		"block_entities": nbt.List{written(nbt.Compound{"x": nbt.Int(50), "y": nbt.Int(66), "z": nbt.Int(70)}), written(nbt.Compound{"x": nbt.Int(5000), "y": nbt.Int(66), "z": nbt.Int(70)})},
	})
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(chunk)
	_ = w.Close()
	writeRegion(t, filepath.Join(dir, "region"), 0, 0, map[[2]int][]byte{{3, 4}: packed.Bytes()})
	s, err := Open(filepath.Join(dir, "region"), 0)
	if err != nil {
		t.Fatal(err)
	}
	m = memory{}
	sign := world.Pos{X: 50, Y: 66, Z: 70}
	if r, err := s.Import(t.Context(), Options{Terrain: ground}, m.put); err != nil || text(m, sign) != "Mill" {
		t.Errorf("a world: %+v, %q, %v", r, text(m, sign), err)
	}
}
