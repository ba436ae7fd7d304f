package regionlog

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// View is what a node's players are shown of a region by its leader. It compares the
// blocks with what the leader signs.
type View struct {
	pos     world.RegionPos
	columns [world.Columns]viewColumn
	decoder frame.Frame

	pieces Pieces
	list   [][]byte // since last
	bytes  int
	last   *Shown // nil: none, or too much was shown since
	// base are the columns as they came since last, or else as they were in last, if the
	// leader has signed that: frozen.
	base   [world.Columns]*world.Column
	hashes *Hashes // of the last checkpoint, for the encoding of the next
}

// viewColumn is a column as it is shown.
type viewColumn struct {
	column *world.Column // nil: it is not
	shared bool          // frozen
	hash   [32]byte
	hashed bool
}

// NewView returns the view of a region of which nothing was shown.
func NewView(pos world.RegionPos) *View { return &View{pos: pos} }

// Columns takes whole columns.
func (v *View) Columns(tick uint64, list []*world.Column) {
	v.add(ColumnsPiece(tick, list, ColumnHash))
	for _, c := range list {
		if c.Pos.Region() == v.pos {
			v.columns[c.Pos.Index()] = viewColumn{column: c, shared: true}
			v.base[c.Pos.Index()] = c
		}
	}
}

// Frame takes the shared part of a frame.
func (v *View) Frame(tick uint64, cells []byte) {
	v.add(FramePiece(tick, cells))
	blocksIn(&v.decoder, v.pos, cells, func(i int, p world.Pos, b world.Block) {
		c := &v.columns[i]
		if c.column == nil {
			return
		}
		if c.shared {
			c.column, c.shared = c.column.Clone(), false
		}
		c.column.Set(int(p.X&(world.ChunkSize-1)), int(p.Y), int(p.Z&(world.ChunkSize-1)), b)
		c.hashed = false
	})
}

// Block returns a block as it is shown; false: its column is not.
func (v *View) Block(at world.Pos) (world.Block, bool) {
	if at.Region() != v.pos || v.columns[at.Column().Index()].column == nil || !at.InWorld() {
		return world.Air, false
	}
	return v.columns[at.Column().Index()].column.At(int(at.X&(world.ChunkSize-1)), int(at.Y), int(at.Z&(world.ChunkSize-1))), true
}

// blocksIn calls do for the block changes of a frame, in order.
func blocksIn(f *frame.Frame, pos world.RegionPos, cells []byte, do func(i int, p world.Pos, b world.Block)) {
	if f.DecodeCells(cells) != nil {
		return
	}
	for k := range f.Cells {
		cell := &f.Cells[k]
		col := pos.Column(int(cell.Index))
		for _, b := range cell.Blocks {
			if at := frame.PlaceIn(col, b.Place); at.InWorld() && b.Block.Known() {
				do(int(cell.Index), at, b.Block)
			}
		}
	}
}

// maxPieces bounds the pieces between two statements.
const maxPieces = 1 << 10

// add appends a piece. What is too much is forgotten, and nothing is proven by it.
func (v *View) add(piece []byte) {
	v.pieces.Add(piece)
	v.list, v.bytes = append(v.list, piece), v.bytes+len(piece)
	if len(v.list) > maxPieces || v.bytes > MaxWindow {
		v.last, v.list, v.bytes = nil, nil, 0
	}
}

// Hashes are those of the last checkpoint that came; nil: none has.
func (v *View) Hashes() *Hashes { return v.hashes }

// Judgement is what a statement of a leader tells about what it has shown.
type Judgement struct {
	Compared int      // columns
	Differs  uint16   // columns that are shown otherwise than they are signed
	Unsigned bool     // what was shown is not what it has signed that it has shown
	Proof    *Display // nil: nothing is proven
}

// Compare compares what was shown with what its leader has signed; the signatures were
// verified.
func (v *View) Compare(s *Shown) (j Judgement) {
	v.hashes = &s.Checkpoint.Hashes
	var agrees uint16
	j.Unsigned = s.Number != v.pieces.Number || s.Head != v.pieces.Head
	columnsIn(s.Current, func(i int) {
		c := &v.columns[i]
		if c.column == nil {
			return
		}
		agrees |= 1 << i
		if !c.hashed {
			c.hash, c.hashed = hashColumn(c.column), true
		}
		j.Compared++
		if c.hash != s.Checkpoint.Hashes[partColumns+i] {
			agrees &^= 1 << i
			j.Differs |= 1 << i
			if j.Proof == nil && !j.Unsigned {
				j.Proof = v.proof(s, i)
			}
		}
	})
	v.goOn(s, agrees)
	return j
}

// goOn begins the next interval; agrees are the columns that are shown as they are signed.
func (v *View) goOn(s *Shown, agrees uint16) {
	v.pieces = Pieces{s.Number, s.Head}
	v.last, v.list, v.bytes = s, nil, 0
	for i := range v.columns {
		c := &v.columns[i]
		if v.base[i] = nil; agrees>>i&1 == 1 {
			v.base[i], c.shared = c.column, true
		}
	}
}

// proof makes the proof that a column was shown otherwise than it is signed; nil: what it
// began with was not signed.
func (v *View) proof(s *Shown, i int) *Display {
	if v.last == nil || v.base[i] == nil {
		return nil
	}
	return &Display{From: v.last, To: s, Column: i, Base: v.base[i], Pieces: v.list}
}
