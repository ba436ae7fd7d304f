package invitation

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// MaxListed is how many entries each part of an Access list may have.
const MaxListed = 1 << 12

// Access is the founder's list of what was taken back and of who is to stay. Of
// two lists the higher version counts. Frozen once signed.
type Access struct {
	World     id.ID
	Version   uint64
	Whitelist bool    // only who is on the world's whitelist may enter
	Revoked   []id.ID // invitations
	Removed   []id.ID // nodes
	Kept      []id.ID // nodes that stay, though their invitation is revoked or over
	Signature [64]byte
}

const (
	accessContext = "voxelpopuli access 1\n"
	accessHead    = 1 + id.Size + 8 + 1
	// MaxAccess bounds an encoded list.
	MaxAccess = accessHead + 3*(4+MaxListed*id.Size) + ed25519.SignatureSize
)

func (a *Access) lists() []*[]id.ID { return []*[]id.ID{&a.Revoked, &a.Removed, &a.Kept} }

// Sign puts the list in order and signs it with the founder's key.
func (a *Access) Sign(founder ed25519.PrivateKey) error {
	for _, l := range a.lists() {
		slices.SortFunc(*l, compareIDs)
		*l = slices.Compact(*l)
		if len(*l) > MaxListed {
			return fmt.Errorf("access list: %d entries, at most %d fit", len(*l), MaxListed)
		}
	}
	a.Signature = [64]byte(ed25519.Sign(founder, a.body([]byte(accessContext))))
	return nil
}

// SignedBy reports whether the holder of a key has signed the list.
func (a *Access) SignedBy(key [32]byte) bool {
	return ed25519.Verify(key[:], a.body([]byte(accessContext)), a.Signature[:])
}

func compareIDs(a, b id.ID) int { return bytes.Compare(a[:], b[:]) }

func (a *Access) body(b []byte) []byte {
	b = append(b, version)
	b = append(b, a.World[:]...)
	b = binary.BigEndian.AppendUint64(b, a.Version)
	rules := byte(0)
	if a.Whitelist {
		rules = 1
	}
	b = append(b, rules)
	for _, l := range a.lists() {
		b = binary.BigEndian.AppendUint32(b, uint32(len(*l)))
		for _, who := range *l {
			b = append(b, who[:]...)
		}
	}
	return b
}

// Append adds the canonical encoding to b.
func (a *Access) Append(b []byte) []byte { return append(a.body(b), a.Signature[:]...) }

// DecodeAccess reads what Append wrote. The list is not verified.
func DecodeAccess(b []byte) (*Access, error) {
	if len(b) < accessHead || b[0] != version || b[accessHead-1] > 1 {
		return nil, fmt.Errorf("access list: %w: %d bytes", ErrFormat, len(b))
	}
	a := &Access{World: id.ID(b[1 : 1+id.Size]), Version: binary.BigEndian.Uint64(b[1+id.Size:]), Whitelist: b[accessHead-1] == 1}
	b = b[accessHead:]
	for _, l := range a.lists() {
		var err error
		if b, err = readIDs(b, l); err != nil {
			return nil, err
		}
	}
	if len(b) != ed25519.SignatureSize {
		return nil, fmt.Errorf("access list: %w: %d bytes of a signature", ErrFormat, len(b))
	}
	copy(a.Signature[:], b)
	return a, nil
}

// readIDs reads a list in ascending order and returns the bytes behind it.
func readIDs(b []byte, out *[]id.ID) ([]byte, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("access list: %w: it is cut off", ErrFormat)
	}
	n := int64(binary.BigEndian.Uint32(b))
	b = b[4:]
	if n > MaxListed || n*id.Size > int64(len(b)) {
		return nil, fmt.Errorf("access list: %w: %d entries in %d bytes", ErrFormat, n, len(b))
	}
	for ; n > 0; n-- {
		next := id.ID(b[:id.Size])
		if have := *out; len(have) > 0 && compareIDs(have[len(have)-1], next) >= 0 {
			return nil, fmt.Errorf("access list: %w: not in ascending order", ErrFormat)
		}
		*out = append(*out, next)
		b = b[id.Size:]
	}
	return b, nil
}

// HasRemoved reports whether a node is on the list of removed ones.
func (a *Access) HasRemoved(node id.ID) bool { return has(a.Removed, node) }

func has(l []id.ID, who id.ID) bool {
	_, found := slices.BinarySearchFunc(l, who, compareIDs)
	return found
}
