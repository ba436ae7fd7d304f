package region

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Edits that this region has asked neighbours for. They are on the disk together
// with what the player has given for them, until it is on the disk how they have
// ended: whoever leads the region next asks again.

// askEditAgain is when a RemoteEdit without an answer is sent again.
const askEditAgain = 5 * time.Second

// reserveAsks is how many numbers are set aside on the disk at once, so that
// whoever reads it next begins above all that were given.
const reserveAsks = 1 << 10

// asks are the edits that this region has asked neighbours for.
type asks struct {
	open     []*question // by Op
	last     uint64
	reserved uint64 // on the disk, or on its way: no number is above it
}

// question is an edit, its player's epoch, and the session that asked for it.
type question struct {
	*world.Remote
	epoch    uint32
	session  id.ID
	kept     bool // on the disk: it may be asked
	answered bool // its end is on its way to the disk
	settled  bool // and what follows from it has been done
}

// number numbers an edit. Numbers begin with the time, or above all that the
// disk knows of: a region that is made anew, because all its hosts have gone,
// begins above those from before.
func (r *Region) number(m *world.Remote) {
	a := &r.asks
	if a.last == 0 {
		a.last = max(a.reserved, TickAt(r.env.Now(), r.cfg.Epoch)<<8)
	}
	a.last++
	m.Op = a.last
	if a.last > a.reserved {
		a.reserved = a.last + reserveAsks
		r.store.put(keyAsks, binary.AppendUvarint(nil, a.reserved))
	}
}

// ask asks a neighbour for an edit once that is on the disk.
func (r *Region) ask(q *question) {
	r.number(q.Remote)
	r.asks.open = append(r.asks.open, q)
	r.store.put(askKey(q.Op), q.encode())
	r.store.then(func(ok bool) {
		if !ok {
			r.closeAsk(q)
			if h, l := r.homes[q.Player], r.ledgers[q.Player]; h != nil && l != nil && l.session == q.session {
				r.refuse(h, q.Seq, storageCode)
			}
			return
		}
		q.kept = true
		r.sendAsk(q)
		r.env.SetTimer(r.env.Now().Add(askEditAgain), machine.Timer{Kind: timerAsk, Arg: q.Op})
	})
}

// askAll asks what whoever led the region before has asked, or was about to.
func (r *Region) askAll() {
	for _, q := range r.asks.open {
		r.sendAsk(q)
		r.env.SetTimer(r.env.Now().Add(askEditAgain), machine.Timer{Kind: timerAsk, Arg: q.Op})
	}
}

// sendAsk sends an edit, unless an earlier one of the same block has no answer
// yet: that one may have been lost and be sent again, and must not be done after
// this one, which may be acknowledged by then.
func (r *Region) sendAsk(q *question) {
	if !q.kept || q.answered || r.asks.behind(q.Remote) {
		return
	}
	r.env.Send(PeerOf(q.At.Region()), &RemoteEdit{Remote: q.Remote, Oldest: r.asks.open[0].Op, Epoch: q.epoch})
}

// askAgain sends what has not been answered: one edit, or all of a region.
func (r *Region) askAgain(which func(*world.Remote) bool) (any bool) {
	for _, q := range r.asks.open {
		if which(q.Remote) {
			any = true
			r.sendAsk(q)
		}
	}
	return any
}

func (r *Region) onAskTimer(t machine.Timer) {
	if r.askAgain(func(m *world.Remote) bool { return m.Op == t.Arg }) {
		r.env.SetTimer(r.env.Now().Add(askEditAgain), t)
	}
}

// closeAsk forgets an edit that has ended, and asks for the next of its block.
func (r *Region) closeAsk(q *question) {
	r.asks.open = slices.DeleteFunc(r.asks.open, func(o *question) bool { return o == q })
	r.store.del(askKey(q.Op))
	r.askAgain(func(m *world.Remote) bool { return m.At == q.At })
}

// behind reports whether an earlier edit of the same block is open.
func (a *asks) behind(m *world.Remote) bool {
	i := slices.IndexFunc(a.open, func(o *question) bool { return o.At == m.At })
	return i >= 0 && a.open[i].Op < m.Op
}

// find returns the first open edit for which it holds, nil if there is none.
func (a *asks) find(which func(*question) bool) *question {
	if i := slices.IndexFunc(a.open, which); i >= 0 {
		return a.open[i]
	}
	return nil
}

// openFor reports whether an act of a session waits for a neighbour.
func (a *asks) openFor(player, session id.ID, seq uint32) bool {
	return a.find(func(q *question) bool { return q.Player == player && q.session == session && q.Seq == seq }) != nil
}

// ofPlayer reports whether an edit of a player is open.
func (a *asks) ofPlayer(player id.ID) bool {
	return a.find(func(q *question) bool { return q.Player == player }) != nil
}

// askKey is where a question is kept.
func askKey(op uint64) string {
	return keyAsk + string(binary.BigEndian.AppendUint64(nil, op))
}

// encode lays a question out.
func (q *question) encode() []byte {
	b := binary.AppendUvarint(append([]byte(nil), q.session[:]...), uint64(q.epoch))
	return appendRemote(b, q.Remote)
}

// unpackAsk reads a question.
func (r *Region) unpackAsk(key string, b []byte) error {
	bad := fmt.Errorf("an edit that a neighbour is asked for: %w", ErrCorrupt)
	if len(key) != 8 || len(b) < id.Size {
		return bad
	}
	q := &question{kept: true}
	b = b[copy(q.session[:], b):]
	epoch, n := binary.Uvarint(b)
	if n <= 0 || epoch > 1<<32-1 {
		return bad
	}
	m, b, ok := takeRemote(b[n:])
	if !ok || len(b) > 0 || m.From != r.cfg.Pos || m.Op != binary.BigEndian.Uint64([]byte(key)) {
		return bad
	}
	q.epoch, q.Remote = uint32(epoch), m
	r.asks.open = append(r.asks.open, q) // keys come in order
	return nil
}
