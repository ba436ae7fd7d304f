package region

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestStored: the terrain, or the stored column, and the log over it.
func TestStored(t *testing.T) {
	at := world.RegionPos{X: 1, Z: -2}.Column(6)
	place := at.Origin().Add(3, 70, 4)
	plain := func(world.ColumnPos) *world.Column { return &world.Column{Pos: at} }
	stored := &world.Column{Pos: at}
	stored.Set(3, 70, 4, world.Bricks)
	stored.Set(1, 1, 1, world.Glass)
	column := machine.KV{Key: []byte(columnKey(at.Index())), Value: encodeColumn(stored)}
	change := machine.KV{Key: []byte(logKey(9)), Value: appendChange(nil, world.BlockChange{At: place, Now: world.Stone})}
	other := machine.KV{Key: []byte(columnKey(at.Index() + 1)), Value: encodeColumn(stored)}
	for name, c := range map[string]struct {
		kvs         []machine.KV
		want, glass world.Block
	}{
		"nothing": {nil, world.Air, world.Air},
		"log":     {[]machine.KV{other, change}, world.Stone, world.Air},
		"column":  {[]machine.KV{column}, world.Bricks, world.Glass},
		"both":    {[]machine.KV{column, change}, world.Stone, world.Glass},
	} {
		got, err := Stored(at, c.kvs, plain)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a, b := got.At(3, 70, 4), got.At(1, 1, 1); a != c.want || b != c.glass {
			t.Errorf("%s: %v and %v, want %v and %v", name, a, b, c.want, c.glass)
		}
	}
	if _, err := Stored(at, []machine.KV{{Key: column.Key, Value: []byte{0xff}}}, plain); err == nil {
		t.Error("a damaged column was read")
	}
	if _, err := Stored(at, []machine.KV{{Key: change.Key, Value: []byte{0xff}}}, plain); err == nil {
		t.Error("a damaged log was read")
	}
}
