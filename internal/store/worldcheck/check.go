package worldcheck

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

type kv = machine.KV

// errTime ends a quick check.
var errTime = errors.New("the time for a quick check is over")

// Quick checks a world that is open for at most about limit, beginning with what
// everybody needs.
func Quick(w *worldfs.World, limit time.Duration) (Report, error) {
	s, begun := newScan(w.Name), time.Now()
	snap, err := w.Store.Snapshot()
	if err != nil {
		return s.report, err
	}
	defer snap.Close()
	err = snap.Walk(func(space string, key, value []byte) error {
		if s.report.Records%64 == 63 && time.Since(begun) > limit {
			return errTime
		}
		return s.one(space, key, value)
	}, s.gap)
	if errors.Is(err, errTime) {
		s.report.Whole, err = false, nil
	}
	return s.finish(begun), err
}

// source is a world's folder that is read without changing it.
type source struct {
	info    worldfs.Info
	metaErr error
	records []disk.Record // if the store cannot be opened
	files   []string      // what then cannot be read, and why
	store   *disk.Store   // nil: it cannot be opened
	openErr error
}

// open opens a world's folder for reading. A world that cannot be read at all is
// no error.
func open(f *worldfs.Folder, name string) (*source, error) {
	s := &source{}
	if s.info, s.metaErr = f.Info(name); s.info.Dir == "" {
		return nil, s.metaErr
	}
	if s.info.InUse {
		return nil, fmt.Errorf("world %q: %w: close it first, an open world is checked when it is opened", s.info.Name, disk.ErrInUse)
	}
	if errors.Is(s.metaErr, worldfs.ErrNewer) {
		return nil, s.metaErr
	}
	db := filepath.Join(s.info.Dir, "db")
	s.store, s.openErr = disk.OpenWith(db, disk.Options{ReadOnly: true, Log: slog.New(slog.DiscardHandler)})
	if s.openErr == nil {
		return s, nil
	}
	if !errors.Is(s.openErr, disk.ErrDamaged) {
		return nil, s.openErr
	}
	var err error
	s.records, err = disk.Rescue(db, func(file string, err error) {
		s.files = append(s.files, fmt.Sprintf("%s: %v", file, err))
	})
	if err != nil {
		s.files = append(s.files, err.Error())
	}
	return s, nil
}

func (s *source) close() {
	if s.store != nil {
		_ = s.store.Close() // nothing was written
	}
}

// each reads all that can be read.
func (s *source) each(fn func(space string, key, value []byte) error, gap func(disk.Gap)) error {
	if s.store != nil {
		snap, err := s.store.Snapshot()
		if err != nil {
			return err
		}
		defer snap.Close()
		return snap.Walk(fn, gap)
	}
	for _, r := range s.records {
		if err := fn(r.Space, r.Key, r.Value); err != nil {
			return err
		}
	}
	return nil
}

// scan reads and decodes everything.
func (s *source) scan() (*scan, error) {
	out := newScan(s.info.Name)
	if s.openErr != nil {
		out.other.unread = true
		out.other.causes = append([]string{"it cannot be opened: " + firstCause(s.openErr)}, s.files...)
		// Which files should be there, and so which records are missing, is not known.
		out.gaps = append(out.gaps, disk.Gap{Err: s.openErr})
	}
	return out, s.each(out.one, out.gap)
}

// firstCause is an error of the disk without its advice.
func firstCause(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return err.Error()
}

// Check reads and decodes everything in the folder of a world that nobody runs.
func Check(f *worldfs.Folder, name string) (Report, error) {
	begun := time.Now()
	src, err := open(f, name)
	if err != nil {
		return Report{}, err
	}
	defer src.close()
	s, err := src.scan()
	if err != nil {
		return s.report, err
	}
	r := s.finish(begun)
	if src.metaErr != nil {
		r.Damage = append([]Damage{{What: "the world's settings (meta.json)", Causes: []string{src.metaErr.Error()}}}, r.Damage...)
	}
	return r, nil
}
