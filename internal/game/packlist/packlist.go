// Package packlist is the signed list of the content packs of a world: their hashes in
// their order, and the names that have ids in the world (docs/packs.md). The record of how a
// world begins (package genesis) names the digest of its first list; the founder signs every
// list, and of two the higher version counts.
//
// Invariants:
//   - a list has one encoding, and a decoded one has been checked: its bounds, its signature;
//   - a list that Next has made keeps every id of the one before.
package packlist

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Errors.
var (
	ErrFormat    = errors.New("this is no list of content packs")
	ErrSignature = errors.New("the founder of the world has not signed this list of content packs")
)

// Hash is that of a pack (pack.Files.Hash).
type Hash = [sha256.Size]byte

// List is the content packs of a world besides the base pack. Frozen once signed.
type List struct {
	Version   uint64 // from 1
	Packs     []Hash // in their order
	Names     pack.Names
	Signature [ed25519.SignatureSize]byte // of the world's founder
}

// MaxSize bounds an encoded list.
const MaxSize = 64 << 10

// maxVersion bounds how often a world is given other packs.
const maxVersion = 1 << 20

// signContext keeps the signature from being one of anything else.
const signContext = "voxelpopuli content packs 1\n"

// body is all but the signature.
func (l *List) body(b []byte) []byte {
	b = binary.AppendUvarint(b, l.Version)
	b = binary.AppendUvarint(b, uint64(len(l.Packs)))
	for _, h := range l.Packs {
		b = append(b, h[:]...)
	}
	for _, names := range [][]string{l.Names.Blocks, l.Names.Mobs} {
		b = binary.AppendUvarint(b, uint64(len(names)))
		for _, name := range names {
			b = binary.AppendUvarint(b, uint64(len(name)))
			b = append(b, name...)
		}
	}
	return b
}

// Digest names the list, whoever has signed it: nodes with the same one have the same
// tables. That of nil, of a world with the base pack alone, is zero.
func (l *List) Digest() Hash {
	if l == nil {
		return Hash{}
	}
	return sha256.Sum256(l.body(nil))
}

func (l *List) signed(world id.ID) []byte {
	return l.body(append([]byte(signContext), world[:]...))
}

// Sign makes it the list of a world, whose founder's key it is.
func (l *List) Sign(world id.ID, key ed25519.PrivateKey) {
	copy(l.Signature[:], ed25519.Sign(key, l.signed(world)))
}

// Append adds the encoding to b.
func (l *List) Append(b []byte) []byte { return append(l.body(b), l.Signature[:]...) }

// Decode reads a list, which must be signed by the founder of the world.
func Decode(b []byte, world id.ID, founder [32]byte) (*List, error) {
	l, err := Parse(b)
	if err != nil {
		return nil, err
	}
	if !ed25519.Verify(founder[:], l.signed(world), l.Signature[:]) {
		return nil, ErrSignature
	}
	return l, nil
}

// Parse is Decode for a list of this machine, which may not be signed yet.
func Parse(b []byte) (*List, error) {
	if len(b) > MaxSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrFormat, len(b))
	}
	d := bin.NewReader(b)
	l := &List{Version: d.Uint(maxVersion)}
	for range d.Uint(pack.MaxPacks) {
		l.Packs = append(l.Packs, Hash(d.Take(sha256.Size)))
	}
	for _, of := range []struct {
		names *[]string
		most  uint64
	}{{&l.Names.Blocks, pack.MaxBlocks - pack.FirstBlock}, {&l.Names.Mobs, pack.MaxMobs - pack.FirstMob}} {
		for range d.Uint(of.most) {
			*of.names = append(*of.names, string(d.Bytes(pack.MaxName)))
		}
	}
	copy(l.Signature[:], d.Take(ed25519.SignatureSize))
	if !d.End() || l.Version == 0 || !bytes.Equal(l.Append(nil), b) {
		return nil, ErrFormat
	}
	return l, nil
}

// Content is what the packs of a list define together with the base pack, with the list's
// ids. The packs are in its order.
func (l *List) Content(packs []pack.Files) (*pack.Content, error) {
	c, err := contentOf(packs)
	if err != nil || l == nil {
		return c, err
	}
	if c, err = c.Arrange(l.Names); err != nil {
		return nil, err
	}
	if n := c.Names(); !slices.Equal(n.Blocks, l.Names.Blocks) || !slices.Equal(n.Mobs, l.Names.Mobs) {
		return nil, fmt.Errorf("%w: the packs have names that the list has no ids for", ErrFormat)
	}
	return c, nil
}

func contentOf(packs []pack.Files) (*pack.Content, error) {
	c := pack.Base()
	for _, files := range packs {
		var err error
		if c, err = c.Add(files); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Next returns the list of a world that is to have other packs than those of l, which may
// be nil; had are the packs of l. It is not signed yet.
func (l *List) Next(had, packs []pack.Files) (*List, error) {
	c, err := contentOf(packs)
	if err != nil {
		return nil, err
	}
	next := &List{Version: 1}
	if l != nil {
		next.Version = l.Version + 1
		was, err := l.Content(had)
		if err != nil {
			return nil, err
		}
		if c, err = c.Arrange(l.Names); err != nil {
			return nil, err
		}
		if err := c.Replaces(was); err != nil {
			return nil, err
		}
	}
	for _, files := range packs {
		next.Packs = append(next.Packs, files.Hash())
	}
	next.Names = c.Names()
	return next, nil
}

// Network is the id by which nodes of a world with these packs know each other: that of the
// world if it has the base pack alone. Nodes with other packs are of another world to
// them: neither a link nor a datagram passes between them.
func (l *List) Network(world id.ID) id.ID {
	if l == nil {
		return world
	}
	digest := l.Digest()
	return id.Of(append(append([]byte("voxelpopuli packs of a world 1\n"), world[:]...), digest[:]...))
}
