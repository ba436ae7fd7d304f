package world

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
)

// Players returns the players, sorted by id: to look at.
func (a *Area) Players() []*Player { return a.players }

// Player returns a player by id, nil if it is not here.
func (a *Area) Player(p id.ID) *Player { return a.byID[p] }

// AddPlayer puts a player into the area and gives it a handle. It replaces
// another with the same id.
func (a *Area) AddPlayer(p *Player) {
	a.RemovePlayer(p.ID)
	i, _ := slices.BinarySearchFunc(a.players, p.ID, comparePlayer)
	a.players = slices.Insert(a.players, i, p)
	a.byID[p.ID], a.byEntity[p.Entity] = p, p
	p.Handle = a.handles.get()
	a.near.forget()
	p.Frozen, p.LastInput = false, max(p.LastInput, a.tick)
}

// RemovePlayer takes a player out of the area and returns it, nil if it was not
// there.
func (a *Area) RemovePlayer(player id.ID) *Player {
	p := a.byID[player]
	if p == nil {
		return nil
	}
	i, _ := slices.BinarySearchFunc(a.players, player, comparePlayer)
	a.players = slices.Delete(a.players, i, i+1)
	delete(a.byID, player)
	delete(a.byEntity, p.Entity)
	a.near.forget()
	a.handles.put(p.Handle)
	return p
}

func comparePlayer(p *Player, want id.ID) int { return bytes.Compare(p.ID[:], want[:]) }

// Freeze stops everything about a player that is being handed over, or lets it
// go on.
func (a *Area) Freeze(player id.ID, frozen bool) {
	if p := a.byID[player]; p != nil {
		p.Frozen = frozen
	}
}

// Mobs returns the mobs, sorted by entity: to look at.
func (a *Area) Mobs() []*Mob { return a.mobs }

// Mob returns a mob by entity, nil if it is not here.
func (a *Area) Mob(entity uint64) *Mob {
	if i, ok := slices.BinarySearchFunc(a.mobs, entity, compareMob); ok {
		return a.mobs[i]
	}
	return nil
}

// AddMob puts a mob into the area and gives it a handle. It replaces another
// with the same entity.
func (a *Area) AddMob(m *Mob) {
	a.RemoveMob(m.Entity)
	i, _ := slices.BinarySearchFunc(a.mobs, m.Entity, compareMob)
	a.mobs = slices.Insert(a.mobs, i, m)
	m.Handle = a.handles.get()
}

// RemoveMob takes a mob out of the area and returns it, nil if it was not there.
func (a *Area) RemoveMob(entity uint64) *Mob {
	i, ok := slices.BinarySearchFunc(a.mobs, entity, compareMob)
	if !ok {
		return nil
	}
	m := a.mobs[i]
	a.mobs = slices.Delete(a.mobs, i, i+1)
	a.handles.put(m.Handle)
	return m
}

func compareMob(m *Mob, want uint64) int { return cmp.Compare(m.Entity, want) }

// handles gives out the smallest free numbers, from 1.
type handles struct {
	free []uint32 // sorted, the smallest last
	last uint32
}

func (h *handles) get() uint32 {
	if n := len(h.free); n > 0 {
		out := h.free[n-1]
		h.free = h.free[:n-1]
		return out
	}
	h.last++
	return h.last
}

func (h *handles) put(n uint32) {
	i, _ := slices.BinarySearchFunc(h.free, n, func(a, b uint32) int { return int(b) - int(a) })
	h.free = slices.Insert(h.free, i, n)
}
