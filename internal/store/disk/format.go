package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A step changes a store from one format to the next. It is run again if the
// program ended in between, so it must not mind finding its own work.
type step func(*pebble.DB) error

// steps[i] changes format i+1 to i+2; the newest format is len(steps)+1.
var steps = []step{newRecords}

// newRecords changes nothing: format 2 may also have regions with records (history, land)
// and states (mobs of packs, beds) that programs of format 1 take for damage.
func newRecords(*pebble.DB) error { return nil }

// pebbleFormat is the format of pebble's own files; raised with a new step.
const pebbleFormat = pebble.FormatWALSyncChunks

const formatText = "voxelpopuli disk %d\n"

// readFormat returns a folder's format, 0 if it has none because it is new.
func readFormat(fsys vfs.FS, dir string) (int, error) {
	f, err := fsys.Open(fsys.PathJoin(dir, "format"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 100))
	if err != nil {
		return 0, err
	}
	var format int
	if _, err := fmt.Sscanf(string(b), formatText, &format); err != nil || format < 1 {
		return 0, fmt.Errorf("%w: the file format says %q", ErrDamaged, b)
	}
	return format, nil
}

// writeFormat replaces the format file: a new file is synced, then renamed.
func writeFormat(fsys vfs.FS, dir string, format int) error {
	tmp, name := fsys.PathJoin(dir, "format.new"), fsys.PathJoin(dir, "format")
	f, err := fsys.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, formatText, format)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := fsys.Rename(tmp, name); err != nil {
		return err
	}
	return syncDir(fsys, dir)
}

// makeDir makes a folder and those above it, and syncs their names: without
// that a power cut could take the folder with all that was acknowledged.
func makeDir(fsys vfs.FS, dir string) error {
	if st, err := fsys.Stat(dir); err == nil && st.IsDir() {
		return nil
	}
	parent := fsys.PathDir(dir)
	if parent != dir {
		if err := makeDir(fsys, parent); err != nil {
			return err
		}
	}
	if err := fsys.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(fsys, parent)
}

// syncDir makes the names in a folder last.
func syncDir(fsys vfs.FS, dir string) error {
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// migrate brings a store of an older format (0: new) to the newest.
func migrate(fsys vfs.FS, dir string, db *pebble.DB, format int, steps []step) error {
	newest := len(steps) + 1
	if format == 0 {
		return writeFormat(fsys, dir, newest)
	}
	for ; format < newest; format++ {
		if err := steps[format-1](db); err != nil {
			return fmt.Errorf("changing format %d to %d: %w", format, format+1, err)
		}
		if err := db.Flush(); err != nil {
			return err
		}
		if err := writeFormat(fsys, dir, format+1); err != nil {
			return err
		}
	}
	return nil
}
