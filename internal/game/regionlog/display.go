package regionlog

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Display is a proof that the leader of a region has shown a session of a node other blocks
// than it has signed: it has signed what it has sent that node between two checkpoints, and
// that the session knows the column by it as it is in the second. Base is the column as it
// came last, or as it is in the first checkpoint.
type Display struct {
	From, To *Shown
	Session  id.ID
	Column   int
	Base     *world.Column
	Pieces   [][]byte
}

// Append appends the encoding.
func (p *Display) Append(b []byte) []byte {
	w := writer{b}
	w.put(p.From.Append(nil))
	w.put(p.To.Append(nil))
	w.raw(p.Session[:])
	w.uint(uint64(p.Column))
	var c writer
	c.column(p.Base)
	w.put(Pack(c.b))
	w.uint(uint64(len(p.Pieces)))
	for _, piece := range p.Pieces {
		w.put(piece)
	}
	return w.b
}

// DecodeDisplay reads what Append wrote. Nothing is verified.
func DecodeDisplay(b []byte) (*Display, error) {
	bad := fmt.Errorf("proof: %w", ErrFormat)
	r := newReader(b)
	from, errFrom := DecodeShown(r.Bytes(MaxShown), nil)
	to, errTo := DecodeShown(r.Bytes(MaxShown), nil)
	session, column, packed := r.id(), int(r.Uint(world.Columns-1)), r.Bytes(MaxState)
	if errFrom != nil || errTo != nil || r.Bad() {
		return nil, bad
	}
	p := &Display{From: from, To: to, Session: session, Column: column}
	for n := r.Uint(maxPieces); n > 0 && !r.Bad(); n-- {
		p.Pieces = append(p.Pieces, r.Bytes(MaxEntry))
	}
	if !r.End() {
		return nil, bad
	}
	state, err := Unpack(packed)
	if err != nil {
		return nil, err
	}
	c := newReader(state)
	if p.Base = c.column(); !c.End() {
		return nil, bad
	}
	return p, nil
}

// Check checks a proof. Nil: it proves nothing, and the error says why.
func (p *Display) Check() (*Finding, error) {
	if !p.From.Verify() || !p.To.Verify() {
		return nil, ErrSignature
	}
	from, to := p.From.Checkpoint, p.To.Checkpoint
	if to.Version != Version {
		return nil, fmt.Errorf("%w: version %d, this is %d", ErrVersion, to.Version, Version)
	}
	if from.World != to.World || from.Region != to.Region || from.Version != to.Version || from.Key != to.Key || p.From.To != p.To.To ||
		to.Tick <= from.Tick || p.To.Number-p.From.Number != uint64(len(p.Pieces)) {
		return nil, ErrChain
	}
	chain := Pieces{p.From.Number, p.From.Head}
	want, known, after := from.Hashes[partColumns+p.Column], p.From.Knows(p.Session)>>p.Column&1 == 1, 0
	for i, piece := range p.Pieces {
		chain.Add(piece)
		if h, ok := hashIn(piece, p.Session, p.Column); ok {
			want, known, after = h, true, i+1
		}
	}
	if chain.Head != p.To.Head {
		return nil, ErrChain
	}
	if !known || p.To.Knows(p.Session)>>p.Column&1 == 0 || p.Base.Pos != to.Region.Column(p.Column) || hashColumn(p.Base) != want {
		return nil, fmt.Errorf("%w: a column that was not shown", ErrFormat)
	}
	c := p.Base.Clone()
	var f frame.Frame
	for _, piece := range p.Pieces[after:] {
		kind, cells, is := openPiece(piece, p.Session)
		if kind != pieceFrame || !is {
			continue
		}
		blocksIn(&f, to.Region, cells, func(i int, b blockAt) {
			if i == p.Column {
				b.put(c)
			}
		})
	}
	if hashColumn(c) == to.Hashes[partColumns+p.Column] {
		return nil, ErrHonest
	}
	at := c.Pos.Origin()
	return &Finding{Shown: true, False: []string{columnName(at)}}, nil
}
