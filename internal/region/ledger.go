package region

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// ledger is what a region knows of the acts of a session that plays one of its
// players, so that each is done once, in order, whoever leads the region: the
// session sends again what it has no answer to. How acts have ended is written
// with what they did, and goes where the player goes.
type ledger struct {
	session id.ID
	entry   uint32 // which of the session's Enters it was let in with
	floor   uint32 // the session has the answers to all below
	next    uint32 // the act that is begun next
	ended   []ended
	early   map[uint32]*Act // came before their turn
	dirty   bool            // not as in the store
}

// ended is how an act has ended.
type ended struct {
	seq  uint32
	code world.Refusal
	did  *world.Remote // the block that was broken or placed; nil: none was
	sure bool          // on the disk, or nothing has to be
}

// enter begins with what a session says that enters: what it sends again from
// there on is done unless it has ended or is on its way to a neighbour.
func (l *ledger) enter(session id.ID, m *Enter) {
	if l.session != session {
		*l = ledger{session: session}
	}
	l.entry, l.early, l.dirty = m.Entry, nil, true
	l.raise(max(m.Oldest, 1))
	l.next = l.floor
}

// raise takes the session's word that it has the answers to all below.
func (l *ledger) raise(oldest uint32) {
	if oldest <= l.floor {
		return
	}
	l.floor, l.next, l.dirty = oldest, max(l.next, oldest), true
	l.ended = slices.DeleteFunc(l.ended, func(e ended) bool { return e.seq < oldest })
	for seq := range l.early { // the order does not matter
		if seq < oldest {
			delete(l.early, seq)
		}
	}
}

func (l *ledger) find(seq uint32) *ended {
	for i := range l.ended {
		if l.ended[i].seq == seq {
			return &l.ended[i]
		}
	}
	return nil
}

// end notes how an act has ended.
func (l *ledger) end(e ended) {
	if e.seq < l.floor {
		return
	}
	l.dirty = true
	if old := l.find(e.seq); old != nil {
		*old = e
		return
	}
	l.ended = append(l.ended, e)
}

// encode lays a ledger out; acts from next on have not been begun.
func (l *ledger) encode(next uint32) []byte {
	b := append([]byte(nil), l.session[:]...)
	for _, n := range []uint32{l.entry, l.floor, next} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, e := range l.ended {
		b = binary.AppendUvarint(b, uint64(e.seq))
		b = append(append(b, byte(len(e.code))), e.code...)
		if e.did == nil {
			b = append(b, 0)
		} else {
			b = appendRemote(append(b, 1), e.did)
		}
	}
	return b
}

// decodeLedger reads what encode wrote. What is read has ended for certain.
func decodeLedger(b []byte) (*ledger, error) {
	bad := fmt.Errorf("acts of a player: %w", ErrCorrupt)
	l := &ledger{}
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
		e := ended{seq: seq, code: world.Refusal(b[1 : 1+b[0]]), sure: true}
		b = b[1+b[0]:]
		did := b[0]
		b = b[1:]
		if did > 1 {
			return nil, bad
		}
		if did == 1 {
			var ok bool
			if e.did, b, ok = takeRemote(b); !ok {
				return nil, bad
			}
		}
		l.ended = append(l.ended, e)
	}
	return l, nil
}
