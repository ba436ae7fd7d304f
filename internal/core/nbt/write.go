package nbt

import (
	"encoding/binary"
	"maps"
	"slices"
)

// Types that Append writes besides those that Decode returns, with the kinds of tags that
// other programs expect.
type (
	Byte  int8
	Short int16
	Int   int32
)

// Append writes a compound under a name, its values by their names. Integers that are no
// Byte, Short or Int become longs; values of a List are of one kind.
func Append(b []byte, name string, c Compound) []byte {
	return appendValue(appendText(append(b, tagCompound), name), c)
}

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
}

func kindOf(v any) byte {
	switch v.(type) {
	case Byte:
		return tagByte
	case Short:
		return tagShort
	case Int:
		return tagInt
	case int64:
		return tagLong
	case []byte:
		return tagBytes
	case string:
		return tagString
	case List:
		return tagList
	case Compound:
		return tagCompound
	case []int32:
		return tagInts
	case []int64:
		return tagLongs
	}
	panic("nbt: a value of no kind that is written")
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case Byte:
		return append(b, byte(v))
	case Short:
		return binary.BigEndian.AppendUint16(b, uint16(v))
	case Int:
		return binary.BigEndian.AppendUint32(b, uint32(v))
	case int64:
		return binary.BigEndian.AppendUint64(b, uint64(v))
	case []byte:
		return append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
	case string:
		return appendText(b, v)
	case []int32:
		b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
		for _, n := range v {
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
		return b
	case []int64:
		b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
		for _, n := range v {
			b = binary.BigEndian.AppendUint64(b, uint64(n))
		}
		return b
	case List:
		kind := byte(tagEnd)
		if len(v) > 0 {
			kind = kindOf(v[0])
		}
		b = binary.BigEndian.AppendUint32(append(b, kind), uint32(len(v)))
		for _, e := range v {
			b = appendValue(b, e)
		}
		return b
	}
	c := v.(Compound)
	for _, name := range slices.Sorted(maps.Keys(c)) {
		b = appendValue(appendText(append(b, kindOf(c[name])), name), c[name])
	}
	return append(b, tagEnd)
}
