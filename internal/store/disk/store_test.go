package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

func kv(k, v string) machine.KV { return machine.KV{Key: []byte(k), Value: []byte(v)} }

func open(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := OpenWith(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// mem are options for a store in memory.
func mem() Options { return Options{FS: vfs.NewMem(), Reserve: -1} }

func text(t *testing.T, s *Store, space, prefix string) string {
	t.Helper()
	kvs, err := s.Read(machine.DiskRead{Space: space, Prefix: []byte(prefix)})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range kvs {
		out = append(out, string(p.Key)+"="+string(p.Value))
	}
	return strings.Join(out, " ")
}

func TestWriteAndRead(t *testing.T) {
	s := open(t, "w", mem())
	steps := []struct {
		w    machine.DiskWrite
		want string
	}{
		{machine.DiskWrite{Put: []machine.KV{kv("b", "2"), kv("a", "1"), kv("log/1", "x"), kv("log/2", "y")}}, "a=1 b=2 log/1=x log/2=y"},
		{machine.DiskWrite{Delete: [][]byte{[]byte("b")}, Put: []machine.KV{kv("c", "")}}, "a=1 c= log/1=x log/2=y"},
		{machine.DiskWrite{DeletePrefix: [][]byte{[]byte("log/")}, Put: []machine.KV{kv("log/3", "z")}}, "a=1 c= log/3=z"},
		{machine.DiskWrite{DeletePrefix: [][]byte{nil}, Put: []machine.KV{kv("\xff", "end")}}, "\xff=end"},
	}
	if err := s.Apply(machine.DiskWrite{Space: "r.0.0x", Put: []machine.KV{kv("other", "space")}}); err != nil {
		t.Fatal(err)
	}
	for i, st := range steps {
		st.w.Space = "r.0.0"
		if err := s.Apply(st.w); err != nil {
			t.Fatal(err)
		}
		if got := text(t, s, "r.0.0", ""); got != st.want {
			t.Fatalf("step %d: %q, want %q", i, got, st.want)
		}
	}
	if got := text(t, s, "r.0.0x", "ot"); got != "other=space" {
		t.Fatalf("the other space has %q", got)
	}
	if err := s.Apply(machine.DiskWrite{Space: "a\x00b"}); err != nil {
		t.Fatalf("an empty write: %v", err)
	}
	if err := s.Apply(machine.DiskWrite{Space: "a\x00b", Put: []machine.KV{kv("k", "v")}}); err == nil {
		t.Fatal("a space with a zero byte was taken")
	}
}

// TestThen: what comes after a write sees it done, and is in the same batch.
func TestThen(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kv := func(k, v string) []machine.KV { return []machine.KV{{Key: []byte(k), Value: []byte(v)}} }
	w := machine.DiskWrite{Space: "a", Put: append(kv("x1", "1"), kv("y", "1")...), Then: []machine.DiskWrite{
		{Space: "a", DeletePrefix: [][]byte{[]byte("x")}, Put: kv("x2", "2")},
		{Space: "b", Put: kv("z", "3")},
	}}
	if err := s.Apply(w); err != nil {
		t.Fatal(err)
	}
	for space, want := range map[string]string{"a": "x2=2 y=1 ", "b": "z=3 "} {
		kvs, err := s.Read(machine.DiskRead{Space: space})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, kv := range kvs {
			got += string(kv.Key) + "=" + string(kv.Value) + " "
		}
		if got != want {
			t.Errorf("space %s has %q, want %q", space, got, want)
		}
	}
	if err := s.Apply(machine.DiskWrite{Space: "a", Put: kv("n", "1"), Then: []machine.DiskWrite{{Put: kv("n", "1")}}}); err == nil {
		t.Error("a write to a space without a name was done")
	}
	if kvs, _ := s.Read(machine.DiskRead{Space: "a", Prefix: []byte("n")}); len(kvs) > 0 {
		t.Error("half a write was done")
	}
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	s := open(t, dir, Options{})
	if err := s.Apply(machine.DiskWrite{Space: "hall", Put: []machine.KV{kv("k", "v")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "LOCK") {
		t.Fatalf("a second opening says %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(machine.DiskWrite{Space: "hall"}); !errors.Is(err, machine.ErrStopped) {
		t.Fatalf("a write after closing says %v", err)
	}
	s = open(t, dir, Options{})
	if got := text(t, s, "hall", ""); got != "k=v" {
		t.Fatalf("after reopening: %q", got)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "format")); string(b) != "voxelpopuli disk 2\n" {
		t.Fatalf("format says %q", b)
	}
}

func TestGroupCommit(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "db"), Options{})
	var wg sync.WaitGroup
	const n = 2000
	for i := range n {
		wg.Add(1)
		s.Write(machine.DiskWrite{Space: fmt.Sprint("r", i%50), Put: []machine.KV{kv(fmt.Sprint(i), "x")}}, func(err error) {
			if err != nil {
				t.Error(err)
			}
			wg.Done()
		})
	}
	wg.Wait()
	if st := s.Stats(); st.Writes != n || st.Syncs > n/10 {
		t.Fatalf("%d writes took %d syncs", st.Writes, st.Syncs)
	}
}

func TestFormats(t *testing.T) {
	o := mem()
	o.steps = []step{} // a program of the first format
	s := open(t, "w", o)
	s.Apply(machine.DiskWrite{Space: "a", Put: []machine.KV{kv("k", "v")}})
	s.Close()

	ran := 0
	o.steps = []step{func(db *pebble.DB) error {
		ran++
		return db.Set([]byte("s/a\x00new"), []byte("2"), pebble.Sync)
	}}
	s = open(t, "w", o)
	if got := text(t, s, "a", ""); got != "k=v new=2" || ran != 1 {
		t.Fatalf("after the step: %q, run %d times", got, ran)
	}
	s.Close()
	open(t, "w", o).Close()
	if ran != 1 {
		t.Fatal("the step ran again")
	}
	o.steps = []step{}
	if _, err := OpenWith("w", o); !errors.Is(err, ErrNewer) {
		t.Fatalf("the older program says %v", err)
	}
	writeFile(t, o.FS, "w/format", "what?")
	if _, err := OpenWith("w", o); !errors.Is(err, ErrDamaged) {
		t.Fatalf("a strange format file: %v", err)
	}
}

func writeFile(t *testing.T, fsys vfs.FS, name, text string) {
	t.Helper()
	f, err := fsys.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func BenchmarkApply(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	b.SetParallelism(64)
	value := string(make([]byte, 100))
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if err := s.Apply(machine.DiskWrite{Space: "r.0.0", Put: []machine.KV{kv(fmt.Sprint(i), value)}}); err != nil {
				b.Error(err)
			}
		}
	})
	st := s.Stats()
	b.ReportMetric(float64(st.Writes)/float64(max(st.Syncs, 1)), "writes/sync")
}

func TestSpaces(t *testing.T) {
	s := open(t, "", mem())
	for _, space := range []string{"r.1", "r.1.2", "hall", "g.hall", "gone"} {
		for _, k := range []string{"a", "\x00", "\xff\xff"} {
			if err := s.Apply(machine.DiskWrite{Space: space, Put: []machine.KV{kv(k, "x")}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Apply(machine.DiskWrite{Space: "gone", DeletePrefix: [][]byte{{}}}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Spaces()
	if want := "g.hall hall r.1 r.1.2"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
