// Package nbt reads and writes NBT, the binary tree that Minecraft's files are made of
// (minecraft.wiki, "NBT format"; the edition for Java: big endian, named root).
//
// What is read may come from anybody: depth, lengths and the number of values are bounded,
// and a length is believed only as far as there are bytes.
//
// Pure. Start with Decode.
package nbt

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Compound is a tag with named values: int64 for all integers, float64, string, []byte,
// []int32, []int64, List, Compound.
type Compound map[string]any

// List is a tag with values of one kind.
type List []any

const (
	maxDepth  = 96
	maxValues = 1 << 20
)

// ErrFormat is wrapped by what Decode and Inflate return.
var ErrFormat = errors.New("malformed NBT")

// The kinds of tags.
const (
	tagEnd = iota
	tagByte
	tagShort
	tagInt
	tagLong
	tagFloat
	tagDouble
	tagBytes
	tagString
	tagList
	tagCompound
	tagInts
	tagLongs
)

// Inflate unpacks what gzip or zlib has packed, up to a number of bytes; other bytes stay
// as they are.
func Inflate(b []byte, limit int) ([]byte, error) {
	var r io.Reader
	var err error
	switch {
	case len(b) > 1 && b[0] == 0x1f && b[1] == 0x8b:
		r, err = gzip.NewReader(bytes.NewReader(b))
	case len(b) > 1 && b[0]&15 == 8 && (int(b[0])<<8|int(b[1]))%31 == 0:
		r, err = zlib.NewReader(bytes.NewReader(b))
	default:
		r = bytes.NewReader(b)
	}
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be unpacked: %w", ErrFormat, err)
	}
	if len(b) > limit {
		return nil, fmt.Errorf("%w: it is larger than %d MB when it is unpacked", ErrFormat, limit>>20)
	}
	return b, nil
}

type reader struct {
	b      []byte
	values int
	err    error
}

// Decode reads a named compound; what follows it is ignored.
func Decode(b []byte) (Compound, error) {
	r := &reader{b: b}
	if r.take(1)[0] != tagCompound {
		r.fail("it does not begin with a compound")
	}
	r.text()
	c := r.compound(0)
	return c, r.err
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrFormat, what)
	}
	r.b = nil
}

var zeros [8]byte

// take returns n bytes; at the end zeros, of which there are at most eight.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail("it ends early")
		return zeros[:min(max(n, 0), len(zeros))]
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) int() int { return int(int32(binary.BigEndian.Uint32(r.take(4)))) }

// count reads how many elements of a size follow.
func (r *reader) count(size int) int {
	n := r.int()
	if n < 0 || n > len(r.b)/size {
		r.fail("a length is wrong")
		return 0
	}
	return n
}

func (r *reader) text() string { return string(r.bytes(int(binary.BigEndian.Uint16(r.take(2))))) }

// bytes returns n bytes, or none if there are fewer.
func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.fail("it ends early")
		return nil
	}
	return r.take(n)
}

func (r *reader) compound(depth int) Compound {
	c := Compound{}
	for r.err == nil {
		kind := r.take(1)[0]
		if kind == tagEnd {
			break
		}
		name := r.text()
		c[name] = r.value(kind, depth+1)
	}
	return c
}

func (r *reader) value(kind byte, depth int) any {
	if r.values++; depth > maxDepth || r.values > maxValues {
		r.fail("it is too deep, or has too many values")
		return nil
	}
	switch kind {
	case tagByte:
		return int64(int8(r.take(1)[0]))
	case tagShort:
		return int64(int16(binary.BigEndian.Uint16(r.take(2))))
	case tagInt:
		return int64(r.int())
	case tagLong:
		return int64(binary.BigEndian.Uint64(r.take(8)))
	case tagFloat:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(r.take(4))))
	case tagDouble:
		return math.Float64frombits(binary.BigEndian.Uint64(r.take(8)))
	case tagBytes:
		return r.bytes(r.count(1))
	case tagString:
		return r.text()
	case tagList:
		return r.list(depth)
	case tagCompound:
		return r.compound(depth)
	case tagInts:
		out := make([]int32, r.count(4))
		for i := range out {
			out[i] = int32(binary.BigEndian.Uint32(r.take(4)))
		}
		return out
	case tagLongs:
		out := make([]int64, r.count(8))
		for i := range out {
			out[i] = int64(binary.BigEndian.Uint64(r.take(8)))
		}
		return out
	}
	r.fail(fmt.Sprintf("there is no tag of kind %d", kind))
	return nil
}

func (r *reader) list(depth int) List {
	kind := r.take(1)[0]
	n := r.count(1)
	if kind == tagEnd && n > 0 {
		r.fail("a list of nothing has elements")
		return nil
	}
	out := make(List, 0, min(n, 1<<10))
	for range n {
		if r.err != nil {
			return nil
		}
		out = append(out, r.value(kind, depth+1))
	}
	return out
}

// Int, Text, Bytes, Longs, Of and List are the value with a name if it is of that kind.
func (c Compound) Int(name string) int         { n, _ := c[name].(int64); return int(n) }
func (c Compound) Text(name string) string     { s, _ := c[name].(string); return s }
func (c Compound) Bytes(name string) []byte    { b, _ := c[name].([]byte); return b }
func (c Compound) Longs(name string) []int64   { l, _ := c[name].([]int64); return l }
func (c Compound) Ints(name string) []int32    { l, _ := c[name].([]int32); return l }
func (c Compound) Of(name string) Compound     { m, _ := c[name].(Compound); return m }
func (c Compound) List(name string) (out List) { out, _ = c[name].(List); return out }
