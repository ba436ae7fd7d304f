package worldfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// folderFormat is what the file version in a data folder says.
const folderFormat = "1\n"

// Folder is a data folder.
type Folder struct {
	FS  vfs.FS // of the stores that are opened; nil: the operating system's
	dir string
}

// OpenFolder opens a data folder, making it if it is not there.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, "worlds"), 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	f := &Folder{dir: dir}
	for _, name := range []string{"worlds", "backups", "keys", "authorities"} {
		if err := f.inside(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	f.restrict()
	name := filepath.Join(dir, "version")
	b, err := files.ReadSmall(name, 100)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := files.Write(name, []byte(folderFormat), 0o600); err != nil {
			return nil, fmt.Errorf("data folder: %w", err)
		}
	case err != nil:
		return nil, fmt.Errorf("data folder: %w", err)
	case !isVersion(b):
		return nil, fmt.Errorf("%s: %w: it says %.20q. Every data folder of this program has %q there", name, disk.ErrDamaged, b, folderFormat)
	case string(b) != folderFormat:
		return nil, fmt.Errorf("data folder %s: %w: its version is %q, this program knows 1", dir, ErrNewer, strings.TrimSpace(string(b)))
	}
	f.sweep()
	return f, nil
}

// sweep removes what imports and deletions that were cut off have left.
func (f *Folder) sweep() {
	left, _ := filepath.Glob(filepath.Join(f.dir, "worlds", ".*"))
	for _, name := range left {
		if st, err := os.Lstat(name); err == nil && time.Since(st.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(name)
		}
	}
}

// Dir is the data folder's path.
func (f *Folder) Dir() string { return f.dir }

func (f *Folder) path(name string) string { return filepath.Join(f.dir, "worlds", name) }

// Info is a world as a list shows it.
type Info struct {
	Meta
	Dir   string
	Bytes int64 // on disk
	InUse bool  // by a node that runs
	// Err says what is wrong with the world; then only Name, Dir and Bytes are
	// filled in.
	Err error
}

// List returns all worlds, by name; damaged ones with what is wrong.
func (f *Folder) List() ([]Info, error) {
	entries, err := os.ReadDir(filepath.Join(f.dir, "worlds"))
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, e := range entries {
		if !e.IsDir() || e.Name()[0] == '.' {
			continue
		}
		out = append(out, f.info(e.Name()))
	}
	return out, nil
}

// Info returns one world.
func (f *Folder) Info(name string) (Info, error) {
	name, err := f.find(name)
	if err != nil {
		return Info{}, err
	}
	i := f.info(name)
	return i, i.Err
}

func (f *Folder) info(name string) Info {
	i := Info{Dir: f.path(name)}
	i.Meta, i.Err = readMeta(i.Dir)
	i.Name = name // the folder's, should they differ
	i.Bytes = size(i.Dir)
	if lock, err := disk.Lock(filepath.Join(i.Dir, "db")); err == nil {
		lock.Close()
	} else {
		i.InUse = errors.Is(err, disk.ErrInUse)
	}
	if i.Err == nil {
		i.Err = plainTree(i.Dir)
	}
	if i.Err != nil {
		i.Err = fmt.Errorf("world %q: %w", name, i.Err)
	}
	return i
}

// size is the sum of the files in a folder; what vanishes meanwhile is not
// counted.
func size(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if st, err := e.Info(); err == nil {
				n += st.Size()
			}
		}
		return nil
	})
	return n
}

// find returns the name of a world as it is written on disk; upper and lower
// case are the same, as on some file systems.
func (f *Folder) find(name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(filepath.Join(f.dir, "worlds"))
	if err != nil {
		return "", err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() || e.Name()[0] == '.' {
			continue
		}
		if strings.EqualFold(e.Name(), name) {
			return e.Name(), nil
		}
		names = append(names, e.Name())
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "", fmt.Errorf("%w: %q (there are none yet)", ErrNone, name)
	}
	return "", fmt.Errorf("%w: %q (there are: %s)", ErrNone, name, strings.Join(names, ", "))
}

// free reports whether a name is still to be had.
func (f *Folder) free(name string) error {
	there, err := f.find(name)
	if errors.Is(err, ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: %q", ErrExists, there)
}

// Create makes a world. Name, Seed, Mode, Spawn and Rules are the caller's; a
// Genesis, an ID and an Epoch are filled in if they are not given.
func (f *Folder) Create(m Meta) (Meta, error) {
	m.Format = metaFormat
	if m.Genesis == (identity.Genesis{}) && m.ID.IsZero() {
		m.Genesis = OpenGenesis(identity.DefaultDifficulty)
	}
	if m.ID.IsZero() {
		m.ID = m.Genesis.World()
	}
	if m.Created.IsZero() {
		m.Created = time.Now().UTC().Truncate(time.Second)
	}
	if m.Epoch.IsZero() {
		m.Epoch = m.Created
	}
	if err := m.validate(); err != nil {
		return m, fmt.Errorf("new world: %w", err)
	}
	return m, f.build(m, func(*disk.Store) error { return nil })
}

// Fill makes a world of what fill puts into it: a copy of one that is damaged, or a world
// of another program. Its id and its genesis stay.
func (f *Folder) Fill(m Meta, fill func(put func(space string, key, value []byte) error) error) error {
	m.Format = metaFormat
	if err := m.validate(); err != nil {
		return err
	}
	return f.build(m, func(s *disk.Store) error {
		in := &importer{s: s}
		if err := fill(in.pair); err != nil {
			return err
		}
		return in.flush()
	})
}

// OfWorld is the name of the folder that has a world; of a damaged one and what
// was saved from it, the latter.
func (f *Folder) OfWorld(world id.ID) (name string, ok bool, err error) {
	all, err := f.List()
	if err != nil {
		return "", false, err
	}
	all = slices.DeleteFunc(all, func(i Info) bool { return i.Err != nil || i.ID != world })
	for _, i := range all {
		replaced := slices.ContainsFunc(all, func(j Info) bool { return j.RepairedFrom == i.Name })
		if name == "" || !replaced {
			name = i.Name
		}
	}
	return name, name != "", nil
}

// build makes a world in a folder aside, and moves it into its place when it
// is complete.
func (f *Folder) build(m Meta, fill func(*disk.Store) error) error {
	if err := f.free(m.Name); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Join(f.dir, "worlds"), ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // not there any more if all went well
	s, err := disk.Open(filepath.Join(tmp, "db"))
	if err != nil {
		return err
	}
	err = fill(s)
	if e := s.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = writeMeta(tmp, &m)
	}
	if err == nil {
		err = os.Rename(tmp, f.path(m.Name))
	}
	if err != nil {
		return err
	}
	return files.SyncDir(filepath.Join(f.dir, "worlds"))
}

// World is a world that is open.
type World struct {
	Meta
	Dir   string
	Store *disk.Store
}

// Open opens a world for a node to run. Only one can have it open.
func (f *Folder) Open(name string) (*World, error) {
	name, err := f.find(name)
	if err != nil {
		return nil, err
	}
	w := &World{Dir: f.path(name)}
	if err := plainTree(w.Dir); err != nil {
		return nil, fmt.Errorf("world %q: %w", name, err)
	}
	if w.Meta, err = readMeta(w.Dir); err != nil {
		return nil, fmt.Errorf("world %q: %w", name, mend(name, err))
	}
	w.Name = name
	if w.Store, err = disk.OpenWith(filepath.Join(w.Dir, "db"), disk.Options{FS: f.FS, Retry: 500 * time.Millisecond}); err != nil {
		return nil, fmt.Errorf("world %q: %w", name, err)
	}
	return w, nil
}

// mend adds to an error about a damaged meta.json what to do.
func mend(name string, err error) error {
	if !errors.Is(err, disk.ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w. \"voxelpopuli world check %s --repair\" makes a new world with the settings of the last backup", err, name)
}

// Save writes the world's meta.json anew.
func (w *World) Save() error {
	if err := w.validate(); err != nil {
		return err
	}
	return writeMeta(w.Dir, &w.Meta)
}

// Close closes the world's store.
func (w *World) Close() error { return w.Store.Close() }

// Delete removes a world that nobody runs, for good. Its backups stay.
func (f *Folder) Delete(name string) error {
	name, err := f.find(name)
	if err != nil {
		return err
	}
	lock, err := disk.Lock(filepath.Join(f.path(name), "db"))
	if err == nil {
		defer lock.Close()
	} else if !errors.Is(err, fs.ErrNotExist) { // a world without data can go
		return fmt.Errorf("world %q: %w", name, err)
	}
	aside, err := os.MkdirTemp(filepath.Join(f.dir, "worlds"), ".deleted-*")
	if err != nil {
		return err
	}
	if err := os.Rename(f.path(name), filepath.Join(aside, "world")); err != nil {
		_ = os.Remove(aside)
		return fmt.Errorf("world %q: %w", name, err)
	}
	return os.RemoveAll(aside)
}
