// Package id is the 160-bit identifier space that nodes, players and keys
// share (Kademlia, section 2.1; dissertation 2.3.1).
//
// A node's or a player's id is the first 20 bytes of the SHA-256 of its public
// key; a content key's id is the same of its name.
package id

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Size is the length of an ID in bytes: 160 bits.
const Size = 20

// ID identifies a node, a player or a piece of content. The zero ID is nobody.
type ID [Size]byte

// Of returns the id of a public key or of a content name.
func Of(b []byte) ID {
	sum := sha256.Sum256(b)
	return ID(sum[:Size])
}

// Parse reads the 40 hexadecimal digits that String writes.
func Parse(s string) (ID, error) {
	var out ID
	if len(s) != 2*Size {
		return ID{}, fmt.Errorf("id %q: want %d hexadecimal digits, got %d characters", s, 2*Size, len(s))
	}
	if _, err := hex.Decode(out[:], []byte(s)); err != nil {
		return ID{}, fmt.Errorf("id %q: %w", s, err)
	}
	return out, nil
}

// String returns all 40 hexadecimal digits.
func (i ID) String() string { return hex.EncodeToString(i[:]) }

// MarshalText makes an ID the same digits in JSON.
func (i ID) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads what MarshalText has written.
func (i *ID) UnmarshalText(b []byte) (err error) {
	*i, err = Parse(string(b))
	return err
}

// Short returns the first 8 hexadecimal digits, for logs and screens.
func (i ID) Short() string { return hex.EncodeToString(i[:4]) }

// Head returns the first 64 bits, for tables of ids. It copies no id, which would
// take longer than all the rest.
func (i *ID) Head() uint64 { return binary.BigEndian.Uint64(i[:8]) }

// IsZero reports whether i is the zero ID, which belongs to nobody.
func (i ID) IsZero() bool { return i == ID{} }

// Sorted are the keys of a map in ascending order.
func Sorted[V any](m map[ID]V) []ID {
	return slices.SortedFunc(maps.Keys(m), func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
}
