package region

import (
	"encoding/binary"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// history is who changed which block when. Each step's edits of a player are a record on
// the disk, in the batch of the blocks themselves; the oldest go when there are too many,
// or when they are too old.
type history struct {
	component
	store   *store
	actors  []id.ID // by index
	indices map[id.ID]int
	steps   []editStep // the oldest first
	edits   int        // in all steps
	last    uint64     // sequence of the newest step
}

// editStep is what one player changed in one tick, or between two.
type editStep struct {
	seq   uint64
	tick  uint64
	by    int // index of the player
	undo  bool
	edits []world.BlockChange
}

const (
	ticksOfDay = 24 * 3600 * 20
	maxActors  = 1 << 14
	maxTick    = 1<<62 - 1
)

func actorKey(i int) string {
	return keyActors + string(binary.BigEndian.AppendUint16(nil, uint16(i)))
}

func historyKey(seq uint64) string {
	return keyHistory + string(binary.BigEndian.AppendUint64(nil, seq))
}

// clear forgets everything, before the disk is read.
func (h *history) clear() {
	h.actors, h.steps, h.edits = nil, nil, 0
	clear(h.indices)
}

// record adds the edits of a step.
func (h *history) record(tick uint64, edits []world.Edit) {
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].By == edits[0].By && edits[n].Undo == edits[0].Undo {
			n++
		}
		h.add(tick, edits[:n])
		edits = edits[n:]
	}
	most, days := h.cfg.number(decision.SetHistory), uint64(h.cfg.number(decision.SetHistoryDays))
	for len(h.steps) > 0 && (h.edits > most || h.steps[0].tick+days*ticksOfDay < tick) {
		h.store.del(historyKey(h.steps[0].seq))
		h.edits -= len(h.steps[0].edits)
		h.steps = h.steps[1:]
	}
}

func (h *history) add(tick uint64, edits []world.Edit) {
	by, ok := h.indices[edits[0].By]
	if !ok {
		if len(h.actors) >= maxActors {
			return
		}
		by = len(h.actors)
		h.actors = append(h.actors, edits[0].By)
		h.indices[edits[0].By] = by
		h.store.put(actorKey(by), edits[0].By[:])
	}
	h.last++
	s := editStep{seq: h.last, tick: tick, by: by, undo: edits[0].Undo}
	for _, e := range edits {
		s.edits = append(s.edits, e.BlockChange)
	}
	h.steps, h.edits = append(h.steps, s), h.edits+len(edits)
	h.store.put(historyKey(s.seq), s.append(nil))
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

func (h *history) unpack(key string, b []byte) error {
	r := bin.NewReader(b)
	s := editStep{tick: r.Uint(maxTick)}
	by := r.Uint(maxActors<<1 - 1)
	s.by, s.undo = int(by>>1), by&1 == 1
	for r.Len() > 0 {
		at, ok := placeOf(h.cfg.Pos, r.Uint(1<<32-1))
		s.edits = append(s.edits, world.BlockChange{
			At: at, Was: world.Block(r.Uint(uint64(world.BlockLimit) - 1)), Now: world.Block(r.Uint(uint64(world.BlockLimit) - 1)),
		})
		if e := s.edits[len(s.edits)-1]; !ok || r.Bad() || !e.Was.Known() || !e.Now.Known() {
			r.Fail()
			break
		}
	}
	if !r.End() || len(key) != 8 || s.by >= len(h.actors) || len(s.edits) == 0 {
		return fmt.Errorf("the history of blocks: %w", ErrCorrupt)
	}
	s.seq = binary.BigEndian.Uint64([]byte(key))
	h.last = max(h.last, s.seq)
	h.steps, h.edits = append(h.steps, s), h.edits+len(s.edits)
	return nil
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
