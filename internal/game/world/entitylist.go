package world

import (
	"cmp"
	"slices"
)

// Mobs and items are kept in lists that are sorted by entity, so that all replicas
// go through them in the same order.

// entry is a mob or an item.
type entry interface {
	comparable
	entity() uint64
	handle() *uint32
}

func (m *Mob) entity() uint64  { return m.Entity }
func (m *Mob) handle() *uint32 { return &m.Handle }

func (it *Item) entity() uint64  { return it.Entity }
func (it *Item) handle() *uint32 { return &it.Handle }

// position is where in a list an entity is, or would be.
func position[E entry](of []E, entity uint64) (i int, ok bool) {
	return slices.BinarySearchFunc(of, entity, func(e E, want uint64) int { return cmp.Compare(e.entity(), want) })
}

// listed returns an entity's entry, nil if there is none.
func listed[E entry](of []E, entity uint64) (e E) {
	if i, ok := position(of, entity); ok {
		e = of[i]
	}
	return e
}

// list puts an entry into a list, instead of one with the same entity, and gives
// it a handle.
func list[E entry](es *entities, to *[]E, e E) {
	unlist(es, to, e.entity())
	i, _ := position(*to, e.entity())
	*to = slices.Insert(*to, i, e)
	*e.handle() = es.handles.get()
}

// unlist takes an entry out of a list and returns it, nil if there is none.
func unlist[E entry](es *entities, from *[]E, entity uint64) (e E) {
	i, ok := position(*from, entity)
	if !ok {
		return e
	}
	e = (*from)[i]
	*from = slices.Delete(*from, i, i+1)
	es.handles.put(*e.handle())
	return e
}
