package region

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Items that lie in the region (docs/protocols/region.md, "Items"). Each has a
// record of its own, written in the same batch as the inventory that it comes
// from or goes to. One that crosses the border is a question to the neighbour,
// with the same guarantees as an edit there: the record of the item becomes the
// record of the question in one batch, and the neighbour takes it once.

// droppedItems brings what a step of the world changes of items to the disk and to
// the neighbours.
type droppedItems struct {
	component
	area     *regionlog.Area
	store    *store
	entities *entities
	pending  *pendingEdits
}

// itemBefore is an item's record before a batch changed it; nil: there was none.
type itemBefore struct {
	entity uint64
	state  []byte
}

func itemKey(entity uint64) string {
	return keyItem + string(binary.BigEndian.AppendUint64(nil, entity))
}

// unpackItem reads an item's record.
func unpackItem(key string, b []byte) (*world.Item, error) {
	it, err := world.DecodeItem(b)
	if err != nil || key != itemKey(it.Entity) {
		return nil, fmt.Errorf("an item: %w", ErrCorrupt)
	}
	return it, nil
}

// apply writes what a tick changed of items, and lets go of those that have
// crossed the border.
func (l *droppedItems) apply(c *world.Changes) {
	for _, it := range c.ItemSaves {
		if it.Stack.Count > 0 { // otherwise it has gone since, and is listed there
			l.write(it.Entity, it.AppendBinary(nil))
		}
	}
	for _, g := range c.ItemsGone {
		l.write(g.Item.Entity, nil)
	}
	for _, it := range c.ItemLeavers {
		l.send(it)
	}
}

// write puts an item's record into the next batch; nil deletes it.
func (l *droppedItems) write(entity uint64, state []byte) {
	key := itemKey(entity)
	l.store.next.dropped = append(l.store.next.dropped, itemBefore{entity, l.store.small[key]})
	if state == nil {
		l.store.del(key)
	} else {
		l.store.put(key, state)
	}
}

// restore takes back what a batch that failed has changed of an item.
func (l *droppedItems) restore(was itemBefore) {
	l.area.RemoveItem(was.entity)
	if was.state == nil {
		l.store.del(itemKey(was.entity))
		return
	}
	if it, err := world.DecodeItem(was.state); err == nil {
		l.area.AddItem(it)
		l.store.put(itemKey(was.entity), was.state)
	}
}

// send gives an item that has crossed the border to the neighbour.
func (l *droppedItems) send(it *world.Item) {
	at := it.Body.Pos.Block()
	ask := &world.Remote{Kind: world.RemoteItem, From: l.cfg.Pos, At: at, Block: it.Stack.Block, Body: it.Body.Pos, Item: it}
	if to := at.Region(); !itemFits(to, l.cfg.Pos, ask) || !inWorld(to) || l.store.readOnly {
		keepInside(l.cfg.Pos, &it.Body)
		l.area.ItemChanged(it)
		return
	}
	l.area.RemoveItem(it.Entity)
	l.entities.gone(it.Handle, it.Entity, frame.WentElsewhere)
	l.write(it.Entity, nil)
	l.pending.request(&pendingEdit{Remote: ask})
}

// settle ends the question about an item at the region that it came from: it
// is the neighbour's now, or comes back.
func (l *droppedItems) settle(q *pendingEdit, code world.Refusal) {
	q.applied = true
	key := pendingEditKey(q.Op)
	kept := l.store.small[key]
	l.store.del(key)
	if code != world.Done {
		it := *q.Item
		keepInside(l.cfg.Pos, &it.Body)
		l.area.AddItem(&it)
		l.write(it.Entity, it.AppendBinary(nil))
	}
	l.store.then(func(ok bool) {
		if ok {
			l.pending.finish(q)
			return
		}
		q.answered, q.applied = false, false
		l.store.put(key, kept)
	})
	l.store.flush()
}

// takeBack ends questions about items that no neighbour answers: what lay far beyond the
// border was asked for by earlier versions.
func (l *droppedItems) takeBack() {
	for _, q := range slices.Clone(l.pending.list) {
		if q.Kind == world.RemoteItem && !itemFits(q.At.Region(), l.cfg.Pos, q.Remote) {
			q.durable = false // it is not sent any more
			l.settle(q, world.NotAllowed)
		}
	}
}

// itemFits reports whether an item that a neighbour gives has just crossed the
// border from there to pos: nobody puts items anywhere else.
func itemFits(pos, from world.RegionPos, m *world.Remote) bool {
	if m.Kind != world.RemoteItem {
		return true
	}
	dx, dz := from.X-pos.X, from.Z-pos.Z
	if m.Item == nil || m.Player != (id.ID{}) || from == pos || dx*dx > 1 || dz*dz > 1 {
		return false
	}
	at := m.Item.Body.Pos
	near := world.Vec{X: at.X + fixed.Int(int(dx))*4, Y: at.Y, Z: at.Z + fixed.Int(int(dz))*4}
	return at.Block() == m.At && near.Block().Region() == from
}
