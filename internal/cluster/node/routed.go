package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
)

// onRouted takes a message for a shard that is led here.
func (w *network) onRouted(f *remoteNode, m *Routed) {
	h := w.replica(m.To)
	switch {
	case h == nil:
		w.sendLeaderReply(f.peer, m.To)
		return
	case !h.leading:
		if l := h.leader(); l == (machine.Peer{}) || h.raft.Hibernates() {
			h.holdMessage(f, m)
		} else {
			w.sendLeaderReply(f.peer, m.To)
		}
		return
	}
	if m.Msg == nil {
		return
	}
	h.userNodes[f.peer] = true
	u := upcall{to: m.To.peer(), from: m.From.peer(), m: m.Msg}
	if !m.Session.IsZero() {
		if !f.sessions[m.Session] && len(f.sessions) >= maxRemoteSessions {
			w.n.counts.Dropped++
			return
		}
		f.sessions[m.Session], f.played = true, w.n.env.Now()
		u.from = machine.Peer{ID: m.Session, Addr: tagOf(f.peer.ID)}
		if e, ok := m.Msg.(*lobby.Enter); ok && !w.mayEnter(f, m.Session, e) {
			return
		}
		u.m = w.clearLocal(f.peer.ID, m.Msg)
		if w.vouchFirst(m.To, u.from, u.m) {
			return
		}
	} else if _, ok := m.Msg.(*lobby.Enter); ok || m.From == m.To || !m.From.inWorld() {
		w.n.counts.Dropped++ // what only sessions may say
		return
	} else if !w.speaksFor(f.peer, m.From) {
		w.verifySpeaker(f, m.From, func() { w.onRouted(f, m) })
		return
	} else {
		w.confirmLeader(f.peer, m.From)
		if v, ok := m.Msg.(*lobby.Vouched); ok {
			if m.From.Lobby {
				w.onVouched(v)
			}
			return
		}
	}
	if !m.Gateway.ID.IsZero() && m.Gateway.ID != w.cfg.Self.ID {
		w.reported(m.Gateway)
	}
	w.n.push(u)
}

// maxUnverified bounds what waits for an answer about who leads its sender,
// maxUnverifiedOf what waits of one node.
const (
	maxUnverified   = 64
	maxUnverifiedOf = 256
)

// speaksFor reports whether a node is known to be a host of a shard: only those
// may speak in its name.
func (w *network) speaksFor(p machine.Peer, shard Shard) bool {
	is := func(m machine.Peer) bool { return m.ID == p.ID }
	if h := w.replicas[shard]; h != nil && slices.ContainsFunc(h.members(), is) {
		return true
	}
	r := w.routes[shard]
	return r != nil && (is(r.leader) || slices.ContainsFunc(r.members, is))
}

// confirmLeader asks a host that speaks for a shard without being known to lead
// it whether it does: otherwise answers would go to the previous leader.
func (w *network) confirmLeader(p machine.Peer, shard Shard) {
	r, now := w.routes[shard], w.n.env.Now()
	if r == nil || r.leader == p || r.leader == w.cfg.Self || w.replicas[shard].knowsBetter(r.term) || now < r.nextConfirm {
		return
	}
	r.nextConfirm = now.Add(beat)
	w.n.env.Send(p, &LeaderQuery{shard})
}

// unverifiedMessage is what a node has said in the name of a shard that it may not host.
type unverifiedMessage struct {
	from *remoteNode
	do   func()
	at   machine.Time
}

// verifySpeaker asks who hosts the shard that a message is said to come from, and does then
// what it says.
func (w *network) verifySpeaker(f *remoteNode, from Shard, do func()) {
	if w.routes[from] == nil && len(w.routes) >= maxRoutes {
		w.n.counts.Dropped++
		return
	}
	r := w.route(from)
	switch {
	case r.leader == w.cfg.Self || len(r.unverified) >= maxUnverified || f.unverified >= maxUnverifiedOf:
		w.n.counts.Dropped++
		return
	case r.leader == machine.Peer{}:
		w.searchLeader(r)
	default:
		w.askHosts(r, machine.Peer{}) // the leader that is known may be gone
	}
	f.unverified++
	r.unverified = append(r.unverified, unverifiedMessage{f, do, w.n.env.Now()})
}

// takeUnverified takes what waits off the route.
func (r *route) takeUnverified() []unverifiedMessage {
	waiting := r.unverified
	r.unverified = nil
	for _, x := range waiting {
		x.from.unverified--
	}
	return waiting
}

// acceptVerified delivers the queued messages of nodes that host the shard. A
// node that has just become a host may be unknown to the member that was asked
// first.
func (w *network) acceptVerified(r *route) {
	for _, x := range r.takeUnverified() {
		switch {
		case w.speaksFor(x.from.peer, r.shard):
			x.do()
		case w.n.env.Now().Sub(x.at) < heldFor:
			x.from.unverified++
			r.unverified = append(r.unverified, x)
		default:
			w.n.counts.Dropped++
		}
	}
}
