package node

import (
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

type (
	// StatesQuery asks what earlier states of a region a node has. The founder's node may
	// ask.
	StatesQuery struct{ Shard shards.Shard }

	// States is the answer.
	States struct {
		Shard shards.Shard
		List  []SavedState
	}

	// SavedState is an earlier state of a region that a node keeps: the one of a time, or
	// (Aside) what it had when it stopped being a host, or gave way to another group.
	SavedState struct {
		At          machine.Time
		Aside       bool
		Gen         group.Gen
		Term, Index uint64
		Bytes       uint32
	}
)

// Datagram says that the message needs no link and may be lost.
func (*StatesQuery) Datagram() {}

// HeldState is an earlier state of a region, and who keeps it.
type HeldState struct {
	Holder machine.Peer
	SavedState
}

// MaxSavedStates is how many states of a region a node tells of.
const MaxSavedStates = 16

// savedStates collects what earlier states of regions there are, for the founder, and
// tells the founder of those that are kept here.
type savedStates struct {
	part.Part
	links  *peers.Links
	dir    *directory.Directory
	seen   *peers.Sightings
	copies *copies

	asked map[shards.Shard]*stateSearch
}

// stateSearch is a search for the states of a region.
type stateSearch struct {
	nodes []machine.Peer
	until machine.Time
	found []HeldState
	then  func([]HeldState)
}

const (
	stateSearchTime  = 1500 * time.Millisecond
	maxStateSearches = 4
)

// search finds the earlier states of a region, the newest first.
func (s *savedStates) search(p shards.Shard, then func([]HeldState)) {
	if s.asked[p] != nil || len(s.asked) >= maxStateSearches {
		then(nil)
		return
	}
	x := &stateSearch{until: s.Env.Now().Add(stateSearchTime), then: then}
	nodes := append(s.dir.NearestNodes(p, claimants), s.seen.Recent()...)
	x.nodes = peers.AppendOthers(nil, s.Cfg.Self.ID, nodes...)
	x.nodes = x.nodes[:min(len(x.nodes), maxAsked)]
	for _, n := range x.nodes {
		s.links.SendDatagram(n, &StatesQuery{p})
	}
	for _, own := range s.list(p) {
		x.found = append(x.found, HeldState{s.Cfg.Self, own})
	}
	s.asked[p] = x
}

// list is what this node has of a region.
func (s *savedStates) list(p shards.Shard) (out []SavedState) {
	for _, c := range s.copies.list {
		if c.shard == p && !c.isSpare() && !c.isOrigin() {
			out = append(out, SavedState{At: c.at, Aside: !c.isDated(), Gen: c.Gen, Term: c.Term, Index: c.Index, Bytes: uint32(c.Bytes)})
		}
	}
	slices.SortFunc(out, func(a, b SavedState) int { return cmp.Compare(b.At, a.At) })
	return out[:min(len(out), MaxSavedStates)]
}

// answer tells the founder's node what this one has.
func (s *savedStates) answer(f *peers.Remote, m *StatesQuery) {
	if f.Peer.ID != s.Cfg.Founder {
		s.Counts.Dropped++
		return
	}
	if list := s.list(m.Shard); len(list) > 0 {
		s.links.Send(f.Peer, &States{m.Shard, list})
	}
}

// hear takes what another node has.
func (s *savedStates) hear(f *peers.Remote, m *States) {
	x := s.asked[m.Shard]
	if x == nil || !peers.Among(x.nodes, f.Peer.ID) {
		return
	}
	x.nodes = slices.DeleteFunc(x.nodes, func(n machine.Peer) bool { return n.ID == f.Peer.ID })
	for _, state := range m.List {
		x.found = append(x.found, HeldState{f.Peer, state})
	}
}

// beat ends searches.
func (s *savedStates) beat(now machine.Time) {
	for _, p := range shards.Sorted(s.asked) {
		if x := s.asked[p]; now >= x.until {
			delete(s.asked, p)
			slices.SortStableFunc(x.found, func(a, b HeldState) int { return cmp.Compare(b.At, a.At) })
			x.then(x.found)
		}
	}
}

// States finds the earlier states of a region that nodes keep, the newest first.
func (n *Node) States(at world.RegionPos, then func([]HeldState)) {
	if n.net == nil {
		then(nil)
		return
	}
	n.net.states.search(shards.Shard{Region: at}, then)
}

// RestoreState puts the blocks of a region back to an earlier state. Only the founder's
// node, and who leads the region, may ask for that.
func (n *Node) RestoreState(at world.RegionPos, state HeldState, then func(StateRestored)) {
	if n.net == nil {
		then(StateRestored{Failed: true})
		return
	}
	n.net.restoring.order(shards.Shard{Region: at}, state, then)
}
