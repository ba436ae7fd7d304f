// Package packfolder keeps the content packs of a data folder's worlds by their hashes,
// and makes them the tables of this process.
//
// Invariants:
//   - what Get returns has the hash that was asked for;
//   - the tables of a process are installed once: a second world with other packs is
//     refused, not run with the wrong tables.
package packfolder

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// Errors. The text that wraps them says what to do.
var (
	ErrMissing = errors.New("a content pack is missing")
	ErrDamaged = errors.New("a content pack is damaged")
	ErrOther   = errors.New("this process has the content packs of another world")
)

// MaxZip bounds the zip file of a pack.
const MaxZip = pack.MaxTotal + 1<<20

// Folder is where a data folder keeps packs.
type Folder struct{ dir string }

// In returns the folder of a data folder.
func In(data string) Folder { return Folder{filepath.Join(data, "packs")} }

func (f Folder) file(h packlist.Hash) string { return filepath.Join(f.dir, fmt.Sprintf("%x.zip", h)) }

// Put keeps a pack.
func (f Folder) Put(p pack.Files) (packlist.Hash, error) {
	h := p.Hash()
	b, err := p.Zip()
	if err != nil {
		return h, err
	}
	return h, f.PutZip(h, b)
}

// PutZip keeps the zip file of a pack, which was read (Read).
func (f Folder) PutZip(h packlist.Hash, zip []byte) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	if err := files.Inside(filepath.Dir(f.dir), f.dir); err != nil {
		return err
	}
	return files.Write(f.file(h), zip, 0o600)
}

// Get returns a pack.
func (f Folder) Get(h packlist.Hash) (pack.Files, error) {
	b, err := f.Zip(h)
	if err != nil {
		return nil, err
	}
	p, err := Read(b, h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.file(h), err)
	}
	return p, nil
}

// Zip returns the zip file of a pack as it is on the disk.
func (f Folder) Zip(h packlist.Hash) ([]byte, error) {
	b, err := files.ReadSmall(f.file(h), MaxZip)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrMissing, f.file(h))
	}
	return b, err
}

// Read reads the zip file of a pack that must have a hash.
func Read(zip []byte, h packlist.Hash) (pack.Files, error) {
	p, err := pack.FromZip(zip)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if is := p.Hash(); is != h {
		return nil, fmt.Errorf("%w: its hash is %x, not %x", ErrDamaged, is, h)
	}
	return p, nil
}

// All returns the packs of a list, which may be nil.
func (f Folder) All(l *packlist.List) (all []pack.Files, err error) {
	if l == nil {
		return nil, nil
	}
	for _, h := range l.Packs {
		p, err := f.Get(h)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// installed are the tables of this process.
var installed struct {
	sync.Mutex
	content *pack.Content // nil: none yet
	digest  [sha256.Size]byte
}

// Use makes the packs of a list the tables of this process (world.UseContent), before
// anything is simulated. A nil list is the base pack alone.
func (f Folder) Use(l *packlist.List) (*pack.Content, error) {
	installed.Lock()
	defer installed.Unlock()
	if installed.content != nil {
		if installed.digest != l.Digest() {
			return nil, fmt.Errorf("%w: run the other world in a process of its own", ErrOther)
		}
		return installed.content, nil
	}
	packs, err := f.All(l)
	if err != nil {
		return nil, err
	}
	c, err := l.Content(packs)
	if err != nil {
		return nil, err
	}
	if l != nil { // the base pack's are there from the beginning
		world.UseContent(c)
	}
	installed.content, installed.digest = c, l.Digest()
	return c, nil
}
