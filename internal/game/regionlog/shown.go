package regionlog

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"

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
	Current    []Known  // what was shown as it is in the checkpoint, in the order of sessions

	Signature [64]byte
}

// Known are columns that a session knows, a bit for each.
type Known struct {
	Session id.ID
	Columns uint16
}

// Compare compares the sessions.
func (k Known) Compare(l Known) int { return bytes.Compare(k.Session[:], l.Session[:]) }

// MaxKnown bounds the sessions of a node to which a region is shown.
const MaxKnown = 1 << 12

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
	w.uint(uint64(len(s.Current)))
	for _, k := range s.Current {
		w.raw(k.Session[:])
		w.uint(uint64(k.Columns))
	}
}

// Knows returns the columns that a session was shown as they are in the checkpoint.
func (s *Shown) Knows(session id.ID) uint16 {
	i, ok := slices.BinarySearchFunc(s.Current, Known{Session: session}, Known.Compare)
	if !ok {
		return 0
	}
	return s.Current[i].Columns
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
const MaxShown = MaxCheckpoint + 256 + MaxKnown*(id.Size+3)

// DecodeShown reads what AppendAfter wrote. Hashes that were left out are zero if the
// reader has none: then the signature does not hold. Nothing is verified.
func DecodeShown(b []byte, had *Hashes) (*Shown, error) {
	r := newReader(b)
	c := r.checkpoint(had)
	s := &Shown{Checkpoint: c, To: r.id(), Number: r.Uint(maxU62), Head: [32]byte(r.Take(32))}
	inOrder := true
	for n := r.Uint(MaxKnown); n > 0 && !r.Bad(); n-- {
		k := Known{r.id(), uint16(r.Uint(allColumns))}
		inOrder = inOrder && (len(s.Current) == 0 || s.Current[len(s.Current)-1].Compare(k) < 0)
		s.Current = append(s.Current, k)
	}
	s.Signature = [64]byte(r.Take(64))
	if !r.End() || !inOrder {
		return nil, ErrFormat
	}
	return s, nil
}

// allColumns has a bit for each column.
const allColumns = 1<<world.Columns - 1

// The kinds of piece. Both begin with the tick and the sessions that are shown it.
const (
	pieceFrame   = iota + 1 // cells
	pieceColumns            // columns with their hashes
)

// FramePiece is the shared part of a frame as a piece of what is shown.
func FramePiece(tick uint64, to []id.ID, cells []byte) []byte {
	w := beginPiece(pieceFrame, tick, to, len(cells))
	w.raw(cells)
	return w.b
}

// ColumnsPiece are whole columns as a piece of what is shown.
func ColumnsPiece(tick uint64, to []id.ID, list []*world.Column, hash func(*world.Column) [32]byte) []byte {
	w := beginPiece(pieceColumns, tick, to, 33*len(list))
	for _, c := range list {
		h := hash(c)
		w.b = append(w.b, byte(c.Pos.Index()))
		w.raw(h[:])
	}
	return w.b
}

func beginPiece(kind byte, tick uint64, to []id.ID, size int) writer {
	w := writer{make([]byte, 0, 16+id.Size*len(to)+size)}
	w.b = append(w.b, kind)
	w.uint(tick)
	w.uint(uint64(len(to)))
	for i := range to {
		w.raw(to[i][:])
	}
	return w
}

// openPiece returns the kind and the rest of a piece, and whether a session was shown it.
func openPiece(piece []byte, session id.ID) (kind byte, rest []byte, is bool) {
	r := newReader(piece)
	kind = r.Byte()
	r.Uint(maxU62)
	for n := r.Uint(uint64(len(piece))); n > 0 && !r.Bad(); n-- {
		is = r.id() == session || is
	}
	rest = r.Take(uint64(r.Len()))
	return kind, rest, is && !r.Bad()
}

// ColumnHash is the hash by which a checkpoint and a piece name the blocks of a column.
func ColumnHash(c *world.Column) [32]byte { return hashColumn(c) }

// hashIn returns the hash that a piece gives a session for a column; false: it gives none.
func hashIn(piece []byte, session id.ID, column int) (h [32]byte, ok bool) {
	kind, rest, is := openPiece(piece, session)
	if kind != pieceColumns || !is {
		return h, false
	}
	r := newReader(rest)
	for r.Len() > 0 && !r.Bad() {
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
