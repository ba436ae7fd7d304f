package regionlog

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Shown is what the leader of a region signs for a node whose players watch the region:
// what it has sent them, as the head of a chain of pieces, and which columns they know by
// it as they are in a checkpoint.
type Shown struct {
	Checkpoint *Checkpoint
	To         id.ID    // the node
	Number     uint64   // of pieces since the chain began
	Head       [32]byte // of the chain
	Current    uint16   // a bit for each column that was shown as it is in the checkpoint

	Signature [64]byte
}

const (
	shownContext  = "voxelpopuli region shown 1\n"
	piecesContext = "voxelpopuli region pieces 1\n"
)

// text is what is signed. The checkpoint names world, region and key.
func (s *Shown) text() []byte {
	digest := sha256.Sum256(s.Checkpoint.text())
	w := writer{[]byte(shownContext)}
	w.raw(digest[:])
	s.own(&w)
	return w.b
}

func (s *Shown) own(w *writer) {
	w.raw(s.To[:])
	w.uint(s.Number)
	w.raw(s.Head[:])
	w.uint(uint64(s.Current))
}

// Sign signs it with the key of the checkpoint.
func (s *Shown) Sign(by *Signing) { s.Signature = by.Sign(s.text()) }

// Verify reports whether the key of the checkpoint has signed both.
func (s *Shown) Verify() bool {
	return s.Checkpoint.Verify() && ed25519.Verify(s.Checkpoint.Key[:], s.text(), s.Signature[:])
}

// Append appends the encoding.
func (s *Shown) Append(b []byte) []byte { return s.AppendAfter(b, nil) }

// AppendAfter appends the encoding for somebody who has the hashes of another checkpoint:
// those that are the same are left out.
func (s *Shown) AppendAfter(b []byte, had *Hashes) []byte {
	w := writer{s.Checkpoint.AppendAfter(b, had)}
	s.own(&w)
	w.raw(s.Signature[:])
	return w.b
}

// MaxShown bounds the encoding.
const MaxShown = MaxCheckpoint + 256

// DecodeShown reads what AppendAfter wrote. Hashes that were left out are zero if the
// reader has none: then the signature does not hold. Nothing is verified.
func DecodeShown(b []byte, had *Hashes) (*Shown, error) {
	r := newReader(b)
	c := r.checkpoint(had)
	s := &Shown{Checkpoint: c, To: r.id(), Number: r.Uint(maxU62), Head: [32]byte(r.Take(32)), Current: uint16(r.Uint(1<<world.Columns - 1))}
	s.Signature = [64]byte(r.Take(64))
	if !r.End() {
		return nil, ErrFormat
	}
	return s, nil
}

// The kinds of piece.
const (
	pieceFrame   = iota + 1 // tick, cells
	pieceColumns            // tick, columns with their hashes
)

// FramePiece is the shared part of a frame as a piece of what is shown.
func FramePiece(tick uint64, cells []byte) []byte {
	w := writer{make([]byte, 0, len(cells)+12)}
	w.b = append(w.b, pieceFrame)
	w.uint(tick)
	w.raw(cells)
	return w.b
}

// ColumnsPiece are whole columns as a piece of what is shown.
func ColumnsPiece(tick uint64, list []*world.Column, hash func(*world.Column) [32]byte) []byte {
	w := writer{[]byte{pieceColumns}}
	w.uint(tick)
	for _, c := range list {
		h := hash(c)
		w.b = append(w.b, byte(c.Pos.Index()))
		w.raw(h[:])
	}
	return w.b
}

// ColumnHash is the hash by which a checkpoint and a piece name the blocks of a column.
func ColumnHash(c *world.Column) [32]byte { return hashColumn(c) }

// hashIn returns the hash that a piece gives for a column; false: it does not have it.
func hashIn(piece []byte, column int) (h [32]byte, ok bool) {
	r := newReader(piece)
	if r.Byte() != pieceColumns {
		return h, false
	}
	for r.Uint(maxU62); r.Len() > 0 && !r.Bad(); {
		if i, sum := r.Byte(), r.Take(32); int(i) == column {
			h, ok = [32]byte(sum), true
		}
	}
	return h, ok && !r.Bad()
}

// Pieces is the chain of what a node was shown of a region.
type Pieces struct {
	Number uint64
	Head   [32]byte
}

// BeginPieces begins a chain; at makes it another one than those that the leader has begun
// before.
func BeginPieces(to id.ID, at machine.Time) (p Pieces) {
	b := append([]byte(piecesContext), to[:]...)
	p.Head = sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(at)))
	return p
}

// Add appends a piece.
func (p *Pieces) Add(piece []byte) {
	p.Number++
	b := append(append(make([]byte, 0, len(piecesContext)+42+len(piece)), piecesContext...), p.Head[:]...)
	p.Head = sha256.Sum256(append(b, piece...))
}

// columnsIn calls do for the columns of a set.
func columnsIn(set uint16, do func(i int)) {
	for ; set != 0; set &= set - 1 {
		do(bits.TrailingZeros16(set))
	}
}
