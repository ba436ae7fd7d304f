package region

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// history is who changed which block when, and what somebody put into containers or took out
// of them. Each step's edits, or moves, of a player are a record on the disk, in the batch of
// the blocks or containers themselves; the oldest go when there are too many, or when they
// are too old.
type history struct {
	component
	store   *store
	actors  []id.ID // by index
	indices map[id.ID]int
	steps   []editStep // the oldest first
	edits   int        // in all steps, moves among them
	last    uint64     // sequence of the newest step
}

// editStep is what one player changed in one tick, or between two: blocks, or what is in
// containers.
type editStep struct {
	seq   uint64
	tick  uint64
	by    int // index of the player
	undo  bool
	edits []world.BlockChange
	moves []world.Moved
}

// size is how many edits and moves it has, key that of its record.
func (s *editStep) size() int { return len(s.edits) + len(s.moves) }

func (s *editStep) key() string {
	if len(s.moves) > 0 {
		return seqKey(keyMoves, s.seq)
	}
	return seqKey(keyHistory, s.seq)
}

const (
	ticksOfDay = 24 * 3600 * 20
	maxActors  = 1 << 14
	maxTick    = 1<<62 - 1
)

func actorKey(i int) string {
	return keyActors + string(binary.BigEndian.AppendUint16(nil, uint16(i)))
}

func seqKey(kind string, seq uint64) string {
	return kind + string(binary.BigEndian.AppendUint64(nil, seq))
}

// clear forgets everything, before the disk is read.
func (h *history) clear() {
	h.actors, h.steps, h.edits = nil, nil, 0
	clear(h.indices)
}

// record adds the edits and the moves of a step.
func (h *history) record(tick uint64, edits []world.Edit, moves []world.Moved) {
	for len(edits) > 0 {
		n, s := 0, editStep{tick: tick, undo: edits[0].Undo}
		for ; n < len(edits) && edits[n].By == edits[0].By && edits[n].Undo == s.undo; n++ {
			s.edits = append(s.edits, edits[n].BlockChange)
		}
		h.add(edits[0].By, s)
		edits = edits[n:]
	}
	for len(moves) > 0 {
		n, s := 0, editStep{tick: tick, undo: moves[0].Undo}
		for ; n < len(moves) && moves[n].By == moves[0].By && moves[n].Undo == s.undo; n++ {
			s.moves = append(s.moves, moves[n])
		}
		h.add(moves[0].By, s)
		moves = moves[n:]
	}
	most, days := h.cfg.number(decision.SetHistory), uint64(h.cfg.number(decision.SetHistoryDays))
	for len(h.steps) > 0 && (h.edits > most || h.steps[0].tick+days*ticksOfDay < tick) {
		h.store.del(h.steps[0].key())
		h.edits -= h.steps[0].size()
		h.steps = h.steps[1:]
	}
}

func (h *history) add(who id.ID, s editStep) {
	by, ok := h.indices[who]
	if !ok {
		if len(h.actors) >= maxActors {
			return
		}
		by = len(h.actors)
		h.actors = append(h.actors, who)
		h.indices[who] = by
		h.store.put(actorKey(by), who[:])
	}
	h.last++
	s.seq, s.by = h.last, by
	h.steps, h.edits = append(h.steps, s), h.edits+s.size()
	h.store.put(s.key(), s.append(nil))
}

func (s *editStep) append(b []byte) []byte {
	b = binary.AppendUvarint(b, s.tick)
	by := uint64(s.by) << 1
	if s.undo {
		by |= 1
	}
	b = binary.AppendUvarint(b, by)
	for _, e := range s.edits {
		b = binary.AppendUvarint(b, placeInRegion(e.At))
		b = binary.AppendUvarint(b, uint64(e.Was))
		b = binary.AppendUvarint(b, uint64(e.Now))
	}
	for _, m := range s.moves {
		b = binary.AppendUvarint(b, placeInRegion(m.At))
		b = binary.AppendUvarint(b, uint64(m.Block))
		b = binary.AppendVarint(b, int64(m.Count))
	}
	return b
}

// unpackActor and unpack read the records of the disk, in the order of their keys.
func (h *history) unpackActor(key string, b []byte) error {
	if len(key) != 2 || len(b) != id.Size || int(binary.BigEndian.Uint16([]byte(key))) != len(h.actors) {
		return fmt.Errorf("a player of the history: %w", ErrCorrupt)
	}
	h.indices[id.ID(b)] = len(h.actors)
	h.actors = append(h.actors, id.ID(b))
	return nil
}

func (h *history) unpack(kind, key string, b []byte) error {
	r := bin.NewReader(b)
	s := editStep{tick: r.Uint(maxTick)}
	by := r.Uint(maxActors<<1 - 1)
	s.by, s.undo = int(by>>1), by&1 == 1
	for r.Len() > 0 {
		at, ok := placeOf(h.cfg.Pos, r.Uint(1<<32-1))
		block, now := world.Block(r.Uint(uint64(world.BlockLimit)-1)), world.Air
		if kind == keyMoves {
			s.moves = append(s.moves, world.Moved{At: at, Block: block, Count: int(r.Int(1 << 20))})
		} else {
			now = world.Block(r.Uint(uint64(world.BlockLimit) - 1))
			s.edits = append(s.edits, world.BlockChange{At: at, Was: block, Now: now})
		}
		if !ok || r.Bad() || !block.Known() || !now.Known() {
			r.Fail()
			break
		}
	}
	if !r.End() || len(key) != 8 || s.by >= len(h.actors) || s.size() == 0 {
		return fmt.Errorf("the history of blocks: %w", ErrCorrupt)
	}
	s.seq = binary.BigEndian.Uint64([]byte(key))
	h.last = max(h.last, s.seq)
	h.steps, h.edits = append(h.steps, s), h.edits+s.size()
	return nil
}

// sort puts the steps into their order, when all of both kinds were read.
func (h *history) sort() {
	slices.SortFunc(h.steps, func(a, b editStep) int { return cmp.Compare(a.seq, b.seq) })
}

// amends returns the changes that take back the edits of a player (zero: of anybody) in a
// box since a tick, or that make them again. Where the last change is somebody else's, or
// where the block has become something else since, nothing is done.
func (h *history) amends(look func(world.Pos) (world.Block, bool), box world.Zone, since uint64, of id.ID, again bool) (out []world.BlockChange) {
	type fate struct {
		first, last world.BlockChange
		ours, undo  bool // the last change is one of those; is one that took back
		found       bool
	}
	fates := map[world.Pos]*fate{}
	var order []world.Pos
	for i := range h.steps {
		s := &h.steps[i]
		if s.tick < since {
			continue
		}
		ours := !s.undo && (of.IsZero() || h.actors[s.by] == of)
		for _, e := range s.edits {
			if !box.Holds(e.At) {
				continue
			}
			f := fates[e.At]
			if f == nil {
				f = &fate{}
				fates[e.At], order = f, append(order, e.At)
			}
			if ours && !f.found {
				f.first, f.found = e, true
			}
			if ours {
				f.last = e
			}
			f.ours, f.undo = ours, s.undo
		}
	}
	for _, at := range order {
		f := fates[at]
		now, ok := look(at)
		want, expect, may := f.first.Was, f.last.Now, f.ours || f.undo
		if again {
			want, expect, may = f.last.Now, f.first.Was, f.undo
		}
		if ok && f.found && may && now != want && (now == expect || world.Drifts(now) && world.Drifts(expect)) {
			out = append(out, world.BlockChange{At: at, Was: now, Now: want})
		}
	}
	return out
}
