package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// What can be wrong with a folder. The text of an error says what to do.
var (
	ErrInUse      = errors.New("the folder is in use")
	ErrPermission = errors.New("no permission")
	ErrDamaged    = errors.New("the data are damaged")
	ErrNewer      = errors.New("the folder was written by a newer version of this program")
	ErrFailed     = errors.New("the disk failed")
)

// explain wraps what the system or pebble says with what it means for a person.
func explain(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrFailed), errors.Is(err, machine.ErrStopped):
		return err
	case errors.Is(err, ErrInUse):
		return fmt.Errorf("%s: %w: is another voxelpopuli running with this world? Stop it first", dir, err)
	case errors.Is(err, ErrNewer):
		return fmt.Errorf("%s: %w; use that version, or restore a backup made with this one", dir, err)
	case errors.Is(err, machine.ErrDiskFull), vfs.IsNoSpaceError(err), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%s: %w: make room, nothing that was saved is lost (%w)", dir, machine.ErrDiskFull, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s: %w to read and write here: %w", dir, ErrPermission, err)
	case damaged(err):
		err = concise(err)
		if !errors.Is(err, ErrDamaged) {
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return fmt.Errorf("%s: %w. \"voxelpopuli world check NAME\" says what is affected, with --repair it saves the rest into a new world; or restore the last backup (voxelpopuli world import FILE)", dir, err)
	}
	return fmt.Errorf("%s: %w", dir, err)
}

// damaged reports whether an error means that what is on disk is wrong: files
// that are missing or do not belong together are.
func damaged(err error) bool {
	return pebble.IsCorruptionError(err) || errors.Is(err, ErrDamaged) || errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, pebble.ErrDBDoesNotExist) || errors.Is(err, pebble.ErrDBNotPristine)
}

// concise is an error with the first line of its text. What the library says of
// damaged data goes on with details for its authors, and, where a log prints an
// error with all that it has, with a stack trace.
func concise(err error) error {
	if err == nil {
		return nil
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return &oneLine{text, err}
}

type oneLine struct {
	text string
	err  error
}

func (e *oneLine) Error() string { return e.text }
func (e *oneLine) Unwrap() error { return e.err }

// fatal is what our logger panics with where pebble would end the process.
type fatal struct{ err error }

// logger gives pebble's messages to slog.
type logger struct{ s *Store }

func (l logger) Infof(format string, a ...any) {
	l.s.log.Debug("pebble: " + fmt.Sprintf(format, a...))
}

func (l logger) Errorf(format string, a ...any) {
	l.s.log.Warn("pebble: " + fmt.Sprintf(format, a...))
}

// Fatalf must not return: pebble holds state that it cannot undo. On the
// goroutines that we own (opening, committing) the panic is recovered. On
// pebble's own it would end the process, so those stop here for good: they may
// hold pebble's locks, and the store is closed to everyone else.
func (l logger) Fatalf(format string, a ...any) {
	err := fmt.Errorf(format, a...)
	for _, arg := range a {
		if cause, ok := arg.(error); ok {
			err = fmt.Errorf("%s: %w", err, cause)
			break
		}
	}
	l.s.fail(err)
	if ours() {
		panic(fatal{err})
	}
	select {}
}
