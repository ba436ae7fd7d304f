package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// onRouted takes a message for a shard that is led here.
func (w *network) onRouted(f *peers.Remote, m *Routed) {
	h := w.hosting.replica(m.To)
	switch {
	case h == nil:
		w.routes.SendLeaderReply(f.Peer, m.To)
		return
	case !h.group.Leading:
		if l := h.group.Leader(); l == (machine.Peer{}) || h.group.Raft.Hibernates() {
			h.holdMessage(f, m)
		} else {
			w.routes.SendLeaderReply(f.Peer, m.To)
		}
		return
	}
	if m.Msg == nil {
		return
	}
	h.users.add(f.Peer)
	u := part.Call{To: m.To.Peer(), From: m.From.Peer(), Msg: m.Msg}
	if !m.Session.IsZero() {
		if !w.guests.use(f, m.Session) {
			return
		}
		u.From = machine.Peer{ID: m.Session, Addr: peers.TagOf(f.Peer.ID)}
		if e, ok := m.Msg.(*lobby.Enter); ok && !w.admission.mayEnter(f, m.Session, e) {
			return
		}
		if e, ok := m.Msg.(*region.Enter); ok && !w.admission.signed(f, m.To, u.From, e) {
			return
		}
		u.Msg = w.clearLocal(f.Peer.ID, m.Msg)
		if w.admission.vouchFirst(m.To, u.From, u.Msg) {
			return
		}
	} else if _, ok := m.Msg.(*lobby.Enter); ok || m.From == m.To || !m.From.InWorld() {
		w.n.counts.Dropped++ // what only sessions may say
		return
	} else if !w.speakers.speaksFor(f.Peer, m.From) {
		w.speakers.verifySpeaker(f, m.From, func() { w.onRouted(f, m) })
		return
	} else {
		w.speakers.confirmLeader(f.Peer, m.From)
		if v, ok := m.Msg.(*lobby.Vouched); ok {
			if m.From.Lobby {
				w.admission.onVouched(v)
			}
			return
		}
	}
	if !m.Gateway.ID.IsZero() && m.Gateway.ID != w.cfg.Self.ID {
		w.links.Reported(m.Gateway)
	}
	w.n.Push(u)
}

// fromSession brings a session's message to a shard, here or at another node.
func (w *network) fromSession(session id.ID, to shards.Shard, m machine.Message) {
	if !to.InWorld() || w.routes.isFull(to) {
		w.n.counts.Dropped++
		return
	}
	if e, ok := m.(*lobby.Enter); ok && e.Local {
		w.owner.enters(session)
	}
	m = w.clearLocal(w.cfg.Self.ID, m)
	if e, ok := m.(*lobby.Enter); ok {
		if why := w.admission.visitRefused(e, w.cfg.Self.ID); why != nil {
			w.sessions.ToSession(session, why)
			return
		}
		w.sessions.entered[session] = e
		w.names.Claim(e)
	}
	r := w.routes.of(to)
	r.sessions[session] = true
	r.noteWatch(session, m)
	if x := w.verified.Auditor(); x != nil && !to.Lobby {
		x.OnRequest(session, to.Region, m)
	}
	switch {
	case r.leader == w.cfg.Self:
		w.n.Push(part.Call{To: to.Peer(), From: machine.Peer{ID: session, Addr: w.tag}, Msg: m})
	case r.leader != machine.Peer{}:
		w.links.Send(r.leader, &Routed{To: to, Session: session, Msg: w.sessions.withPass(session, m)})
	default:
		w.routes.searchLeader(r)
	}
}

// clearLocal clears Enter.Local unless the session is at the founder's node.
func (w *network) clearLocal(node id.ID, m machine.Message) machine.Message {
	e, ok := m.(*lobby.Enter)
	if !ok || !e.Local || node == w.cfg.Founder {
		return m
	}
	guest := *e
	guest.Local = false
	return &guest
}

// elsewhere forwards a message between shards to another node; false: the
// receiver is led here.
func (w *network) elsewhere(u part.Call) bool {
	to, _ := shards.Of(u.To)
	r := w.routes.of(to)
	switch {
	case r.leader == w.cfg.Self:
		return false
	case u.Link != 0 || !to.InWorld():
	case r.leader != machine.Peer{}:
		w.forward(r, u)
	case len(r.queue) >= maxWaiting:
		w.n.counts.Dropped++
	default:
		r.queue = append(r.queue, u)
		w.routes.searchLeader(r)
	}
	return true
}

// forward sends a shard's message to the node that leads its receiver.
func (w *network) forward(r *route, u part.Call) {
	from, ok := shards.Of(u.From)
	if !ok {
		w.n.counts.Dropped++
		return
	}
	out := &Routed{To: r.shard, From: from, Msg: u.Msg}
	if session := sessionIn(u.Msg); session.Addr == w.tag {
		out.Gateway = w.cfg.Self
	} else if f := w.links.ByTag(session.Addr); f != nil {
		out.Gateway = f.Peer
	}
	w.links.Send(r.leader, out)
}

// sessionIn is the session that a message names, zero if none.
func sessionIn(m machine.Message) machine.Peer {
	switch m := m.(type) {
	case *region.Handover:
		return m.Session
	case *region.Forward:
		return m.Session
	}
	return machine.Peer{}
}
