// Package layers keeps the shape of the project (docs/architecture.md): a package
// imports only its own layer and lower ones, machines stay pure, and links of the
// documentation lead somewhere. A package's layer is its folder under internal/.
package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/voxelpopuli/voxelpopuli/"

// root is the repository's root, from here.
const root = "../../../"

// layers are the folders under internal/, from the lowest to the highest.
var layers = []string{"core", "game", "verified", "cluster", "store", "net", "app", "lab", "checks"}

// pureLayers hold machines and what they compute with: no sockets, no files, no locks,
// no global randomness. (time is allowed for Duration; pure_test.go looks for time.Now
// and goroutines.)
var pureLayers = []string{"core", "game", "verified", "cluster"}

// pureToo are machines of other layers.
var pureToo = []string{"net/nat/traversal"}

var impure = []string{"net", "net/http", "os", "sync", "sync/atomic", "math/rand", "math/rand/v2", "crypto/rand"}

type pkg struct {
	ImportPath string
	Name       string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	var all []pkg
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// layerOf returns a package's layer and its rank among them: -1 for what lies outside of
// internal/. The commands are above all layers, and web, which is only the bundle's bytes,
// is below.
func layerOf(path string) (layer string, rank int) {
	inside, ok := strings.CutPrefix(path, module+"internal/")
	if !ok {
		return "", -1
	}
	layer, _, _ = strings.Cut(inside, "/")
	return layer, slices.Index(layers, layer)
}

func isPure(path string) bool {
	inside, ok := strings.CutPrefix(path, module+"internal/")
	layer, _, _ := strings.Cut(inside, "/")
	return ok && (slices.Contains(pureLayers, layer) || slices.Contains(pureToo, inside))
}

func TestImportsGoDown(t *testing.T) {
	for _, p := range packages(t) {
		layer, rank := layerOf(p.ImportPath)
		for _, imp := range p.Imports {
			if p.Name != "main" && isPure(p.ImportPath) && slices.Contains(impure, imp) {
				t.Errorf("%s imports %s, which a pure package may not", p.ImportPath, imp)
			}
			if strings.HasPrefix(imp, module+"cmd/") {
				t.Errorf("%s imports a command, %s", p.ImportPath, imp)
			}
			if to, r := layerOf(imp); layer != "" && r > rank {
				t.Errorf("%s imports %s: layer %s is above %s", p.ImportPath, imp, to, layer)
			}
		}
	}
}

// TestFoldersAreLayers: nothing lies beside the layers, no layer is empty, and the
// documentation lists the same ones in the same order.
func TestFoldersAreLayers(t *testing.T) {
	entries, err := os.ReadDir(root + "internal")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		folders = append(folders, e.Name())
	}
	if !slices.Equal(folders, slices.Sorted(slices.Values(layers))) {
		t.Errorf("under internal/ are %v, the layers are %v", folders, layers)
	}
	page, err := os.ReadFile(root + "docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(page)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "### `internal/"); ok {
			listed = append(listed, strings.TrimRight(name, "`"))
		}
	}
	slices.Reverse(listed) // the page begins with the highest
	if !slices.Equal(listed, layers) {
		t.Errorf("docs/architecture.md has sections for %v, the layers are %v", listed, layers)
	}
}

// TestEveryPackageIsDescribed: docs/architecture.md has a row for each package.
func TestEveryPackageIsDescribed(t *testing.T) {
	page, err := os.ReadFile(root + "docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages(t) {
		inside, ok := strings.CutPrefix(p.ImportPath, module+"internal/")
		if !ok {
			continue
		}
		name := inside
		if layer, rest, below := strings.Cut(inside, "/"); below && layer != "lab" {
			name = rest
		}
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/architecture.md does not say what %s is", p.ImportPath)
		}
	}
}
