package keyring

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// format is that of a key file and of an export.
const format = 1

// maxFile bounds what is read.
const maxFile = 1 << 20

// keyFile is a key as a file holds it: JSON.
type keyFile struct {
	Format int       `json:"format"`
	Kind   string    `json:"kind"`
	Name   string    `json:"name,omitempty"`
	ID     id.ID     `json:"id"`
	Public string    `json:"public"`
	Secret string    `json:"secret"` // the seed of RFC 8032
	Made   time.Time `json:"made"`
}

func (k Key) keyFile() keyFile {
	return keyFile{
		Format: format, Kind: k.Kind, Name: k.Name, ID: k.ID(), Made: k.Made,
		Public: hex.EncodeToString(k.Public()), Secret: hex.EncodeToString(k.Private.Seed()),
	}
}

func encode(k Key) []byte {
	b, err := json.MarshalIndent(k.keyFile(), "", "  ")
	if err != nil {
		panic(err) // a plain struct
	}
	return append(b, '\n')
}

// decode reads a key file; what it says must fit together.
func decode(b []byte) (Key, error) {
	var f keyFile
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&f); err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f.key()
}

func (f *keyFile) key() (Key, error) {
	if f.Format > format {
		return Key{}, fmt.Errorf("%w: it has format %d, this program knows %d", ErrNewer, f.Format, format)
	}
	seed, err := hex.DecodeString(f.Secret)
	if err != nil || len(seed) != ed25519.SeedSize || f.Format < 1 {
		return Key{}, fmt.Errorf("%w: it holds no key", ErrDamaged)
	}
	k := Key{Kind: f.Kind, Name: f.Name, Made: f.Made, Private: ed25519.NewKeyFromSeed(seed)}
	if hex.EncodeToString(k.Public()) != f.Public || k.ID() != f.ID {
		return Key{}, fmt.Errorf("%w: the public key or the id is another key's", ErrDamaged)
	}
	return k, nil
}

// Read reads a key file that nobody else may read.
func Read(file string) (Key, error) {
	b, err := readPrivate(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Key{}, fmt.Errorf("%w: %s", ErrNone, file)
	}
	if err != nil {
		return Key{}, err
	}
	k, err := decode(b)
	if err != nil {
		return Key{}, fmt.Errorf("key %s: %w", file, err)
	}
	return k, nil
}

// readPrivate reads a small file, if only its owner may read it and nobody else
// may change its folder.
func readPrivate(file string) ([]byte, error) {
	if err := checkPrivate(file); err != nil {
		return nil, err
	}
	if err := checkPrivate(filepath.Dir(file)); err != nil {
		return nil, err
	}
	return readSmall(file)
}

// checkPrivate refuses a file or a folder that others may open. Windows keeps
// the user's data folder from others by itself and knows no such modes.
func checkPrivate(name string) error {
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	if mode := st.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		want := "600"
		if st.IsDir() {
			want = "700"
		}
		return fmt.Errorf("%s: %w (mode %04o): run \"chmod %s %s\"; if somebody has, make new keys", name, ErrExposed, mode, want, name)
	}
	return nil
}

// readSmall reads a file of at most maxFile bytes.
func readSmall(file string) ([]byte, error) {
	b, err := files.ReadSmall(file, maxFile)
	if errors.Is(err, files.ErrKind) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return b, err
}
