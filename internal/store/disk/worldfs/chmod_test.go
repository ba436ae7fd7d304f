//go:build unix

package worldfs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestHostileChmod: opening a data folder changes the rights of its own files, and of
// nothing that a symbolic link, a hostile type of file or a link's parent leads to.
func TestHostileChmod(t *testing.T) {
	f := folder(t)
	create(t, f, "Home", 1)
	outside := t.TempDir()
	if err := os.Chmod(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	file, sub := filepath.Join(outside, "meta.json"), filepath.Join(outside, "folder")
	pipe, own := filepath.Join(f.Dir(), "bookmarks.json"), filepath.Join(f.path("Home"), "meta.json")
	if err := errors.Join(
		os.WriteFile(file, []byte("theirs"), 0o644), os.Mkdir(sub, 0o755), os.Chmod(sub, 0o755),
		os.Symlink(outside, filepath.Join(f.Dir(), "worlds", "linked")), // worlds/*, worlds/*/meta.json
		os.Mkdir(filepath.Join(f.Dir(), "worlds", "Other"), 0o700),
		os.Symlink(file, filepath.Join(f.Dir(), "worlds", "Other", "meta.json")),
		os.MkdirAll(filepath.Join(f.Dir(), "backups"), 0o700),
		os.Symlink(sub, filepath.Join(f.Dir(), "backups", "Home")),
		syscall.Mkfifo(pipe, 0o644), os.Chmod(pipe, 0o644), os.Chmod(own, 0o644),
	); err != nil {
		t.Fatal(err)
	}
	f.restrict() // and does not wait for the other end of the pipe
	for name, want := range map[string]os.FileMode{outside: 0o755, file: 0o644, sub: 0o755, pipe: 0o644, own: 0o600} {
		if st, err := os.Stat(name); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", name, st.Mode(), err, want)
		}
	}
}
