package node

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/names"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// A gateway node cannot say which players its sessions are: it could act for any
// player, and make itself an operator. To the lobby and to regions it shows the player's
// pass. A region asks the lobby besides before it admits a session of another node, and
// takes the player's name from the answer. Neither the gateway nor the lobby's host alone
// brings a player in. The session's messages wait meanwhile, so that they keep their order.

const (
	maxVouching = 1 << 10 // sessions that the lobby was asked about
	maxBehind   = 64      // messages of one that wait
	// vouchTime is how long a session waits for the lobby; then it is told that the
	// world is busy, and comes again. The lobby is asked again after half a second,
	// then less and less often: it may have a crowd to let in.
	vouchTime      = 30 * time.Second
	firstVouchWait = 500 * time.Millisecond
	maxVouchWait   = 4 * time.Second
)

// admission admits sessions of other nodes to shards here.
type admission struct {
	part.Part
	links    *peers.Links
	access   *lists.AccessSync // nil: in a simulation
	names    *names.Names
	vouching map[vouchKey]*vouching
}

func newAdmission(c part.Part, l *peers.Links, names *names.Names) *admission {
	return &admission{Part: c, links: l, names: names, vouching: map[vouchKey]*vouching{}}
}

// vouchKey is a session at a shard here.
type vouchKey struct {
	shard   shards.Shard
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
func (a *admission) mayEnter(f *peers.Remote, session id.ID, e *lobby.Enter) bool {
	var why *lobby.Refused
	if a.Cfg.CheckPass != nil && a.Cfg.CheckPass(e.Pass, e.Player, e.Name, f.Peer.ID) != nil {
		why = &lobby.Refused{Code: wire.BadProof, Text: wire.BadProof.Text(), Retry: 1}
	} else {
		why = a.visitRefused(e, f.Peer.ID)
	}
	if why == nil {
		a.names.Claim(e)
		return true
	}
	a.Counts.Dropped++
	a.links.Send(f.Peer, &ToSessions{[]id.ID{session}, why})
	return false
}

// signed reports whether a player has signed that it plays at the node of a session, which
// wants to enter a region as that player; it tells the session if not.
func (a *admission) signed(f *peers.Remote, to shards.Shard, session machine.Peer, e *region.Enter) bool {
	if a.Cfg.CheckPass == nil || a.Cfg.CheckPass(e.Pass, e.Player, e.Signed, f.Peer.ID) == nil {
		return true
	}
	a.Counts.Dropped++
	a.refuseEntry(vouchKey{to, session}, e, wire.BadProof)
	return false
}

// visitRefused says why a player may not enter through a node; nil: it may. The
// founder's node admits anybody.
func (a *admission) visitRefused(e *lobby.Enter, through id.ID) *lobby.Refused {
	if a.access == nil {
		return nil
	}
	if err := a.access.Visit(e.Invitation, e.Player, through); err != nil {
		return &lobby.Refused{Code: wire.NotInvited, Text: wire.NotInvited.Text()}
	}
	return nil
}

// vouchFirst keeps what a session of another node says to a region until the
// lobby has said who it is; it reports false for what need not wait.
func (a *admission) vouchFirst(to shards.Shard, session machine.Peer, m machine.Message) bool {
	if to.Lobby {
		return false
	}
	key := vouchKey{to, session}
	v := a.vouching[key]
	e, enters := m.(*region.Enter)
	switch {
	case v == nil && !enters:
		return false
	case v != nil && len(v.behind) >= maxBehind:
		a.Counts.Dropped++
		return true
	case v == nil && len(a.vouching) >= maxVouching:
		a.Counts.Dropped++
		a.refuseEntry(key, e, wire.Busy)
		return true
	case v != nil:
		v.behind = append(v.behind, m)
		return true
	}
	v = &vouching{enter: e, since: a.Env.Now(), wait: firstVouchWait}
	a.vouching[key] = v
	a.askLobby(key, v)
	return true
}

func (a *admission) askLobby(key vouchKey, v *vouching) {
	v.next = a.Env.Now().Add(v.wait)
	v.wait = min(2*v.wait, maxVouchWait)
	a.Queue.Push(part.Call{To: region.Lobby, From: key.shard.Peer(), Msg: &lobby.Vouch{Region: key.shard.Region, Session: key.session, Player: v.enter.Player}})
}

// onVouched lets a session of another node into a region here, as the lobby
// says, or not.
func (a *admission) onVouched(m *lobby.Vouched) {
	key := vouchKey{shards.Shard{Region: m.Region}, m.Session}
	v := a.vouching[key]
	if v == nil {
		return
	}
	if v.enter.Player != m.Player {
		return // the answer to an older question
	}
	delete(a.vouching, key)
	e := *v.enter
	if m.OK {
		e.Entity, e.Name, e.Mode, e.New, e.Visitor = m.Entity, a.names.Shown(m.Player, m.Name), m.Mode, m.New && e.New, m.Visitor
		a.Queue.Push(part.Call{To: key.shard.Peer(), From: m.Session, Msg: &e})
	} else {
		a.refuseEntry(key, &e, wire.BadProof)
	}
	for _, b := range v.behind {
		if !a.vouchFirst(key.shard, m.Session, b) {
			a.Queue.Push(part.Call{To: key.shard.Peer(), From: m.Session, Msg: b})
		}
	}
}

// refuseEntry tells a session that it is another player's for the lobby, or that
// nobody could be asked.
func (a *admission) refuseEntry(key vouchKey, e *region.Enter, why wire.Code) {
	if f := a.links.ByTag(key.session.Addr); f != nil {
		a.links.Send(f.Peer, &ToSessions{[]id.ID{key.session.ID}, &region.Refused{
			Region: key.shard.Region, Player: e.Player, Code: string(why), Text: why.Text(),
		}})
	}
}

// beat asks again what the lobby has not answered: it may have told who led
// the shard before. It gives up waiting for a lobby that does not answer at all.
func (a *admission) beat(now machine.Time) {
	var due []vouchKey
	for key, v := range a.vouching {
		if now >= v.next {
			due = append(due, key)
		}
	}
	slices.SortFunc(due, vouchKey.compare)
	for _, key := range due {
		if v := a.vouching[key]; now.Sub(v.since) < vouchTime {
			a.askLobby(key, v)
		} else {
			delete(a.vouching, key)
			a.refuseEntry(key, v.enter, wire.Busy)
		}
	}
}

func (k vouchKey) compare(l vouchKey) int {
	return cmp.Or(shards.Compare(k.shard, l.shard), bytes.Compare(k.session.ID[:], l.session.ID[:]), bytes.Compare(k.session.Addr[:], l.session.Addr[:]))
}

// forget is when a session has gone.
func (a *admission) forget(session machine.Peer) {
	for key := range a.vouching {
		if key.session == session {
			delete(a.vouching, key)
		}
	}
}
