// Package floors keeps the shape of the project: imports go down only
// (docs/architecture.md, DESIGN section 5), machines stay pure, and links of the
// documentation lead somewhere.
package floors

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/voxelpopuli/voxelpopuli/"

// rank orders the packages: a package may import only packages of a lower
// rank. The tens are the floor of DESIGN section 5; the units order what builds
// on each other within a floor. A subpackage has the rank of its parent plus
// what it says here, or the parent's own.
var rank = map[string]int{
	"internal/id": 0, "internal/fixed": 0, "internal/rng": 0, "internal/timing": 0, "internal/recent": 0, "internal/closest": 0, "internal/limit": 0, "internal/securitytest": 0, "web": 0,
	"internal/machine": 10, "internal/geom": 10, "internal/identity": 11, "internal/world": 11, "internal/wire": 12, "internal/genesis": 12, "internal/invitation": 12,
	"internal/decision": 13,
	"internal/replay":   13,
	"internal/kademlia": 20, "internal/overlay": 20, "internal/group": 20, "internal/storage": 21, "internal/records": 21,
	"internal/region": 30, "internal/lobby": 31, "internal/voxelrules": 32, "internal/audit": 33,
	"internal/files": 40, "internal/disk/worldfs": 41, "internal/keyring": 41, "internal/authority": 42, "internal/clock": 40, "internal/nat": 40, "internal/nat/traversal": 12,
	"internal/disk": 40, "internal/sim": 40, "internal/transport": 41, "internal/node": 41, "internal/codec": 42, "internal/evidence": 43, "internal/worldcheck": 45,
	"internal/client": 50, "internal/bot": 52, "internal/gateway": 52, "internal/host": 54,
	"internal/lab": 60, "internal/world/blockgen": 60,
	"cmd/voxelpopuli": 70, "cmd/vplab": 70,
	"internal/floors": 99,
}

// forbidden imports of floors 0 to 3: machines have no sockets, no files, no
// locks, no global randomness. (time is allowed for Duration; time.Now and
// goroutines are looked for in pure_test.go.)
var forbidden = []string{"net", "net/http", "os", "sync", "sync/atomic", "math/rand", "math/rand/v2", "crypto/rand"}

type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
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

// rankOf returns the rank of a package of ours, by its longest known prefix.
func rankOf(path string) (int, bool) {
	name := strings.TrimPrefix(path, module)
	for {
		if r, ok := rank[name]; ok {
			return r, true
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return 0, false
		}
		name = name[:i]
	}
}

// sameTree reports whether one package is the other's parent folder.
func sameTree(a, b string) bool {
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

func TestImportsGoDown(t *testing.T) {
	for _, p := range packages(t) {
		from, ok := rankOf(p.ImportPath)
		if !ok {
			t.Errorf("%s has no floor: give it a rank in floors_test.go", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if from < 40 {
				for _, f := range forbidden {
					if imp == f {
						t.Errorf("%s imports %s, which floors 0 to 3 may not", p.ImportPath, imp)
					}
				}
			}
			if !strings.HasPrefix(imp, module) || sameTree(p.ImportPath, imp) {
				continue
			}
			to, _ := rankOf(imp)
			if to >= from {
				t.Errorf("%s (rank %d) imports %s (rank %d): imports go down only", p.ImportPath, from, imp, to)
			}
		}
	}
}
