// Package files puts small files into their place as a whole: a reader sees the
// old contents or the new, also after a crash or a power cut.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Draft is a file that is being written aside. It gets its name by Commit; Drop
// removes it if that has not happened.
type Draft struct {
	*os.File
	name string
	perm fs.FileMode
}

// Begin makes a draft of a file.
func Begin(name string, perm fs.FileMode) (*Draft, error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return nil, err
	}
	return &Draft{f, name, perm}, nil
}

// Commit syncs the draft and gives it its name, in place of what has it now.
func (d *Draft) Commit() error { return d.finish(os.Rename) }

// CommitNew is Commit for a name that nobody has: fs.ErrExist otherwise.
func (d *Draft) CommitNew() error { return d.finish(link) }

func (d *Draft) finish(move func(from, to string) error) error {
	err := d.Chmod(d.perm)
	if err == nil {
		err = d.Sync()
	}
	if e := d.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = move(d.Name(), d.name)
	}
	if err == nil {
		err = SyncDir(filepath.Dir(d.name))
	}
	return err
}

// link gives a file a second name (Drop takes the first away), which fails if
// somebody has that name. Where the file system knows no links it is renamed:
// then two who come at the very same moment are not told apart.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// Drop closes and removes what was not committed.
func (d *Draft) Drop() {
	_ = d.Close()           // closed already if it was committed
	_ = os.Remove(d.Name()) // gone already
}

// Write puts a file into its place.
func Write(name string, b []byte, perm fs.FileMode) error {
	return write(name, b, perm, (*Draft).Commit)
}

// WriteNew is Write for a name that nobody has: fs.ErrExist otherwise.
func WriteNew(name string, b []byte, perm fs.FileMode) error {
	return write(name, b, perm, (*Draft).CommitNew)
}

func write(name string, b []byte, perm fs.FileMode, commit func(*Draft) error) error {
	d, err := Begin(name, perm)
	if err != nil {
		return err
	}
	defer d.Drop()
	if _, err := d.Write(b); err != nil {
		return err
	}
	return commit(d)
}

// ErrKind is wrapped by errors about a file that is none, or is too large.
var ErrKind = errors.New("not a small file")

// ReadSmall reads a regular file of at most limit bytes. A device, a pipe or a
// giant that somebody has put in a file's place is refused unread.
func ReadSmall(name string, limit int64) ([]byte, error) {
	// The file that was opened is looked at, not the name: that may be another one by
	// then.
	f, err := os.OpenFile(name, os.O_RDONLY|NonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: it is a %s", name, ErrKind, st.Mode().Type())
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s: %w: it has more than %d bytes", name, ErrKind, limit)
	}
	return b, err
}

// ErrLink is wrapped by errors about a name that leads somewhere else.
var ErrLink = errors.New("no symbolic links are followed out of the data folder")

// Inside refuses a name in a folder that leads out of it by a symbolic link, or to
// nothing. The folder itself may be one, and the name need not be there.
func Inside(dir, name string) error {
	real, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		st, bad := os.Lstat(name)
		if bad != nil {
			return nil // not there
		}
		if st.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s: %w: it leads nowhere, remove it", name, ErrLink)
		}
		// Another process has made it since, and may have removed it again.
		if real, err = filepath.EvalSymlinks(name); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	if rel, err := filepath.Rel(dir, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s: %w: it leads to %s. Move the files here, or start with --data where they are", name, ErrLink, real)
	}
	return nil
}

// SyncDir makes the names in a folder last.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync() // not every system can; those do not need it
	return nil
}
