package page

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/web"
)

// TestWrite: the page has all files of the client, says that it is no node's, and its
// worker keeps all of it; a second time it writes the same.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	n, err := Write(web.Files(), dir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != n {
		t.Fatalf("%d files, %d were announced, %v", len(entries), n, err)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	index, worker := read("index.html"), read("sw.js")
	if strings.Count(string(index), `<meta name="voxelpopuli-page"`) != 1 {
		t.Errorf("the page does not say that it is no node's: %s", index)
	}
	for _, e := range entries {
		if name := e.Name(); name != "sw.js" && !bytes.Contains(worker, []byte(`"`+name+`"`)) {
			t.Errorf("the worker does not keep %s", name)
		}
	}
	if _, err := Write(web.Files(), dir); err != nil || !bytes.Equal(read("sw.js"), worker) || !bytes.Equal(read("index.html"), index) {
		t.Errorf("the second time is another page: %v", err)
	}
}
