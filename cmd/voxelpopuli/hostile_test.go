package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

// TestHostileSettings: a setting that there is not, or whose value is none, ends the
// command that it is for with exit code 2 and one line that names the file and it.
func TestHostileSettings(t *testing.T) {
	p := program{t, t.TempDir()}
	p.ok("world", "new", "home", "--difficulty", "1")
	for _, c := range []struct{ settings, command, says string }{
		{`{"nmae": 1}`, "world list", `"nmae"`},
		{`{"data": "/elsewhere"}`, "world list", `"data"`},
		{`{"json": {}}`, "world list", "json: want a text"},
		{`{"json": [[true]]}`, "world list", "json: want a text"},
		{`{"json": null}`, "world list", "json: want a text"},
		{`{"json": "perhaps"}`, "world list", "json: "},
		{`{"name": [1], "id": {}}`, "world bookmarks friends 192.0.2.1:4747", "id: want a text"},
	} {
		if err := os.WriteFile(filepath.Join(p.data, "config.json"), []byte(c.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := p.run(strings.Fields(c.command)...)
		if code != host.ExitUsage || !strings.Contains(errs, c.says) || !strings.Contains(errs, "config.json") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d: %s", c.settings, code, errs)
		}
	}
	if err := os.Remove(filepath.Join(p.data, "config.json")); err != nil {
		t.Fatal(err)
	}
	if out := p.ok("world", "list"); !strings.Contains(out, "home") {
		t.Errorf("then: %s", out)
	}
}

// TestHostileGiantImport: a sparse file of 1 GiB as an export of keys is refused at
// once, and is not read into memory.
func TestHostileGiantImport(t *testing.T) {
	p := program{t, t.TempDir()}
	p.ok("identity", "new", "node", "--difficulty", "0")
	before := p.ok("identity", "show", "--json")
	giant, secret := filepath.Join(t.TempDir(), "giant.pem"), filepath.Join(t.TempDir(), "secret")
	f, err := os.Create(giant)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("-----BEGIN VOXEL POPULI KEYS-----\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("correct horse\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var m, n runtime.MemStats
	runtime.ReadMemStats(&m)
	code, _, errs := p.run("identity", "import", giant, "--passphrase-file", secret, "--replace")
	runtime.ReadMemStats(&n)
	if code != host.ExitData || !strings.Contains(errs, giant) || !strings.Contains(errs, "more than") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if mb := (n.TotalAlloc - m.TotalAlloc) >> 20; mb > 16 {
		t.Errorf("it took %d MB", mb)
	}
	if after := p.ok("identity", "show", "--json"); after != before {
		t.Errorf("the keys are now %s", after)
	}
}
