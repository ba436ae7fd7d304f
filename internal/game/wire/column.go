package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// MaxColumn bounds the deflated chunks of a column: eight chunks of 16-bit
// indices with the largest palette, with room for incompressible data.
const MaxColumn = 1 << 20

// Column is a column's blocks. It has a layout of its own.
type Column struct {
	Pos      world.ColumnPos `json:"pos"`
	Mask     uint8           `json:"mask"`     // bit n: chunk n is in the payload, the others are air
	Deflated []byte          `json:"deflated"` // raw deflate of the chunks, from the bottom up
}

// Type is the message's first byte.
func (*Column) Type() Type { return TypeColumn }

func (m *Column) append(b []byte) []byte {
	b = binary.AppendVarint(b, int64(m.Pos.X))
	b = binary.AppendVarint(b, int64(m.Pos.Z))
	b = append(b, m.Mask)
	return append(b, m.Deflated...)
}

func (m *Column) read(r *reader) {
	x, z := r.svarint(maxCoord), r.svarint(maxCoord)
	m.Pos = world.ColumnPos{X: int32(x), Z: int32(z)}
	m.Mask = r.byte()
	if len(r.b) > MaxColumn {
		r.fail(errLong)
		return
	}
	m.Deflated, r.b = r.b, nil
}

// Packer makes the deflated payloads of Column and FarTile messages. It keeps
// its buffers for the next one and is for one goroutine.
type Packer struct {
	plain []byte
	out   bytes.Buffer
	w     *flate.Writer
}

// columnLevel balances time against bytes: a typical column takes well under a
// millisecond, and higher levels gain a few per cent.
const columnLevel = 5

// Column packs a column. The message shares nothing with the packer.
func (p *Packer) Column(c *world.Column) *Column {
	m := &Column{Pos: c.Pos}
	m.Mask, p.plain = c.AppendPayload(p.plain[:0])
	m.Deflated = p.deflate()
	return m
}

// FarTile packs a far tile. The message shares nothing with the packer.
func (p *Packer) FarTile(t *terrain.FarTile) *FarTile {
	p.plain = append(p.plain[:0], t.Height[:]...)
	for _, b := range t.Top {
		p.plain = binary.LittleEndian.AppendUint16(p.plain, uint16(b))
	}
	return &FarTile{Region: t.Region, Deflated: p.deflate()}
}

func (p *Packer) deflate() []byte {
	p.out.Reset()
	if p.w == nil {
		w, err := flate.NewWriter(&p.out, columnLevel)
		if err != nil {
			panic("wire: deflate level: " + err.Error()) // a constant that is valid
		}
		p.w = w
	} else {
		p.w.Reset(&p.out)
	}
	p.w.Write(p.plain) // to a bytes.Buffer: no error
	p.w.Close()
	return bytes.Clone(p.out.Bytes())
}

// Unpacker reads deflated payloads, with buffers that it keeps; for one
// goroutine.
type Unpacker struct {
	in    bytes.Reader
	r     io.ReadCloser
	plain []byte
}

// Column returns the blocks of a Column message.
func (u *Unpacker) Column(m *Column) (*world.Column, error) {
	plain, err := u.inflate(m.Deflated, world.MaxColumnPayload)
	if err != nil {
		return nil, err
	}
	return world.DecodeColumn(m.Pos, m.Mask, plain)
}

// FarTile returns what a FarTile message shows.
func (u *Unpacker) FarTile(m *FarTile) (*terrain.FarTile, error) {
	t := &terrain.FarTile{Region: m.Region}
	size := len(t.Height) + 2*len(t.Top)
	plain, err := u.inflate(m.Deflated, size)
	if err != nil {
		return nil, err
	}
	if len(plain) != size {
		return nil, fmt.Errorf("%w: far tile of %d bytes, want %d", ErrMalformed, len(plain), size)
	}
	n := copy(t.Height[:], plain)
	for i := range t.Top {
		t.Top[i] = world.Block(binary.LittleEndian.Uint16(plain[n+2*i:]))
	}
	return t, nil
}

// inflate returns at most limit bytes, valid until the next call; it reads
// piece by piece, so that a small hostile payload costs little.
func (u *Unpacker) inflate(deflated []byte, limit int) ([]byte, error) {
	u.in.Reset(deflated)
	if u.r == nil {
		u.r = flate.NewReader(&u.in)
	} else if err := u.r.(flate.Resetter).Reset(&u.in, nil); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	u.plain = u.plain[:0]
	for {
		if len(u.plain) == cap(u.plain) {
			u.plain = slices.Grow(u.plain, 1<<14)
		}
		n, err := u.r.Read(u.plain[len(u.plain):cap(u.plain)])
		u.plain = u.plain[:len(u.plain)+n]
		switch {
		case len(u.plain) > limit:
			return nil, fmt.Errorf("%w: inflates to over %d bytes", ErrMalformed, limit)
		case err == io.EOF && u.in.Len() == 0:
			return u.plain, nil
		case err == io.EOF:
			return nil, fmt.Errorf("%w: %d bytes behind the deflated ones", ErrMalformed, u.in.Len())
		case err != nil:
			return nil, fmt.Errorf("%w: %v", ErrMalformed, err)
		}
	}
}
