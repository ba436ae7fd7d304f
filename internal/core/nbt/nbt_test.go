package nbt

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

func sample() Compound {
	return Compound{
		"b": Byte(-1), "s": Short(300), "i": Int(-70000), "l": int64(1) << 40, "bytes": []byte{1, 2}, "text": "a",
		"ints": []int32{-1, 5}, "list": List{Compound{"x": Int(1)}, Compound{}}, "empty": List{}, "inner": Compound{"n": Int(7)},
	}
}

func TestThereAndBack(t *testing.T) {
	got, err := Decode(Append(nil, "root", sample()))
	want := Compound{
		"b": int64(-1), "s": int64(300), "i": int64(-70000), "l": int64(1) << 40, "bytes": []byte{1, 2}, "text": "a",
		"ints": []int32{-1, 5}, "list": List{Compound{"x": int64(1)}, Compound{}}, "empty": List{}, "inner": Compound{"n": int64(7)},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if got.Of("inner").Int("n") != 7 || got.Text("i") != "" || got.Of("text") != nil || len(got.List("list")) != 2 {
		t.Error("values by their names")
	}
}

// TestHostileNBT: lengths that are not there, trees that are too deep or too wide.
func TestHostileNBT(t *testing.T) {
	deep := []byte{tagCompound, 0, 0}
	for range maxDepth + 1 {
		deep = append(deep, tagCompound, 0, 1, 'a')
	}
	deepLists := append([]byte{tagCompound, 0, 0, tagList, 0, 0}, bytes.Repeat([]byte{tagList, 0, 0, 0, 1}, 1000)...)
	wide := append([]byte{tagCompound, 0, 0, tagList, 0, 0, tagCompound, 0, 0x20, 0, 0}, make([]byte, 1<<21)...)
	for name, b := range map[string][]byte{
		"nothing":             nil,
		"a list as root":      {tagList, 0, 0, tagByte, 0, 0, 0, 0},
		"cut off":             Append(nil, "", sample())[:30],
		"two billion longs":   {tagCompound, 0, 0, tagLongs, 0, 0, 0x7f, 0xff, 0xff, 0xff},
		"minus one byte":      {tagCompound, 0, 0, tagBytes, 0, 0, 0xff, 0xff, 0xff, 0xff},
		"elements of no kind": {tagCompound, 0, 0, tagList, 0, 0, tagEnd, 0, 0, 0, 1, 0, 0, 0, 0},
		"an unknown tag":      {tagCompound, 0, 0, 13, 0, 0, 0},
		"deep":                deep, "deep lists": deepLists, "wide": wide,
	} {
		if got, err := Decode(b); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestHostileBomb(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(make([]byte, 4<<20))
	_ = w.Close()
	if _, err := Inflate(packed.Bytes(), 1<<20); err == nil || !strings.Contains(err.Error(), "1 MB") {
		t.Errorf("four megabytes in %d bytes: %v", packed.Len(), err)
	}
}

func TestInflate(t *testing.T) {
	plain := Append(nil, "", sample())
	var z, g bytes.Buffer
	zw, gw := zlib.NewWriter(&z), gzip.NewWriter(&g)
	_, _ = zw.Write(plain)
	_, _ = gw.Write(plain)
	_, _ = zw.Close(), gw.Close()
	for name, b := range map[string][]byte{"plain": plain, "zlib": z.Bytes(), "gzip": g.Bytes()} {
		if got, err := Inflate(b, 1<<20); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Inflate(z.Bytes()[:10], 1<<20); err == nil {
		t.Error("half of it")
	}
}

// lz4 is a block as LZ4 for Java writes it.
func lz4(kind byte, size int, data ...byte) []byte {
	b := append([]byte(lz4Magic), kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	return append(append(b, 0, 0, 0, 0), data...)
}

func TestLZ4(t *testing.T) {
	// "abc" seven times as three literals and a match of 18, then "xy" as it is.
	b := append(lz4(lz4Coded|5, 24, 0x3e, 'a', 'b', 'c', 3, 0, 0x30, 'd', 'e', 'f'), lz4(lz4Raw, 2, 'x', 'y')...)
	b = append(b, lz4(lz4Raw, 0)...)
	if got, err := InflateLZ4(b, 100); err != nil || string(got) != strings.Repeat("abc", 7)+"defxy" {
		t.Errorf("%q, %v", got, err)
	}
	for name, b := range map[string][]byte{
		"too long":        lz4(lz4Coded, 200, 0x10, 'a', 1, 0),
		"back too far":    lz4(lz4Coded, 5, 0x10, 'a', 2, 0),
		"back by nothing": lz4(lz4Coded, 5, 0x10, 'a', 0, 0),
		"no such kind":    lz4(0x30, 1, 'a'),
		"cut off":         lz4(lz4Coded, 5, 0x50, 'a'),
		"longer":          lz4(lz4Raw, 1, 'a', 'b'),
	} {
		if got, err := InflateLZ4(b, 100); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Append(nil, "root", sample()))
	f.Add([]byte{tagCompound, 0, 0, tagLongs, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = Decode(b) })
}

func FuzzInflate(f *testing.F) {
	f.Add(lz4(lz4Coded, 24, 0x3e, 'a', 'b', 'c', 3, 0, 0x30, 'd', 'e', 'f'))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, do := range []func([]byte, int) ([]byte, error){Inflate, InflateLZ4} {
			if out, err := do(b, 1<<16); err == nil && len(out) > 1<<16 {
				t.Errorf("%d bytes", len(out))
			}
		}
	})
}
