// Package disk is the disk port of a node: cockroachdb/pebble behind
// machine.DiskRead and machine.DiskWrite.
//
// Invariants:
//   - a write is there as a whole or not at all, and is reported as done only
//     after it was synced;
//   - writes that wait while another is synced share the next sync (group
//     commit); their order is kept;
//   - a full disk refuses writes and loses nothing: a reserve file and a check
//     before each commit keep pebble itself from running out of room;
//   - whatever pebble cannot go on after (Fatalf) closes the store for good
//     with ErrFailed; it never ends the process. A restart recovers from the
//     log all that was acknowledged.
//
// A folder holds
//
//	format     "voxelpopuli disk 1\n", see format.go
//	reserve    room given back to pebble when the disk is full
//	pebble/    the database; its LOCK keeps a second process out
//
// and a key of a space is stored as "s/" space 0x00 key.
package disk

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Options are for tests and tools; the zero value is what nodes use.
type Options struct {
	FS      vfs.FS        // nil: the operating system's
	Reserve int64         // bytes kept free for a full disk; 0: 8 MiB, negative: none
	Log     *slog.Logger  // nil: slog.Default()
	Retry   time.Duration // how long Open waits for another process to let go; 0: not at all
	// ReadOnly opens a folder that is there without changing anything in it: for
	// tools that look at damage. Writes must not be asked for.
	ReadOnly bool

	steps []step // migrations, for tests; nil: the package's
}

const (
	defaultReserve = 8 << 20
	// memTable is how much the library gathers before it writes a table. Its log
	// takes a little more on the disk from the start.
	memTable = 4 << 20
)

// Store is an open folder. Its methods may be called from any goroutine.
type Store struct {
	dir  string
	db   *pebble.DB
	lock *pebble.Lock
	log  *slog.Logger
	room *room

	damaged sync.Map    // names of files that the log has told of
	stalled atomic.Bool // a commit waits until memory was written to a table

	mu      sync.Mutex
	cond    sync.Cond
	waiting []write
	current []write // being committed; nil once they were told
	closed  bool
	failure error         // set once: the store is closed for good
	failed  chan struct{} // closed with it
	ended   chan struct{} // the committer has ended
	stats   Stats
}

// Stats counts what a store has done since it was opened.
type Stats struct {
	Writes  uint64 // that were synced
	Syncs   uint64 // fewer than Writes when writes share one
	Bytes   uint64 // keys and values written
	Refused uint64 // for lack of room
	MaxSync time.Duration
}

// Open opens a folder, making it if it is not there.
func Open(dir string) (*Store, error) { return OpenWith(dir, Options{}) }

// OpenWith opens a folder.
func OpenWith(dir string, o Options) (*Store, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Reserve == 0 {
		o.Reserve = defaultReserve
	}
	if o.steps == nil {
		o.steps = steps
	}
	s := &Store{dir: dir, log: o.Log, failed: make(chan struct{}), ended: make(chan struct{})}
	s.cond.L = &s.mu
	if err := s.open(o); err != nil {
		return nil, explain(dir, err)
	}
	go s.commitLoop()
	return s, nil
}

func (s *Store) open(o Options) (err error) {
	base := o.FS.PathJoin(s.dir, "pebble")
	if !o.ReadOnly {
		if err := makeDir(o.FS, base); err != nil {
			return err
		}
	}
	format, err := readFormat(o.FS, s.dir)
	if err != nil {
		return err
	}
	if format > len(o.steps)+1 {
		return fmt.Errorf("%w: it has format %d, this program knows up to %d", ErrNewer, format, len(o.steps)+1)
	}
	if s.lock, err = lockFolder(o.FS, base, o.Retry); err != nil {
		return err
	}
	s.room = newRoom(o.FS, s.dir, o.Reserve)
	if s.db, err = s.openPebble(base, s.room.fs, format == 0, o.ReadOnly); err != nil {
		s.lock.Close()
		return err
	}
	if o.ReadOnly {
		return nil
	}
	if err = migrate(o.FS, s.dir, s.db, format, o.steps); err == nil {
		err = s.room.ensure()
	}
	if err != nil {
		s.db.Close()
		s.lock.Close()
	}
	return err
}

// openPebble opens the database. What pebble cannot go on after while opening
// is an error, too.
//
// A new folder must not hold data, and another one must: pebble would begin
// anew where its main file is missing.
//
// Damaged files can also make it panic: they hold what it has never written.
func (s *Store) openPebble(base string, fs vfs.FS, fresh, readOnly bool) (db *pebble.DB, err error) {
	defer func() {
		if errno := syscall.Errno(0); err != nil && !errors.As(err, &errno) && !errors.Is(err, ErrDamaged) && strings.Contains(err.Error(), "size mismatch") {
			err = fmt.Errorf("%w: %w", ErrDamaged, err) // the library has no kind of error for files that were cut off
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			if f, ok := p.(fatal); ok {
				err = f.err
			} else {
				err = fmt.Errorf("%w: %v", ErrDamaged, p)
			}
		}
	}()
	return pebble.Open(base, &pebble.Options{
		FS: fs, Lock: s.lock, Logger: logger{s}, ReadOnly: readOnly,
		ErrorIfNotPristine: fresh && !readOnly, ErrorIfNotExists: !fresh || readOnly,
		FormatMajorVersion: pebbleFormat,
		MemTableSize:       memTable,
		EventListener: &pebble.EventListener{
			BackgroundError: s.backgroundFailed,
			WriteStallBegin: func(pebble.WriteStallBeginInfo) { s.stalled.Store(true) },
			WriteStallEnd:   func() { s.stalled.Store(false) },
			// Its own text holds a stack trace.
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				if _, told := s.damaged.LoadOrStore(i.Path, true); !told {
					s.log.Error("disk: damaged data", "file", i.Path, "err", concise(i.Details))
				}
			},
		},
	})
}

// backgroundFailed hears of a flush or a compaction that failed and is tried again.
// If a commit waits for it and there is no room, not even that of the reserve, the
// commit would wait for as long as the disk is full and could be refused no more.
func (s *Store) backgroundFailed(err error) {
	s.log.Warn("disk: background work failed, it is tried again", "err", concise(err))
	if s.stalled.Load() && vfs.IsNoSpaceError(err) {
		s.fail(err)
	}
}

// Read returns the keys of a space that begin with a prefix, in order.
func (s *Store) Read(r machine.DiskRead) ([]machine.KV, error) {
	lower, err := spaceKey(r.Space, r.Prefix)
	if err != nil {
		return nil, err
	}
	if err := s.alive(); err != nil {
		return nil, err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: after(lower)})
	if err != nil {
		return nil, explain(s.dir, err)
	}
	skip := len(lower) - len(r.Prefix)
	var out []machine.KV
	for it.First(); it.Valid(); it.Next() {
		kv, err := copyKV(it, skip)
		if err != nil {
			it.Close()
			return nil, explain(s.dir, err)
		}
		out = append(out, kv)
	}
	if err := it.Close(); err != nil {
		return nil, explain(s.dir, err)
	}
	return out, nil
}

// copyKV copies the iterator's pair into one allocation.
func copyKV(it *pebble.Iterator, skip int) (machine.KV, error) {
	v, err := it.ValueAndErr()
	if err != nil {
		return machine.KV{}, err
	}
	k := it.Key()[skip:]
	b := make([]byte, len(k)+len(v))
	copy(b, k)
	copy(b[len(k):], v)
	return machine.KV{Key: b[:len(k):len(k)], Value: b[len(k):]}, nil
}

// Stats returns the store's counters.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Failed is closed when the store cannot go on and the program should end.
func (s *Store) Failed() <-chan struct{} { return s.failed }

// Close waits for the writes that were given and closes the folder. Later
// writes fail with machine.ErrStopped.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	failure := s.failure
	s.cond.Signal()
	s.mu.Unlock()
	if failure != nil {
		// pebble is in no state to be closed; the lock goes with the process.
		return failure
	}
	<-s.ended
	if err := s.alive(); err != nil {
		return err
	}
	err := s.db.Close()
	if e := s.lock.Close(); err == nil {
		err = e
	}
	return explain(s.dir, err)
}

// Dir is the folder.
func (s *Store) Dir() string { return s.dir }

// alive says why the store cannot be used, nil if it can.
func (s *Store) alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// fail closes the store for good: what waits fails now.
func (s *Store) fail(err error) {
	s.mu.Lock()
	if s.failure != nil {
		s.mu.Unlock()
		return
	}
	s.failure = fmt.Errorf("%s: %w: %w", filepath.Clean(s.dir), ErrFailed, err)
	waiting := append(s.current, s.waiting...)
	s.current, s.waiting = nil, nil
	close(s.failed)
	s.cond.Signal()
	s.mu.Unlock()
	s.log.Error("disk: the store cannot go on; restart the program", "dir", s.dir, "err", err)
	for _, w := range waiting {
		w.done(s.failure)
	}
}
