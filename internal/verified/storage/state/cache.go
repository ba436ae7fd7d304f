package state

import (
	"bytes"
	"cmp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// ReplayCache remembers replays and what else is computed from immutable data
// alone. Everything in it is found by its content: a step by the digests of the cells,
// characters and batches that go into it. Whoever finds something could have computed
// it from what it looks it up by, so that nodes of a simulation may share a cache: it
// saves work and memory, and tells nobody anything. A real node has its own.
type ReplayCache struct {
	of      int64 // the latest update time
	steps   map[stepKey]*Cell
	older   map[stepKey]*Cell   // of the update before
	cells   [2]map[Digest]*Cell // by content, of this update and the one before
	initial map[[2]int32]*Cell
	batches map[batchKey]*Batch
	old     map[batchKey]*Batch
	deltas  map[deltaKey]int // sizes of differences
	scratch [3][]byte
	// Steps counts replays, Hits those that had been done before.
	Steps, Hits uint64
}

// stepKey is a step: which cell and update, and a digest of all that goes into it.
type stepKey struct {
	x, y    int32
	of      int64
	content Digest
}

type batchKey struct {
	player id.ID
	of     int64
	hash   uint64
}

// NewReplayCache returns an empty cache.
func NewReplayCache() *ReplayCache {
	return &ReplayCache{
		steps: map[stepKey]*Cell{}, older: map[stepKey]*Cell{}, initial: map[[2]int32]*Cell{},
		cells:   [2]map[Digest]*Cell{{}, {}},
		batches: map[batchKey]*Batch{}, old: map[batchKey]*Batch{}, deltas: map[deltaKey]int{},
	}
}

// Advance makes room for a new update time, and forgets what is older than the one
// before.
func (m *ReplayCache) Advance(of int64) {
	if of <= m.of {
		return
	}
	m.of = of
	m.older, m.steps = m.steps, map[stepKey]*Cell{}
	m.cells = [2]map[Digest]*Cell{{}, m.cells[0]}
	clear(m.deltas)
	m.old, m.batches = m.batches, map[batchKey]*Batch{}
}

// step returns the cell that a step makes, computed by replay if it is not known.
func (m *ReplayCache) step(k stepKey, replay func() *Cell) *Cell {
	for _, known := range [...]*Cell{m.steps[k], m.older[k]} {
		if known != nil {
			m.Hits++
			return known
		}
	}
	m.Steps++
	c := m.Cell(replay())
	m.steps[k] = c
	return c
}

// Cell returns the one cell that holds the same as c: whoever has made it from other
// surroundings, or seen a part of another one, shares the memory. Whose characters have
// fallen asleep in it is no part of a cell's digest, and not shared.
func (m *ReplayCache) Cell(c *Cell) *Cell {
	if c == nil || c.Dormant != nil || c.kept.in == m && c.kept.of+1 >= m.of {
		return c
	}
	for _, known := range m.cells {
		if same := known[c.digest()]; same != nil {
			return same
		}
	}
	m.cells[0][c.digest()] = c
	c.kept = cellAge{m, m.of}
	return c
}

// cellAge says which cache keeps a cell as the one of its content, and since which
// update: with that it is found without its digest.
type cellAge struct {
	in *ReplayCache
	of int64
}

// CompareActions is Before as a comparison.
func CompareActions(a, b *Action) int {
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

// InitialCell is a cell at t_0 (thesis 5.3.6).
func (m *ReplayCache) InitialCell(r Rules, w *World, x, y int32) *Cell {
	at := [2]int32{x, y}
	c := m.initial[at]
	if c == nil {
		c = NewCell(r.Initial(w.Square(x, y)))
		m.initial[at] = c
	}
	return c
}

// Batch returns the one batch that holds the same as b.
func (m *ReplayCache) Batch(b *Batch) *Batch {
	b.hash, b.bytes = hashBatch(b), b.Size()
	k := batchKey{b.Player.ID, b.Of, b.hash}
	for _, known := range [...]*Batch{m.batches[k], m.old[k]} {
		if known != nil && SameBatch(known, b) && string(known.Signature) == string(b.Signature) {
			return known
		}
	}
	m.batches[k] = b
	return b
}
