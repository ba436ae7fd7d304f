package regionlog

import (
	"fmt"

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

	// maxGroundChanges is with how many changes a column is not sent whole.
	maxGroundChanges = 4 << 10

	columnVolume = world.Height * world.ChunkSize * world.ChunkSize
)

// Append appends the encoding: two checkpoints, and deflated what leads from one to the
// other.
func (p *Piece) Append(b []byte, ground Ground) []byte {
	s := p.of.state
	var w writer
	for _, part := range s.small {
		w.put(part)
	}
	w.uint(uint64(len(s.ring)))
	for _, c := range s.ring {
		w.columnOn(c, ground(c.Pos))
	}
	for _, c := range s.columns {
		w.columnOn(c, ground(c.Pos))
	}
	w.uint(uint64(len(p.entries)))
	for _, e := range p.entries {
		w.put(e)
	}
	out := writer{b}
	out.put(p.of.from.Append(nil))
	out.put(p.to.Append(nil))
	out.put(Pack(w.b))
	return out.b
}

// columnOn appends a column as its difference to another.
func (w *writer) columnOn(c, ground *world.Column) {
	changes, ok := changesOf(c, ground)
	if !ok {
		w.uint(columnWhole)
		w.column(c)
		return
	}
	w.uint(columnChanges)
	w.int(int64(c.Pos.X))
	w.int(int64(c.Pos.Z))
	w.uint(uint64(len(changes)))
	last := 0
	for _, x := range changes {
		w.uint(uint64(x.place - last))
		w.uint(uint64(x.now))
		last = x.place
	}
}

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

// columnOn reads what the writer's columnOn wrote.
func (r *reader) columnOn(ground Ground) *world.Column {
	switch r.Uint(columnChanges) {
	case columnWhole:
		return r.column()
	default:
		pos := world.ColumnPos{X: int32(r.Int(world.Limit / world.ChunkSize)), Z: int32(r.Int(world.Limit / world.ChunkSize))}
		n := r.Uint(maxGroundChanges)
		if r.Bad() {
			return nil
		}
		g := ground(pos)
		if g == nil {
			r.Fail()
			return nil
		}
		c := g.Clone()
		for place := 0; n > 0 && !r.Bad(); n-- {
			place += int(r.Uint(columnVolume))
			b := r.block()
			if place >= columnVolume {
				r.Fail()
				return nil
			}
			c.Set(place%world.ChunkSize, place/(world.ChunkSize*world.ChunkSize), place/world.ChunkSize%world.ChunkSize, b)
		}
		return c
	}
}

// decodePiece reads what Append wrote, as the proof that it may be. Nothing is verified.
func decodePiece(b []byte, ground Ground) (*Proof, error) {
	bad := fmt.Errorf("a piece of a log: %w", ErrFormat)
	r := newReader(b)
	from, errFrom := DecodeCheckpoint(r.Bytes(MaxCheckpoint), nil)
	to, errTo := DecodeCheckpoint(r.Bytes(MaxCheckpoint), nil)
	packed := r.Bytes(MaxProof)
	if errFrom != nil || errTo != nil || !r.End() {
		return nil, bad
	}
	content, err := unpack(packed, MaxState+MaxWindow)
	if err != nil {
		return nil, err
	}
	r = newReader(content)
	var state writer
	for range partRing {
		state.put(r.Bytes(MaxState))
	}
	ring := r.Uint(4*world.RegionCols + 4)
	state.uint(ring)
	for range ring + world.Columns {
		c := r.columnOn(ground)
		if c == nil || r.Bad() {
			return nil, bad
		}
		state.column(c)
	}
	p := &Proof{From: from, To: to, State: state.b}
	for n := r.Uint(MaxEntries); n > 0 && !r.Bad(); n-- {
		p.Entries = append(p.Entries, r.Bytes(MaxEntry))
	}
	if !r.End() {
		return nil, bad
	}
	return p, nil
}

// Audit replays a piece that a leader has sent as what leads to a checkpoint of its own. It
// returns the proof and what it proves, if the piece does not lead there. An error says
// that it is not that piece: nothing is proven, and the leader has not answered.
func Audit(piece []byte, c *Checkpoint, ground Ground, obeys func(*Replayer) bool) (*Proof, *Finding, error) {
	p, err := decodePiece(piece, ground)
	if err != nil {
		return nil, nil, err
	}
	p.To = c
	r, err := NewReplayer(p.From, p.State)
	if err != nil {
		return nil, nil, err
	}
	if !obeys(r) {
		return nil, nil, ErrRules
	}
	found, err := p.Check()
	if err == ErrHonest {
		return nil, nil, nil
	}
	return p, found, err
}
