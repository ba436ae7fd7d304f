package region

import (
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// OfPlayers reports whether a record of a region's space is of what players have built,
// left or carry; the rest is made again.
func OfPlayers(key []byte) bool {
	return len(key) > 0 && strings.Contains(keyColumn+keyLog+keyItem+keyPlayer, string(key[:1]))
}

// Stored returns a column as a region's space holds it, for tools that read a
// store without running the region. generate makes it if the space has nothing
// but changes of it, or nothing at all.
func Stored(c world.ColumnPos, kvs []machine.KV, generate func(world.ColumnPos) *world.Column) (*world.Column, error) {
	var out *world.Column
	var log []BlockChange
	for _, kv := range kvs {
		switch key := string(kv.Key); {
		case key == columnKey(c.Index()):
			var err error
			if out, err = decodeColumn(c, kv.Value); err != nil {
				return nil, err
			}
		case len(key) > 0 && key[:1] == keyLog:
			changes, err := decodeChanges(c.Region(), kv.Value)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", c, err)
			}
			log = append(log, changes...)
		}
	}
	if out == nil {
		out = generate(c)
	}
	for _, ch := range log {
		if ch.Pos.Column() == c {
			out.Set(int(ch.Pos.X&(world.ChunkSize-1)), int(ch.Pos.Y), int(ch.Pos.Z&(world.ChunkSize-1)), ch.Block)
		}
	}
	return out, nil
}
