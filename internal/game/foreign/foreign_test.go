package foreign

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/nbt"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// everything is a box with each block that can be copied, and nothing in one place.
func everything() *clipboard.Box {
	box := clipboard.New(13, 5, 7)
	at := 1
	for i := 0; at < len(box.Blocks); i++ {
		b := world.Block(i) % world.BlockCount
		if same, ok := world.Copied(b); ok && same == b {
			box.Blocks[at] = b
			at++
		}
	}
	return box
}

// TestSchematicThereAndBack: what is exported and imported again is the same.
func TestSchematicThereAndBack(t *testing.T) {
	want := everything()
	for _, version := range []int{2, 3} {
		b, rep, err := Encode(want, version)
		if err != nil || len(rep.Unmapped) > 0 {
			t.Fatalf("version %d: %v, %v", version, rep, err)
		}
		got, rep, err := Decode(b, MaxVolume)
		if err != nil || len(rep.Unmapped) > 0 || got.X != want.X || got.Y != want.Y || got.Z != want.Z || !slices.Equal(got.Blocks, want.Blocks) {
			t.Errorf("version %d: %v, %v", version, rep, err)
		}
	}
	if _, _, err := Encode(want, 1); err == nil {
		t.Error("version 1 is written")
	}
}

// schematic is one of version 2 with changes.
func schematic(change nbt.Compound) []byte {
	c := nbt.Compound{
		"Version": nbt.Int(2), "Width": nbt.Short(2), "Height": nbt.Short(1), "Length": nbt.Short(1),
		"Palette": nbt.Compound{"minecraft:stone": nbt.Int(0), "create:cogwheel[axis=x]": nbt.Int(1)}, "BlockData": []byte{0, 1},
	}
	for k, v := range change {
		c[k] = v
	}
	return nbt.Append(nil, "Schematic", c)
}

func TestUnmapped(t *testing.T) {
	box, rep, err := Decode(schematic(nil), MaxVolume)
	if err != nil || !slices.Equal(box.Blocks, []world.Block{world.Stone, world.Air}) || rep.Unmapped["create:cogwheel[axis=x]"] != 1 || rep.Blocks != 1 {
		t.Errorf("%v, %v, %v", box, rep, err)
	}
	if lines := rep.Lines(); len(lines) != 1 || lines[0] != `1 × "create:cogwheel[axis=x]"` {
		t.Errorf("%q", lines)
	}
}

func TestHostileSchematics(t *testing.T) {
	for name, change := range map[string]nbt.Compound{
		"version 4":                {"Version": nbt.Int(4)},
		"version 3 without blocks": {"Version": nbt.Int(3)},
		"no width":                 {"Width": nbt.Short(0)},
		"larger than its data":     {"Width": nbt.Short(-1), "Height": nbt.Short(-1), "Length": nbt.Short(-1)},
		"no palette":               {"Palette": nbt.Compound{}},
		"a gap in the palette":     {"Palette": nbt.Compound{"minecraft:stone": nbt.Int(0), "minecraft:dirt": nbt.Int(2)}},
		"a number twice":           {"Palette": nbt.Compound{"minecraft:stone": nbt.Int(0), "minecraft:dirt": nbt.Int(0)}},
		"none of the palette":      {"BlockData": []byte{0, 2}},
		"an endless number":        {"BlockData": []byte{0x80, 0x80}},
	} {
		if _, _, err := Decode(schematic(change), MaxVolume); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, _, err := Decode([]byte("PK\x03\x04"), MaxVolume); err == nil {
		t.Error("a zip file")
	}
}

// chunk is one with a section of stone and another of nothing.
func chunk(change nbt.Compound) []byte {
	c := nbt.Compound{
		"DataVersion": nbt.Int(3465), "Status": "minecraft:full", "xPos": nbt.Int(-3), "zPos": nbt.Int(5),
		"sections": nbt.List{
			nbt.Compound{"Y": nbt.Byte(-4), "block_states": nbt.Compound{"palette": nbt.List{nbt.Compound{"Name": "minecraft:stone"}}}},
			nbt.Compound{"Y": nbt.Byte(20)},
		},
	}
	for k, v := range change {
		c[k] = v
	}
	return nbt.Append(nil, "", c)
}

func TestChunk(t *testing.T) {
	var rep Report
	c, err := DecodeChunk(chunk(nil), &rep)
	if err != nil || c.X != -3 || c.Z != 5 || len(c.Sections) != 1 || c.Sections[0].Y != -64 || rep.Blocks != 4096 || c.Sections[0].Blocks[4095] != world.Stone {
		t.Errorf("%v, %v", rep, err)
	}
	states := func(names int, longs []int64) nbt.List {
		var p nbt.List
		for i := range names {
			p = append(p, nbt.Compound{"Name": "minecraft:" + []string{"stone", "dirt", "sand"}[i%3]})
		}
		return nbt.List{nbt.Compound{"Y": nbt.Byte(0), "block_states": nbt.Compound{"palette": p, "data": longs}}}
	}
	// Seventeen blocks take five bits each, twelve of them a long.
	longs := make([]int64, 342)
	longs[1] = 1<<5 | 2<<10
	c, err = DecodeChunk(chunk(nbt.Compound{"sections": states(17, longs)}), &rep)
	if err != nil || c.Sections[0].Blocks[13] != world.Dirt || c.Sections[0].Blocks[14] != world.Sand || c.Sections[0].Blocks[15] != world.Stone {
		t.Errorf("five bits: %v", err)
	}
	longs[0] = 17
	for name, change := range map[string]nbt.Compound{
		"old":                 {"DataVersion": nbt.Int(2586)},
		"no palette":          {"sections": states(0, longs)},
		"too few longs":       {"sections": states(17, longs[:341])},
		"none of the palette": {"sections": states(17, longs)},
	} {
		if _, err := DecodeChunk(chunk(change), &rep); err == nil || Unfinished(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := DecodeChunk(chunk(nbt.Compound{"Status": "minecraft:features"}), &rep); !Unfinished(err) {
		t.Errorf("unfinished: %v", err)
	}
}

// TestSigns: what is written on signs of several versions is read, as plain text.
func TestSigns(t *testing.T) {
	front := func(lines ...any) nbt.Compound {
		return nbt.Compound{"front_text": nbt.Compound{"messages": nbt.List(lines)}}
	}
	for name, c := range map[string]struct {
		of   nbt.Compound
		want string
	}{
		"1.20":         {front(`{"text":"Anna's"}`, `{"text":"","extra":[{"text":"old "},"mill"]}`, `""`, `{"text":""}`), "Anna's\nold mill"},
		"1.21.5":       {front("plain", nbt.Compound{"text": "a", "extra": nbt.List{nbt.Compound{"text": "b"}}}, nbt.Compound{"": "c"}, ""), "plain\nab\nc"},
		"1.18":         {nbt.Compound{"Text1": `{"text":"one"}`, "Text2": `""`, "Text3": `"three"`, "Text4": `""`}, "one\n\nthree"},
		"too long":     {front(strings.Repeat("ü", 100)), strings.Repeat("ü", 60)},
		"too many":     {front("1", "2", "3", "4", "5"), "1\n2\n3\n4"},
		"unprintable":  {front("a\u202eb\nc"), "ab\nc"},
		"a chest":      {nbt.Compound{"Items": nbt.List{}}, ""},
		"broken JSON":  {front(`{"text":`), `{"text":`},
		"many nested":  {front(strings.Repeat("[", 100) + `"x"` + strings.Repeat("]", 100)), ""},
		"not a string": {front(nbt.Int(7)), ""},
	} {
		if got := signText(c.of); got != c.want || !world.ValidSignText(got) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	entity := front(`"Hi"`)
	entity["x"], entity["y"], entity["z"] = nbt.Int(-48), nbt.Int(-60), nbt.Int(81)
	var rep Report
	c, err := DecodeChunk(chunk(nbt.Compound{"block_entities": nbt.List{entity}}), &rep)
	if err != nil || !slices.Equal(c.Signs, []Sign{{Place{-48, -60, 81}, "Hi"}}) {
		t.Errorf("in a chunk: %v, %v", c, err)
	}
}

// classicWorld is one of ClassiCube with changes.
func classicWorld(change nbt.Compound) []byte {
	c := nbt.Compound{
		"FormatVersion": nbt.Byte(1), "Name": "main", "X": nbt.Short(2), "Y": nbt.Short(2), "Z": nbt.Short(1), "BlockArray": []byte{1, 2, 0, 200},
		"Spawn": nbt.Compound{"X": nbt.Short(1), "Y": nbt.Short(1), "Z": nbt.Short(0)},
	}
	for k, v := range change {
		c[k] = v
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(nbt.Append(nil, "ClassicWorld", c))
	_ = w.Close()
	return out.Bytes()
}

func TestClassic(t *testing.T) {
	var rep Report
	got, err := DecodeClassic(classicWorld(nil), &rep)
	if err != nil || got.Name != "main" || got.Spawn != (Place{1, 1, 0}) || !slices.Equal(got.Box.Blocks, []world.Block{world.Stone, world.Grass, world.Air, world.Air}) || rep.Unmapped["ClassiCube's block 200"] != 1 {
		t.Errorf("%v, %v, %v", got, rep, err)
	}
	for i := range classic {
		if _, ok := Block(classicState(classic[i])); !ok {
			t.Errorf("block %d, %s, is none of ours", i, classic[i])
		}
	}
	for name, change := range map[string]nbt.Compound{
		"no blocks": {"X": nbt.Short(0)}, "too few": {"Y": nbt.Short(3)}, "less than none": {"X": nbt.Short(-2), "Z": nbt.Short(-1)},
	} {
		if _, err := DecodeClassic(classicWorld(change), &rep); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzSchematic(f *testing.F) {
	b, _, _ := Encode(everything(), 3)
	f.Add(b)
	f.Add(schematic(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if box, _, err := Decode(b, MaxVolume); err == nil {
			if _, _, err := Encode(box, 2); err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzChunk(f *testing.F) {
	f.Add(chunk(nil))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = DecodeChunk(b, &Report{}) })
}

func FuzzClassic(f *testing.F) {
	f.Add(classicWorld(nil))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = DecodeClassic(b, &Report{}) })
}
