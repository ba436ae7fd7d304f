package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// remoteSessions are the sessions of other nodes that use shards here. A shard knows
// such a session by its id and the tag of its gateway node (tagOf).
type remoteSessions struct {
	component
	tag       machine.Addr // of this node
	links     *links
	admission *admission
	local     sessionEnds

	out    outbox
	hashes recent.Map[*world.Column, [32]byte] // of columns that were sent
}

// sessionEnds tells the shards here, except one, that a session has ended (Node).
type sessionEnds interface {
	linkEventToAll(machine.Peer, machine.LinkEvent, *submachine)
}

// maxRemoteSessions bounds the sessions of one node at shards here.
const maxRemoteSessions = 4096

// use notes that a session of another node has said something here; false: its node
// has too many.
func (s *remoteSessions) use(f *remoteNode, session id.ID) bool {
	if !f.sessions[session] && len(f.sessions) >= maxRemoteSessions {
		s.counts.Dropped++
		return false
	}
	f.sessions[session], f.played = true, s.env.Now()
	return true
}

// backlog is how many messages wait for a session, or for its node. The many
// sessions of a node that a region looks after in a tick are looked up once.
func (s *remoteSessions) backlog(session machine.Peer) (waiting, limit int) {
	if session.Addr == s.tag {
		return machine.Backlog(s.env, machine.Peer{ID: session.ID})
	}
	f := s.links.byTag(session.Addr)
	if f == nil {
		return 0, 0
	}
	if now := s.env.Now(); f.asked != now {
		f.asked = now
		f.waiting, f.limit = machine.Backlog(s.env, f.peer)
	}
	return f.waiting, f.limit
}

// close ends a session of another node for a shard here.
func (s *remoteSessions) close(session machine.Peer, by *submachine) {
	if f := s.links.byTag(session.Addr); f != nil && f.sessions[session.ID] {
		s.flush() // what was said to it comes first
		s.links.send(f.peer, &EndSession{session.ID, by.shard()})
		delete(f.sessions, session.ID)
		s.local.linkEventToAll(session, machine.LinkClosed, by)
	}
}

// end tells the shards here that a session of another node has gone. They may know of
// it though it has said nothing here: its player was handed over.
func (s *remoteSessions) end(f *remoteNode, session id.ID) {
	delete(f.sessions, session)
	peer := machine.Peer{ID: session, Addr: tagOf(f.peer.ID)}
	s.admission.forget(peer)
	s.local.linkEventToAll(peer, machine.LinkClosed, nil)
}

// endAll is when the link to a node has ended, and with it its sessions.
func (s *remoteSessions) endAll(f *remoteNode) {
	f.shown = nil
	for _, session := range id.Sorted(f.sessions) {
		s.end(f, session)
	}
}
