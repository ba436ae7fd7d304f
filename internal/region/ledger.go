package region

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
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

// ledgerOf returns the ledger of a player who is at home here.
func (r *Region) ledgerOf(player id.ID) *ledger {
	l := r.ledgers[player]
	if l != nil {
		return l
	}
	if b, ok := r.store.small[playerKey(keyActs, player)]; ok {
		l, _ = decodeLedger(b) // it was read before: see unpackOne
	}
	if l == nil {
		l = &ledger{floor: 1, next: 1}
	}
	r.ledgers[player] = l
	return l
}

// putLedgers brings the ledgers into the next batch: with what acts did it says
// how they have ended, and what nobody writes for itself is not worth a batch.
func (r *Region) putLedgers() {
	for player, l := range r.ledgers { // the order does not matter
		if _, ok := r.store.small[playerKey(keyPlayer, player)]; l.dirty && ok {
			r.store.put(playerKey(keyActs, player), l.encode(l.next))
			l.dirty = false
		}
	}
}

// dropLedger forgets the acts of a player who has another home now.
func (r *Region) dropLedger(player id.ID) {
	delete(r.ledgers, player)
	r.store.del(playerKey(keyActs, player))
}

// queueAct takes an act of a player who is here. One that comes before its turn
// waits for those before it; one that has been begun is not begun again.
func (r *Region) queueAct(h *home, m *Act) {
	l := r.ledgerOf(h.p.ID)
	l.raise(min(m.Oldest, m.Seq))
	switch {
	case m.Seq < l.floor || m.Seq-l.floor >= MaxActs:
		r.stats.Refused++
	case m.Seq < l.next:
		if e := l.find(m.Seq); e != nil && e.sure {
			r.tellEnd(h, l, *e)
		} // otherwise it is told when it ends
	default:
		if l.early == nil {
			l.early = map[uint32]*Act{}
		}
		l.early[m.Seq] = m
		for m := l.early[l.next]; m != nil; m = l.early[l.next] {
			delete(l.early, l.next)
			l.next++
			r.beginAct(h, l, m)
		}
	}
}

// beginAct does an act in its turn, unless whoever led the region before, or
// another home, has done so.
func (r *Region) beginAct(h *home, l *ledger, m *Act) {
	if e := l.find(m.Seq); e != nil {
		if e.sure {
			r.tellEnd(h, l, *e)
		}
		return
	}
	if r.asks.openFor(h.p.ID, l.session, m.Seq) {
		return
	}
	r.stats.Acts++
	act := world.Act{
		Kind: world.ActKind(m.Kind), At: m.Pos, Face: world.Face(m.Face),
		A: int64(min(m.A, 1<<62)), B: int64(m.B),
	}
	switch {
	case lasting(act.Kind) && (r.store.readOnly || len(r.store.next.then) > maxUnwritten):
		r.refuse(h, m.Seq, storageCode)
	case !h.inbox.addAct(todo{seq: m.Seq, isAct: true, act: act}):
		r.refuse(h, m.Seq, world.TooFast)
	default:
		r.actNow(h)
	}
}

// endAct notes how an act of a session has ended, and answers it when that is on
// the disk; whatever happens there, if it does not depend on it.
func (r *Region) endAct(player, session id.ID, e ended, whatever bool) {
	l := r.ledgerOf(player)
	if l.session != session {
		return // nobody waits for it
	}
	l.end(e)
	r.store.then(func(ok bool) {
		if r.ledgers[player] != l || l.session != session {
			return
		}
		if e.sure = true; !ok && !whatever {
			e.code, e.did = storageCode, nil
		}
		l.end(e)
		if h := r.homes[player]; h != nil {
			r.tellEnd(h, l, e)
		}
	})
}

// refuse ends an act that was not done.
func (r *Region) refuse(h *home, seq uint32, code world.Refusal) {
	l := r.ledgerOf(h.p.ID)
	e := ended{seq: seq, code: code, sure: true}
	l.end(e)
	r.tellEnd(h, l, e)
}

// tellEnd answers an act.
func (r *Region) tellEnd(h *home, l *ledger, e ended) {
	if h.peer.ID == l.session && h.peer != (machine.Peer{}) {
		r.env.Send(h.peer, &ActResult{
			Region: r.cfg.Pos, Player: h.p.ID, Seq: e.seq, Entry: l.entry, OK: e.code == world.Done,
			Reason: string(e.code), Text: e.code.Text(), Did: e.did,
		})
	}
}
