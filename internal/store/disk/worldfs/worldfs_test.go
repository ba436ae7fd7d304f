package worldfs

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

func folder(t *testing.T) *Folder {
	t.Helper()
	f, err := OpenFolder(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func meta(name string) Meta {
	return Meta{Name: name, Seed: "42", Mode: "survival", Spawn: world.Pos{X: 3, Y: 70, Z: -9}, Rules: Rules{Protect: 16}}
}

// create makes a world with n pairs in each of two spaces.
func create(t *testing.T, f *Folder, name string, n int) Meta {
	t.Helper()
	m, err := f.Create(meta(name))
	if err != nil {
		t.Fatal(err)
	}
	w, err := f.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, space := range []string{"r.-1.0", "hall"} {
		put(t, w, space, 0, n)
	}
	return m
}

func put(t *testing.T, w *World, space string, from, to int) {
	t.Helper()
	x := machine.DiskWrite{Space: space}
	for i := from; i < to; i++ {
		x.Put = append(x.Put, machine.KV{Key: fmt.Appendf(nil, "k%05d", i), Value: bytes.Repeat([]byte{byte(i)}, i%500)})
	}
	if err := w.Store.Apply(x); err != nil {
		t.Fatal(err)
	}
}

// digest is everything in a world's store.
func digest(t *testing.T, f *Folder, name string) string {
	t.Helper()
	w, err := f.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var b strings.Builder
	snap, err := w.Store.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	snap.Each(func(space string, k, v []byte) error {
		_, err := fmt.Fprintf(&b, "%s %q %x\n", space, k, v)
		return err
	})
	return b.String()
}

func TestLifecycle(t *testing.T) {
	f := folder(t)
	made := create(t, f, "Home", 3)
	if _, err := f.Create(meta("hOME")); !errors.Is(err, ErrExists) {
		t.Fatalf("a second world of the name: %v", err)
	}
	list, err := f.List()
	if err != nil || len(list) != 1 || list[0].Meta != made || list[0].Bytes == 0 || list[0].InUse || list[0].Err != nil {
		t.Fatalf("list %+v %v, want %+v", list, err, made)
	}
	w, err := f.Open("home")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("Home"); !errors.Is(err, disk.ErrInUse) {
		t.Fatalf("opened twice: %v", err)
	}
	if err := f.Delete("Home"); !errors.Is(err, disk.ErrInUse) {
		t.Fatalf("deleted while open: %v", err)
	}
	if i, err := f.Info("Home"); err != nil || !i.InUse {
		t.Fatalf("info %+v %v", i, err)
	}
	w.Rules.Whitelist = true
	if err := w.Save(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if i, _ := f.Info("Home"); !i.Rules.Whitelist || i.InUse {
		t.Fatalf("info %+v", i)
	}
	if err := f.Delete("Home"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("Home"); !errors.Is(err, ErrNone) {
		t.Fatalf("opened after deleting: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(f.Dir(), "worlds")); len(left) != 0 {
		t.Fatalf("left: %v", left)
	}
}

func TestNames(t *testing.T) {
	for _, good := range []string{"Home", "Zuhause am See", "мир", "a-b_c.d", "1"} {
		if err := CheckName(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "dot.", " x", "x ", "a\nb", "a\x00", "con", "NUL.x",
		"aux", strings.Repeat("x", 41), "\xff", "a:b", "*"} {
		if err := CheckName(bad); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	f := folder(t)
	for _, name := range []string{"../../etc", ".new-1", ""} {
		for what, err := range map[string]error{
			"create": second(f.Create(meta(name))), "open": second(f.Open(name)), "info": second(f.Info(name)), "delete": f.Delete(name),
		} {
			if !errors.Is(err, ErrName) {
				t.Errorf("%s %q: %v", what, name, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestExportImport(t *testing.T) {
	f := folder(t)
	made := create(t, f, "Home", 3000)
	file := filepath.Join(t.TempDir(), "home.vpworld")
	if _, err := f.ExportFile("Home", file, false); err != nil {
		t.Fatal(err)
	}
	sum, err := f.Import(file, ImportOptions{Name: "Copy"})
	if err != nil || sum.Pairs != 6000 || sum.Spaces != 2 {
		t.Fatalf("%+v %v", sum, err)
	}
	if digest(t, f, "Home") != digest(t, f, "Copy") {
		t.Fatal("the copy differs")
	}
	i, err := f.Info("Copy")
	if made.Name = "Copy"; err != nil || i.Meta != made {
		t.Fatalf("meta %+v %v, want %+v", i.Meta, err, made)
	}
	if _, err := f.Import(file, ImportOptions{}); !errors.Is(err, ErrExists) {
		t.Fatalf("imported over a world: %v", err)
	}
	again := file + "2"
	if _, err := f.ExportFile("Home", again, false); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(file)
	b, _ := os.ReadFile(again)
	if !bytes.Equal(a, b) {
		t.Fatal("the same world gives other bytes")
	}
}

// TestShare: what an export of a world lacks that other nodes host too is said.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		spaces []string
		want   Share
		says   string
	}{
		{[]string{"r.0.0", "hall"}, Share{Regions: 1, Lobby: true}, ""},
		{[]string{"r.0.0", "r.1.0", "hall", "g.hall", "g.r.0.0", "g.r.1.0", "node"}, Share{Regions: 2, Lobby: true, Shared: true}, "2 regions and the list of players."},
		{[]string{"r.0.0", "g.r.0.0", "old.r.9.9.1.0"}, Share{Regions: 1, Shared: true}, "on other machines only"},
	} {
		f := folder(t)
		create(t, f, "Home", 0)
		w, err := f.Open("Home")
		if err != nil {
			t.Fatal(err)
		}
		for _, space := range c.spaces {
			if err := w.Store.Apply(machine.DiskWrite{Space: space, Put: []machine.KV{{Key: []byte("k"), Value: []byte("v")}}}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := w.Share()
		if err != nil || got != c.want || !strings.Contains(got.String(), c.says) || (c.says == "") != (got.String() == "") {
			t.Errorf("%v: %+v, %v, says %q", c.spaces, got, err, got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedExports cuts an export at each place and changes each byte: all of
// that is noticed, and nothing appears in the folder.
func TestDamagedExports(t *testing.T) {
	f := folder(t)
	create(t, f, "Home", 3)
	file := filepath.Join(t.TempDir(), "x.vpworld")
	if _, err := f.ExportFile("Home", file, false); err != nil {
		t.Fatal(err)
	}
	good, _ := os.ReadFile(file)
	content := func(b []byte) (string, error) {
		var text strings.Builder
		sum, err := readExport(bytes.NewReader(b), 0, taker{
			pack: func(h packlist.Hash, zip []byte) error {
				_, err := fmt.Fprintf(&text, "%x %x\n", h, zip)
				return err
			},
			pair: func(space string, k, v []byte) error {
				_, err := fmt.Fprintf(&text, "%s %q %x\n", space, k, v)
				return err
			},
		})
		return fmt.Sprint(sum) + text.String(), err
	}
	want, err := content(good)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, b []byte) {
		t.Helper()
		got, err := content(b)
		if err == nil && got == want {
			return // a bit of zstd's that nobody uses
		}
		if !errors.Is(err, ErrFile) && !errors.Is(err, ErrNewer) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for n := range len(good) {
		check(fmt.Sprint("cut at ", n), good[:n])
		bad := bytes.Clone(good)
		bad[n] ^= 0x10
		check(fmt.Sprint("changed at ", n), bad)
	}
	check("longer", append(bytes.Clone(good), "more"...))
	if err := os.WriteFile(file, good[:len(good)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Import(file, ImportOptions{Name: "Copy"}); !errors.Is(err, ErrFile) {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Join(f.Dir(), "worlds")); len(left) != 1 {
		t.Fatalf("left: %v", left)
	}
}

func TestHostileExports(t *testing.T) {
	type rec struct {
		kind  byte
		parts []string
	}
	good := `{"format":1,"id":"0100000000000000000000000000000000000000","name":"x","seed":"1","mode":"survival","epoch":"2026-01-01T00:00:00Z","spawn":{"X":0,"Y":70,"Z":0}}`
	named, zip := packed(t, "lamps")
	_, other := packed(t, "ropes")
	withPacks := strings.Replace(good, `"name"`, fmt.Sprintf(`"packs":%q,"name"`, named), 1)
	for name, recs := range map[string][]rec{
		"no meta":        {{recSpace, []string{"a"}}},
		"two metas":      {{recMeta, []string{good}}, {recMeta, []string{good}}},
		"path as name":   {{recMeta, []string{strings.Replace(good, `"x"`, `"../../x"`, 1)}}},
		"newer":          {{recMeta, []string{strings.Replace(good, `"format":1`, `"format":2`, 1)}}},
		"no json":        {{recMeta, []string{"{"}}},
		"pair first":     {{recMeta, []string{good}}, {recPair, []string{"k", "v"}}},
		"space twice":    {{recMeta, []string{good}}, {recSpace, []string{"a"}}, {recSpace, []string{"a"}}},
		"space with nul": {{recMeta, []string{good}}, {recSpace, []string{"a\x00b"}}},
		"key twice":      {{recMeta, []string{good}}, {recSpace, []string{"a"}}, {recPair, []string{"k", "v"}}, {recPair, []string{"k", "v"}}},
		"giant key":      {{recMeta, []string{good}}, {recSpace, []string{"a"}}, {recPair, []string{strings.Repeat("k", maxKey+1), "v"}}},
		"unknown":        {{recMeta, []string{good}}, {9, nil}},
		"foreign pack":   {{recMeta, []string{good}}, {recPack, []string{"PK"}}},
		"pack too late":  {{recMeta, []string{withPacks}}, {recSpace, []string{"a"}}, {recPack, []string{string(zip)}}},
		"pack twice":     {{recMeta, []string{withPacks}}, {recPack, []string{string(zip)}}, {recPack, []string{string(zip)}}},
		"another pack":   {{recMeta, []string{withPacks}}, {recPack, []string{string(other)}}},
		"damaged pack":   {{recMeta, []string{withPacks}}, {recPack, []string{string(zip[:len(zip)-1])}}},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			e, _ := newExporter(&b)
			for _, r := range recs {
				var parts [][]byte
				for _, p := range r.parts {
					parts = append(parts, []byte(p))
				}
				e.record(r.kind, parts...)
			}
			e.end()
			if _, err := Verify(&b); !errors.Is(err, ErrFile) && !errors.Is(err, ErrNewer) {
				t.Fatalf("%v", err)
			}
		})
	}
}

// TestBackupWhileWriting: a backup is one moment, though writing goes on.
func TestBackupWhileWriting(t *testing.T) {
	f := folder(t)
	create(t, f, "Home", 10)
	w, err := f.Open("Home")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 10; ; i++ {
			select {
			case <-stop:
				return
			default:
				put(t, w, "hall", i, i+1)
			}
		}
	}()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for i := range 5 {
		file, err := f.Backup(w, now.Add(time.Duration(i)*time.Minute), 3)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := f.Import(file, ImportOptions{Name: fmt.Sprint("Copy", i)})
		if err != nil {
			t.Fatal(err)
		}
		c, err := f.Open(sum.Meta.Name)
		if err != nil {
			t.Fatal(err)
		}
		kvs, _ := c.Store.Read(machine.DiskRead{Space: "hall"})
		c.Close()
		for j, kv := range kvs {
			if string(kv.Key) != fmt.Sprintf("k%05d", j) {
				t.Fatalf("backup %d: key %d is %s", i, j, kv.Key)
			}
		}
	}
	close(stop)
	<-stopped
	left, err := f.Backups("Home")
	if err != nil || len(left) != 3 || !strings.HasSuffix(left[0], "20261121-100200.vpworld") {
		t.Fatalf("left %v %v", left, err)
	}
}

func TestFolderVersion(t *testing.T) {
	f := folder(t)
	if err := os.WriteFile(filepath.Join(f.Dir(), "version"), []byte("2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(f.Dir()); !errors.Is(err, ErrNewer) {
		t.Fatal(err)
	}
}

func TestDamagedMetaIsListed(t *testing.T) {
	f := folder(t)
	create(t, f, "Home", 1)
	os.WriteFile(filepath.Join(f.path("Home"), "meta.json"), []byte("{"), 0o644)
	list, err := f.List()
	if err != nil || len(list) != 1 || list[0].Name != "Home" || list[0].Err == nil {
		t.Fatalf("%+v %v", list, err)
	}
	if err := f.Delete("Home"); err != nil {
		t.Fatal(err)
	}
}

func FuzzVerify(fz *testing.F) {
	var b bytes.Buffer
	e, _ := newExporter(&b)
	m := meta("x")
	m.Format, m.ID[0], m.Epoch = 1, 1, time.Unix(0, 0).UTC()
	e.meta(&m)
	e.pair("hall", []byte("k"), []byte("v"))
	e.end()
	fz.Add(b.Bytes())
	fz.Add([]byte(exportMagic + "\x01\x00"))
	fz.Fuzz(func(t *testing.T, b []byte) {
		if sum, err := Verify(bytes.NewReader(b)); err == nil {
			if err := CheckName(sum.Meta.Name); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestExportOfVersion1 reads what earlier versions wrote, and refuses what later ones will.
func TestExportOfVersion1(t *testing.T) {
	f := folder(t)
	create(t, f, "Home", 3)
	file := filepath.Join(t.TempDir(), "x.vpworld")
	if _, err := f.ExportFile("Home", file, false); err != nil {
		t.Fatal(err)
	}
	b := must(os.ReadFile(file))
	for version, want := range map[byte]error{0: ErrNewer, 1: nil, exportVersion: nil, exportVersion + 1: ErrNewer} {
		b[len(exportMagic)] = version
		if sum, err := Verify(bytes.NewReader(b)); !errors.Is(err, want) || err == nil && sum.Pairs != 6 {
			t.Errorf("version %d: %+v, %v", version, sum, err)
		}
	}
}

// packed is a pack, the list of a world with it, and the pack's zip file.
func packed(t *testing.T, name string) (list string, zip []byte) {
	t.Helper()
	p := pack.Files{"pack.json": fmt.Appendf(nil, `{"format":1,"name":%q,"version":"1.0.0","license":"MIT"}`, name)}
	l := &packlist.List{Version: 1, Packs: []packlist.Hash{p.Hash()}}
	zip, err := p.Zip()
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(l.Append(nil)), zip
}

// TestExportHasPacks: who imports a world gets its content packs too. One that this machine
// does not have is left out.
func TestExportHasPacks(t *testing.T) {
	from, to := folder(t), folder(t)
	list, zip := packed(t, "lamps")
	hash, err := packlist.Parse(must(hex.DecodeString(list)))
	if err != nil {
		t.Fatal(err)
	}
	m := meta("Home")
	m.Packs = list
	if _, err := from.Create(m); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i, has := range []bool{false, true} {
		if has {
			if err := packfolder.In(from.Dir()).PutZip(hash.Packs[0], zip); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(dir, fmt.Sprint(i, ".vpworld"))
		if _, err := from.ExportFile("Home", file, false); err != nil {
			t.Fatal(err)
		}
		sum, err := to.Import(file, ImportOptions{Name: fmt.Sprint("Copy", i)})
		if err != nil || sum.Packs != i {
			t.Fatalf("%+v, %v", sum, err)
		}
		got, err := packfolder.In(to.Dir()).Zip(hash.Packs[0])
		if has != (err == nil) || has && !bytes.Equal(got, zip) {
			t.Errorf("the pack is there: %v, want %v", err, has)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
