package region

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// actRecord makes every act of a session apply once and in order, although the
// session sends unanswered acts again and the region's leader may change. The
// results of acts are stored with their effects and go with the player in a
// handover.
type actRecord struct {
	session    id.ID
	entry      uint32 // which of the session's Enters it was let in with
	floor      uint32 // the session has the answers to all below
	next       uint32 // the act that is begun next
	completed  []completedAct
	outOfOrder map[uint32]*Act // came before their turn
	begun      map[uint32]*Act // may ask a neighbour for something yet: with it goes their proof
	dirty      bool            // not as in the store
}

// completedAct is how an act has ended.
type completedAct struct {
	seq     uint32
	code    world.Refusal
	edit    *world.Remote // the block that was broken or placed; nil: none was
	durable bool          // on the disk, or nothing has to be
}

// enter begins with the numbers of a session that enters. What it sends again
// from there on is applied unless it has completed or is pending at a
// neighbour.
func (l *actRecord) enter(session id.ID, m *Enter) {
	if l.session != session {
		*l = actRecord{session: session}
	}
	l.entry, l.outOfOrder, l.dirty = m.Entry, nil, true
	l.discardBelow(max(m.Oldest, 1))
	l.next = l.floor
}

// discardBelow forgets results that the session says it has.
func (l *actRecord) discardBelow(oldest uint32) {
	if oldest <= l.floor {
		return
	}
	l.floor, l.next, l.dirty = oldest, max(l.next, oldest), true
	l.completed = slices.DeleteFunc(l.completed, func(e completedAct) bool { return e.seq < oldest })
	for seq := range l.outOfOrder { // the order does not matter
		if seq < oldest {
			delete(l.outOfOrder, seq)
		}
	}
	for seq := range l.begun { // the order does not matter
		if seq < oldest {
			delete(l.begun, seq)
		}
	}
}

func (l *actRecord) find(seq uint32) *completedAct {
	for i := range l.completed {
		if l.completed[i].seq == seq {
			return &l.completed[i]
		}
	}
	return nil
}

// begin notes an act that has been begun, if a neighbour may have to be asked for
// what it does.
func (l *actRecord) begin(m *Act) {
	if kind := world.ActKind(m.Kind); len(m.Proof) == 0 || kind != world.ActDig && kind != world.ActPlace && kind != world.ActOpen {
		return
	}
	if l.begun == nil {
		l.begun = map[uint32]*Act{}
	}
	l.begun[m.Seq] = m
}

// complete notes how an act has ended.
func (l *actRecord) complete(e completedAct) {
	delete(l.begun, e.seq)
	if e.seq < l.floor {
		return
	}
	l.dirty = true
	if old := l.find(e.seq); old != nil {
		*old = e
		return
	}
	l.completed = append(l.completed, e)
}

// encode lays a act record out; acts from next on have not been begun.
func (l *actRecord) encode(next uint32) []byte {
	b := append([]byte(nil), l.session[:]...)
	for _, n := range []uint32{l.entry, l.floor, next} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, e := range l.completed {
		b = binary.AppendUvarint(b, uint64(e.seq))
		b = append(append(b, byte(len(e.code))), e.code...)
		if e.edit == nil {
			b = append(b, 0)
		} else {
			b = e.edit.Append(append(b, 1))
		}
	}
	return b
}

// decodeActRecord reads what encode wrote. What is read has ended for certain.
func decodeActRecord(b []byte) (*actRecord, error) {
	bad := fmt.Errorf("acts of a player: %w", ErrCorrupt)
	l := &actRecord{}
	if len(b) < id.Size {
		return nil, bad
	}
	b = b[copy(l.session[:], b):]
	number := func() uint32 {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > 1<<32-1 {
			b, bad = nil, fmt.Errorf("acts of a player, a number: %w", ErrCorrupt)
			return 0
		}
		b = b[n:]
		return uint32(v)
	}
	l.entry, l.floor, l.next = number(), max(number(), 1), max(number(), 1)
	if l.next < l.floor {
		return nil, bad
	}
	for len(b) > 0 {
		seq := number()
		if len(b) == 0 || len(b) < 2+int(b[0]) || seq < l.floor || seq-l.floor >= MaxActs || l.find(seq) != nil {
			return nil, bad
		}
		e := completedAct{seq: seq, code: world.Refusal(b[1 : 1+b[0]]), durable: true}
		b = b[1+b[0]:]
		did := b[0]
		b = b[1:]
		if did > 1 {
			return nil, bad
		}
		if did == 1 {
			var ok bool
			if e.edit, b, ok = world.TakeRemote(b); !ok {
				return nil, bad
			}
		}
		l.completed = append(l.completed, e)
	}
	return l, nil
}
