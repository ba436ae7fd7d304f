package storage

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// ReplayCache remembers replays: the same step of the same cell with the same actions
// gives the same cell, so it is computed once. Nodes of a simulation share one,
// and with it the cells; a real node has its own.
//
// A node at the rim of whose knowledge a cell lies has only a part of the cell's
// surroundings. What it may look at inside its circle does not depend on the
// rest (the contract of Rules.Replay), so the cache fills it in from the cells
// that the others have made of the world everybody shares. That changes nothing
// that can be seen, and lets replicas be the same bytes.
type ReplayCache struct {
	serial uint64
	updateCache
	older   updateCache // the one before
	initial map[[2]int32]*Cell
	batches map[batchKey]*Batch
	old     map[batchKey]*Batch
	acts    map[actsKey][]*Action // that anybody has stored
	wakes   map[int64][]*Object   // whom anybody has woken, by update
	deltas  map[deltaKey]int      // sizes of differences
	scratch [3][]byte
	// Steps counts replays, Hits those that had been done before.
	Steps, Hits uint64
}

// updateCache is what was made of one update time.
type updateCache struct {
	of    int64
	steps map[stepKey]*Cell
	canon map[[2]int32]*Cell // the first cell made of shared ones
}

// stepKey is a step: where, and a hash of the cells and actions that go in.
type stepKey struct {
	x, y  int32
	cells uint64
	acts  uint64
}

type batchKey struct {
	player id.ID
	of     int64
	hash   uint64
}

type actsKey struct {
	player id.ID
	of     int64
}

// NewReplayCache returns an empty cache.
func NewReplayCache() *ReplayCache {
	return &ReplayCache{
		initial: map[[2]int32]*Cell{}, batches: map[batchKey]*Batch{}, old: map[batchKey]*Batch{},
		deltas: map[deltaKey]int{}, acts: map[actsKey][]*Action{}, wakes: map[int64][]*Object{},
		updateCache: newGeneration(0), older: newGeneration(-1),
	}
}

func newGeneration(of int64) updateCache {
	return updateCache{of, map[stepKey]*Cell{}, map[[2]int32]*Cell{}}
}

// advance makes room for a new update time.
func (m *ReplayCache) advance(of int64) {
	if of <= m.of {
		return
	}
	m.older = m.updateCache
	m.updateCache = newGeneration(of)
	clear(m.deltas)
	m.old, m.batches = m.batches, map[batchKey]*Batch{}
	for k := range m.acts {
		if k.of < of {
			delete(m.acts, k)
		}
	}
	for k := range m.wakes {
		if k < of-1 {
			delete(m.wakes, k)
		}
	}
}

// noteAction notes an action that a node has stored.
func (m *ReplayCache) noteAction(of int64, a *Action) {
	k := actsKey{a.Player.ID, of}
	list := m.acts[k]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Seq == a.Seq {
			return
		}
	}
	m.acts[k] = append(list, a)
}

// noteActivation notes a character that a node has woken.
func (m *ReplayCache) noteActivation(of int64, o *Object) {
	for _, w := range m.wakes[of] {
		if w.ID == o.ID {
			return
		}
	}
	m.wakes[of] = append(m.wakes[of], o)
}

// batchOutOfSight is what a player has done of whom the node cannot know.
func (m *ReplayCache) batchOutOfSight(p *Player, of int64) *Batch {
	acts := slices.Clone(m.acts[actsKey{p.ID, of}])
	slices.SortFunc(acts, order)
	return m.batch(&Batch{Player: p, Of: of, Actions: acts})
}

// order is Before as a comparison.
func order(a, b *Action) int {
	if a.At != b.At {
		return cmp.Compare(a.At, b.At)
	}
	if a.Player != b.Player {
		if c := bytes.Compare(a.Player.ID[:], b.Player.ID[:]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Seq, b.Seq)
}

// initialCell is a cell at t_0 (thesis 5.3.6).
func (m *ReplayCache) initialCell(r Rules, w *World, x, y int32) *Cell {
	at := [2]int32{x, y}
	c := m.initial[at]
	if c == nil {
		c = NewCell(r.Initial(w.square(x, y)))
		c.canon = true
		m.initial[at] = c
	}
	return c
}

// cellOutOfSight is a cell of the snapshot's time that lies outside of it.
func (m *ReplayCache) cellOutOfSight(r *replayer, x, y int32) *Cell {
	if r.of == 1 {
		return m.initialCell(r.rules, &r.world, x, y)
	}
	if g := m.at(r.of - 1); g != nil {
		return g.canon[[2]int32{x, y}]
	}
	return nil
}

// at is the generation of an update time, nil if it is forgotten.
func (m *ReplayCache) at(of int64) *updateCache {
	switch of {
	case m.of:
		return &m.updateCache
	case m.older.of:
		return &m.older
	}
	return nil
}

// number gives a cell a number by which it goes into keys: to a replay nothing
// there, and nothing known of there, are the same.
func (m *ReplayCache) number(c *Cell) uint64 {
	if c == nil || len(c.Objects) == 0 {
		return 0
	}
	if c.serial == 0 {
		m.serial++
		c.serial = m.serial
	}
	return c.serial
}

// batch returns the one batch that holds the same as b.
func (m *ReplayCache) batch(b *Batch) *Batch {
	b.hash, b.bytes = hashActions(b.Actions), b.size()
	k := batchKey{b.Player.ID, b.Of, b.hash}
	for _, known := range [...]*Batch{m.batches[k], m.old[k]} {
		if known != nil && sameBatch(known, b) {
			return known
		}
	}
	m.batches[k] = b
	return b
}

func hashActions(actions []*Action) uint64 {
	h := uint64(len(actions))
	for _, a := range actions {
		h = rng.Hash(h, a.Seq, uint64(a.At), hashBytes(a.Body))
	}
	return h
}

func hashBytes(b []byte) uint64 {
	h := uint64(len(b))
	for len(b) > 0 {
		var v uint64
		n := min(8, len(b))
		for i := range n {
			v |= uint64(b[i]) << (8 * i)
		}
		h, b = rng.Hash(h, v), b[n:]
	}
	return h
}
