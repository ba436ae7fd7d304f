package worldfs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// exportOf writes an export file of pairs in spaces.
func exportOf(t *testing.T, write func(e *exporter) error) string {
	t.Helper()
	m := meta("bomb")
	m.Format, m.Genesis = 1, identity.Genesis{Difficulty: 1}
	m.ID = m.Genesis.World()
	m.Epoch = m.Epoch.AddDate(2025, 0, 0)
	name := filepath.Join(t.TempDir(), "x.vpworld")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExporter(f)
	if err == nil {
		err = errors.Join(e.meta(&m), write(e), e.end(), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestHostileImportBomb: a small file that holds a world of hundreds of megabytes is
// refused before anything is written, and in little memory.
func TestHostileImportBomb(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	f := folder(t)
	large := exportOf(t, func(e *exporter) error {
		value := make([]byte, maxValue)
		for i := range 20 {
			if err := e.pair("r.0.0", fmt.Appendf(nil, "k%03d", i), value); err != nil {
				return err
			}
		}
		return nil
	})
	many := exportOf(t, func(e *exporter) error {
		for i := range 1_000_000 {
			if err := e.pair("r.0.0", fmt.Appendf(nil, "k%07d", i), nil); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range []struct {
		file string
		o    ImportOptions
	}{{large, ImportOptions{}}, {large, ImportOptions{MaxSize: 100e6}}, {many, ImportOptions{MaxSize: 50e6}}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := f.Import(c.file, c.o); !errors.Is(err, ErrSize) {
			t.Errorf("%+v: %v", c.o, err)
		}
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 256 {
			t.Errorf("%+v took %d MB", c.o, mb)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(f.Dir(), "worlds")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := f.Import(large, ImportOptions{MaxSize: 1e9}); err != nil {
		t.Errorf("with more allowed: %v", err)
	}
}

// TestImportOfANodesSpaces: a file cannot make this node a member of a group.
func TestImportOfANodesSpaces(t *testing.T) {
	for _, space := range []string{"g.hall", "node", "old.hall.1"} {
		name := exportOf(t, func(e *exporter) error {
			return errors.Join(e.record(recSpace, []byte(space)), e.record(recPair, []byte("k"), []byte("v")))
		})
		if _, err := folder(t).Import(name, ImportOptions{}); !errors.Is(err, ErrFile) {
			t.Errorf("%s: %v", space, err)
		}
	}
}

// TestPrivate: others can open nothing, also in a folder that an earlier version has
// made.
func TestPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has other rights")
	}
	f := folder(t)
	create(t, f, "Home", 1)
	w, err := f.Open("Home")
	if err != nil {
		t.Fatal(err)
	}
	file, err := f.Backup(w, w.Created, 0)
	exported := filepath.Join(t.TempDir(), "home.world")
	if err := errors.Join(err, w.ExportFile(exported, false), w.ExportFile(exported, true), w.Close()); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(exported); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("an export: %v %v", st.Mode(), err)
	}
	want := map[string]os.FileMode{
		filepath.Join(f.Dir(), "worlds"): 0o700, f.path("Home"): 0o700, filepath.Join(f.path("Home"), "meta.json"): 0o600,
		filepath.Dir(file): 0o700, file: 0o600, filepath.Join(f.Dir(), "version"): 0o600,
	}
	check := func(when string) {
		t.Helper()
		for name, mode := range want {
			if st, err := os.Stat(name); err != nil || st.Mode().Perm() != mode {
				t.Errorf("%s: %s: %v %v, want %v", when, name, st.Mode(), err, mode)
			}
		}
	}
	check("new")
	if err := filepath.WalkDir(f.Dir(), func(name string, d os.DirEntry, err error) error {
		if err != nil || name == f.Dir() { // that one is the test's
			return err
		}
		st, err := d.Info()
		if err == nil && d.IsDir() && st.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v", name, st.Mode())
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	for name, mode := range want {
		if err := os.Chmod(name, mode|0o055&^0o011|mode>>3&0o011); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenFolder(f.Dir()); err != nil {
		t.Fatal(err)
	}
	check("migrated")
}

// TestHostileLinks: by a symbolic link in the data folder nothing is read or written
// elsewhere.
func TestHostileLinks(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	plant := func(t *testing.T, target, name string) {
		t.Helper()
		if err := errors.Join(os.RemoveAll(name), os.MkdirAll(filepath.Dir(name), 0o700)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, name); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range []struct{ target, name string }{
		{secret, "worlds/Home/db/reserve"}, {secret, "worlds/Home/meta.json"}, {secret, "worlds/Home/db/pebble/000099.sst"}, {outside, "worlds/Home/db"},
	} {
		f := folder(t)
		create(t, f, "Home", 1)
		plant(t, c.target, filepath.Join(f.Dir(), filepath.FromSlash(c.name)))
		if _, err := f.Open("Home"); !errors.Is(err, files.ErrLink) {
			t.Errorf("%s: opened: %v", c.name, err)
		}
	}
	for _, name := range []string{"worlds", "backups", "keys", "authorities"} {
		f := folder(t)
		plant(t, outside, filepath.Join(f.Dir(), name))
		if _, err := OpenFolder(f.Dir()); !errors.Is(err, files.ErrLink) {
			t.Errorf("%s: opened: %v", name, err)
		}
	}
	f := folder(t)
	create(t, f, "Home", 1)
	plant(t, outside, filepath.Join(f.Dir(), "backups", "Home"))
	w, err := f.Open("Home")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := f.Backup(w, w.Created, 1); !errors.Is(err, files.ErrLink) {
		t.Errorf("a backup was written: %v", err)
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != "mine" {
		t.Errorf("what is outside is now %q, %v", b, err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("outside there are %v", left)
	}
	link := filepath.Join(t.TempDir(), "data")
	plant(t, f.Dir(), link)
	if _, err := OpenFolder(link); err != nil {
		t.Errorf("the data folder itself may be a link: %v", err)
	}
}

// TestHostileGiantMeta: what is too large, or is no file, is damaged.
func TestHostileGiantMeta(t *testing.T) {
	f := folder(t)
	create(t, f, "Home", 1)
	name := filepath.Join(f.path("Home"), "meta.json")
	if err := os.WriteFile(name, bytes.Repeat([]byte(" "), maxMeta+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("Home"); !errors.Is(err, disk.ErrDamaged) {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(name), os.Mkdir(name, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("Home"); !errors.Is(err, disk.ErrDamaged) {
		t.Error(err)
	}
}

func FuzzMeta(fz *testing.F) {
	m := meta("x")
	b, err := json.Marshal(&m)
	if err != nil {
		fz.Fatal(err)
	}
	fz.Add(b)
	fz.Add([]byte(`{"format":1,"rules":{"protect":-1}}`))
	fz.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeMeta(b)
		if err != nil {
			return
		}
		if CheckName(m.Name) != nil || m.ID.IsZero() || m.Rules.Protect < 0 {
			t.Fatalf("%+v", m)
		}
	})
}
