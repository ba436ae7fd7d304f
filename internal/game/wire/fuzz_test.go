package wire

import (
	"bytes"
	"testing"
)

// FuzzDecode feeds anything to both decoders. What decodes must encode to
// something that decodes to the same bytes.
func FuzzDecode(f *testing.F) {
	for _, e := range examples {
		f.Add(Encode(e.m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeAny(b)
		if err != nil {
			return
		}
		once := Encode(m)
		again, err := decodeAny(once)
		if err != nil {
			t.Fatalf("%T: own encoding refused: %v", m, err)
		}
		if !bytes.Equal(once, Encode(again)) {
			t.Fatalf("%T: not stable", m)
		}
	})
}
