package region

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestStoredItems: what is in chests counts as the players' own, so spare copies have it,
// and is counted with what they carry.
func TestStoredItems(t *testing.T) {
	at := world.Pos{X: 5, Y: 64, Z: 7}
	box := &world.Container{At: at, Slots: []world.Stack{{}, {Block: world.Stone, Count: 7}, {Block: world.Dirt, Count: 1}}}
	p := world.NewPlayer(id.Of([]byte("ada")), "ada", world.Survival, world.Vec{})
	p.Items[3], p.Epoch = world.Stack{Block: world.Stone, Count: 2}, 9
	kvs := []machine.KV{
		{Key: []byte(containerKey(at)), Value: box.AppendBinary(nil)},
		{Key: []byte(playerKey(keyPlayer, p.ID)), Value: p.AppendBinary(nil)},
	}
	for _, kv := range kvs {
		if !OfPlayers(kv.Key) {
			t.Errorf("%q is not of players", kv.Key[:1])
		}
	}
	kvs = append(kvs, machine.KV{Key: []byte(pendingEditKey(4)), Value: (&pendingEdit{Remote: &world.Remote{
		Kind: world.RemoteItem, Op: 4, Item: &world.Item{Entity: 1<<48 | 1, Stack: world.Stack{Block: world.Stone, Count: 3}},
	}}).encode()})
	lying, leaving, players, err := StoredItems(kvs, world.Stone)
	if err != nil || lying != 7 || leaving != 3 || len(players) != 1 || players[p.ID] != (StoredPlayer{9, 2}) {
		t.Errorf("%d, %d, %v, %v", lying, leaving, players, err)
	}
	if _, _, _, err := StoredItems([]machine.KV{{Key: kvs[0].Key, Value: []byte{9}}}, world.Stone); err == nil {
		t.Error("a damaged container was read")
	}
}

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
