package e2e

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Tnze/go-mc/nbt"
	"github.com/Tnze/go-mc/save"
	mca "github.com/Tnze/go-mc/save/region"

	"github.com/voxelpopuli/voxelpopuli/internal/game/foreign"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// minecraftWorld is a small world that Minecraft 1.20 has made. The module go-mc (MIT) ships
// it for its own tests; it lies in the module cache.
func minecraftWorld(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/Tnze/go-mc").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "save", "testdata")
}

// program runs a command of the program and returns what it prints.
func program(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(bin, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestChunksOfMinecraft: another program's reader finds the same blocks in chunks.
func TestChunksOfMinecraft(t *testing.T) {
	r, err := mca.Open(filepath.Join(minecraftWorld(t), "region", "r.0.0.mca"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	chunks, blocks := 0, 0
	for i := range 32 * 32 {
		if !r.ExistSector(i%32, i/32) || i%7 != 0 {
			continue
		}
		b, err := r.ReadSector(i%32, i/32)
		var theirs save.Chunk
		if err == nil {
			err = theirs.Load(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		ours, err := foreign.DecodeChunk(b[1:], &foreign.Report{})
		if foreign.Unfinished(err) {
			continue
		}
		if err != nil || int32(ours.X) != theirs.XPos || int32(ours.Z) != theirs.ZPos || len(ours.Sections) != len(theirs.Sections) {
			t.Fatalf("chunk %d: %v", i, err)
		}
		chunks++
		for s, section := range theirs.Sections {
			blocks += sameBlocks(t, &section, ours.Sections[s])
		}
	}
	if chunks == 0 || blocks == 0 {
		t.Errorf("%d chunks, %d blocks", chunks, blocks)
	}
	t.Logf("%d chunks, %d blocks besides air", chunks, blocks)
}

// sameBlocks compares a section and counts its blocks.
func sameBlocks(t *testing.T, theirs *save.Section, ours *foreign.Section) (n int) {
	t.Helper()
	var palette []world.Block
	for _, s := range theirs.BlockStates.Palette {
		state := foreign.State{Name: strings.TrimPrefix(s.Name, "minecraft:"), Props: map[string]string{}}
		if len(s.Properties.Data) > 0 {
			if err := s.Properties.Unmarshal(&state.Props); err != nil {
				t.Fatal(err)
			}
		}
		b, _ := foreign.Block(state)
		palette = append(palette, b)
	}
	bits := 4
	for 1<<bits < len(palette) {
		bits++
	}
	for i, b := range ours.Blocks {
		want := palette[0]
		if per := 64 / bits; len(palette) > 1 {
			want = palette[theirs.BlockStates.Data[i/per]>>(i%per*bits)&(1<<bits-1)]
		}
		if b != want {
			t.Fatalf("block %d of the section at %d: %v, not %v", i, ours.Y, b, want)
		}
		if b != world.Air {
			n++
		}
	}
	return n
}

// schematicOfGoMC is one that another program's encoder has written.
func schematicOfGoMC(t *testing.T, file string) {
	t.Helper()
	type blocks struct {
		Palette map[string]int32
		Data    []byte
	}
	type schematic struct {
		Version, DataVersion  int32
		Width, Height, Length int16
		Blocks                blocks
	}
	s := schematic{Version: 3, DataVersion: 3465, Width: 9, Height: 6, Length: 7}
	s.Blocks.Palette = map[string]int32{"minecraft:air": 0, "minecraft:brick_stairs[facing=east]": 1, "minecraft:spruce_log[axis=y]": 2, "minecraft:lime_wool": 3}
	for y := range 6 {
		for z := range 7 {
			for x := range 9 {
				n := byte(0)
				switch side, corner := x == 0 || x == 8 || z == 0 || z == 6, (x == 0 || x == 8) && (z == 0 || z == 6); {
				case y == 5:
					n = 1
				case corner:
					n = 2
				case side && (y == 0 || x%2 == 0):
					n = 3
				}
				s.Blocks.Data = append(s.Blocks.Data, n)
			}
		}
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if err := nbt.NewEncoder(w).Encode(struct{ Schematic schematic }{s}, ""); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWorldOfMinecraft: a world of Minecraft is imported, a schematic is put into it, and
// both are seen; what is exported again is what was there.
func TestWorldOfMinecraft(t *testing.T) {
	srv := &server{t: t, data: t.TempDir(), args: []string{"--world", "castle"}, made: true}
	giveKey(t, srv.data)
	in := func(args ...string) string {
		return program(t, append([]string{"--data", srv.data, "world"}, args...)...)
	}
	t.Log(in("import", minecraftWorld(t), "castle"))
	house, again := filepath.Join(t.TempDir(), "house.schem"), filepath.Join(t.TempDir(), "again.schem")
	schematicOfGoMC(t, house)
	// Minecraft's spawn there is at -32, 63, 0.
	t.Log(in("import-schem", "castle", house, "--at", "-36 90 -20"))
	t.Log(in("export-schem", "castle", again, "--from", "-36 90 -20", "--to", "-28 95 -14"))
	was, now := decoded(t, house), decoded(t, again)
	if !bytes.Equal(was, now) {
		t.Error("what was put in and taken out again differs")
	}
	srv.start(-1)
	t.Cleanup(srv.kill)
	ann := newPlayer(t, "Ann")
	ann.open(srv.page())
	ann.enter()
	ann.say("/gamemode spectator")
	ann.until("to be a spectator", func(s state) bool { return s.Mode == 2 })
	for _, view := range []struct {
		name, at   string
		yaw, pitch float64
	}{{"minecraft-world", "0 110 40", 0, -0.45}, {"minecraft-schematic", "-32 98 0", 0, -0.3}} {
		ann.say("/tp " + view.at)
		ann.view(view.yaw, view.pitch)
		ann.shot(view.name)
	}
	if b := ann.block(-36, 90, -20); b != int(world.PineLog) {
		t.Errorf("in the corner of the schematic is block %d", b)
	}
}

func decoded(t *testing.T, file string) (out []byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	box, rep, err := foreign.Decode(b, foreign.MaxVolume)
	if err != nil || len(rep.Unmapped) > 0 {
		t.Fatalf("%s: %v, %v", file, rep, err)
	}
	for _, b := range box.Blocks {
		out = append(out, byte(b))
	}
	return out
}
