package disk

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// batch is the i-th write of a test: two keys that must be there together.
func batch(i, size int) machine.DiskWrite {
	b := make([]byte, size) // that does not compress
	r := rng.New(uint64(i))
	for j := range b {
		b[j] = byte(r.Uint64())
	}
	v := string(b)
	return machine.DiskWrite{Space: "t", Put: []machine.KV{kv(fmt.Sprintf("a%06d", i), v), kv(fmt.Sprintf("b%06d", i), v)}}
}

// check fails unless exactly the batches that acked says are there (those in
// unknown may be), each as a whole.
func check(t *testing.T, s *Store, n int, acked, unknown func(int) bool) {
	t.Helper()
	kvs, err := s.Read(machine.DiskRead{Space: "t"})
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, p := range kvs {
		there[string(p.Key)] = true
	}
	for i := range n {
		a, b := there[fmt.Sprintf("a%06d", i)], there[fmt.Sprintf("b%06d", i)]
		switch {
		case a != b:
			t.Fatalf("batch %d is torn", i)
		case acked(i) && !a:
			t.Fatalf("batch %d was acknowledged and is lost", i)
		case !acked(i) && !unknown(i) && a:
			t.Fatalf("batch %d was refused and is there", i)
		}
	}
}

func TestFullDisk(t *testing.T) {
	for _, tells := range []bool{true, false} {
		t.Run(fmt.Sprint("disk tells what is free: ", tells), func(t *testing.T) {
			q := newQuota(40<<20, tells)
			o := Options{FS: q, Reserve: 8 << 20, Log: quiet}
			s := open(t, "w", o)
			const n = 400
			acked := map[int]bool{}
			full := 0
			for i := range n {
				err := s.Apply(batch(i, 100<<10))
				switch {
				case err == nil:
					acked[i] = true
				case errors.Is(err, machine.ErrDiskFull):
					if full++; full == 1 && !strings.Contains(err.Error(), "make room") {
						t.Errorf("the error does not say what to do: %v", err)
					}
				case errors.Is(err, ErrFailed) && !tells:
					full++ // the reserve was not enough: the store closed itself
				default:
					t.Fatal(err)
				}
			}
			if full == 0 || len(acked) == 0 {
				t.Fatalf("%d taken, %d refused", len(acked), full)
			}
			is := func(i int) bool { return acked[i] }
			none := func(i int) bool { return false }
			if s.alive() == nil {
				check(t, s, n, is, none)
				q.add(100 << 20)
				if err := s.Apply(batch(n, 10)); err != nil {
					t.Fatalf("there is room again, but: %v", err)
				}
				acked[n] = true
			}
			q.add(100 << 20)
			if s.Close() != nil { // failed, and goes on in the background: look at a copy
				o.FS = q.mem.CrashClone(vfs.CrashCloneCfg{})
			}
			fresh := open(t, "w", o)
			check(t, fresh, n+1, is, func(int) bool { return !tells })
		})
	}
}

// copyMem copies a folder into a new file system in memory.
func copyMem(t *testing.T, from vfs.FS, dir string) vfs.FS {
	t.Helper()
	to := vfs.NewMem()
	if _, err := vfs.Clone(from, to, dir, dir); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestBrokenDisk: a sync that fails closes the store: nobody hears of success,
// nobody waits for ever, and what had been acknowledged is there later.
func TestBrokenDisk(t *testing.T) {
	for name, kind := range map[string]errorfs.OpKind{"write": errorfs.OpFileWrite, "sync": errorfs.OpFileSyncData} {
		t.Run(name, func(t *testing.T) {
			var on atomic.Bool
			mem := vfs.NewCrashableMem()
			broken := breaking(mem, &on, syscall.EIO, func(op errorfs.Op) bool { return op.Kind == kind })
			s := open(t, "w", Options{FS: broken, Reserve: -1, Log: quiet})
			for i := range 10 {
				if err := s.Apply(batch(i, 10)); err != nil {
					t.Fatal(err)
				}
			}
			on.Store(true)
			if err := s.Apply(batch(10, 10)); !errors.Is(err, ErrFailed) || !errors.Is(err, syscall.EIO) {
				t.Fatalf("the write says %v", err)
			}
			<-s.Failed()
			if err := s.Apply(batch(11, 10)); !errors.Is(err, ErrFailed) {
				t.Fatalf("the next write says %v", err)
			}
			if _, err := s.Read(machine.DiskRead{Space: "t"}); !errors.Is(err, ErrFailed) {
				t.Fatalf("a read says %v", err)
			}
			if err := s.Close(); !errors.Is(err, ErrFailed) {
				t.Fatalf("closing says %v", err)
			}
			on.Store(false)
			fresh := open(t, "w", Options{FS: mem.CrashClone(vfs.CrashCloneCfg{}), Reserve: -1})
			check(t, fresh, 12, func(i int) bool { return i < 10 }, func(i int) bool { return i == 10 })
		})
	}
}

// TestBrokenBackground: what pebble cannot go on after on one of its own
// goroutines must not end the process nor leave anybody waiting.
func TestBrokenBackground(t *testing.T) {
	var on atomic.Bool
	broken := breaking(vfs.NewMem(), &on, syscall.EIO, func(op errorfs.Op) bool {
		return strings.Contains(op.Path, "MANIFEST") && op.Kind.ReadOrWrite() == errorfs.OpIsWrite
	})
	s := open(t, "w", Options{FS: broken, Reserve: -1, Log: quiet})
	on.Store(true)
	for i := 0; ; i++ {
		err := s.Apply(batch(i, 1<<20)) // until a flush must write the MANIFEST
		if errors.Is(err, ErrFailed) {
			break
		}
		if err != nil || i > 100 {
			t.Fatalf("after %d writes: %v", i, err)
		}
	}
}

// TestPowerCut takes the disk at random moments as a power cut leaves it: all
// that was synced, and some of what was not.
func TestPowerCut(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	mem := vfs.NewCrashableMem()
	s := open(t, "w", Options{FS: mem, Reserve: -1, Log: quiet})
	var acked atomic.Int64
	n := 0
	for range 30 {
		for range r.IntN(20) {
			i := n
			n++
			s.Write(batch(i, r.IntN(8<<10)), func(err error) {
				if err != nil {
					t.Error(err)
				}
				acked.Store(int64(i) + 1)
			})
		}
		time.Sleep(time.Duration(r.IntN(500)) * time.Microsecond)
		before := int(acked.Load())
		cut := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
		after := n
		fresh := open(t, "w", Options{FS: cut, Reserve: -1, Log: quiet})
		check(t, fresh, after, func(i int) bool { return i < before }, func(i int) bool { return true })
		if err := fresh.Apply(batch(999999, 1)); err != nil {
			t.Fatal(err)
		}
		fresh.Close()
	}
}

// TestDamagedFiles changes bytes of every file of a store: what is read after
// that is right, or an error says what is wrong and what to do.
func TestDamagedFiles(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, "w", Options{FS: mem, Reserve: -1})
	const n = 50
	for i := range n {
		if err := s.Apply(batch(i, 1000)); err != nil {
			t.Fatal(err)
		}
		if i == n/2 {
			s.db.Flush() // so that there is a table beside the log
		}
	}
	s.Close()
	names, _ := mem.List("w/pebble")
	refused := map[string]bool{}
	for _, name := range names {
		path := "w/pebble/" + name
		st, _ := mem.Stat(path)
		for at := int64(0); at < st.Size(); at += max(1, st.Size()/15) {
			err := readDamaged(t, copyMem(t, mem, "w"), path, at)
			if err != nil && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "restore")) {
				t.Errorf("%s at %d: %v", name, at, err)
			}
			if err != nil {
				refused[filepath.Ext(name)] = true
			}
		}
	}
	if !refused[".sst"] || !refused[".log"] {
		t.Fatalf("damage was noticed in %v only", refused)
	}
}

// readDamaged changes a byte, opens and reads.
func readDamaged(t *testing.T, fsys vfs.FS, path string, at int64) error {
	t.Helper()
	f, err := fsys.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	f.ReadAt(b, at)
	b[0] ^= 0xff
	f.WriteAt(b, at)
	f.Close()
	s, err := OpenWith("w", Options{FS: fsys, Reserve: -1, Log: quiet})
	if err != nil {
		return err
	}
	defer s.Close()
	kvs, err := s.Read(machine.DiskRead{Space: "t"})
	for i, p := range kvs {
		if i > 0 && string(kvs[i-1].Key) >= string(p.Key) || len(p.Value) != 1000 {
			t.Fatalf("%s at %d: wrong data without an error", path, at)
		}
	}
	return err
}

// TestTornLog cuts the end off the log, as a crash in the middle of a write
// does: the store opens with all before it.
func TestTornLog(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, "w", Options{FS: mem, Reserve: -1})
	for i := range 10 {
		s.Apply(batch(i, 100))
	}
	cut := mem.CrashClone(vfs.CrashCloneCfg{})
	names, _ := cut.List("w/pebble")
	for _, name := range names {
		if filepath.Ext(name) != ".log" {
			continue
		}
		path := "w/pebble/" + name
		f, _ := cut.Open(path)
		b, _ := io.ReadAll(f)
		f.Close()
		writeFile(t, cut, path, string(b[:len(b)-40]))
	}
	fresh := open(t, "w", Options{FS: cut, Reserve: -1})
	check(t, fresh, 10, func(i int) bool { return i < 9 }, func(i int) bool { return i == 9 })
}

func TestMissingFiles(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, "w", Options{FS: mem, Reserve: -1})
	s.Apply(batch(0, 10))
	s.db.Flush()
	s.Close()
	names, _ := mem.List("w/pebble")
	for _, name := range append(names, "../format") {
		if name == "LOCK" || strings.HasPrefix(name, "OPTIONS") || strings.HasSuffix(name, ".log") {
			continue // made anew; the log is empty
		}
		fsys := copyMem(t, mem, "w")
		if err := fsys.Remove(filepath.Clean("w/pebble/" + name)); err != nil {
			t.Fatal(err)
		}
		s, err := OpenWith("w", Options{FS: fsys, Reserve: -1, Log: quiet})
		if err == nil {
			_, err = s.Read(machine.DiskRead{Space: "t"})
			s.Close()
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	for _, cause := range []error{syscall.EROFS, syscall.EACCES} {
		var on atomic.Bool
		on.Store(true)
		fsys := breaking(vfs.NewMem(), &on, &os.PathError{Op: "open", Path: "w", Err: cause}, func(op errorfs.Op) bool {
			return op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpMkdirAll || op.Kind == errorfs.OpLock
		})
		if _, err := OpenWith("w", Options{FS: fsys, Log: quiet}); !errors.Is(err, ErrPermission) {
			t.Errorf("%v gives %v", cause, err)
		}
	}
}
