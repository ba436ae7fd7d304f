package gateway

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

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
