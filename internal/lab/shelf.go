package lab

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// Shelf is a folder where results of runs are kept, by their names. Experiments that
// go on at the same time may share one: what two of them need is calculated once. A
// nil shelf keeps nothing.
type Shelf struct {
	dir, program string

	mu   sync.Mutex
	busy map[string]chan struct{} // closed when the run is done
}

// Kept is a file of the shelf.
type Kept struct {
	Name    string          `json:"name"`
	Program string          `json:"program"` // digest of what has calculated it
	Machine string          `json:"machine"`
	Result  json.RawMessage `json:"result"`
}

// OpenShelf opens or makes a folder of results of this program.
func OpenShelf(dir string) (*Shelf, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	s := &Shelf{dir: dir, program: program, busy: map[string]chan struct{}{}}
	return s, os.MkdirAll(dir, 0o755)
}

// Program is the digest of the running program: results are only comparable, byte for
// byte, with those of the same program.
var Program = sync.OnceValues(readProgram)

func readProgram() (string, error) {
	file, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("digest of this program: %w", err)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("digest of this program: %w", err)
	}
	defer f.Close() // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("digest of this program: %w", err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// do reads the result of a run, or calculates and keeps it.
func (s *Shelf) do(ctx context.Context, name string, result any, calculate func() error) (found bool, err error) {
	if s == nil {
		return false, calculate()
	}
	leave, err := s.enter(ctx, name)
	if err != nil {
		return false, err
	}
	defer leave()
	file := filepath.Join(s.dir, name+".json")
	if found, err := s.read(file, name, result); found || err != nil {
		return found, err
	}
	if err := calculate(); err != nil {
		return false, err
	}
	b, err := json.Marshal(result)
	if err != nil {
		return false, err
	}
	if b, err = json.MarshalIndent(Kept{name, s.program, Machine(), b}, "", " "); err != nil {
		return false, err
	}
	return false, files.Write(file, append(b, '\n'), 0o644)
}

// enter waits until nobody else is busy with a run.
func (s *Shelf) enter(ctx context.Context, name string) (leave func(), err error) {
	for {
		s.mu.Lock()
		other := s.busy[name]
		if other == nil {
			mine := make(chan struct{})
			s.busy[name] = mine
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.busy, name)
				s.mu.Unlock()
				close(mine)
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// read reports whether there is a result of the same run and the same program.
func (s *Shelf) read(file, name string, result any) (bool, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var k Kept
	if json.Unmarshal(b, &k) != nil || k.Name != name || k.Program != s.program {
		return false, nil // another program's, or torn: calculated again
	}
	return json.Unmarshal(k.Result, result) == nil, nil
}
