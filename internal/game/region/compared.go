package region

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// For followers, who have both what a region's leader has its group write, which is the
// region's space, and what its log leads to (package regionlog).

// BlockRecords are what a region's space has of the blocks of each column.
type BlockRecords struct {
	Digest [world.Columns][32]byte // with the same, a column has the same blocks
	Whole  uint16                  // columns of which there are more than changes
}

// ReadBlockRecords returns those of a space.
func ReadBlockRecords(pos world.RegionPos, kvs []machine.KV) (d BlockRecords, err error) {
	var text [world.Columns][]byte
	for _, kv := range kvs {
		switch key := string(kv.Key); {
		case len(key) == 2 && key[:1] == keyColumn && key[1] < world.Columns:
			i := key[1]
			d.Whole |= 1 << i
			text[i] = append(binary.AppendUvarint(append(text[i], keyColumn...), uint64(len(kv.Value))), kv.Value...)
		case len(key) > 0 && key[:1] == keyLog:
			changes, err := decodeChanges(pos, kv.Value)
			if err != nil {
				return d, err
			}
			for _, c := range changes {
				i := c.Pos.Column().Index()
				text[i] = appendChange(append(text[i], keyLog...), world.BlockChange{At: c.Pos, Now: c.Block})
			}
		}
	}
	for i := range text {
		d.Digest[i] = sha256.Sum256(text[i])
	}
	return d, nil
}

// CompareBlocks returns the first blocks, max at most, in which columns (nil: not compared)
// differ from what a region's space says: Was is what it says, Now what the column has.
func CompareBlocks(kvs []machine.KV, columns []*world.Column, generate func(world.ColumnPos) *world.Column, max int) ([]world.BlockChange, error) {
	var out []world.BlockChange
	for _, c := range columns {
		if c == nil {
			continue
		}
		stored, err := Stored(c.Pos, kvs, generate)
		if err != nil {
			return nil, err
		}
		if len(out) < max && !stored.Equal(c) {
			out = appendDifference(out, stored, c)
		}
	}
	return out[:min(len(out), max)], nil
}
