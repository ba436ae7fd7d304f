package region

import (
	"encoding/binary"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Items that lie in the region (docs/protocols/region.md, "Items"). Each has a
// record of its own, written in the same batch as the inventory that it comes
// from or goes to. One that crosses the border is a question to the neighbour,
// with the same guarantees as an edit there: the record of the item becomes the
// record of the question in one batch, and the neighbour takes it once.

// itemBefore is an item's record before a batch changed it; nil: there was none.
type itemBefore struct {
	entity uint64
	state  []byte
}

func itemKey(entity uint64) string {
	return keyItem + string(binary.BigEndian.AppendUint64(nil, entity))
}

// unpackItem reads an item's record.
func (r *Region) unpackItem(key string, b []byte) error {
	it, err := world.DecodeItem(b)
	if err != nil || key != itemKey(it.Entity) {
		return fmt.Errorf("an item: %w", ErrCorrupt)
	}
	r.loading.items = append(r.loading.items, it)
	return nil
}

// applyItems writes what a tick changed of items, and lets go of those that have
// crossed the border.
func (r *Region) applyItems(c *world.Changes) {
	for _, it := range c.ItemSaves {
		if it.Stack.Count > 0 { // otherwise it has gone since, and is listed there
			r.writeItem(it.Entity, it.AppendBinary(nil))
		}
	}
	for _, g := range c.ItemsGone {
		r.writeItem(g.Item.Entity, nil)
	}
	for _, it := range c.ItemLeavers {
		r.sendItem(it)
	}
}

// writeItem puts an item's record into the next batch; nil deletes it.
func (r *Region) writeItem(entity uint64, state []byte) {
	s, key := &r.store, itemKey(entity)
	s.next.lying = append(s.next.lying, itemBefore{entity, s.small[key]})
	if state == nil {
		s.del(key)
	} else {
		s.put(key, state)
	}
}

// restoreItem takes back what a batch that failed has changed of an item.
func (r *Region) restoreItem(was itemBefore) {
	r.area.RemoveItem(was.entity)
	if was.state == nil {
		r.store.del(itemKey(was.entity))
		return
	}
	if it, err := world.DecodeItem(was.state); err == nil {
		r.area.AddItem(it)
		r.store.put(itemKey(was.entity), was.state)
	}
}

// sendItem gives an item that has crossed the border to the neighbour.
func (r *Region) sendItem(it *world.Item) {
	at := it.Body.Pos.Block()
	if to := at.Region(); to == r.cfg.Pos || !inWorld(to) || r.store.readOnly {
		r.keepInside(&it.Body)
		return
	}
	r.area.RemoveItem(it.Entity)
	r.entities.gone(it.Handle, it.Entity, frame.WentElsewhere)
	r.writeItem(it.Entity, nil)
	r.ask(&question{Remote: &world.Remote{
		Kind: world.RemoteItem, From: r.cfg.Pos, At: at, Block: it.Stack.Block, Body: it.Body.Pos, Item: it,
	}})
}

// keepInside puts a body that nobody took half a metre inside of the border.
func (r *Region) keepInside(b *world.Body) {
	const in = fixed.One / 2
	far := fixed.Int(world.RegionSize) - in
	b.Pos.X = b.Pos.X.Clamp(r.entities.x0+in, r.entities.x0+far)
	b.Pos.Z = b.Pos.Z.Clamp(r.entities.z0+in, r.entities.z0+far)
	b.Vel = world.Vec{}
}

// settleItem ends the question about an item at the region that it came from: it
// is the neighbour's now, or comes back.
func (r *Region) settleItem(q *question, code world.Refusal) {
	q.settled = true
	key := askKey(q.Op)
	kept := r.store.small[key]
	r.store.del(key)
	if code != world.Done {
		it := *q.Item
		r.keepInside(&it.Body)
		r.area.AddItem(&it)
		r.writeItem(it.Entity, it.AppendBinary(nil))
	}
	r.store.then(func(ok bool) {
		if ok {
			r.closeAsk(q)
			return
		}
		q.answered, q.settled = false, false
		r.store.put(key, kept)
	})
	r.flush()
}

// itemFits reports whether an item that a neighbour gives has just crossed the
// border with it: nobody puts items anywhere else.
func (r *Region) itemFits(from world.RegionPos, m *world.Remote) bool {
	if m.Kind != world.RemoteItem {
		return true
	}
	dx, dz := from.X-r.cfg.Pos.X, from.Z-r.cfg.Pos.Z
	if m.Item == nil || m.Player != (id.ID{}) || from == r.cfg.Pos || dx*dx > 1 || dz*dz > 1 {
		return false
	}
	at := m.Item.Body.Pos
	near := world.Vec{X: at.X + fixed.Int(int(dx))*4, Y: at.Y, Z: at.Z + fixed.Int(int(dz))*4}
	return at.Block() == m.At && near.Block().Region() == from
}
