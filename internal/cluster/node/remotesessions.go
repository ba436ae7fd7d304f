package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// remoteSessions are the sessions of other nodes that use shards here. A shard knows
// such a session by its id and the tag of its gateway node (TagOf).
type remoteSessions struct {
	part.Part
	tag       machine.Addr // of this node
	links     *peers.Links
	admission *admission
	local     sessionEnds
	of        peers.Own[remoteSessionsOf]

	out   outbox
	signs *accountability.ShownSigning
}

// sessionEnds tells the shards here, except one, that a session has ended (Node).
type sessionEnds interface {
	linkEventToAll(machine.Peer, machine.LinkEvent, *submachine)
}

// remoteSessionsOf is what is known of the sessions of one node.
type remoteSessionsOf struct {
	list   map[id.ID]bool // that shards here have heard of
	played machine.Time   // when one of them last said something here; 0: never
	asked  machine.Time   // when it was looked how many messages wait for the node

	waiting, limit int
}

// sessionsOf returns what is known of a node's sessions.
func (s *remoteSessions) sessionsOf(f *peers.Remote) *remoteSessionsOf {
	of := s.of.Of(f)
	if of.list == nil {
		of.list = map[id.ID]bool{}
	}
	return of
}

// list are a node's sessions, in order.
func (s *remoteSessions) list(f *peers.Remote) []id.ID { return id.Sorted(s.sessionsOf(f).list) }

// has reports whether shards here have heard of sessions of a node.
func (s *remoteSessions) has(f *peers.Remote) bool { return len(s.sessionsOf(f).list) > 0 }

// lastPlayed is when a session of a node last said something here; 0: never.
func (s *remoteSessions) lastPlayed(f *peers.Remote) machine.Time { return s.sessionsOf(f).played }

// maxRemoteSessions bounds the sessions of one node at shards here.
const maxRemoteSessions = 4096

// use notes that a session of another node has said something here; false: its node
// has too many.
func (s *remoteSessions) use(f *peers.Remote, session id.ID) bool {
	of := s.sessionsOf(f)
	if !of.list[session] && len(of.list) >= maxRemoteSessions {
		s.Counts.Dropped++
		return false
	}
	of.list[session], of.played = true, s.Env.Now()
	return true
}

// backlog is how many messages wait for a session, or for its node. The many
// sessions of a node that a region looks after in a tick are looked up once.
func (s *remoteSessions) backlog(session machine.Peer) (waiting, limit int) {
	if session.Addr == s.tag {
		return machine.Backlog(s.Env, machine.Peer{ID: session.ID})
	}
	f := s.links.ByTag(session.Addr)
	if f == nil {
		return 0, 0
	}
	of := s.sessionsOf(f)
	if now := s.Env.Now(); of.asked != now {
		of.asked = now
		of.waiting, of.limit = machine.Backlog(s.Env, f.Peer)
	}
	return of.waiting, of.limit
}

// close ends a session of another node for a shard here.
func (s *remoteSessions) close(session machine.Peer, by *submachine) {
	if f := s.links.ByTag(session.Addr); f != nil && s.sessionsOf(f).list[session.ID] {
		s.flush() // what was said to it comes first
		s.links.Send(f.Peer, &EndSession{session.ID, by.shard()})
		delete(s.sessionsOf(f).list, session.ID)
		s.local.linkEventToAll(session, machine.LinkClosed, by)
	}
}

// end tells the shards here that a session of another node has gone. They may know of
// it though it has said nothing here: its player was handed over.
func (s *remoteSessions) end(f *peers.Remote, session id.ID) {
	delete(s.sessionsOf(f).list, session)
	peer := machine.Peer{ID: session, Addr: peers.TagOf(f.Peer.ID)}
	s.admission.forget(peer)
	s.local.linkEventToAll(peer, machine.LinkClosed, nil)
}

// endAll is when the link to a node has ended, and with it its sessions.
func (s *remoteSessions) endAll(f *peers.Remote) {
	s.signs.LinkDown(f)
	for _, session := range s.list(f) {
		s.end(f, session)
	}
}
