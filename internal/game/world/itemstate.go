package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/id"

// AppendBinary appends the canonical bytes of an item.
func (it *Item) AppendBinary(dst []byte) []byte {
	w := writer{dst}
	w.uint(stateVersion)
	w.uint(it.Entity)
	w.uint(uint64(it.Stack.Block))
	w.uint(uint64(it.Stack.Count))
	w.body(&it.Body)
	w.b = append(w.b, it.Owner[:]...)
	w.uint(it.Born)
	return w.b
}

// DecodeItem reads what AppendBinary wrote, all of it.
func DecodeItem(b []byte) (*Item, error) {
	r := newReader(b)
	it := new(Item)
	r.version()
	it.Entity = r.uint(2*itemBit-1, "entity")
	it.Stack.Block = Block(r.uint(uint64(BlockCount)-1, "block"))
	it.Stack.Count = uint8(r.uint(MaxStack, "count"))
	r.body(&it.Body)
	it.Owner = id.ID(r.take(id.Size, "owner"))
	it.Born = r.uint(1<<62, "tick")
	if it.Entity&itemBit == 0 || it.Stack.Count == 0 || !Info(it.Stack.Block).Item {
		r.fail("not an item")
	}
	if err := r.end("item"); err != nil {
		return nil, err
	}
	return it, nil
}
