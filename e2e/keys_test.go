package e2e

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// keys are node keys of these tests: to make one takes seconds, and most tests are not
// about that. Those of strangers and of pictures make their own.
//
//go:embed testdata/keys
var keys embed.FS

var (
	keysMu sync.Mutex
	given  = map[*testing.T]int{}
)

// giveKey gives a data folder a node key that no other of the test has, unless it has one.
func giveKey(t *testing.T, data string) {
	t.Helper()
	path := filepath.Join(data, "keys", "node.key")
	if _, err := os.Stat(path); err == nil {
		return
	}
	keysMu.Lock()
	given[t]++
	n := given[t]
	keysMu.Unlock()
	b, err := keys.ReadFile(fmt.Sprintf("testdata/keys/node-%d.key", n))
	if err != nil {
		return // more nodes than keys: it makes its own
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
