package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := WriteNew(name, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(name, []byte("two"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second new file: %v", err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "one" {
		t.Errorf("it says %q, %v", b, err)
	}
	if err := Write(name, []byte("three"), 0o640); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "three" {
		t.Errorf("it says %q, %v", b, err)
	}
	if st, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if err := Write(filepath.Join(dir, "none", "a"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "b"), nil, 0o600); err == nil {
		t.Error("a file in place of a folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestInsideWhileItIsMade: a file that another process makes at this moment is no link.
func TestInsideWhileItIsMade(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Error(err)
				return
			}
			if err := os.Remove(name); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 5000 {
		if err := Inside(dir, name); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	wg.Wait()
}
