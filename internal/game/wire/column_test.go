package wire

import (
	"bytes"
	"errors"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

func TestColumnRoundTrip(t *testing.T) {
	g := terrain.New(7)
	var p Packer
	var u Unpacker
	for i := range int32(5) {
		want := g.Column(world.ColumnPos{X: i, Z: -i * 100})
		var m Column
		if err := DecodeInto(Encode(p.Column(want)), &m); err != nil {
			t.Fatal(err)
		}
		got, err := u.Column(&m)
		if err != nil {
			t.Fatal(err)
		}
		if got.Pos != want.Pos || !got.Equal(want) {
			t.Errorf("%v is another column after the journey", want.Pos)
		}
	}
}

func TestFarTileRoundTrip(t *testing.T) {
	want := terrain.New(7).Far(world.RegionPos{X: -3, Z: 5})
	var p Packer
	var u Unpacker
	got, err := u.FarTile(p.FarTile(&want))
	if err != nil || *got != want {
		t.Errorf("another tile after the journey: %v", err)
	}
}

func TestColumnBomb(t *testing.T) {
	var bomb bytes.Buffer
	w, _ := flate.NewWriter(&bomb, 9)
	w.Write(make([]byte, 64<<20))
	w.Close()
	var u Unpacker
	if _, err := u.Column(&Column{Mask: 255, Deflated: bomb.Bytes()}); !errors.Is(err, ErrMalformed) {
		t.Errorf("got %v", err)
	}
	if cap(u.plain) > 2*world.MaxColumnPayload {
		t.Errorf("the unpacker grew to %d bytes", cap(u.plain))
	}
}

func FuzzColumn(f *testing.F) {
	var p Packer
	f.Add(Encode(p.Column(terrain.New(1).Column(world.ColumnPos{}))))
	f.Add(Encode(&Column{Deflated: []byte{3, 0}}))
	var u Unpacker
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Column
		if DecodeInto(b, &m) == nil {
			u.Column(&m)
		}
	})
}

func BenchmarkPackColumn(b *testing.B) {
	c := terrain.New(7).Column(world.ColumnPos{X: 3, Z: 4})
	var p Packer
	b.ReportAllocs()
	var size int
	for b.Loop() {
		size = len(p.Column(c).Deflated)
	}
	b.ReportMetric(float64(size), "bytes")
}
