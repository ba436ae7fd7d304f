package world

import (
	"bytes"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

func FuzzDecodeLand(f *testing.F) {
	l := Land{Zone: Zone{Pos{-1, 0, 2}, Pos{3, 255, 4}}, Owner: id.ID{1}, Name: "home", OwnerName: "Ann", Friends: []id.ID{{2}}}
	f.Add(l.AppendBinary(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := DecodeLand(b)
		if err != nil {
			return
		}
		if again, err := DecodeLand(l.AppendBinary(nil)); err != nil || !bytes.Equal(again.AppendBinary(nil), l.AppendBinary(nil)) {
			t.Fatal("other land")
		}
	})
}
