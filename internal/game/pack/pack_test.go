package pack

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestIdsOfTheBasePack: saves and nodes of other versions rely on the ids of blocks
// and the numbers of recipes. Only the end of the list may change.
func TestIdsOfTheBasePack(t *testing.T) {
	var b strings.Builder
	for i, k := range Base().Blocks {
		fmt.Fprintf(&b, "block %d %s\n", i, k.Name)
	}
	for i, r := range Base().Recipes {
		fmt.Fprintf(&b, "recipe %d %s\n", i, Base().Blocks[r.Makes.Kind].Name)
	}
	for i, m := range Base().Mobs {
		fmt.Fprintf(&b, "mob %d %s\n", i+1, m.Name)
	}
	const file = "testdata/ids.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the ids differ from %s:\n%s", file, b.String())
	}
}

// example is a pack that is right, with a block and a recipe.
func example() Files {
	return Files{
		"pack.json": []byte("{\n  \"format\": 1,\n  \"name\": \"marble\",\n  \"content\": [\"stones.json\"]\n}\n"),
		"stones.json": []byte(`{
  "blocks": [
    { "name": "marble", "class": "cube", "sound": "stone", "color": "#e0e0e8", "hardness": 30, "drop": "rubble",
      "textures": { "side": "marble_side" } },
    { "name": "rubble", "title": "Marble's rubble", "class": "slab", "sound": "gravel", "color": "#d0d0d8", "falls": true }
  ],
  "recipes": [
    { "makes": "marble", "count": 2, "of": { "rubble": 3, "stone": 1 } }
  ],
  "mobs": [
    { "name": "golem", "model": "brute", "width": 100, "height": 200, "health": 30, "walk": 100,
      "hunts": { "sight": 10, "when": "struck", "damage": 5 }, "drops": { "rubble": 2 }, "splits": { "into": "sheep", "count": 2 },
      "spawns": { "share": 1, "where": "cave", "on": ["stone"] } }
  ]
}
`),
	}
}

func TestAdd(t *testing.T) {
	c, err := Base().Add(example())
	if err != nil {
		t.Fatal(err)
	}
	marble, _ := c.Find("marble")
	if marble != FirstBlock || len(c.Blocks) != FirstBlock+2 || len(c.Mobs) != FirstMob+1 {
		t.Fatalf("marble is block %d of %d, of %d mobs", marble, len(c.Blocks), len(c.Mobs))
	}
	b := c.Blocks[marble]
	if !b.Solid || !b.Opaque || b.Hardness != 30 || b.Leaves != marble+1 || b.Title != "Marble" || b.Top != "marble_side" || b.Color != 0xe0e0e8 {
		t.Errorf("%+v", b)
	}
	if r := c.Recipes[len(c.Recipes)-1]; r.Makes != (Stack{marble, 2}) || !slices.Equal(r.Of, []Stack{{marble + 1, 3}, {1, 1}}) {
		t.Errorf("%+v", r)
	}
	m := c.Mobs[len(c.Mobs)-1]
	if m.Walk != fixed.One/20 || m.Run != m.Walk || m.Half != fixed.One/2 || m.Splits != (Splits{1, 2}) || m.Hunts != (Hunts{Sight: 10, When: Struck, Damage: 5, Every: 20}) ||
		m.Spawns.Where != InCave || !slices.Equal(m.Spawns.On, []uint16{1}) || m.Monster() || !slices.Equal(m.Drops, []Stack{{marble + 1, 2}}) {
		t.Errorf("%+v", m)
	}
	if _, ok := Base().Find("marble"); ok || len(Base().Packs) != 1 || len(c.Packs) != 2 {
		t.Error("Add has changed what it was added to")
	}
	if _, err := c.Add(example()); !errors.Is(err, ErrPack) {
		t.Errorf("the same pack a second time: %v", err)
	}
}

// TestProblems: every error names the file and the line.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ file, was, now, want string }{
		{"pack.json", `"format": 1`, `"format": 2`, `pack.json:2: pack: format is 2; this program reads 1`},
		{"pack.json", `"marble"`, `"Marble"`, `pack.json:3: pack: name is "Marble"; want small letters`},
		{"pack.json", `"stones.json"`, `"../stones.json"`, `pack.json:4: pack: content: ../stones.json is no name of a content file`},
		{"pack.json", `"stones.json"`, `"stones.json", "gone.json"`, `gone.json: there is no such file in the pack`},
		{"pack.json", `"stones.json"`, ``, `stones.json: pack.json does not list this file under content`},
		{"stones.json", `"color": "#e0e0e8"`, `"color": "white"`, `stones.json:3: block marble: color is "white"`},
		{"stones.json", `"hardness": 30`, `"hardness": -1`, `stones.json:3: block marble: hardness is -1; want 0 to 12000`},
		{"stones.json", `"hardness": 30`, `"hardness": 1.5`, `stones.json:3: 1.5: want a whole number`},
		{"stones.json", `"hardness": 30`, `"hardness": "soft"`, `stones.json:3: block marble: hardness is "soft"`},
		{"stones.json", `"hardness"`, `"hardnes"`, `stones.json:3: block marble: there is no field "hardnes"; want name`},
		{"stones.json", `"drop": "rubble"`, `"drop": "gold"`, `stones.json:3: block marble: drop: there is no block "gold"`},
		{"stones.json", `"drop": "rubble"`, `"drop": "water_3"`, `stones.json:3: block marble: drop: water_3 cannot be carried`},
		{"stones.json", `"sound": "gravel", `, ``, `stones.json:5: block rubble: sound is missing`},
		{"stones.json", `"class": "slab"`, `"class": "ramp"`, `stones.json:5: block rubble: class is "ramp"; want one of air, cube`},
		{"stones.json", `"name": "rubble"`, `"name": "stone"`, `stones.json:5: block stone: another block in a pack below this one has the name`},
		{"stones.json", `"falls": true`, `"falls": 1`, `stones.json:5: block rubble: falls is a number; want true or false`},
		{"stones.json", `"falls": true`, `"falls": true, "falls": false`, `stones.json:5: "falls" is there twice`},
		{"stones.json", `"stone": 1`, `"stone": 100`, `stones.json:8: recipe of marble: stone is 100; want 1 to 99`},
		{"stones.json", `"stone": 1`, `"ston": 1`, `stones.json:8: recipe of marble: there is no block "ston"`},
		{"stones.json", `{ "rubble": 3, "stone": 1 }`, `{}`, `stones.json:8: recipe of marble: it is made of 0 kinds of things`},
		{"stones.json", `"side": "marble_side"`, `"left": "marble_side"`, `stones.json:4: block marble: textures: there is no field "left"`},
		{"stones.json", "  ]\n}\n", "  ]\n", `stones.json:15: the file ends too early`},
		{"stones.json", "  ]\n}\n", "  ]\n}\n{}\n", `stones.json:16: something follows the end of the content`},
		{"stones.json", `"model": "brute"`, `"model": "dragon"`, `stones.json:11: mob golem: model is "dragon"; want one of sheep`},
		{"stones.json", `"name": "golem"`, `"name": "sheep"`, `stones.json:11: mob sheep: another mob has the name`},
		{"stones.json", `"into": "sheep"`, `"into": "shep"`, `stones.json:12: mob golem: splits: there is no mob "shep"`},
		{"stones.json", `"into": "sheep"`, `"into": "slime"`, `stones.json:12: mob golem: splits: slime splits itself`},
		{"stones.json", `"when": "struck"`, `"when": "noon"`, `stones.json:12: mob golem: hunts: when is "noon"`},
		{"stones.json", `"on": ["stone"]`, `"on": ["stones"]`, `stones.json:13: mob golem: spawns: on: there is no block "stones"`},
		{"stones.json", `"walk": 100`, `"walk": 100, "flees": 3`, `stones.json:11: mob golem: a mob flees or hunts, not both`},
		{"stones.json", `{ "rubble": 2 }`, `{ "gold": 2 }`, `stones.json:12: mob golem: there is no block "gold"`},
		{"stones.json", "{ \"makes\"", "{ makes", `stones.json:8: this is not JSON`},
		{"stones.json", `"Marble's rubble"`, "\"\xff\"", `stones.json:5: this is not UTF-8 text`},
		{"stones.json", `"makes": "marble"`, `"makes": [[[[[[[[[1]]]]]]]]]`, `stones.json:8: too many brackets`},
	} {
		files := example()
		changed := strings.Replace(string(files[c.file]), c.was, c.now, 1)
		if changed == string(files[c.file]) {
			t.Fatalf("%s does not have %q", c.file, c.was)
		}
		files[c.file] = []byte(changed)
		if _, err := Base().Add(files); !errors.Is(err, ErrPack) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s instead of %s: %v\nwant %s", c.now, c.was, err, c.want)
		}
	}
}

// TestAllProblemsAtOnce: an author sees everything that is wrong, not the first.
func TestAllProblemsAtOnce(t *testing.T) {
	files := example()
	files["stones.json"] = []byte(strings.NewReplacer(`"class": "slab"`, `"class": "ramp"`, `"hardness": 30`, `"hardness": -5`, `"count": 2, "of"`, `"count": 0, "of"`).Replace(string(files["stones.json"])))
	var all Problems
	if _, err := Base().Add(files); !errors.As(err, &all) || len(all) != 3 {
		t.Errorf("%v", err)
	}
	files["stones.json"] = []byte(`{"blocks": [` + strings.Repeat("1,", 500) + `1]}`)
	if _, err := Base().Add(files); !errors.As(err, &all) || len(all) != maxErrors {
		t.Errorf("%d problems reported; want %d", len(all), maxErrors)
	}
}

// FuzzAdd: whatever a pack holds, reading it ends with a complete content or with errors.
func FuzzAdd(f *testing.F) {
	e := example()
	f.Add(e["pack.json"], e["stones.json"])
	f.Add([]byte(`{"format":1,"name":"x","content":["stones.json"]}`), []byte(`{"blocks":[{"name":"a","class":"air"}]}`))
	f.Fuzz(func(t *testing.T, manifest, content []byte) {
		for _, below := range []*Content{Base(), {}} {
			c, err := below.Add(Files{"pack.json": manifest, "stones.json": content})
			if err != nil {
				if !errors.Is(err, ErrPack) {
					t.Fatalf("%v", err)
				}
				continue
			}
			checkComplete(t, c)
		}
	})
}

// checkComplete tests the invariants of a Content.
func checkComplete(t *testing.T, c *Content) {
	t.Helper()
	names := map[string]bool{}
	isFree := func(name string, i, below, first int) bool {
		return name == "" && len(c.Packs) > 1 && i >= below && i < first
	}
	for i, b := range c.Blocks {
		if isFree(b.Name, i, len(Base().Blocks), FirstBlock) {
			continue
		}
		if names[b.Name] || !validName(b.Name) || b.Title == "" || !validName(b.Top) || !validName(b.Side) || !validName(b.Bottom) {
			t.Fatalf("block %d: %+v", i, b)
		}
		names[b.Name] = true
		if b.Tool.Kind != "" && (b.Class != Thing || b.Tool.Uses == 0 || b.Tool.Speed == 0) {
			t.Fatalf("item %d: %+v", i, b)
		}
		if int(b.Leaves) >= len(c.Blocks) || b.Leaves != 0 && !c.Blocks[b.Leaves].Item || b.Opaque != (b.Dim == 15) || (b.Class == Air) != (i == 0) {
			t.Fatalf("block %d: %+v", i, b)
		}
	}
	for i, m := range c.Mobs {
		if isFree(m.Name, i, len(Base().Mobs), FirstMob) {
			continue
		}
		if !validName(m.Name) || m.Title == "" || m.Health == 0 || m.Half <= 0 || m.Height <= 0 || m.Walk <= 0 || m.Run < m.Walk || int(m.Splits.Into) > len(c.Mobs) {
			t.Fatalf("mob %d: %+v", i, m)
		}
		for _, d := range m.Drops {
			if int(d.Kind) >= len(c.Blocks) || !c.Blocks[d.Kind].Item || d.Count == 0 {
				t.Fatalf("mob %d: %+v", i, m)
			}
		}
	}
	for _, r := range c.Recipes {
		for _, s := range append([]Stack{r.Makes}, r.Of...) {
			if int(s.Kind) >= len(c.Blocks) || !c.Blocks[s.Kind].Item || s.Count == 0 {
				t.Fatalf("%+v", r)
			}
		}
	}
}

func TestBaseIsComplete(t *testing.T) { checkComplete(t, Base()) }
