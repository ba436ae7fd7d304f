package world

import (
	"bytes"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Players returns the players, sorted by id: to look at.
func (es *entities) Players() []*Player { return es.players }

// Player returns a player by id, nil if it is not here.
func (es *entities) Player(p id.ID) *Player { return es.byID[p] }

// AddPlayer puts a player into the area and gives it a handle. It replaces
// another with the same id.
func (es *entities) AddPlayer(p *Player) {
	es.RemovePlayer(p.ID)
	i, _ := slices.BinarySearchFunc(es.players, p.ID, comparePlayer)
	es.players = slices.Insert(es.players, i, p)
	es.byID[p.ID] = p
	if o := es.byEntity[p.Entity]; o == nil || comparePlayer(p, o.ID) < 0 { // whatever the order in which they came
		es.byEntity[p.Entity] = p
	}
	p.Handle = es.handles.get()
	es.near.forget()
	p.Frozen, p.LastInput = false, max(p.LastInput, es.clock.tick)
}

// RemovePlayer takes a player out of the area and returns it, nil if it was not
// there.
func (es *entities) RemovePlayer(player id.ID) *Player {
	p := es.byID[player]
	if p == nil {
		return nil
	}
	i, _ := slices.BinarySearchFunc(es.players, player, comparePlayer)
	es.players = slices.Delete(es.players, i, i+1)
	delete(es.byID, player)
	if es.byEntity[p.Entity] == p {
		delete(es.byEntity, p.Entity)
		if i := slices.IndexFunc(es.players, func(o *Player) bool { return o.Entity == p.Entity }); i >= 0 {
			es.byEntity[p.Entity] = es.players[i]
		}
	}
	es.near.forget()
	es.handles.put(p.Handle)
	return p
}

func comparePlayer(p *Player, want id.ID) int { return bytes.Compare(p.ID[:], want[:]) }

// Freeze stops everything about a player that is being handed over, or lets it
// go on.
func (es *entities) Freeze(player id.ID, frozen bool) {
	if p := es.byID[player]; p != nil {
		p.Frozen = frozen
	}
}

// Mobs returns the mobs, sorted by entity: to look at.
func (es *entities) Mobs() []*Mob { return es.mobs }

// Mob returns a mob by entity, nil if it is not here.
func (es *entities) Mob(entity uint64) *Mob { return listed(es.mobs, entity) }

// AddMob puts a mob into the area and gives it a handle. It replaces another
// with the same entity.
func (es *entities) AddMob(m *Mob) { list(es, &es.mobs, m) }

// RemoveMob takes a mob out of the area and returns it, nil if it was not there.
func (es *entities) RemoveMob(entity uint64) *Mob { return unlist(es, &es.mobs, entity) }

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
