package node

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// A the gateway node is not believed who its sessions play: it could act for any
// player, and make itself an operator. To the lobby it shows the player's pass.
// A region asks the lobby before it lets in a session of another node, and
// believes only what the lobby says of it; what the session says meanwhile
// waits, for the order must stay.

const (
	maxVouching = 1 << 10 // sessions that the lobby was asked about
	maxBehind   = 64      // messages of one that wait
	// vouchTime is how long a session waits for the lobby; then it is told that the
	// world is busy, and comes again. The lobby is asked again after half a second,
	// then less and less often: it may have a crowd to let in.
	vouchTime    = 30 * time.Second
	maxVouchWait = 4 * time.Second
)

// vouchKey is a session at a shard here.
type vouchKey struct {
	shard   Shard
	session machine.Peer
}

// vouching is a question to the lobby, and what waits for the answer.
type vouching struct {
	enter  *region.Enter
	behind []machine.Message
	since  machine.Time
	wait   time.Duration
	next   machine.Time // when the lobby is asked again
}

// mayEnter reports whether another node may speak for the player that it asks the
// lobby to let in, and tells the session why not.
func (w *network) mayEnter(f *remoteNode, session id.ID, e *lobby.Enter) bool {
	var why *lobby.Refused
	if w.cfg.CheckPass != nil && w.cfg.CheckPass(e.Pass, e.Player, f.peer.ID) != nil {
		why = &lobby.Refused{Code: wire.BadProof, Text: wire.BadProof.Text(), Retry: 1}
	} else {
		why = w.visitRefused(e, f.peer.ID)
	}
	if why == nil {
		return true
	}
	w.n.counts.Dropped++
	w.sendOverLink(f.peer, &ToSessions{[]id.ID{session}, why})
	return false
}

// visitRefused says why a player may not enter through a node; nil: it may. The
// founder's node admits anybody.
func (w *network) visitRefused(e *lobby.Enter, through id.ID) *lobby.Refused {
	if w.access == nil {
		return nil
	}
	if err := w.access.Visit(e.Invitation, e.Player, through); err != nil {
		return &lobby.Refused{Code: wire.NotInvited, Text: wire.NotInvited.Text()}
	}
	return nil
}

// vouchFirst keeps what a session of another node says to a region until the
// lobby has said who it is; it reports false for what need not wait.
func (w *network) vouchFirst(to Shard, session machine.Peer, m machine.Message) bool {
	if to.Lobby {
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
	w.askLobby(key, v)
	return true
}

func (w *network) askLobby(key vouchKey, v *vouching) {
	v.next = w.n.env.Now().Add(v.wait)
	v.wait = min(2*v.wait, maxVouchWait)
	w.n.push(upcall{to: region.Lobby, from: key.shard.peer(), m: &lobby.Vouch{Region: key.shard.Region, Session: key.session, Player: v.enter.Player}})
}

// onVouched lets a session of another node into a region here, as the lobby
// says, or not.
func (w *network) onVouched(m *lobby.Vouched) {
	key := vouchKey{Shard{Region: m.Region}, m.Session}
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
		w.n.push(upcall{to: key.shard.peer(), from: m.Session, m: &e})
	} else {
		w.refuseEntry(key, &e, wire.BadProof)
	}
	for _, b := range v.behind {
		if !w.vouchFirst(key.shard, m.Session, b) {
			w.n.push(upcall{to: key.shard.peer(), from: m.Session, m: b})
		}
	}
}

// refuseEntry tells a session that it is another player's for the lobby, or that
// nobody could be asked.
func (w *network) refuseEntry(key vouchKey, e *region.Enter, why wire.Code) {
	if f := w.tags[key.session.Addr]; f != nil {
		w.sendOverLink(f.peer, &ToSessions{[]id.ID{key.session.ID}, &region.Refused{
			Region: key.shard.Region, Player: e.Player, Code: string(why), Text: why.Text(),
		}})
	}
}

// vouchBeat asks again what the lobby has not answered: it may have told who led
// the shard before. It gives up waiting for a lobby that does not answer at all.
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
			w.askLobby(key, v)
		} else {
			delete(w.vouching, key)
			w.refuseEntry(key, v.enter, wire.Busy)
		}
	}
}

func (k vouchKey) compare(l vouchKey) int {
	return cmp.Or(compareShards(k.shard, l.shard), bytes.Compare(k.session.ID[:], l.session.ID[:]), bytes.Compare(k.session.Addr[:], l.session.Addr[:]))
}

// forgetVouching is when a session has gone.
func (w *network) forgetVouching(session machine.Peer) {
	for key := range w.vouching {
		if key.session == session {
			delete(w.vouching, key)
		}
	}
}
