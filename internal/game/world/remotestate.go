package world

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Append appends the encoding of what a player does to a block.
func (m *Remote) Append(b []byte) []byte {
	b = append(b, m.Player[:]...)
	operator := uint64(0)
	if m.Operator {
		operator = 1
	}
	for _, n := range []uint64{
		uint64(m.Kind), uint64(m.Seq), uint64(m.Face), uint64(m.Block), uint64(m.Mode), operator, m.Op, uint64(m.Got), uint64(len(m.Code)),
	} {
		b = binary.AppendUvarint(b, n)
	}
	b = append(b, m.Code...)
	for _, n := range []int64{
		int64(m.From.X), int64(m.From.Z), int64(m.At.X), int64(m.At.Y), int64(m.At.Z), int64(m.Body.X), int64(m.Body.Y), int64(m.Body.Z),
	} {
		b = binary.AppendVarint(b, n)
	}
	if m.Kind == RemoteItem {
		state := m.Item.AppendBinary(nil)
		b = append(binary.AppendUvarint(b, uint64(len(state))), state...)
	}
	return b
}

// TakeRemote reads what Append wrote, and returns what follows it.
func TakeRemote(b []byte) (m *Remote, rest []byte, ok bool) {
	m, ok = new(Remote), len(b) >= id.Size
	if !ok {
		return nil, nil, false
	}
	b = b[copy(m.Player[:], b):]
	unsigned := func(most uint64) uint64 {
		v, n := binary.Uvarint(b)
		if ok = ok && n > 0 && v <= most; !ok {
			return 0
		}
		b = b[n:]
		return v
	}
	signed := func(most int64) int64 {
		v, n := binary.Varint(b)
		if ok = ok && n > 0 && v <= most && v >= -most; !ok {
			return 0
		}
		b = b[n:]
		return v
	}
	const block, most32 = uint64(BlockLimit) - 1, 1<<31 - 1
	m.Kind, m.Seq = RemoteKind(unsigned(uint64(LastRemote))), uint32(unsigned(1<<32-1))
	m.Face, m.Block = Face(unsigned(1<<8-1)), Block(unsigned(block))
	m.Mode, m.Operator = Mode(unsigned(uint64(Spectator))), unsigned(1) == 1
	m.Op, m.Got = unsigned(1<<64-1), Block(unsigned(block))
	code := unsigned(64)
	if ok = ok && uint64(len(b)) >= code; !ok {
		return nil, nil, false
	}
	if ok = m.Block.Known() && m.Got.Known(); !ok {
		return nil, nil, false
	}
	m.Code, b = Refusal(b[:code]), b[code:]
	m.From = RegionPos{X: int32(signed(most32)), Z: int32(signed(most32))}
	m.At = Pos{X: int32(signed(most32)), Y: int32(signed(most32)), Z: int32(signed(most32))}
	m.Body = Vec{X: fixed.Num(signed(1 << 62)), Y: fixed.Num(signed(1 << 62)), Z: fixed.Num(signed(1 << 62))}
	if ok && m.Kind == RemoteItem {
		size := unsigned(uint64(len(b)))
		if ok = ok && size <= uint64(len(b)); !ok {
			return nil, nil, false
		}
		var err error
		m.Item, err = DecodeItem(b[:size])
		b, ok = b[size:], err == nil
	}
	return m, b, ok
}
