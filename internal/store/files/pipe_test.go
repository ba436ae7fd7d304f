//go:build unix

package files

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestHostilePipes: somebody puts a pipe in a file's place, at any moment, also
// between a check of the name and its use. Nobody who reads waits for the other end.
func TestHostilePipes(t *testing.T) {
	dir := t.TempDir()
	name, pipe, file := filepath.Join(dir, "name"), filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("text"), 0o600)); err != nil {
		t.Fatal(err)
	}
	stop, swapped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			// A rename is atomic: the name is there all the time.
			link := filepath.Join(dir, "link")
			if err := os.Symlink([]string{pipe, file}[n%2], link); err != nil {
				t.Error(err)
				return
			}
			if err := os.Rename(link, name); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	read, refused := 0, 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for read < 2000 || refused < 2000 {
			b, err := ReadSmall(name, 100)
			switch {
			case err == nil && string(b) == "text":
				read++
			case errors.Is(err, ErrKind):
				refused++
			case !errors.Is(err, os.ErrNotExist): // the first rename is to come
				t.Errorf("%q, %v", b, err)
				return
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("a reader waits for the other end of a pipe")
	}
	close(stop)
	<-swapped
}
