package keyring

import (
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/scrypt"
)

// ErrPassphrase: the passphrase is wrong, or the file was changed.
var ErrPassphrase = errors.New("the passphrase is wrong, or the file was changed")

// An export is one PEM block: a head of version, the logarithm of scrypt's
// work, a salt and a nonce, then the JSON list of keys sealed with
// XChaCha20-Poly1305 under what scrypt makes of the passphrase; the head is
// authenticated with it.
const (
	pemKeys  = "VOXEL POPULI KEYS"
	saltSize = 16
	headSize = 2 + saltSize + chacha20poly1305.NonceSizeX
	// MinPassphrase is the length of the shortest passphrase for an export.
	MinPassphrase = 8
)

// The logarithm of scrypt's cost. Variables for the tests.
var (
	work    = 17 // 128 MiB of memory, about half a second
	maxWork = 20 // 1 GiB: nobody's export makes us take more
)

// Seal returns keys as a file that only who knows the passphrase can read.
func Seal(keys []Key, passphrase string) ([]byte, error) {
	if len(passphrase) < MinPassphrase {
		return nil, fmt.Errorf("the passphrase must have %d characters or more", MinPassphrase)
	}
	list := make([]keyFile, len(keys))
	for i, k := range keys {
		list[i] = k.keyFile()
	}
	plain, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	head := make([]byte, headSize, headSize+len(plain)+chacha20poly1305.Overhead)
	head[0], head[1] = format, byte(work)
	rand.Read(head[2:])
	box, err := boxOf(head, passphrase)
	if err != nil {
		return nil, err
	}
	sealed := box.Seal(head, head[2+saltSize:], plain, head)
	return pem.EncodeToMemory(&pem.Block{Type: pemKeys, Bytes: sealed}), nil
}

// Unseal reads what Seal wrote.
func Unseal(file []byte, passphrase string) ([]Key, error) {
	block, _ := pem.Decode(file)
	if len(file) > maxFile || block == nil || block.Type != pemKeys || len(block.Bytes) < headSize {
		return nil, fmt.Errorf("export of keys: %w", ErrDamaged)
	}
	head := block.Bytes[:headSize]
	if head[0] > format {
		return nil, fmt.Errorf("export of keys: %w: format %d, this program knows %d", ErrNewer, head[0], format)
	}
	if head[0] < 1 || head[1] < 1 || int(head[1]) > maxWork {
		return nil, fmt.Errorf("export of keys: %w: work 2^%d", ErrDamaged, head[1])
	}
	box, err := boxOf(head, passphrase)
	if err != nil {
		return nil, err
	}
	plain, err := box.Open(nil, head[2+saltSize:], block.Bytes[headSize:], head)
	if err != nil {
		return nil, ErrPassphrase
	}
	var list []keyFile
	if err := json.Unmarshal(plain, &list); err != nil {
		return nil, fmt.Errorf("export of keys: %w: %w", ErrDamaged, err)
	}
	keys := make([]Key, len(list))
	for i := range list {
		if keys[i], err = list[i].key(); err != nil {
			return nil, fmt.Errorf("export of keys: %w", err)
		}
	}
	return keys, nil
}

// cipher is what chacha20poly1305 returns.
type cipher interface {
	Seal(dst, nonce, plaintext, additional []byte) []byte
	Open(dst, nonce, ciphertext, additional []byte) ([]byte, error)
}

func boxOf(head []byte, passphrase string) (cipher, error) {
	key, err := scrypt.Key([]byte(passphrase), head[2:2+saltSize], 1<<head[1], 8, 1, chacha20poly1305.KeySize)
	if err != nil {
		return nil, err
	}
	return chacha20poly1305.NewX(key)
}

// Import adds keys to the ring. A key that is there already stays as it is; if
// another key has its name, nothing is imported unless replace is set, which
// sets the other one aside. It returns the keys that are new here.
func (r *Ring) Import(keys []Key, replace bool) ([]Key, error) {
	var fresh []Key
	for _, k := range keys {
		there, err := r.get(k.Kind, k.Name)
		switch {
		case errors.Is(err, ErrNone):
			fresh = append(fresh, k)
		case err != nil:
			return nil, err
		case there.ID() == k.ID():
		case !replace:
			return nil, fmt.Errorf("%w: %s %s; --replace keeps it under another name", ErrExists, k.Kind, k.Name)
		default:
			fresh = append(fresh, k)
		}
	}
	for _, k := range fresh {
		file, err := r.file(k.Kind, k.Name)
		if err != nil {
			return nil, err
		}
		if _, err := setAside(file); err != nil {
			return nil, err
		}
		if err := Write(file, k); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}
