package state

import (
	"bytes"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// A difference makes the new version of the old one, and is short where little
// has changed.
func TestDeltas(t *testing.T) {
	draw := rng.New(8)
	for i := range 2000 {
		old := make([]byte, draw.Intn(300))
		for k := range old {
			old[k] = byte(draw.Intn(256))
		}
		fresh := bytes.Clone(old)
		changes := draw.Intn(6)
		for range changes {
			if len(fresh) > 0 {
				fresh[draw.Intn(len(fresh))]++
			}
		}
		switch draw.Intn(4) {
		case 0:
			fresh = fresh[:draw.Intn(len(fresh)+1)]
		case 1:
			fresh = append(fresh, old...)
		}
		d := AppendDelta(nil, old, fresh)
		got, err := ApplyDelta(old, d, len(fresh))
		if err != nil || !bytes.Equal(got, fresh) {
			t.Fatalf("seed 8, %d: %x to %x by %x gives %x, %v", i, old, fresh, d, got, err)
		}
		if len(fresh) == len(old) && len(d) > 16*changes+6 {
			t.Fatalf("seed 8, %d: %d changes take %d bytes", i, changes, len(d))
		}
	}
}

func FuzzApplyDelta(f *testing.F) {
	f.Add([]byte("old version"), AppendDelta(nil, []byte("old version"), []byte("new version!")))
	f.Fuzz(func(t *testing.T, old, delta []byte) {
		out, err := ApplyDelta(old, delta, 1000)
		if err != nil {
			return
		}
		if len(out) > 1000 {
			t.Fatalf("%d bytes", len(out))
		}
		again, err := ApplyDelta(old, AppendDelta(nil, old, out), 1000)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%x, %v, want %x", again, err, out)
		}
	})
}
