package packfolder

import (
	"crypto/ed25519"
	"errors"
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

func example(t *testing.T, name string) pack.Files {
	t.Helper()
	f, err := pack.Template(name)
	if err != nil {
		t.Fatal(err)
	}
	delete(f, ".schema/pack.json")
	delete(f, ".schema/content.json")
	return f
}

func listOf(t *testing.T, packs ...pack.Files) *packlist.List {
	t.Helper()
	l, err := (*packlist.List)(nil).Next(nil, packs)
	if err != nil {
		t.Fatal(err)
	}
	l.Sign(id.Of([]byte("world")), ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	return l
}

// TestGet: what is damaged or another pack is not given out as the one that was asked for.
func TestGet(t *testing.T) {
	f := In(t.TempDir())
	p := example(t, "quarry")
	h, err := f.Put(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Get(h); err != nil || got.Hash() != h {
		t.Fatal(err)
	}
	other, err := example(t, "mine").Zip()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := f.Zip(h)
	if err != nil {
		t.Fatal(err)
	}
	for what, b := range map[string][]byte{"another pack": other, "cut off": whole[:len(whole)/2], "no zip file": []byte("x")} {
		if err := os.WriteFile(f.file(h), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Get(h); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := f.Get(packlist.Hash{1}); !errors.Is(err, ErrMissing) {
		t.Errorf("a pack that is not there: %v", err)
	}
}

// TestUse: the packs of a world are the tables of the process; those of another world
// do not take their place.
func TestUse(t *testing.T) {
	f := In(t.TempDir())
	p, q := example(t, "quarry"), example(t, "mine")
	for _, files := range []pack.Files{p, q} {
		if _, err := f.Put(files); err != nil {
			t.Fatal(err)
		}
	}
	if world.Block(pack.FirstBlock).Known() {
		t.Fatal("the base pack alone has the block")
	}
	if err := os.Remove(f.file(q.Hash())); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Use(listOf(t, q)); !errors.Is(err, ErrMissing) {
		t.Errorf("a pack is missing: %v", err)
	}
	l := listOf(t, p)
	if _, err := f.Use(l); err != nil {
		t.Fatal(err)
	}
	marble, ok := world.BlockByName("marble")
	rubble, _ := world.BlockByName("marble_rubble")
	pickaxe, _ := world.BlockByName("marble_pickaxe")
	if !ok || marble != pack.FirstBlock || world.Harvest(marble, pickaxe) != rubble || !pickaxe.Lasts() || !world.MobKind(pack.FirstMob+1).Known() || world.MobKind(pack.FirstMob+2).Known() {
		t.Errorf("marble is %d (%v)", marble, ok)
	}
	if n := len(world.Recipes); world.Recipes[n-3].Out.Block != pickaxe || !world.Counted(marble) {
		t.Error("the pickaxe is not made, or marble is not counted")
	}
	if stone := world.Info(world.Stone); stone.ID != world.Stone || world.Block(world.BlockCount).Known() || world.Block(pack.FirstBlock+3).Known() {
		t.Error("the base pack has other ids, or free ids are known")
	}
	var c world.Chunk
	c.Set(1, 2, 3, marble)
	if d, rest, err := world.DecodeChunk(c.AppendBinary(nil)); err != nil || len(rest) > 0 || d.At(1, 2, 3) != marble {
		t.Errorf("a chunk with marble: %v", err)
	}
	c.Set(1, 2, 3, pack.FirstBlock+3)
	if _, _, err := world.DecodeChunk(c.AppendBinary(nil)); err == nil {
		t.Error("a chunk with a block that there is not")
	}
	if _, err := f.Use(l); err != nil {
		t.Errorf("the same once more: %v", err)
	}
	if _, err := f.Use(nil); !errors.Is(err, ErrOther) {
		t.Errorf("another world: %v", err)
	}
}
