package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// lockFolder takes pebble's lock. A process that was just killed may hold it
// for a moment, so it is tried again for as long as retry says.
func lockFolder(fsys vfs.FS, base string, retry time.Duration) (*pebble.Lock, error) {
	for end := time.Now().Add(retry); ; time.Sleep(50 * time.Millisecond) {
		l, err := pebble.LockDirectory(base, fsys)
		if err == nil {
			return l, nil
		}
		var path *fs.PathError
		if errors.As(err, &path) {
			return nil, err // the file could not be made; it is not that it is held
		}
		if !time.Now().Before(end) {
			return nil, fmt.Errorf("%w: another process holds %s (%w)", ErrInUse, fsys.PathJoin(base, "LOCK"), err)
		}
	}
}

// ours reports whether the calling goroutine is one on which openPebble or
// commit recovers a fatal error.
func ours() bool {
	buf := make([]byte, 64<<10)
	buf = buf[:runtime.Stack(buf, false)]
	return bytes.Contains(buf, []byte("disk.(*Store).commit(")) || bytes.Contains(buf, []byte("disk.(*Store).openPebble("))
}
