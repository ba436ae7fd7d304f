// Package keyring keeps the keys of a machine: the node's, and one for each
// player who plays on it. They are small files in DIR/keys, made when they are
// first asked for, that only their owner may read:
//
//	DIR/keys/node.key
//	DIR/keys/player-NAME.key
//	DIR/keys/local.secret
//
// It also reads what an authority gives out (certificates, revocations), and
// verifies certificates for a world (Verifier).
//
// Invariants:
//   - a key is never written over: New moves the old one aside;
//   - a key that others may read is not used: the error says what to do;
//   - what a file says of a key (its id, its public key) is true, or the file is
//     refused.
package keyring

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// Errors, for the texts that wrap them.
var (
	ErrExposed = errors.New("others may read it")
	ErrDamaged = errors.New("this is no key file, or it is damaged")
	ErrNewer   = errors.New("it was written by a newer version of this program")
	ErrNone    = errors.New("there is no such key")
	ErrExists  = errors.New("there is a key of this name already")
	ErrName    = errors.New("this is no name for a player")
	ErrPaper   = errors.New("this is no file of an authority, or it is damaged")
)

// Kinds of keys.
const (
	Node      = "node"
	Player    = "player"
	Authority = "authority"
)

// Key is a key with what it is for.
type Key struct {
	Kind    string
	Name    string // of a player or an authority
	Made    time.Time
	Private ed25519.PrivateKey
}

// Public is the public key.
func (k Key) Public() ed25519.PublicKey { return k.Private.Public().(ed25519.PublicKey) }

// ID is the node's or player's id.
func (k Key) ID() id.ID { return id.Of(k.Public()) }

// Ring is the folder of a machine's keys.
type Ring struct{ dir string }

// Open opens the keys of a data folder, making the folder if it is not there.
func Open(data string) (*Ring, error) {
	dir := filepath.Join(data, "keys")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	if err := files.Inside(data, dir); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return &Ring{dir}, checkPrivate(dir)
}

// Dir is the folder.
func (r *Ring) Dir() string { return r.dir }

// Node returns the node's key, making one if there is none: one whose id solves
// a puzzle of so many bits. A key that is there and does not is an error.
func (r *Ring) Node(difficulty int, more func(tried uint64) bool) (Key, error) {
	k, err := r.get(Node, "")
	if errors.Is(err, ErrNone) {
		return r.make(Node, "", difficulty, more)
	}
	if err != nil {
		return Key{}, err
	}
	if err := identity.CheckPuzzle(k.ID(), difficulty); err != nil {
		return Key{}, fmt.Errorf("this machine's node key: %w: \"voxelpopuli identity new node --difficulty %d\" makes another (the node will have another id)", err, difficulty)
	}
	return k, nil
}

// Player returns the key of a player of this machine, making one if there is
// none. Upper and lower case are the same.
func (r *Ring) Player(name string) (Key, error) {
	k, err := r.get(Player, name)
	if errors.Is(err, ErrNone) {
		return r.make(Player, name, 0, nil)
	}
	return k, err
}

// Get returns a key that is there.
func (r *Ring) Get(kind, name string) (Key, error) { return r.get(kind, name) }

// List returns all keys, the node's first.
func (r *Ring) List() ([]Key, error) {
	names, err := filepath.Glob(filepath.Join(r.dir, "*"+suffix))
	if err != nil {
		return nil, err
	}
	slices.Sort(names) // node.key comes before player-*.key
	var out []Key
	for _, name := range names {
		k, err := Read(name)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// New makes a key in place of the one that is there, which is kept beside it
// under another name; the second result is that file, empty if there was none.
func (r *Ring) New(kind, name string, difficulty int, more func(tried uint64) bool) (Key, string, error) {
	file, err := r.file(kind, name)
	if err != nil {
		return Key{}, "", err
	}
	k, err := generate(kind, name, difficulty, more)
	if err != nil {
		return Key{}, "", err
	}
	old, err := setAside(file)
	if err != nil {
		return Key{}, "", err
	}
	return k, old, Write(file, k)
}

// setAside gives a key file another name, under which List does not find it.
func setAside(file string) (string, error) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for n := 1; ; n++ {
		old := fmt.Sprintf("%s.old%d", file, n)
		if _, err := os.Lstat(old); err == nil {
			continue
		}
		if err := os.Rename(file, old); err != nil {
			return "", fmt.Errorf("keys: %w", err)
		}
		return old, nil
	}
}

func (r *Ring) get(kind, name string) (Key, error) {
	file, err := r.file(kind, name)
	if err != nil {
		return Key{}, err
	}
	if err := files.Inside(r.dir, file); err != nil {
		return Key{}, fmt.Errorf("keys: %w", err)
	}
	return Read(file)
}

// make makes a key; if another process was quicker it is that one's.
func (r *Ring) make(kind, name string, difficulty int, more func(uint64) bool) (Key, error) {
	file, err := r.file(kind, name)
	if err != nil {
		return Key{}, err
	}
	k, err := generate(kind, name, difficulty, more)
	if err != nil {
		return Key{}, err
	}
	if err := Write(file, k); !errors.Is(err, ErrExists) {
		return k, err
	}
	return Read(file)
}

func generate(kind, name string, difficulty int, more func(uint64) bool) (Key, error) {
	private, err := identity.Solve(rand.Reader, difficulty, more)
	if err != nil {
		return Key{}, err
	}
	return Key{Kind: kind, Name: name, Made: time.Now().UTC().Truncate(time.Second), Private: private}, nil
}

const (
	suffix  = ".key"
	maxName = 20 // characters of a player's name, as in the client protocol
)

// file is where a key is kept. A player's name may hold any letters: what is
// not plain in a file name is written as %XX.
func (r *Ring) file(kind, name string) (string, error) {
	if kind == Node && name == "" {
		return filepath.Join(r.dir, "node"+suffix), nil
	}
	if n := len([]rune(name)); kind != Player || n < 1 || n > maxName || strings.ToValidUTF8(name, "") != name {
		return "", fmt.Errorf("%w: %s %q: want 1 to %d characters", ErrName, kind, name, maxName)
	}
	var b strings.Builder
	for _, c := range []byte(strings.ToLower(name)) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return filepath.Join(r.dir, "player-"+b.String()+suffix), nil
}

// Write writes a new key file; ErrExists if there is one.
func Write(file string, k Key) error {
	err := files.WriteNew(file, encode(k), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %s", ErrExists, file)
	}
	if err != nil {
		return fmt.Errorf("key: %w", err)
	}
	return nil
}
