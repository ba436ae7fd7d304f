package region

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// OfPlayers reports whether a record of a region's space is of what players have built,
// left or carry; the rest is made again.
func OfPlayers(key []byte) bool {
	return len(key) > 0 && strings.Contains(keyColumn+keyLog+keyItem+keyContainer+keyPlayer, string(key[:1]))
}

// StoredPlayer is a player in a region's space. A player may be in several: the one with
// the highest epoch is right.
type StoredPlayer struct {
	Epoch uint64
	Count int // of the blocks that were asked for
}

// Holder is what holds blocks in a region's space.
type Holder struct {
	Kind  HolderKind
	Count int    // of the blocks that were asked for
	Born  uint64 // of an item: the tick in which it was dropped

	player *world.Player
}

// HolderKind says what a Holder is.
type HolderKind uint8

const (
	OtherHolder     HolderKind = iota // a record that holds nothing
	PlayerHolder                      // a player, with what it carries
	ContainerHolder                   // a container
	ItemHolder                        // an item on the ground
	LeavingHolder                     // an item that a neighbour is asked to take, and may have by now
)

func (k HolderKind) String() string {
	return [...]string{"nothing", "player", "container", "item", "item on its way"}[k]
}

// HolderOf says what the record with a key holds.
func HolderOf(key []byte) HolderKind {
	if len(key) == 0 {
		return OtherHolder
	}
	switch string(key[:1]) {
	case keyPlayer:
		return PlayerHolder
	case keyContainer:
		return ContainerHolder
	case keyItem:
		return ItemHolder
	case keyPendingEdit:
		return LeavingHolder
	}
	return OtherHolder
}

// StoredHolder counts blocks in one record of a region's space.
func StoredHolder(kv machine.KV, blocks ...world.Block) (h Holder, err error) {
	var stacks []world.Stack
	switch h.Kind = HolderOf(kv.Key); h.Kind {
	case PlayerHolder:
		if h.player, err = world.DecodePlayer(kv.Value); err == nil {
			stacks = h.player.Items[:]
		}
	case ContainerHolder:
		var c *world.Container
		if c, err = world.DecodeContainer(kv.Value); err == nil {
			stacks = c.Slots
		}
	case ItemHolder:
		var it *world.Item
		if it, err = world.DecodeItem(kv.Value); err == nil {
			stacks, h.Born = []world.Stack{it.Stack}, it.Born
		}
	case LeavingHolder:
		var q *pendingEdit
		if q, err = decodePendingEdit(string(kv.Key[1:]), kv.Value); err == nil && q.Item != nil {
			stacks = []world.Stack{q.Item.Stack}
		}
	}
	for _, s := range stacks {
		if s.Count > 0 && slices.Contains(blocks, s.Block) {
			h.Count += int(s.Count)
		}
	}
	return h, err
}

// StoredItems counts blocks in a region's space, for tools that read a store without
// running the region: in containers and on the ground, in items that a neighbour is asked
// to take and may have by now, and what players carry.
func StoredItems(kvs []machine.KV, blocks ...world.Block) (lying, leaving int, players map[id.ID]StoredPlayer, err error) {
	players = map[id.ID]StoredPlayer{}
	for _, kv := range kvs {
		h, err := StoredHolder(kv, blocks...)
		if err != nil {
			return 0, 0, nil, err
		}
		switch h.Kind {
		case PlayerHolder:
			players[h.player.ID] = StoredPlayer{h.player.Epoch, h.Count}
		case LeavingHolder:
			leaving += h.Count
		default:
			lying += h.Count
		}
	}
	return lying, leaving, players, nil
}

// StoredHistory returns the records of a region's space that say who has changed which block
// or container, and of how many changes, for tools that read a store without running the region.
func StoredHistory(pos world.RegionPos, kvs []machine.KV) (records []machine.KV, edits int, err error) {
	h := &history{component: component{cfg: &Config{Pos: pos}}, indices: map[id.ID]int{}}
	for _, kv := range kvs {
		key, is := string(kv.Key), false
		if k, ok := strings.CutPrefix(key, keyActors); ok {
			is, err = true, h.unpackActor(k, kv.Value)
		}
		for _, kind := range []string{keyHistory, keyMoves} {
			if k, ok := strings.CutPrefix(key, kind); ok {
				is, err = true, h.unpack(kind, k, kv.Value)
			}
		}
		if err != nil {
			return nil, 0, err
		}
		if is {
			records = append(records, kv)
		}
	}
	return records, h.edits, nil
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

// StoredColumn are the records of a column in the space of a region that has nothing else of
// it yet, for tools that make worlds.
func StoredColumn(c *world.Column) []machine.KV {
	return []machine.KV{StoredHeader(), {Key: []byte(columnKey(c.Pos.Index())), Value: encodeColumn(c)}}
}

// StoredContainer is the record of a container.
func StoredContainer(c *world.Container) machine.KV {
	return machine.KV{Key: []byte(containerKey(c.At)), Value: c.AppendBinary(nil)}
}

// StoredHeader is the record that every region's space has.
func StoredHeader() machine.KV {
	return machine.KV{Key: []byte(keyHeader), Value: []byte{layoutVersion}}
}

// StoredChanges is a record of changes behind those of a region's space, for tools that
// change a store without running the region. Where something lies in a container nothing is
// changed.
func StoredChanges(of world.RegionPos, kvs []machine.KV, changes []world.BlockChange) (out machine.KV, n int, err error) {
	var last uint64
	full := map[world.Pos]bool{}
	for _, kv := range kvs {
		switch key := string(kv.Key); {
		case len(key) == 9 && key[:1] == keyLog:
			last = max(last, binary.BigEndian.Uint64(kv.Key[1:]))
		case len(key) > 0 && key[:1] == keyContainer:
			c, err := unpackContainer(of, key, kv.Value)
			if err != nil {
				return out, 0, err
			}
			full[c.At] = true
		}
	}
	out.Key = []byte(logKey(last + 1))
	for _, c := range changes {
		if !full[c.At] {
			out.Value = appendChange(out.Value, c)
			n++
		}
	}
	return out, n, nil
}

// StoredTexts is what is written on the signs in a region's space, for tools that read a
// store without running the region.
func StoredTexts(kvs []machine.KV) (map[world.Pos]string, error) {
	out := map[world.Pos]string{}
	for _, kv := range kvs {
		if len(kv.Key) == 0 || string(kv.Key[:1]) != keyContainer {
			continue
		}
		c, err := world.DecodeContainer(kv.Value)
		if err != nil {
			return nil, err
		}
		if c.Text != "" {
			out[c.At] = c.Text
		}
	}
	return out, nil
}
