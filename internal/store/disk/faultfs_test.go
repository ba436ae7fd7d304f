package disk

import (
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// quota is a disk of a given size: writes beyond it fail with ENOSPC. Files
// that are overwritten in place are counted twice, which only makes it smaller.
type quota struct {
	vfs.FS
	mem   *vfs.MemFS // the same
	mu    sync.Mutex
	left  int64
	sizes map[string]int64
	tells bool // GetDiskUsage works
}

func newQuota(size int64, tells bool) *quota {
	mem := vfs.NewCrashableMem()
	return &quota{FS: mem, mem: mem, left: size, sizes: map[string]int64{}, tells: tells}
}

func (q *quota) take(name string, n int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n > q.left {
		return syscall.ENOSPC
	}
	q.left -= n
	q.sizes[name] += n
	return nil
}

func (q *quota) add(n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left += n
}

func (q *quota) release(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left += q.sizes[name]
	delete(q.sizes, name)
}

func (q *quota) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	q.release(name)
	f, err := q.FS.Create(name, c)
	return &quotaFile{f, q, name}, err
}

func (q *quota) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	q.release(old)
	f, err := q.FS.ReuseForWrite(old, name, c)
	return &quotaFile{f, q, name}, err
}

func (q *quota) Remove(name string) error {
	q.release(name)
	return q.FS.Remove(name)
}

func (q *quota) Rename(old, name string) error {
	q.mu.Lock()
	q.sizes[name] += q.sizes[old]
	delete(q.sizes, old)
	q.mu.Unlock()
	return q.FS.Rename(old, name)
}

func (q *quota) GetDiskUsage(string) (vfs.DiskUsage, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.tells {
		return vfs.DiskUsage{}, syscall.ENOSYS
	}
	return vfs.DiskUsage{AvailBytes: uint64(q.left)}, nil
}

type quotaFile struct {
	vfs.File
	q    *quota
	name string
}

func (f *quotaFile) Write(b []byte) (int, error) {
	if err := f.q.take(f.name, int64(len(b))); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

func (f *quotaFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.q.take(f.name, int64(len(b))); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, at)
}

func (f *quotaFile) Preallocate(int64, int64) error { return syscall.ENOTSUP }

// breaking returns a file system on which operations that match fail with err
// while the switch is on.
func breaking(fsys vfs.FS, on *atomic.Bool, err error, match func(errorfs.Op) bool) vfs.FS {
	return errorfs.Wrap(fsys, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if on.Load() && match(op) {
			return err
		}
		return nil
	}))
}
