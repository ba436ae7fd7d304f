package node

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

// A stepping stone is not believed who its sessions play: it could act for any
// player, and make itself an operator. To the hall it shows the player's pass.
// A region asks the hall before it lets in a session of another node, and
// believes only what the hall says of it; what the session says meanwhile
// waits, for the order must stay.

const (
	maxVouching = 1 << 10 // sessions that the hall was asked about
	maxBehind   = 64      // messages of one that wait
	// vouchTime is how long a session waits for the hall; then it is told that the
	// world is busy, and comes again. The hall is asked again after half a second,
	// then less and less often: it may have a crowd to let in.
	vouchTime    = 30 * time.Second
	maxVouchWait = 4 * time.Second
)

// vouchKey is a session at a part here.
type vouchKey struct {
	part    Part
	session machine.Peer
}

// vouching is a question to the hall, and what waits for the answer.
type vouching struct {
	enter  *region.Enter
	behind []machine.Message
	since  machine.Time
	wait   time.Duration
	next   machine.Time // when the hall is asked again
}

// mayEnter reports whether another node may speak for the player that it asks the
// hall to let in, and tells the session why not.
func (w *network) mayEnter(f *farNode, session id.ID, e *hall.Enter) bool {
	var why *hall.Refused
	if w.cfg.CheckPass != nil && w.cfg.CheckPass(e.Pass, e.Player, f.peer.ID) != nil {
		why = &hall.Refused{Code: wire.BadProof, Text: wire.BadProof.Text(), Retry: 1}
	} else {
		why = w.visitRefused(e, f.peer.ID)
	}
	if why == nil {
		return true
	}
	w.n.counts.Dropped++
	w.send(f.peer, &ToSessions{[]id.ID{session}, why})
	return false
}

// visitRefused says why a player is not invited to enter through a node; nil: it
// is. The node of the founder lets in whom it wants.
func (w *network) visitRefused(e *hall.Enter, through id.ID) *hall.Refused {
	if w.access == nil {
		return nil
	}
	if err := w.access.Visit(e.Invitation, e.Player, through); err != nil {
		return &hall.Refused{Code: wire.NotInvited, Text: wire.NotInvited.Text()}
	}
	return nil
}

// vouchFirst keeps what a session of another node says to a region until the
// hall has said who it is; it reports false for what need not wait.
func (w *network) vouchFirst(to Part, session machine.Peer, m machine.Message) bool {
	if to.Hall {
		return false
	}
	key := vouchKey{to, session}
	v := w.vouching[key]
	e, enters := m.(*region.Enter)
	switch {
	case v == nil && !enters:
		return false
	case v != nil && len(v.behind) >= maxBehind:
		w.n.counts.Dropped++
		return true
	case v == nil && len(w.vouching) >= maxVouching:
		w.n.counts.Dropped++
		w.refuseEntry(key, e, wire.Busy)
		return true
	case v != nil:
		v.behind = append(v.behind, m)
		return true
	}
	v = &vouching{enter: e, since: w.n.env.Now(), wait: askEvery}
	w.vouching[key] = v
	w.askHall(key, v)
	return true
}

func (w *network) askHall(key vouchKey, v *vouching) {
	v.next = w.n.env.Now().Add(v.wait)
	v.wait = min(2*v.wait, maxVouchWait)
	w.n.push(upcall{to: region.Hall, from: key.part.peer(), m: &hall.Vouch{Region: key.part.Region, Session: key.session, Player: v.enter.Player}})
}

// onVouched lets a session of another node into a region here, as the hall
// says, or not.
func (w *network) onVouched(m *hall.Vouched) {
	key := vouchKey{Part{Region: m.Region}, m.Session}
	v := w.vouching[key]
	if v == nil {
		return
	}
	if v.enter.Player != m.Player {
		return // the answer to an older question
	}
	delete(w.vouching, key)
	e := *v.enter
	if m.OK {
		e.Entity, e.Name, e.Mode, e.New = m.Entity, m.Name, m.Mode, m.New && e.New
		w.n.push(upcall{to: key.part.peer(), from: m.Session, m: &e})
	} else {
		w.refuseEntry(key, &e, wire.BadProof)
	}
	for _, b := range v.behind {
		if !w.vouchFirst(key.part, m.Session, b) {
			w.n.push(upcall{to: key.part.peer(), from: m.Session, m: b})
		}
	}
}

// refuseEntry tells a session that it is another player's for the hall, or that
// nobody could be asked.
func (w *network) refuseEntry(key vouchKey, e *region.Enter, why wire.Code) {
	if f := w.tags[key.session.Addr]; f != nil {
		w.send(f.peer, &ToSessions{[]id.ID{key.session.ID}, &region.Refused{
			Region: key.part.Region, Player: e.Player, Code: string(why), Text: why.Text(),
		}})
	}
}

// vouchBeat asks again what the hall has not answered: it may have told who led
// the part before. It gives up waiting for a hall that does not answer at all.
func (w *network) vouchBeat(now machine.Time) {
	var due []vouchKey
	for key, v := range w.vouching {
		if now >= v.next {
			due = append(due, key)
		}
	}
	slices.SortFunc(due, vouchKey.compare)
	for _, key := range due {
		if v := w.vouching[key]; now.Sub(v.since) < vouchTime {
			w.askHall(key, v)
		} else {
			delete(w.vouching, key)
			w.refuseEntry(key, v.enter, wire.Busy)
		}
	}
}

func (k vouchKey) compare(l vouchKey) int {
	return cmp.Or(compareParts(k.part, l.part), bytes.Compare(k.session.ID[:], l.session.ID[:]), bytes.Compare(k.session.Addr[:], l.session.Addr[:]))
}

// forgetVouching is when a session has gone.
func (w *network) forgetVouching(session machine.Peer) {
	for key := range w.vouching {
		if key.session == session {
			delete(w.vouching, key)
		}
	}
}
