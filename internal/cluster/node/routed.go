package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// onRouted takes a message for a shard that is led here.
func (w *network) onRouted(f *peers.Remote, m *routing.Routed) {
	h := w.hosting.replica(m.To)
	switch {
	case h == nil:
		w.routes.SendLeaderReply(f.Peer, m.To)
		return
	case !h.group.Serves():
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
	} else if !w.routes.Speakers.SpeaksFor(f.Peer, m.From) {
		w.routes.Speakers.Verify(f, m.From, func() { w.onRouted(f, m) })
		return
	} else {
		w.routes.Speakers.ConfirmLeader(f.Peer, m.From)
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
	if !to.InWorld() || w.routes.IsFull(to) {
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
	w.routes.Use(session, to, m)
	if !to.Lobby {
		w.unanswered.Ask(session, to.Region, m)
		w.shown.Ask(session, to.Region, m)
	}
	if x := w.verified.Auditor(); x != nil && !to.Lobby {
		x.OnRequest(session, to.Region, m)
	}
	switch leader := w.routes.LeaderFor(to); {
	case leader == w.cfg.Self:
		w.n.Push(part.Call{To: to.Peer(), From: machine.Peer{ID: session, Addr: w.tag}, Msg: m})
	case leader != machine.Peer{}:
		w.links.Send(leader, &routing.Routed{To: to, Session: session, Msg: w.sessions.withPass(session, m)})
	default:
		w.routes.Search(to)
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
