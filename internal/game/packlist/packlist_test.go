package packlist

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

var (
	key     = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	founder = [32]byte(key.Public().(ed25519.PublicKey))
	world   = id.Of([]byte("world"))
)

// packOf is a pack with a name and a content file.
func packOf(name, content string) pack.Files {
	return pack.Files{
		"pack.json": []byte(`{"format": 1, "name": "` + name + `", "content": ["c.json"]}`),
		"c.json":    []byte(content),
	}
}

const cube = `"class": "cube", "sound": "stone", "color": "#808080"`

var first = packOf("rocks", `{
  "blocks": [{"name": "marble", `+cube+`, "drop": "shards"}, {"name": "arch", "class": "stairs", "sound": "stone", "color": "#808080"}],
  "items": [{"name": "shards", "color": "#808080"}],
  "recipes": [{"makes": "marble", "of": {"shards": 4}}],
  "mobs": [{"name": "troll", "model": "brute", "width": 90, "height": 200, "health": 20, "walk": 100, "drops": {"shards": 1}, "splits": {"into": "mite", "count": 2}},
           {"name": "mite", "model": "spider", "width": 30, "height": 30, "health": 2, "walk": 100, "eats": ["marble"], "spawns": {"share": 1, "on": ["marble"]}}]
}`)

// second has other entries in front, and refers to the old ones.
var second = packOf("rocks", `{
  "blocks": [{"name": "basalt", `+cube+`, "drop": "marble"}, {"name": "chest_of_marble", `+cube+`, "stores": 9, "loot": {"into": "chest_of_marble", "rolls": 1, "of": {"shards": 2}}},
             {"name": "arch", "class": "stairs", "sound": "stone", "color": "#808080"},
             {"name": "sprout", "class": "cross", "sound": "grass", "color": "#208020", "grows": {"ticks": 9, "into": "basalt"}},
             {"name": "clod", `+cube+`, "tills": "basalt"}, {"name": "half", "class": "slab", "sound": "stone", "color": "#808080", "upper": "upper_half"},
             {"name": "upper_half", "class": "upper_slab", "sound": "stone", "color": "#808080", "drop": "half"},
             {"name": "marble", `+cube+`, "drop": "shards"}],
  "items": [{"name": "stick_of_marble", "color": "#808080"}, {"name": "shards", "color": "#808080"},
            {"name": "sling", "color": "#808080", "tool": {"kind": "bow", "level": 1, "speed": 1, "uses": 9, "damage": 2, "shoots": "shards"}},
            {"name": "pail", "color": "#808080"}, {"name": "full_pail", "color": "#808080", "holds": {"fluid": "water", "empty": "pail"}}],
  "recipes": [{"makes": "basalt", "of": {"marble": 1}}, {"makes": "marble", "of": {"shards": 4}}],
  "mobs": [{"name": "mite", "model": "spider", "width": 30, "height": 30, "health": 2, "walk": 100, "eats": ["marble"], "spawns": {"share": 1, "on": ["marble"]}},
           {"name": "ogre", "model": "brute", "width": 90, "height": 200, "health": 20, "walk": 100, "hunts": {"sight": 5, "damage": 1, "shoots": "shards"}},
           {"name": "troll", "model": "brute", "width": 90, "height": 200, "health": 20, "walk": 100, "drops": {"shards": 1}, "splits": {"into": "mite", "count": 2}}]
}`)

func next(t *testing.T, l *List, had []pack.Files, packs ...pack.Files) *List {
	t.Helper()
	n, err := l.Next(had, packs)
	if err != nil {
		t.Fatal(err)
	}
	n.Sign(world, key)
	return n
}

// TestUpgradeKeepsIDs: a newer version of a pack moves nothing that the world has, whatever
// its order, and everything that names something still names the same.
func TestUpgradeKeepsIDs(t *testing.T) {
	one := next(t, nil, nil, first)
	two := next(t, one, []pack.Files{first}, second)
	if one.Version != 1 || two.Version != 2 || one.Names.Blocks[0] != "marble" || !slices.Equal(two.Names.Blocks[:len(one.Names.Blocks)], one.Names.Blocks) ||
		!slices.Equal(two.Names.Mobs, []string{"troll", "mite", "ogre"}) {
		t.Fatalf("%+v, then %+v", one.Names, two.Names)
	}
	c, err := two.Content([]pack.Files{second})
	if err != nil {
		t.Fatal(err)
	}
	natural, err := pack.Base().Add(second)
	if err != nil {
		t.Fatal(err)
	}
	called := func(c *pack.Content, id uint16) string { return c.Blocks[id].Name }
	at := func(name string) (a, b *pack.Block) {
		x, _ := c.Find(name)
		y, _ := natural.Find(name)
		return &c.Blocks[x], &natural.Blocks[y]
	}
	for _, name := range two.Names.Blocks {
		a, b := at(name)
		for what, ids := range map[string][2]uint16{
			"leaves": {a.Leaves, b.Leaves}, "upper": {a.Upper, b.Upper}, "tills": {a.Tills, b.Tills}, "loot": {a.Loot.Into, b.Loot.Into},
			"fluid": {a.Holds.Fluid, b.Holds.Fluid}, "empty": {a.Holds.Empty, b.Holds.Empty}, "grows": {a.Grows.Into, b.Grows.Into}, "shoots": {a.Tool.Shoots, b.Tool.Shoots},
		} {
			if called(c, ids[0]) != called(natural, ids[1]) {
				t.Errorf("%s: %s names %s, not %s", name, what, called(c, ids[0]), called(natural, ids[1]))
			}
		}
		for i := range b.Loot.Of {
			if called(c, a.Loot.Of[i].Kind) != called(natural, b.Loot.Of[i].Kind) {
				t.Errorf("%s: other loot", name)
			}
		}
	}
	troll, mite, ogre := c.Mobs[pack.FirstMob], c.Mobs[pack.FirstMob+1], c.Mobs[pack.FirstMob+2]
	if int(troll.Splits.Into) != pack.FirstMob+2 || called(c, troll.Drops[0].Kind) != "shards" || called(c, mite.Eats[0]) != "marble" || called(c, mite.Spawns.On[0]) != "marble" || called(c, ogre.Hunts.Shoots) != "shards" {
		t.Errorf("%+v, %+v, %+v", troll, mite, ogre)
	}
	if r := c.Recipes[len(c.Recipes)-2]; called(c, r.Makes.Kind) != "basalt" || called(c, r.Of[0].Kind) != "marble" {
		t.Errorf("%+v", r)
	}
	if _, err := one.Content([]pack.Files{second}); err == nil {
		t.Error("packs with names that the list has no ids for")
	}
}

// TestUpgradeLosesNothing: what a world has must be in its new packs, and mean the same.
func TestUpgradeLosesNothing(t *testing.T) {
	had := packOf("a", `{"blocks": [{"name": "box", `+cube+`, "stores": 9}, {"name": "rock", `+cube+`}, {"name": "rock_south", `+cube+`}],
	  "items": [{"name": "rod", "color": "#808080"}]}`)
	l := next(t, nil, nil, had)
	for what, to := range map[string]string{
		"a block is gone":       `{"blocks": [{"name": "box", ` + cube + `, "stores": 9}, {"name": "rock", ` + cube + `}], "items": [{"name": "rod", "color": "#808080"}, {"name": "rock_south", "color": "#808080"}]}`,
		"a smaller container":   `{"blocks": [{"name": "box", ` + cube + `, "stores": 8}, {"name": "rock", ` + cube + `}, {"name": "rock_south", ` + cube + `}], "items": [{"name": "rod", "color": "#808080"}]}`,
		"an item has gone":      `{"blocks": [{"name": "box", ` + cube + `, "stores": 9}, {"name": "rock", ` + cube + `}, {"name": "rock_south", ` + cube + `}]}`,
		"a tool is no tool":     `{"blocks": [{"name": "box", ` + cube + `, "stores": 9}, {"name": "rock", ` + cube + `}, {"name": "rock_south", ` + cube + `}], "items": [{"name": "rod", "color": "#808080", "tool": {"kind": "axe", "level": 1, "speed": 1, "uses": 5}}]}`,
		"a part of another":     `{"blocks": [{"name": "box", ` + cube + `, "stores": 9}, {"name": "rock", "class": "stairs", "sound": "stone", "color": "#808080"}], "items": [{"name": "rod", "color": "#808080"}]}`,
		"something wrong in it": `{"blocks": [{"name": "box"}]}`,
	} {
		if _, err := l.Next([]pack.Files{had}, []pack.Files{packOf("a", to)}); !errors.Is(err, pack.ErrPack) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := l.Next([]pack.Files{had}, []pack.Files{had, packOf("b", `{"blocks": [{"name": "new", `+cube+`}]}`)}); err != nil {
		t.Errorf("another pack: %v", err)
	}
}

func TestList(t *testing.T) {
	l := next(t, nil, nil, first)
	b := l.Append(nil)
	got, err := Decode(b, world, founder)
	if err != nil || got.Digest() != l.Digest() || !bytes.Equal(got.Append(nil), b) {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := Decode(b, id.Of([]byte("another")), founder); !errors.Is(err, ErrSignature) {
		t.Errorf("the list of another world: %v", err)
	}
	for i := range b {
		c := bytes.Clone(b)
		c[i] ^= 1
		if _, err := Decode(c, world, founder); err == nil {
			t.Fatalf("byte %d is changed", i)
		}
		if _, err := Decode(b[:i], world, founder); err == nil {
			t.Fatalf("%d bytes of it are taken for a list", i)
		}
	}
	var none *List
	if none.Network(world) != world || l.Network(world) == world || next(t, nil, nil, second).Network(world) == l.Network(world) || none.Digest() != (Hash{}) {
		t.Error("nodes with other packs are of the same network")
	}
}

func FuzzDecode(f *testing.F) {
	l, err := (*List)(nil).Next(nil, []pack.Files{first})
	if err != nil {
		f.Fatal(err)
	}
	l.Sign(world, key)
	f.Add(l.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := Parse(b)
		if err != nil {
			return
		}
		if !bytes.Equal(l.Append(nil), b) || l.Version == 0 || len(l.Packs) > pack.MaxPacks || len(l.Names.Blocks) > pack.MaxBlocks || len(l.Names.Mobs) > pack.MaxMobs {
			t.Fatalf("%+v", l)
		}
	})
}
