package region

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Edits that this region has requested from neighbours. They are on the disk,
// together with what the player has paid for them, until their result is on the
// disk: the next leader of the region requests them again.

// resendEditAfter is when a RemoteEdit without an answer is sent again.
const resendEditAfter = 5 * time.Second

// reserveNumbers is how many numbers are reserved on the disk at once, so that
// the next leader begins above all that were assigned.
const reserveNumbers = 1 << 10

// pendingEdits are the edits that this region has asked neighbours for.
type pendingEdits struct {
	component
	store *store
	area  *regionlog.Area
	acts  actResults

	list     []*pendingEdit // by Op
	last     uint64
	reserved uint64 // on the disk, or on its way: no number is above it
}

// actResults ends the acts that the edits belong to.
type actResults interface {
	complete(player, session id.ID, e completedAct, whatever bool)
	refuseLater(player, session id.ID, seq uint32, code world.Refusal)
}

// pendingEdit is an edit, its player's epoch, and the session that asked for it.
type pendingEdit struct {
	*world.Remote
	epoch    uint32
	session  id.ID
	proof    ActProof // of the act
	durable  bool     // on the disk: it may be asked
	answered bool     // its end is on its way to the disk
	applied  bool     // and what follows from it has been done
}

// number numbers an edit. Numbers begin with the time, or above all that the
// disk knows of: a region that is made anew, because all its hosts have gone,
// begins above those from before.
func (a *pendingEdits) number(m *world.Remote) {
	if a.last == 0 {
		a.last = max(a.reserved, TickAt(a.env.Now(), a.cfg.Epoch)<<8)
	}
	a.last++
	m.Op = a.last
	if a.last > a.reserved {
		a.reserved = a.last + reserveNumbers
		a.store.put(keyEditNumber, binary.AppendUvarint(nil, a.reserved))
	}
}

// request requests an edit from a neighbour once it is on the disk.
func (a *pendingEdits) request(q *pendingEdit) {
	a.number(q.Remote)
	a.list = append(a.list, q)
	a.store.put(pendingEditKey(q.Op), q.encode())
	a.store.then(func(ok bool) {
		if !ok {
			if q.Kind != world.RemoteItem {
				a.area.Unask(q.Remote)
			}
			a.finish(q)
			a.acts.refuseLater(q.Player, q.session, q.Seq, storageCode)
			return
		}
		q.durable = true
		a.send(q)
		a.after(resendEditAfter, machine.Timer{Kind: timerEdit, Arg: q.Op})
	})
}

// requestAll requests again what the previous leader has requested or was about
// to.
func (a *pendingEdits) requestAll() {
	for _, q := range a.list {
		a.send(q)
		a.after(resendEditAfter, machine.Timer{Kind: timerEdit, Arg: q.Op})
	}
}

// send sends an edit, unless an earlier one of the same block has no answer
// yet: that one may have been lost and be sent again, and must not be done after
// this one, which may be acknowledged by then.
func (a *pendingEdits) send(q *pendingEdit) {
	if !q.durable || q.answered || a.hasEarlier(q.Remote) {
		return
	}
	a.env.Send(PeerOf(q.At.Region()), &RemoteEdit{Remote: q.Remote, Oldest: a.list[0].Op, Epoch: q.epoch, Proof: q.proof})
}

// resend sends what has not been answered: one edit, or all of a region.
func (a *pendingEdits) resend(which func(*world.Remote) bool) (any bool) {
	for _, q := range a.list {
		if which(q.Remote) {
			any = true
			a.send(q)
		}
	}
	return any
}

func (a *pendingEdits) onTimer(t machine.Timer) {
	if a.resend(func(m *world.Remote) bool { return m.Op == t.Arg }) {
		a.after(resendEditAfter, t)
	}
}

// finish forgets an edit that has ended, and asks for the next of its block.
func (a *pendingEdits) finish(q *pendingEdit) {
	a.list = slices.DeleteFunc(a.list, func(o *pendingEdit) bool { return o == q })
	a.store.del(pendingEditKey(q.Op))
	a.resend(func(m *world.Remote) bool { return m.At == q.At })
}

// answered takes the answer of a neighbour; nil: it is not one to an edit that
// waits for it.
func (a *pendingEdits) answered(from machine.Peer, m *RemoteEditDone) *pendingEdit {
	pos, ok := RegionOf(from)
	if !ok || m.Remote == nil || m.Remote.At.Region() != pos {
		a.stats.Refused++
		return nil
	}
	q := a.find(func(q *pendingEdit) bool { return q.Op == m.Remote.Op })
	if q == nil || q.answered || a.store.readOnly { // it is asked again
		return nil
	}
	q.answered = true
	return q
}

// finishApplied ends a question: what came of it is in the same batch.
func (a *pendingEdits) finishApplied(res world.Result) {
	q := a.find(func(q *pendingEdit) bool {
		return q.answered && !q.applied && q.Player == res.Player && q.Seq == res.Seq
	})
	if q == nil {
		return
	}
	q.applied = true
	key := pendingEditKey(q.Op)
	kept := a.store.small[key]
	a.store.del(key)
	// The block is on the neighbour's disk, or is not: that holds in any case.
	a.acts.complete(res.Player, q.session, completedAct{seq: res.Seq, code: res.Code, edit: res.Did}, true)
	a.store.then(func(ok bool) {
		if ok {
			a.finish(q)
			return
		}
		q.answered, q.applied = false, false // what it gave was taken back: asked again
		a.area.Ask(q.Remote)
		a.store.put(key, kept)
	})
}

// applyToStored settles an act of a player who has left the world since.
func (a *pendingEdits) applyToStored(done *world.Remote) {
	a.area.Unask(done)
	if p, ok := a.store.player(done.Player); ok {
		a.store.carried(p.ID, p.Items)
		p.Settle(done)
		a.store.put(playerKey(keyPlayer, done.Player), p.AppendBinary(nil))
	}
	did := done
	if done.Code != world.Done || !done.Kind.Edits() {
		did = nil
	}
	a.finishApplied(world.Result{Player: done.Player, Kind: world.CmdSettle, Seq: done.Seq, Code: done.Code, Did: did})
}

// hasEarlier reports whether an earlier edit of the same block is open.
func (a *pendingEdits) hasEarlier(m *world.Remote) bool {
	i := slices.IndexFunc(a.list, func(o *pendingEdit) bool { return o.At == m.At })
	return i >= 0 && a.list[i].Op < m.Op
}

// find returns the first open edit for which it holds, nil if there is none.
func (a *pendingEdits) find(which func(*pendingEdit) bool) *pendingEdit {
	if i := slices.IndexFunc(a.list, which); i >= 0 {
		return a.list[i]
	}
	return nil
}

// pendingFor reports whether an act of a session waits for a neighbour.
func (a *pendingEdits) pendingFor(player, session id.ID, seq uint32) bool {
	return a.find(func(q *pendingEdit) bool { return q.Player == player && q.session == session && q.Seq == seq }) != nil
}

// ofPlayer reports whether an edit of a player is open.
func (a *pendingEdits) ofPlayer(player id.ID) bool {
	return a.find(func(q *pendingEdit) bool { return q.Player == player }) != nil
}

// pendingEditKey is where a question is kept.
func pendingEditKey(op uint64) string {
	return keyPendingEdit + string(binary.BigEndian.AppendUint64(nil, op))
}

// encode lays a question out.
func (q *pendingEdit) encode() []byte {
	b := binary.AppendUvarint(append([]byte(nil), q.session[:]...), uint64(q.epoch))
	return q.Remote.Append(q.proof.append(b))
}

// decodePendingEdit reads a question; key is what follows its kind.
func decodePendingEdit(key string, b []byte) (*pendingEdit, error) {
	bad := fmt.Errorf("an edit that a neighbour is asked for: %w", ErrCorrupt)
	if len(key) != 8 || len(b) < id.Size {
		return nil, bad
	}
	q := &pendingEdit{durable: true}
	b = b[copy(q.session[:], b):]
	epoch, n := binary.Uvarint(b)
	if n <= 0 || epoch > 1<<32-1 {
		return nil, bad
	}
	b, ok := q.proof.take(b[n:])
	if !ok {
		return nil, bad
	}
	m, b, ok := world.TakeRemote(b)
	if !ok || len(b) > 0 || m.Op != binary.BigEndian.Uint64([]byte(key)) {
		return nil, bad
	}
	q.epoch, q.Remote = uint32(epoch), m
	return q, nil
}

// unpack takes a question from the disk.
func (a *pendingEdits) unpack(key string, b []byte) error {
	q, err := decodePendingEdit(key, b)
	if err == nil && q.From != a.cfg.Pos {
		err = fmt.Errorf("an edit that a neighbour is asked for: %w", ErrCorrupt)
	}
	if err != nil {
		return err
	}
	if q.Kind != world.RemoteItem {
		a.area.Ask(q.Remote)
	}
	a.list = append(a.list, q) // keys come in order
	return nil
}
