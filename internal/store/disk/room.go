package disk

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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

	mu   sync.Mutex
	size int64 // of the file: the reserve, or more for a large write
	low  bool  // the reserve is given up
}

// margin is what must be free beside the reserve for a write to begin: room for
// pebble's next log and a flush of its memory.
func (r *room) margin() int64 { return r.reserve }

// reserveFor is how large the reserve must be for a write of n bytes: should the
// disk fill up while it is written, its log must still get there, and a new one be
// begun.
func (r *room) reserveFor(n int64) int64 {
	if 2*n <= r.reserve {
		return r.reserve
	}
	return r.reserve/2 + n
}

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
	r.low, r.size = true, 0
	_ = r.inner.Remove(r.path())
}

// ensure makes the reserve file if there is room for it; opening a world on a
// nearly full disk is no error.
func (r *room) ensure() error {
	if r.reserve <= 0 {
		return nil
	}
	if st, err := r.inner.Stat(r.path()); err == nil && st.Size() == r.reserve {
		r.size = r.reserve
		return nil
	}
	free, err := r.free()
	if err != nil || free < r.reserve+2*r.margin() {
		r.mu.Lock()
		r.low = err == nil
		r.mu.Unlock()
		return nil
	}
	return r.fill(r.reserve)
}

// fill writes a reserve of a size: real blocks, not a hole. If that fails there is
// none.
func (r *room) fill(size int64) error {
	r.size = 0
	f, err := r.inner.Create(r.path(), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	from := int64(0)
	if runtime.GOOS == "linux" && f.Preallocate(0, size) == nil {
		from = size - 1 // the blocks are there: only the length is not
	}
	chunk := make([]byte, min(size-from, 1<<20))
	for ; from < size && err == nil; from += int64(len(chunk)) {
		_, err = f.WriteAt(chunk[:min(size-from, int64(len(chunk)))], from)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = r.inner.Remove(r.path())
		return err
	}
	r.size = size
	return nil
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
	want := r.reserveFor(int64(n))
	need := r.margin() + int64(n) + max(0, want-r.size)
	if r.low {
		need += r.margin()
	}
	if free < need {
		return fmt.Errorf("%w: %d MiB free, %d MiB needed", machine.ErrDiskFull, free>>20, (need+1<<20-1)>>20)
	}
	if r.low || r.size < want {
		if err := r.fill(want); err != nil {
			return err
		}
		r.low = false
	}
	return nil
}
