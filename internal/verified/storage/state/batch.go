package state

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// NewBatch returns a player's actions of an interval, which have to ascend.
func NewBatch(p *Player, of int64, actions []*Action) (*Batch, error) {
	for i, a := range actions {
		switch {
		case a.Player.ID != p.ID:
			return nil, errPlayers
		case i > 0 && a.Before(actions[i-1]):
			return nil, ErrOrder
		}
	}
	b := &Batch{Player: p, Of: of, Actions: actions}
	b.hash, b.bytes = hashBatch(b), b.Size()
	return b, nil
}

// Filled is what a batch that came without its actions is, if it is this one: who
// signs a receipt has signed them.
func (b *Batch) Filled(known *Batch) *Batch {
	if b.Player == nil || b.Player.ID != known.Player.ID || b.Of != known.Of {
		return b
	}
	return known
}

func hashBatch(b *Batch) uint64 {
	h := uint64(len(b.Actions))
	for _, a := range b.Actions {
		h = rng.Hash(h, a.Seq, uint64(a.At), HashBytes(a.Body))
	}
	if b.Signature != nil {
		h = rng.Hash(h, HashBytes(b.Signature))
	}
	return h
}

func HashBytes(b []byte) uint64 {
	h := uint64(len(b))
	for len(b) > 0 {
		var v uint64
		n := min(8, len(b))
		for i := range n {
			v |= uint64(b[i]) << (8 * i)
		}
		h, b = rng.Hash(h, v), b[n:]
	}
	return h
}

// Batch is a player's actions of one interval: after t_{Of-1} and until t_Of, in
// order. Frozen.
type Batch struct {
	Player  *Player
	Of      int64
	Actions []*Action
	// Signature is the player's, of all of that; nil: these are actions that somebody
	// has of it, and the player may have done more, or less, or nothing. Who makes and
	// checks it is the driver's business (storage.Config).
	Signature []byte
	hash      uint64 // of the actions' hashes
	bytes     int    // size, once the cache has it; 0: to be counted
	sum       Digest // of the actions; zero: nobody has wanted it yet
}

// digest is that of a batch's actions, by which replays of them are found again: of
// all that the rules are given of them.
func (b *Batch) digest() Digest {
	if b.sum == (Digest{}) {
		text := append([]byte(nil), b.Player.ID[:]...)
		for _, a := range b.Actions {
			text = binary.BigEndian.AppendUint64(text, a.Seq)
			text = binary.BigEndian.AppendUint64(text, uint64(a.At))
			text = binary.AppendUvarint(text, uint64(len(a.Body)))
			text = append(text, a.Body...)
		}
		b.sum = id.Of(text)
	}
	return b.sum
}

// sizeBatch is the head of a batch on the wire: how many actions follow.
const sizeBatch = 2

// sizePlayerSignature is a signature with the key that the player's id is made of.
const sizePlayerSignature = 32 + 64

func (b *Batch) Size() int {
	if b.bytes > 0 {
		return b.bytes
	}
	size := sizeBatch
	for _, a := range b.Actions {
		size += a.Size
	}
	if b.Signature != nil {
		size += sizePlayerSignature
	}
	return size
}

// Signed is the batch with its player's signature; without one, if that is empty.
func (b *Batch) Signed(signature []byte) *Batch {
	out := *b
	if out.Signature, out.bytes = nil, 0; len(signature) > 0 {
		out.Signature = signature
	}
	out.hash, out.bytes = hashBatch(&out), out.Size()
	return &out
}

// SameBatch reports whether two batches hold the same actions: what was signed
// is compared.
func SameBatch(a, b *Batch) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || len(a.Actions) != len(b.Actions) {
		return false
	}
	return slices.EqualFunc(a.Actions, b.Actions, SameAction)
}

func SameAction(a, b *Action) bool {
	return a == b || a.Player.ID == b.Player.ID && a.Seq == b.Seq && a.At == b.At &&
		string(a.Body) == string(b.Body) && string(a.Signature) == string(b.Signature)
}
