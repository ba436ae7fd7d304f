package region

import (
	"bytes"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// For tools and nodes that compare two states of a region's space without running it.

// ChangedColumns returns the columns in which two states may differ.
func ChangedColumns(pos world.RegionPos, before, after []machine.KV) (out []world.ColumnPos) {
	var saved [2][world.Columns][]byte
	var logged uint16
	for n, kvs := range [][]machine.KV{before, after} {
		for _, kv := range kvs {
			switch key := string(kv.Key); {
			case len(key) == 2 && key[:1] == keyColumn && key[1] < world.Columns:
				saved[n][key[1]] = kv.Value
			case len(key) > 0 && key[:1] == keyLog:
				changes, _ := decodeChanges(pos, kv.Value) // Stored says what is wrong
				for _, c := range changes {
					logged |= 1 << c.Pos.Column().Index()
				}
			}
		}
	}
	for i := range world.Columns {
		if logged>>i&1 == 1 || !bytes.Equal(saved[0][i], saved[1][i]) {
			out = append(out, pos.Column(i))
		}
	}
	return out
}

// Difference returns the blocks that differ in two states. generate makes a column that a
// state has no more than changes of.
func Difference(pos world.RegionPos, before, after []machine.KV, generate func(world.ColumnPos) *world.Column) ([]world.BlockChange, error) {
	var out []world.BlockChange
	for _, c := range ChangedColumns(pos, before, after) {
		was, err := Stored(c, before, generate)
		if err != nil {
			return nil, err
		}
		now, err := Stored(c, after, generate)
		if err != nil {
			return nil, err
		}
		out = appendDifference(out, was, now)
	}
	return out, nil
}

// NewPlayers returns the players whose home a region has become from one state to another,
// as they are stored.
func NewPlayers(before, after []machine.KV) (out [][]byte) {
	epochs := map[string]uint64{}
	for _, kv := range before {
		if p := storedPlayer(kv); p != nil {
			epochs[string(kv.Key)] = p.Epoch
		}
	}
	for _, kv := range after {
		if p := storedPlayer(kv); p != nil && p.Epoch > epochs[string(kv.Key)] {
			out = append(out, kv.Value)
		}
	}
	return out
}

// storedPlayer is the player of a record; nil: it is none.
func storedPlayer(kv machine.KV) *world.Player {
	if len(kv.Key) != 1+len(id.ID{}) || string(kv.Key[:1]) != keyPlayer {
		return nil
	}
	p, err := world.DecodePlayer(kv.Value)
	if err != nil || playerKey(keyPlayer, p.ID) != string(kv.Key) {
		return nil
	}
	return p
}

func appendDifference(out []world.BlockChange, was, now *world.Column) []world.BlockChange {
	for y := range world.Height {
		for z := range world.ChunkSize {
			for x := range world.ChunkSize {
				if a, b := was.At(x, y, z), now.At(x, y, z); a != b {
					out = append(out, world.BlockChange{At: was.Pos.Origin().Add(int32(x), int32(y), int32(z)), Was: a, Now: b})
				}
			}
		}
	}
	return out
}
