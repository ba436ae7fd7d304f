package regionlog

import (
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Ground makes a column as the terrain is before anybody builds there: the columns of a
// piece are differences to it, for both ends can make it. It is a parameter because who only
// follows, or checks evidence, needs none.
type Ground func(world.ColumnPos) *world.Column

// How a piece has a column.
const (
	columnWhole   = iota
	columnChanges // of the ground
	columnGround  // with its hash: nothing has changed

	// maxGroundChanges is with how many changes a column is not sent whole.
	maxGroundChanges = 4 << 10

	columnVolume = world.Height * world.ChunkSize * world.ChunkSize
)

// Differences are how columns that an area has shared differ from the ground, encoded; nil:
// in too much. Making the ground takes a millisecond a column, and most columns of a piece
// are those of the one before.
type Differences map[*world.Column][]byte

// Differences returns those of the piece's columns.
func (p *Piece) Differences(ground Ground) Differences {
	out := Differences{}
	s := p.of.state
	for _, c := range append(slices.Clone(s.ring), s.columns[:]...) {
		d, ok := p.known[c]
		if !ok {
			d = difference(c, ground(c.Pos))
		}
		out[c] = d
	}
	return out
}

// difference encodes how a column differs from the ground; nil: in too much.
func difference(c, ground *world.Column) []byte {
	changes, ok := changesOf(c, ground)
	if !ok {
		return nil
	}
	var w writer
	if len(changes) == 0 {
		w.uint(columnGround)
		w.columnPos(c.Pos)
		h := hashColumn(c)
		w.raw(h[:])
		return w.b
	}
	w.uint(columnChanges)
	w.columnPos(c.Pos)
	w.uint(uint64(len(changes)))
	last := 0
	for _, x := range changes {
		w.uint(uint64(x.place - last))
		w.uint(uint64(x.now))
		last = x.place
	}
	return w.b
}

func (w *writer) columnPos(pos world.ColumnPos) {
	w.int(int64(pos.X))
	w.int(int64(pos.Z))
}

// Append appends the encoding: the first checkpoint, and deflated its state and the entries
// after it.
func (p *Piece) Append(b []byte, d Differences) []byte {
	s := p.of.state
	var w writer
	column := func(c *world.Column) {
		if d[c] == nil {
			w.uint(columnWhole)
			w.column(c)
		} else {
			w.raw(d[c])
		}
	}
	for _, part := range s.small {
		w.put(part)
	}
	w.uint(uint64(len(s.ring)))
	for _, c := range s.ring {
		column(c)
	}
	for _, c := range s.columns {
		column(c)
	}
	w.uint(uint64(len(p.entries)))
	for _, e := range p.entries {
		w.put(e)
	}
	out := writer{b}
	out.put(p.of.from.Append(nil))
	out.put(Pack(w.b))
	return out.b
}

// errNotGround is what a piece is not taken for: nothing is proven by it.
var errNotGround = fmt.Errorf("a column is not the ground: %w", ErrFormat)

type groundChange struct {
	place int // x, z, y, from the fastest to the slowest
	now   world.Block
}

// changesOf is how a column differs from the ground; false: too much.
func changesOf(c, ground *world.Column) (out []groundChange, ok bool) {
	if ground == nil {
		return nil, false
	}
	var is, was world.Dense
	for k := range c.Chunks {
		if c.Chunks[k].Equal(&ground.Chunks[k]) {
			continue
		}
		c.Chunks[k].Unpack(&is)
		ground.Chunks[k].Unpack(&was)
		for i, b := range is {
			if b != was[i] {
				out = append(out, groundChange{k*world.ChunkVolume + i, b})
			}
		}
		if len(out) > maxGroundChanges {
			return nil, false
		}
	}
	return out, true
}

// groundColumns makes columns of a piece that are the ground when they are looked at: of
// most an auditor needs only the hash.
type groundColumns struct {
	ground Ground
	wrong  bool // one does not have its hash
}

// column makes a column; nil: it is not what has the hash.
func (g *groundColumns) column(pos world.ColumnPos, hash [32]byte) *world.Column {
	c := g.ground(pos)
	if c == nil || hashColumn(c) != hash {
		g.wrong = true
		return nil
	}
	return c
}

// putGround notes that a column is the ground, by the hash that it must have then; false:
// it does not belong there.
func (a *Area) putGround(i int, pos world.ColumnPos, hash [32]byte, ground *groundColumns) bool {
	if i == inRing {
		return a.ring.putGround(pos, hash, ground)
	}
	if pos != a.Pos().Column(i) {
		return false
	}
	a.hashes[i] = hash
	a.SetLater(i, func() *world.Column { return ground.column(pos, hash) })
	return true
}

// columnOn reads a column of a piece and puts it in its place; false: it cannot.
func (r *reader) columnOn(a *Area, i int, ground *groundColumns) bool {
	kind := r.Uint(columnGround)
	if kind == columnWhole {
		return a.put(r.column(), i)
	}
	pos := world.ColumnPos{X: int32(r.Int(world.Limit / world.ChunkSize)), Z: int32(r.Int(world.Limit / world.ChunkSize))}
	if kind == columnGround {
		hash := [32]byte(r.Take(32))
		return !r.Bad() && a.putGround(i, pos, hash, ground)
	}
	n := r.Uint(maxGroundChanges)
	if r.Bad() {
		return false
	}
	g := ground.ground(pos)
	if g == nil {
		return false
	}
	c := g.Clone()
	for place := 0; n > 0 && !r.Bad(); n-- {
		place += int(r.Uint(columnVolume))
		b := r.block()
		if place >= columnVolume {
			return false
		}
		c.Set(place%world.ChunkSize, place/(world.ChunkSize*world.ChunkSize), place/world.ChunkSize%world.ChunkSize, b)
	}
	return a.put(c, i)
}

// decodePiece reads what Append wrote: the proof that it may be, without a state, and the
// area with which it begins. Nothing is verified.
func decodePiece(b []byte, ground *groundColumns) (*Proof, *Area, error) {
	bad := fmt.Errorf("a piece of a log: %w", ErrFormat)
	r := newReader(b)
	from, err := DecodeCheckpoint(r.Bytes(MaxCheckpoint), nil)
	packed := r.Bytes(MaxProof)
	if err != nil || !r.End() {
		return nil, nil, bad
	}
	content, err := unpack(packed, MaxState+MaxWindow)
	if err != nil {
		return nil, nil, err
	}
	r = newReader(content)
	a, err := read(r, func(a *Area, i int) bool { return r.columnOn(a, i, ground) })
	if err != nil {
		return nil, nil, err
	}
	p := &Proof{From: from}
	for n := r.Uint(MaxEntries); n > 0 && !r.Bad(); n-- {
		p.Entries = append(p.Entries, r.Bytes(MaxEntry))
	}
	if !r.End() {
		return nil, nil, bad
	}
	return p, a, nil
}

// Audit replays a piece that a leader has sent as what leads to a checkpoint of its own. It
// returns the proof and what it proves, if the piece does not lead there. An error says
// that it is not that piece: nothing is proven, and the leader has not answered.
func Audit(piece []byte, c *Checkpoint, ground Ground, obeys func(*Replayer) bool) (*Proof, *Finding, error) {
	if c.Version != Version {
		return nil, nil, fmt.Errorf("%w: version %d, this is %d", ErrVersion, c.Version, Version)
	}
	columns := &groundColumns{ground: ground}
	p, a, err := decodePiece(piece, columns)
	if err != nil {
		return nil, nil, err
	}
	p.To = c
	if err := p.chained(); err != nil {
		return nil, nil, err
	}
	a.world = p.From.World
	r, err := beginReplay(p.From, a, false)
	if err != nil {
		return nil, nil, err
	}
	if !obeys(r) {
		return nil, nil, ErrRules
	}
	_, err = r.find(p.Entries, c)
	switch {
	case columns.wrong:
		return nil, nil, errNotGround
	case err == ErrHonest:
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	return provePiece(p, piece, ground)
}

// provePiece makes the proof of a piece whose entries do not lead to its end, with the whole
// state, and checks it as anybody else will.
func provePiece(p *Proof, piece []byte, ground Ground) (*Proof, *Finding, error) {
	columns := &groundColumns{ground: ground}
	_, a, err := decodePiece(piece, columns)
	if err != nil {
		return nil, nil, err
	}
	a.world = p.From.World
	r, err := beginReplay(p.From, a, true)
	if err != nil {
		return nil, nil, err
	}
	if columns.wrong {
		return nil, nil, errNotGround
	}
	p.State = r.start.Append(nil)
	found, err := p.Check()
	return p, found, err
}
