package nbt

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// lz4Magic begins each block as LZ4 for Java writes them (LZ4BlockOutputStream), which
// Minecraft uses since 1.20.5 if it is set so.
const lz4Magic = "LZ4Block"

const (
	lz4Head  = len(lz4Magic) + 1 + 4 + 4 + 4 // kind, packed and unpacked length, checksum
	lz4Raw   = 0x10
	lz4Coded = 0x20
)

// InflateLZ4 unpacks such blocks, up to a number of bytes. Checksums are not looked at.
func InflateLZ4(b []byte, limit int) (out []byte, err error) {
	for len(b) >= lz4Head && bytes.HasPrefix(b, []byte(lz4Magic)) {
		kind := b[len(lz4Magic)] & 0xf0
		packed, size := binary.LittleEndian.Uint32(b[9:]), binary.LittleEndian.Uint32(b[13:])
		b = b[lz4Head:]
		if uint64(packed) > uint64(len(b)) || uint64(size) > uint64(limit-len(out)) {
			return nil, fmt.Errorf("%w: a block of LZ4 with %d bytes, %d when it is unpacked", ErrFormat, packed, size)
		}
		block := b[:packed]
		b = b[packed:]
		if packed == 0 {
			break // the last one
		}
		begin := len(out)
		switch kind {
		case lz4Raw:
			out = append(out, block...)
		case lz4Coded:
			out, err = lz4Block(out, block, begin+int(size))
		default:
			err = fmt.Errorf("%w: a block of LZ4 of kind %d", ErrFormat, kind)
		}
		if err == nil && len(out) != begin+int(size) {
			err = fmt.Errorf("%w: a block of LZ4 of another length", ErrFormat)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lz4Block appends what a block holds: literals and matches, in turns, up to a length.
func lz4Block(out, b []byte, limit int) ([]byte, error) {
	begin := len(out)
	length := func(n int) int {
		for more := byte(255); n >= 15 && more == 255 && len(b) > 0; {
			more, b = b[0], b[1:]
			n += int(more)
		}
		return n
	}
	bad := fmt.Errorf("%w: a block of LZ4 is damaged", ErrFormat)
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		n := length(int(token >> 4))
		if n > len(b) || len(out)+n > limit {
			return nil, bad
		}
		out, b = append(out, b[:n]...), b[n:]
		if len(b) < 2 {
			break // literals end a block
		}
		back := int(binary.LittleEndian.Uint16(b))
		b = b[2:]
		n = length(int(token&15)) + 4
		if back == 0 || back > len(out)-begin || len(out)+n > limit {
			return nil, bad
		}
		for range n {
			out = append(out, out[len(out)-back])
		}
	}
	return out, nil
}
