package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/id"

// The versions of an item's layout: the second one is of what was shot.
const (
	itemLies  = 1
	itemFlies = 2
)

// AppendBinary appends the canonical bytes of an item.
func (it *Item) AppendBinary(dst []byte) []byte {
	w := writer{dst}
	version := uint64(itemLies)
	if it.Shot.Damage > 0 {
		version = itemFlies
	}
	w.uint(version)
	w.uint(it.Entity)
	w.uint(uint64(it.Stack.Block))
	w.uint(uint64(it.Stack.Count))
	w.body(&it.Body)
	w.b = append(w.b, it.Owner[:]...)
	w.uint(it.Born)
	if version == itemFlies {
		w.uint(uint64(it.Shot.Damage))
		w.uint(it.Shot.By)
	}
	return w.b
}

// DecodeItem reads what AppendBinary wrote, all of it.
func DecodeItem(b []byte) (*Item, error) {
	r := newReader(b)
	it := new(Item)
	version := r.uint(itemFlies, "version")
	it.Entity = r.uint(2*itemBit-1, "entity")
	it.Stack.Block = r.block("block")
	it.Stack.Count = uint8(r.uint(MaxStack, "count"))
	r.body(&it.Body)
	it.Owner = id.ID(r.take(id.Size, "owner"))
	it.Born = r.uint(1<<62, "tick")
	if version == itemFlies {
		it.Shot = Shot{uint8(r.uint(1<<8-1, "damage")), r.uint(1<<48-1, "shooter")}
	}
	if version == 0 || (version == itemFlies) != (it.Shot.Damage > 0) || it.Entity&itemBit == 0 || it.Stack.Count == 0 || !Info(it.Stack.Block).Item {
		r.fail("not an item")
	}
	if err := r.end("item"); err != nil {
		return nil, err
	}
	return it, nil
}
