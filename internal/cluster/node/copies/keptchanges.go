package copies

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// What was built in a region while its hosts were away, and was not merged because others
// had changed the same blocks, is kept as a list of changes: a state could only be put back
// as a whole. A person decides what becomes of it (/states, world merge).

// keptSpace is the space of the changes that were not merged at a time.
func keptSpace(p shards.Shard, at machine.Time) string {
	return fmt.Sprintf("%s.kept.%d", group.RetiredSpace(p.Space()), at)
}

// isKept reports whether a copy is a list of changes that were not merged.
func (s *Saved) isKept() bool {
	return strings.HasPrefix(s.Space, group.RetiredSpace(s.Shard.Space())+".kept.")
}

// keep keeps changes that were not merged.
func (c *Store) keep(aside Saved, changes []world.BlockChange) {
	aside.At = c.Env.Now()
	aside.Space, aside.Retired = keptSpace(aside.Shard, aside.At), false
	aside.Proof, aside.words = Proof{}, [maxWords]keptWord{}
	kvs := encodeKept(changes)
	aside.Bytes = len(kvs) * keptSize
	c.Write(aside, []machine.DiskWrite{{Space: aside.Space, DeletePrefix: [][]byte{{}}, Put: kvs}}, func(error) {})
}

// keptKey and keptSize are how long the key of a change is, which is its place, and all of
// it.
const (
	keptKey  = 3 * 4
	keptSize = keptKey + 2*2
)

func encodeKept(changes []world.BlockChange) []machine.KV {
	var kvs []machine.KV
	for _, c := range changes {
		key := make([]byte, 0, keptKey)
		for _, v := range []int32{c.At.X, c.At.Y, c.At.Z} {
			key = binary.BigEndian.AppendUint32(key, uint32(v))
		}
		value := binary.BigEndian.AppendUint16(nil, uint16(c.Was))
		kvs = append(kvs, machine.KV{Key: key, Value: binary.BigEndian.AppendUint16(value, uint16(c.Now))})
	}
	return kvs
}

// decodeKept reads what encodeKept wrote; false: it is none of that, or of another region.
func decodeKept(pos world.RegionPos, kvs []machine.KV) (changes []world.BlockChange, ok bool) {
	for _, kv := range kvs {
		if len(kv.Key) != keptKey || len(kv.Value) != keptSize-keptKey {
			return nil, false
		}
		at := func(i int) int32 { return int32(binary.BigEndian.Uint32(kv.Key[4*i:])) }
		changes = append(changes, world.BlockChange{
			At:  world.Pos{X: at(0), Y: at(1), Z: at(2)},
			Was: world.Block(binary.BigEndian.Uint16(kv.Value)), Now: world.Block(binary.BigEndian.Uint16(kv.Value[2:])),
		})
	}
	return changes, allIn(pos, changes)
}

// applied is the job that finds what changes that were kept would change now.
type applied struct {
	now     []machine.KV // the region
	changes []world.BlockChange
	made    map[world.ColumnPos]*world.Column
}

// Run implements machine.Work.
func (a applied) Run() (any, error) {
	columns := map[world.ColumnPos]*world.Column{}
	var out []world.BlockChange
	for _, c := range a.changes {
		pos := c.At.Column()
		col := columns[pos]
		if col == nil {
			var err error
			if col, err = region.Stored(pos, a.now, func(p world.ColumnPos) *world.Column { return a.made[p].Clone() }); err != nil {
				return nil, err
			}
			columns[pos] = col
		}
		if was := col.At(int(c.At.X&(world.ChunkSize-1)), int(c.At.Y), int(c.At.Z&(world.ChunkSize-1))); was != c.Now {
			out = append(out, world.BlockChange{At: c.At, Was: was, Now: c.Now})
		}
	}
	return out, nil
}

// columnsWith are the columns that have changes, in their order.
func columnsWith(changes []world.BlockChange) (out []world.ColumnPos) {
	seen := map[world.ColumnPos]bool{}
	for _, c := range changes {
		if pos := c.At.Column(); !seen[pos] {
			seen[pos] = true
			out = append(out, pos)
		}
	}
	return out
}
