package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

func (p program) folder() *worldfs.Folder {
	p.t.Helper()
	f, err := worldfs.OpenFolder(p.data)
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

// write writes to the records of the program's world "home".
func (p program) write(w machine.DiskWrite) {
	p.t.Helper()
	home, err := p.folder().Open("home")
	if err != nil {
		p.t.Fatal(err)
	}
	if err := errors.Join(home.Store.Apply(w), home.Close()); err != nil {
		p.t.Fatal(err)
	}
}

// damaged is a program with a world "home", one of whose records makes no sense.
func damaged(t *testing.T) program {
	t.Helper()
	p := program{t, t.TempDir()}
	p.ok("world", "new", "home", "--difficulty", "1")
	p.write(machine.DiskWrite{Space: "r.4.-2", Put: []machine.KV{{Key: []byte("h"), Value: []byte{1}}, {Key: []byte("?"), Value: []byte("x")}}})
	return p
}

// TestCheckCommand: opening a damaged world fails and says what is damaged; check
// says the same, and repairs into another world that opens.
func TestCheckCommand(t *testing.T) {
	p := damaged(t)
	if code, _, errs := p.run("node", "--port", "-1", "--alone"); code != host.ExitData || !strings.Contains(errs, "region 4,-2") || !strings.Contains(errs, "world check home") {
		t.Errorf("opening: exit code %d: %s", code, errs)
	}
	code, out, errs := p.run("world", "check", "home")
	if code != host.ExitData || !strings.Contains(out, "region 4,-2") || strings.Count(errs, "\n") != 1 {
		t.Errorf("check: exit code %d: %s%s", code, out, errs)
	}
	code, out, _ = p.run("world", "check", "home", "--json")
	var r struct {
		Damage []struct {
			What    string
			Records int
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != host.ExitData || len(r.Damage) != 1 || r.Damage[0].Records != 1 {
		t.Errorf("check as JSON: exit code %d: %s %v", code, out, err)
	}
	if code, _, errs := p.run("world", "check", "home", "--as", "x"); code != host.ExitUsage {
		t.Errorf("--as alone: exit code %d: %s", code, errs)
	}
	if out := p.ok("world", "check", "home", "--repair"); !strings.Contains(out, "home-repaired") || !strings.Contains(out, "Lost: region 4,-2") {
		t.Errorf("repair: %s", out)
	}
	if out := p.ok("world", "check", "home-repaired"); !strings.Contains(out, "Nothing") {
		t.Errorf("check of what was repaired: %s", out)
	}
	if code, _, errs := p.run("world", "check", "home", "--repair"); code != host.ExitNoWorld {
		t.Errorf("repaired twice: exit code %d: %s", code, errs)
	}
}

// TestHostileFiles: whatever one of the small files of a data folder holds, what
// needs it ends with exit code 8 and one line that names it.
func TestHostileFiles(t *testing.T) {
	slowtest.Skip(t, "takes longer than five seconds")
	p := program{t, t.TempDir()}
	p.ok("world", "new", "home", "--difficulty", "1")
	p.ok("identity", "show")
	p.ok("world", "bookmarks", "friends", "192.0.2.1:4747")
	p.ok("invite", "create", "home")
	p.ok("authority", "init", "castle", "--zones", "4")
	if err := os.WriteFile(filepath.Join(p.data, "config.json"), []byte(`{"mode": "creative"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, command := range map[string]string{
		"authorities/castle/authority.json": "authority list castle", "config.json": "world list",
		"worlds/home/invitations.json": "invite list home",
		"worlds/home/meta.json":        "world info home", "worlds/home/db/format": "world export home " + filepath.Join(t.TempDir(), "x"),
		"version": "world list", "bookmarks.json": "world bookmarks", "keys/node.key": "identity show",
	} {
		name := filepath.Join(p.data, filepath.FromSlash(file))
		good, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		flipped := append([]byte{}, good...)
		flipped[0] ^= 0x40
		for what, bad := range map[string][]byte{
			"empty": {}, "cut": good[:len(good)/2], "flipped": flipped, "zeros": make([]byte, len(good)),
			"giant": make([]byte, 65<<20), "nested": []byte(strings.Repeat("[", 1<<15)), "another type": []byte(`{"name": 1, "id": []}`), "list": []byte(`[{"name": [1]}]`), "null": []byte("[null]"),
		} {
			if err := os.WriteFile(name, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, errs := p.run(strings.Fields(command)...)
			if file == "config.json" && what == "another type" {
				// There are such settings (bots --name, world bookmarks --id), so this is
				// no damage; TestHostileSettings has what is wrong with a value.
				if code != host.ExitOK || errs != "" {
					t.Errorf("%s with settings of other commands: exit code %d: %s", file, code, errs)
				}
				continue
			}
			if code != host.ExitData || strings.Count(errs, "\n") != 1 || len(errs) > 1000 || !strings.Contains(errs, filepath.Base(name)) {
				t.Errorf("%s %s: exit code %d: %.400s", file, what, code, errs)
			}
		}
		if err := os.WriteFile(name, good, 0o600); err != nil {
			t.Fatal(err)
		}
		p.ok(strings.Fields(command)...)
		if strings.HasPrefix(command, "world export") {
			if err := os.Remove(strings.Fields(command)[3]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestImportIsTheImporters: the operators of an exported world are players of the
// new one, unless they are to be kept.
func TestImportIsTheImporters(t *testing.T) {
	p := program{t, t.TempDir()}
	p.ok("world", "new", "home", "--difficulty", "1")
	key := "p/0102030405060708090a0b0c0d0e0f1011121314"
	p.write(machine.DiskWrite{Space: "hall", Put: []machine.KV{{Key: []byte(key), Value: []byte(`{"name":"Mallory","entity":1,"OPERATOR":true,"home":{"X":0,"Z":0},"epoch":1}`)}}})
	file := filepath.Join(t.TempDir(), "x.vpworld")
	p.ok("world", "export", "home", file)
	operator := func(name string) bool {
		w, err := p.folder().Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		kvs, err := w.Store.Read(machine.DiskRead{Space: "hall", Prefix: []byte(key)})
		if err != nil || len(kvs) != 1 {
			t.Fatalf("%v %v", kvs, err)
		}
		var r struct{ Operator bool }
		if err := json.Unmarshal(kvs[0].Value, &r); err != nil {
			t.Fatal(err)
		}
		return r.Operator
	}
	if out := p.ok("world", "import", file, "mine"); !strings.Contains(out, "Mallory") || operator("mine") {
		t.Errorf("Mallory is an operator of the imported world: %s", out)
	}
	if out := p.ok("world", "import", file, "ours", "--keep-operators"); !strings.Contains(out, "Mallory") || !operator("ours") {
		t.Errorf("Mallory is no operator although it was asked for: %s", out)
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"seed": 1, "host": ["a", "b"], "whitelist": true}`))
	f.Add([]byte(`{"a": {"b": [null]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		settings, err := decodeSettings(b)
		if err != nil {
			return
		}
		for _, v := range settings {
			_, _ = plain(v)
		}
	})
}
