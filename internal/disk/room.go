package disk

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// room keeps the store from running into a full disk. Before each commit it
// asks how much is free; should the disk fill up faster than that (others
// write, too), the reserve file is given up, so that what pebble has begun can
// be finished. While there is too little room, writes are refused.
type room struct {
	fs      vfs.FS // what pebble uses: calls back when there is no space
	inner   vfs.FS
	dir     string
	reserve int64

	mu  sync.Mutex
	low bool // the reserve is given up
}

// margin is what must be free beside the reserve for a write to begin: room
// for pebble's log, and for a flush of its memory.
func (r *room) margin() int64 { return r.reserve / 2 }

func newRoom(fsys vfs.FS, dir string, reserve int64) *room {
	r := &room{fs: fsys, inner: fsys, dir: dir, reserve: reserve}
	if reserve > 0 {
		r.fs = vfs.OnDiskFull(fsys, r.giveUp)
	}
	return r
}

func (r *room) path() string { return r.inner.PathJoin(r.dir, "reserve") }

// giveUp removes the reserve; pebble then tries again what failed.
func (r *room) giveUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.low = true
	_ = r.inner.Remove(r.path())
}

// ensure makes the reserve file if there is room for it; opening a world on a
// nearly full disk is no error.
func (r *room) ensure() error {
	if r.reserve <= 0 {
		return nil
	}
	if st, err := r.inner.Stat(r.path()); err == nil && st.Size() == r.reserve {
		return nil
	}
	free, err := r.free()
	if err != nil || free < r.reserve+2*r.margin() {
		r.mu.Lock()
		r.low = err == nil
		r.mu.Unlock()
		return nil
	}
	return r.fill()
}

// fill writes the reserve: real blocks, not a hole.
func (r *room) fill() error {
	f, err := r.inner.Create(r.path(), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	from := int64(0)
	if runtime.GOOS == "linux" && f.Preallocate(0, r.reserve) == nil {
		from = r.reserve - 1 // the blocks are there: only the length is not
	}
	chunk := make([]byte, min(r.reserve-from, 1<<20))
	for ; from < r.reserve && err == nil; from += int64(len(chunk)) {
		_, err = f.WriteAt(chunk[:min(r.reserve-from, int64(len(chunk)))], from)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = r.inner.Remove(r.path())
	}
	return err
}

// free returns the bytes that can be written.
func (r *room) free() (int64, error) {
	u, err := r.inner.GetDiskUsage(r.dir)
	return int64(u.AvailBytes), err
}

// check says whether n bytes may be written now.
func (r *room) check(n int) error {
	if r.reserve <= 0 {
		return nil
	}
	free, err := r.free()
	if err != nil {
		return nil // a file system that does not tell: giveUp remains
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	need := r.margin() + int64(n)
	if r.low {
		need += r.reserve + r.margin()
	}
	if free < need {
		return fmt.Errorf("%w: %d MiB free, %d MiB needed", machine.ErrDiskFull, free>>20, (need+1<<20-1)>>20)
	}
	if r.low {
		if err := r.fill(); err != nil {
			return err
		}
		r.low = false
	}
	return nil
}
