package worldcheck

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

var ada = id.Of([]byte("ada"))

// folder has a world "home" with a list of players and n regions, r.0.0, r.1.0 and
// so on, that Ada was last in the third of. Its tables are on disk, not in the log.
func folder(t *testing.T, n int) *worldfs.Folder {
	t.Helper()
	f, err := worldfs.OpenFolder(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Create(worldfs.Meta{Name: "home", Seed: "42", Mode: "survival", Spawn: world.Pos{Y: 70}}); err != nil {
		t.Fatal(err)
	}
	put(t, f, "hall", "p/"+ada.String(), `{"name":"Ada","entity":1,"home":{"X":2,"Z":0},"epoch":1}`)
	for i := range n {
		fill(t, f, fmt.Sprintf("r.%d.0", i))
	}
	return f
}

// edit opens the world twice: what was written is then in a table.
func edit(t *testing.T, f *worldfs.Folder, w machine.DiskWrite) {
	t.Helper()
	for range 2 {
		o, err := f.Open("home")
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Store.Apply(w); err != nil {
			t.Fatal(err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		w = machine.DiskWrite{Space: "node"}
	}
}

func put(t *testing.T, f *worldfs.Folder, space, key, value string) {
	t.Helper()
	edit(t, f, machine.DiskWrite{Space: space, Put: []machine.KV{{Key: []byte(key), Value: []byte(value)}}})
}

// fill writes a region's log of a thousand changes, which does not compress.
func fill(t *testing.T, f *worldfs.Folder, space string) {
	w := machine.DiskWrite{Space: space, Put: []machine.KV{{Key: []byte("h"), Value: []byte{1}}}}
	r := rand.New(rand.NewPCG(1, uint64(len(space))))
	for i := range 400 {
		var v []byte
		for range 4 {
			v = binary.AppendUvarint(binary.AppendUvarint(v, r.Uint64N(world.Columns<<18)), r.Uint64N(uint64(world.BlockCount)))
		}
		w.Put = append(w.Put, machine.KV{Key: binary.BigEndian.AppendUint64([]byte("l"), uint64(i)), Value: v})
	}
	edit(t, f, w)
}

func pebbleFiles(t *testing.T, f *worldfs.Folder, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(f.Dir(), "worlds", "home", "db", "pebble", pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return names
}

// damage changes a file.
func damage(t *testing.T, name string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// flip changes one bit in the block that a part of the file lies in.
func flip(at float64) func([]byte) []byte {
	return func(b []byte) []byte {
		b[int(at*float64(len(b)))] ^= 4
		return b
	}
}

// content is everything in a world's store.
func content(t *testing.T, f *worldfs.Folder, name string) map[string]string {
	t.Helper()
	w, err := f.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	snap, err := w.Store.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	out := map[string]string{}
	if err := snap.Each(func(space string, k, v []byte) error {
		out[space+" "+string(k)] = string(v)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// tree is what a folder's files hold.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	if err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, _ := os.ReadFile(name)
			out[name] = string(b)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAWorldThatIsFine(t *testing.T) {
	f := folder(t, 3)
	before := tree(t, f.Dir())
	r, err := Check(f, "home")
	if err != nil || !r.OK() || r.Err() != nil || r.Regions != 3 || r.Records < 1200 || !r.Whole {
		t.Fatalf("%+v %v", r, err)
	}
	if made := second(t, f); made.Name != "" {
		t.Fatalf("a copy was made: %+v", made)
	}
	if after := tree(t, f.Dir()); !mapsEqual(before, after) {
		t.Fatal("checking changed the folder")
	}
}

func second(t *testing.T, f *worldfs.Folder) Result {
	t.Helper()
	_, made, err := Repair(f, "home", "")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func mapsEqual(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// TestAFlippedBitInATable: it is found, also by the quick check; what is affected is
// said in words; and all else is saved into a new world.
func TestAFlippedBitInATable(t *testing.T) {
	f := folder(t, 5)
	all := content(t, f, "home")
	table := largest(t, pebbleFiles(t, f, "*.sst"))
	damage(t, table, flip(0.5))
	before := tree(t, filepath.Join(f.Dir(), "worlds", "home"))

	r, err := Check(f, "home")
	if err != nil || r.OK() || !errors.Is(r.Err(), disk.ErrDamaged) {
		t.Fatalf("%+v %v", r, err)
	}
	text := r.Err().Error()
	if strings.Contains(text, "\n") || !strings.Contains(text, "region ") || !strings.Contains(text, "--repair") {
		t.Fatalf("says %q", text)
	}
	made := second(t, f)
	if !mapsEqual(before, tree(t, filepath.Join(f.Dir(), "worlds", "home"))) {
		t.Fatal("the damaged world was changed")
	}
	left := content(t, f, made.Name)
	lost := 0
	for k, v := range all {
		if strings.HasPrefix(k, "node") {
			continue
		}
		switch got, ok := left[k]; {
		case !ok:
			lost++
		case got != v:
			t.Fatalf("%q is %q, was %q", k, got, v)
		}
	}
	if lost == 0 || lost > len(all)/4 || len(made.Lost) == 0 {
		t.Fatalf("%d of %d records lost, says %q", lost, len(all), made.Lost)
	}
	if again, err := Check(f, made.Name); err != nil || !again.OK() {
		t.Fatalf("the copy: %+v %v", again, err)
	}
	w, err := f.Open("home")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if q, err := Quick(w, time.Minute); err != nil || q.OK() || !q.Whole {
		t.Fatalf("the quick check: %+v %v", q, err)
	}
}

func largest(t *testing.T, names []string) string {
	t.Helper()
	size := func(n string) int64 {
		st, err := os.Stat(n)
		if err != nil {
			t.Fatal(err)
		}
		return st.Size()
	}
	return slices.MaxFunc(names, func(a, b string) int { return int(size(a) - size(b)) })
}

// TestRecordsThatMakeNoSense: checksums say nothing of what was written wrong.
func TestRecordsThatMakeNoSense(t *testing.T) {
	f := folder(t, 3)
	put(t, f, "r.2.0", "c\x03", "no column")
	put(t, f, "r.1.0", "?", "unknown")
	r, err := Check(f, "home")
	if err != nil || len(r.Damage) != 2 || r.Damage[0].What != "region 1,0" || r.Damage[1].Records != 1 || !slices.Equal(r.Damage[1].Players, []string{"Ada"}) {
		t.Fatalf("%+v %v", r, err)
	}
	var b bytes.Buffer
	if err := r.Print(&b); err != nil || !strings.Contains(b.String(), "Ada") {
		t.Fatalf("%s %v", &b, err)
	}
	if made := second(t, f); len(made.Lost) != 2 || len(made.Fetched) != 0 {
		t.Fatalf("%+v", made)
	}
	left := content(t, f, "home-repaired")
	if _, ok := left["r.2.0 c\x03"]; ok || left["r.2.0 h"] == "" {
		t.Fatal("the copy has what makes no sense, or lacks what does")
	}
}

// TestQuickEnds: a quick check of a large world ends in time and says so.
func TestQuickEnds(t *testing.T) {
	f := folder(t, 3)
	w, err := f.Open("home")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if r, err := Quick(w, 0); err != nil || r.Whole || !r.OK() || r.Records > 64 {
		t.Fatalf("%+v %v", r, err)
	}
}

// TestEveryFileDamaged damages each file of a world in each of several ways: nothing
// panics, and what cannot be opened is damaged, in one line.
func TestEveryFileDamaged(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	good := folder(t, 3)
	dir := filepath.Join(good.Dir(), "worlds", "home")
	saved := tree(t, dir)
	restore := func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for name, text := range saved {
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	ways := map[string]func([]byte) []byte{
		"begin": flip(0), "quarter": flip(.25), "middle": flip(.5), "end": flip(.999),
		"half": func(b []byte) []byte { return b[:len(b)/2] }, "empty": func([]byte) []byte { return nil },
		"noise": func(b []byte) []byte { return bytes.Repeat([]byte{0xa5}, len(b)) },
	}
	harmless := map[string]bool{"reserve": true, "LOCK": true}
	table := largest(t, pebbleFiles(t, good, "*.sst"))
	for name, text := range saved {
		if harmless[filepath.Base(name)] || text == "" || filepath.Ext(name) == ".sst" && name != table {
			continue
		}
		for way, change := range ways {
			t.Run(filepath.Base(name)+"/"+way, func(t *testing.T) {
				restore()
				damage(t, name, change)
				r, err := Check(good, "home")
				if err == nil {
					err = r.Err()
				}
				if err != nil && !errors.Is(err, disk.ErrDamaged) && !errors.Is(err, disk.ErrNewer) && !errors.Is(err, worldfs.ErrNewer) {
					t.Fatalf("an error of another kind: %v", err)
				}
				if err != nil && strings.Contains(err.Error(), "\n") {
					t.Fatalf("more than a line: %v", err)
				}
				_, made, err := Repair(good, "home", "copy")
				if err == nil && made.Name != "" {
					if again, err := Check(good, "copy"); err != nil || !again.OK() {
						t.Fatalf("the copy: %+v %v", again, err)
					}
					if err := good.Delete("copy"); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// TestManifestLost: without a manifest the tables and the log are read one by one.
func TestManifestLost(t *testing.T) {
	f := folder(t, 3)
	all := content(t, f, "home")
	for _, name := range pebbleFiles(t, f, "MANIFEST-*") {
		damage(t, name, func(b []byte) []byte { return b[:len(b)/3] })
	}
	r, err := Check(f, "home")
	if err != nil || r.OK() {
		t.Fatalf("%+v %v", r, err)
	}
	made := second(t, f)
	left := content(t, f, made.Name)
	for k, v := range all {
		if left[k] != v {
			t.Fatalf("%q is lost", k)
		}
	}
}

// TestLogDamaged: what lies before the damage in the log is saved.
func TestLogDamaged(t *testing.T) {
	f := folder(t, 1)
	w, err := f.Open("home")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		key := binary.BigEndian.AppendUint64([]byte("l"), uint64(1000+i))
		v := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(i)), 1)
		if err := w.Store.Apply(machine.DiskWrite{Space: "r.0.0", Put: []machine.KV{{Key: key, Value: bytes.Repeat(v, 200)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	damage(t, largest(t, pebbleFiles(t, f, "*.log")), flip(0.6))
	if _, err := f.Open("home"); !errors.Is(err, disk.ErrDamaged) {
		t.Fatalf("opened: %v", err)
	}
	if r, err := Check(f, "home"); err != nil || r.OK() {
		t.Fatalf("%+v %v", r, err)
	}
	second(t, f)
	n := 0
	for k := range content(t, f, "home-repaired") {
		if strings.HasPrefix(k, "r.0.0 l\x00\x00\x00\x00\x00\x00") {
			n++
		}
	}
	if n < 400+80 || n >= 400+200 {
		t.Fatalf("%d records of the log were saved", n)
	}
}

// TestSettingsLost: they are taken from the newest backup; without one the world
// cannot be made again.
func TestSettingsLost(t *testing.T) {
	f := folder(t, 1)
	meta := filepath.Join(f.Dir(), "worlds", "home", "meta.json")
	good, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(meta, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Check(f, "home"); err != nil || !errors.Is(r.Err(), disk.ErrDamaged) {
		t.Fatalf("%+v %v", r, err)
	}
	if _, _, err := Repair(f, "home", ""); !errors.Is(err, ErrSettings) || !errors.Is(err, disk.ErrDamaged) {
		t.Fatal(err)
	}
	if err := os.WriteFile(meta, good, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := f.Open("home")
	if err != nil {
		t.Fatal(err)
	}
	id := w.ID
	if _, err := f.Backup(w, time.Now(), 0); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(meta); err != nil {
		t.Fatal(err)
	}
	made := second(t, f)
	if i, err := f.Info(made.Name); err != nil || i.ID != id || made.Backup == "" {
		t.Fatalf("%+v %v %+v", i, err, made)
	}
}

// FuzzRecords: whatever a record holds, decoding it ends in a report.
func FuzzRecords(fz *testing.F) {
	for _, space := range []string{"hall", "r.0.0", "g.hall", "node", "old.x"} {
		for _, key := range []string{"h", "c\x01", "l12345678", "a", "p" + string(ada[:]), "m", "w", "p/" + ada.String(), "e12345678", "d" + string(ada[:]), "q12345678", "n"} {
			fz.Add(space, []byte(key), []byte{1, 2, 3})
		}
	}
	fz.Fuzz(func(t *testing.T, space string, key, value []byte) {
		s := newScan("x")
		if err := s.one(space, key, value); err != nil {
			t.Fatal(err)
		}
		r := s.finish(time.Now())
		if _, err := json.Marshal(&r); err != nil {
			t.Fatal(err)
		}
	})
}
