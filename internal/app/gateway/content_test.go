package gateway

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// literals are the entries of a table in a generated TypeScript file, as JSON.
func literals(t *testing.T, file, begin string) (all []string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), begin)
	text, _, _ = strings.Cut(text, "\n];")
	text = regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllStringFunc(text, func(hex string) string {
		n, _ := strconv.ParseUint(hex[2:], 16, 32)
		return strconv.FormatUint(n, 10)
	})
	text = regexp.MustCompile(`(\w+): `).ReplaceAllString(strings.ReplaceAll(text, "'", `"`), `"$1": `)
	for entry := range strings.SplitSeq(text, "},\n") {
		if entry = strings.TrimSuffix(strings.TrimSpace(entry), "},"); entry != "" && !strings.HasPrefix(entry, "...") {
			all = append(all, strings.TrimSuffix(entry, " }")+"}")
		}
	}
	return all
}

// TestTablesAsGenerated: what a node sends of a pack has the form of the tables that are
// generated for the base pack: the same fields with the same values.
func TestTablesAsGenerated(t *testing.T) {
	base := pack.Base()
	compare := func(file, begin string, n int, entry func(i int) any) {
		want := literals(t, file, begin)
		if len(want) != n {
			t.Fatalf("%s: %d entries of %d are read", file, len(want), n)
		}
		for i := range n {
			b, err := json.Marshal(entry(i))
			if err != nil {
				t.Fatal(err)
			}
			var is, should map[string]any
			if json.Unmarshal(b, &is) != nil || json.Unmarshal([]byte(want[i]), &should) != nil {
				t.Fatalf("%s, %s", b, want[i])
			}
			delete(is, "food") // a table of its own
			if !reflect.DeepEqual(is, should) {
				t.Errorf("sent %v, generated %v", is, should)
			}
		}
	}
	compare("../../../web/src/gen/blocks.ts", "const base: readonly BlockInfo[] = [", len(base.Blocks), func(i int) any { return blockOf(i, &base.Blocks[i]) })
	compare("../../../web/src/gen/mobs.ts", "const base: readonly MobInfo[] = [", len(base.Mobs), func(i int) any { return mobOf(i+1, &base.Mobs[i]) })
	compare("../../../web/src/gen/blocks.ts", "const recipes: readonly Recipe[] = [", len(base.Recipes), func(i int) any { return recipeOf(base.Recipes[i]) })
}

// TestContent: a browser gets what the packs of the world define by the hash that the
// session names; of a world with the base pack alone there is nothing.
func TestContent(t *testing.T) {
	files, err := pack.Template("quarry")
	if err != nil {
		t.Fatal(err)
	}
	c, err := pack.Base().Add(files)
	if err != nil {
		t.Fatal(err)
	}
	made := newContent(c)
	z, err := gzip.NewReader(strings.NewReader(string(made.gzip)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(plain); made.hash != hex.EncodeToString(sum[:]) || newContent(c).hash != made.hash {
		t.Error("its name is not its hash")
	}
	var got contentJSON
	if err := json.Unmarshal(plain, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Blocks) != 3 || got.Blocks[0].ID != pack.FirstBlock || got.Mobs[0].Kind != pack.FirstMob+1 || len(got.Recipes) != 3 ||
		len(got.Textures["marble"]) != 4*pack.TextureSize*pack.TextureSize || got.Texts["de"]["Marble"] != "Marmor" {
		t.Errorf("%+v", got)
	}
	if newContent(pack.Base()).hash != "" || newContent(nil).hash != "" {
		t.Error("the base pack is sent")
	}
}
