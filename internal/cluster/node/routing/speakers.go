package routing

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Speakers decides whether a node may speak in a shard's name: only its hosts may. What
// other nodes say waits until the hosts are known.
type Speakers struct {
	part.Part
	routes     *Routes
	unverified peers.Own[int] // how much of what a node has said waits for who hosts the shard
	list       map[shards.Shard][]unverifiedMessage
}

// maxUnverified bounds what waits for an answer about who leads its sender,
// maxUnverifiedOf what waits of one node.
const (
	maxUnverified   = 64
	maxUnverifiedOf = 256
)

// lookAgain is how often the directory is asked at most because somebody speaks in the name of
// a shard whose leader is looked for.
const lookAgain = 500 * time.Millisecond

// HeldFor is how long a message waits until it is known who leads or hosts a shard.
const HeldFor = 2 * time.Second

// SpeaksFor reports whether a node is known to be a host of a shard: only those
// may speak in its name.
func (s *Speakers) SpeaksFor(p machine.Peer, shard shards.Shard) bool {
	is := func(m machine.Peer) bool { return m.ID == p.ID }
	if g := s.routes.hosting.LoadedGroup(shard); g != nil && slices.ContainsFunc(g.Members(), is) {
		return true
	}
	r := s.routes.table[shard]
	return r != nil && (is(r.leader) || slices.ContainsFunc(r.members, is))
}

// ConfirmLeader asks a host that speaks for a shard without being known to lead
// it whether it does: otherwise answers would go to the previous leader.
func (s *Speakers) ConfirmLeader(p machine.Peer, shard shards.Shard) {
	r, now := s.routes.table[shard], s.Env.Now()
	if r == nil || r.leader == p || r.leader == s.Cfg.Self || s.routes.hosting.LoadedGroup(shard).KnowsBetter(r.term) || now < r.nextConfirm {
		return
	}
	r.nextConfirm = now.Add(peers.Beat)
	s.Env.Send(p, &LeaderQuery{shard})
}

// unverifiedMessage is what a node has said in the name of a shard that it may not host.
type unverifiedMessage struct {
	from *peers.Remote
	do   func()
	at   machine.Time
}

// Verify asks who hosts the shard that a message is said to come from, and does then
// what it says.
func (s *Speakers) Verify(f *peers.Remote, from shards.Shard, do func()) {
	if s.routes.IsFull(from) {
		s.Counts.Dropped++
		return
	}
	r := s.routes.of(from)
	switch {
	case r.leader == s.Cfg.Self || len(s.list[from]) >= maxUnverified || *s.unverified.Of(f) >= maxUnverifiedOf:
		s.Counts.Dropped++
		return
	case r.leader == machine.Peer{}:
		s.routes.searchLeader(r)
		if s.Env.Now().Sub(r.lookedUp) >= lookAgain { // the shard may have new hosts
			s.routes.lookUp(r)
		}
	default:
		s.routes.askHosts(r, machine.Peer{}) // the leader that is known may be gone
	}
	*s.unverified.Of(f)++
	s.list[from] = append(s.list[from], unverifiedMessage{f, do, s.Env.Now()})
}

// waiting is how many messages in a shard's name wait.
func (s *Speakers) waiting(p shards.Shard) int { return len(s.list[p]) }

// drop gives up what waits in a shard's name.
func (s *Speakers) drop(p shards.Shard) { s.take(p) }

// take removes what waits in a shard's name, and returns it.
func (s *Speakers) take(p shards.Shard) []unverifiedMessage {
	waiting := s.list[p]
	delete(s.list, p)
	for _, x := range waiting {
		*s.unverified.Of(x.from)--
	}
	return waiting
}

// accept delivers the queued messages of nodes that host the shard, when its hosts are
// known. A node that has just become a host may be unknown to the member that was asked
// first.
func (s *Speakers) accept(p shards.Shard) {
	for _, x := range s.take(p) {
		switch {
		case s.SpeaksFor(x.from.Peer, p):
			x.do()
		case s.Env.Now().Sub(x.at) < HeldFor:
			*s.unverified.Of(x.from)++
			s.list[p] = append(s.list[p], x)
		default:
			s.Counts.Dropped++
		}
	}
}

// Remembers reports whether something that a node has said waits.
func (s *Speakers) Remembers(f *peers.Remote) bool { return *s.unverified.Of(f) > 0 }
