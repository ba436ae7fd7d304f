package copies

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// HeldState is an earlier state of a region, and who keeps it.
type HeldState struct {
	Holder machine.Peer
	Region world.RegionPos
	SavedState
}

// Name names a state: the same state has the same name wherever it stands in a list.
func (s *HeldState) Name() string {
	b := append([]byte(nil), s.Holder.ID[:]...)
	for _, v := range []uint64{uint64(s.At), s.Gen.Number, s.Gen.Fork, s.Term, s.Index} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	of := id.Of(append(b, flag(s.Aside), flag(s.Changes)))
	return hex.EncodeToString(of[:stateName])
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// stateName is how many bytes of a digest a state's name has: a few hundred states are to be
// told apart.
const stateName = 4

// MaxSavedStates is how many states of a region a node tells of, maxAsideRegions of how
// many regions.
const (
	MaxSavedStates  = 16
	maxAsideRegions = 32
)

// SavedStates collects what earlier states of regions there are, for the founder, and
// tells the founder of those that are kept here.
type SavedStates struct {
	part.Part
	links  *peers.Links
	dir    *directory.Directory
	seen   *peers.Sightings
	copies *Store

	asked map[shards.Shard]*stateSearch
}

// stateSearch is a search for the states of a region.
type stateSearch struct {
	nodes []machine.Peer
	until machine.Time
	found []HeldState
	then  func([]HeldState)

	answers map[id.ID]int // of each of them
	most    int           // so many of each count
}

const (
	stateSearchTime  = 1500 * time.Millisecond
	maxStateSearches = 4
	maxStatesAsked   = 64 // nodes
)

// NewSavedStates returns what finds earlier states of regions.
func NewSavedStates(c part.Part, l *peers.Links, dir *directory.Directory, seen *peers.Sightings, store *Store) *SavedStates {
	return &SavedStates{Part: c, links: l, dir: dir, seen: seen, copies: store, asked: map[shards.Shard]*stateSearch{}}
}

// Search finds the earlier states of a region, the newest first.
func (s *SavedStates) Search(p shards.Shard, then func([]HeldState)) {
	if s.asked[p] != nil || len(s.asked) >= maxStateSearches {
		then(nil)
		return
	}
	x := &stateSearch{until: s.Env.Now().Add(stateSearchTime), then: then, answers: map[id.ID]int{}, most: 1}
	if p.Lobby {
		x.most = maxAsideRegions
	}
	nodes := append(s.dir.NearestNodes(p, hostpolicy.Claimants), s.seen.Recent()...)
	x.nodes = peers.AppendOthers(nil, s.Cfg.Self.ID, nodes...)
	x.nodes = x.nodes[:min(len(x.nodes), maxStatesAsked)]
	for _, n := range x.nodes {
		s.links.SendDatagram(n, &StatesQuery{p})
	}
	for _, own := range s.lists(p) {
		for _, state := range own.List {
			x.found = append(x.found, HeldState{s.Cfg.Self, own.Shard.Region, state})
		}
	}
	s.asked[p] = x
}

// lists are what this node has of a region; of the lobby: what is put aside of all regions,
// of those in which something waits to be decided on first.
func (s *SavedStates) lists(p shards.Shard) (out []States) {
	if !p.Lobby {
		if l := s.list(p); len(l) > 0 {
			out = append(out, States{p, l})
		}
		return out
	}
	has := map[shards.Shard]bool{}
	for _, c := range s.copies.list {
		if !c.Shard.Lobby && !c.IsSpare() && !c.IsOrigin() && !c.isDated() {
			has[c.Shard] = has[c.Shard] || c.isKept()
		}
	}
	order := shards.Sorted(has)
	slices.SortStableFunc(order, func(a, b shards.Shard) int { return cmp.Compare(flag(has[b]), flag(has[a])) })
	for _, p := range order[:min(len(order), maxAsideRegions)] {
		l := slices.DeleteFunc(s.list(p), func(state SavedState) bool { return !state.Aside && !state.Changes })
		out = append(out, States{p, l})
	}
	return out
}

// list is what this node has of a region.
func (s *SavedStates) list(p shards.Shard) (out []SavedState) {
	for _, c := range s.copies.list {
		if c.Shard == p && !c.IsSpare() && !c.IsOrigin() {
			out = append(out, SavedState{At: c.At, Aside: !c.isDated() && !c.isKept(), Changes: c.isKept(), Gen: c.Gen, Term: c.Term, Index: c.Index, Bytes: uint32(c.Bytes)})
		}
	}
	slices.SortFunc(out, func(a, b SavedState) int { return cmp.Compare(b.At, a.At) })
	return out[:min(len(out), MaxSavedStates)]
}

// Answer tells the founder's node what this one has.
func (s *SavedStates) Answer(f *peers.Remote, m *StatesQuery) {
	if f.Peer.ID != s.Cfg.Founder {
		s.Counts.Dropped++
		return
	}
	for _, l := range s.lists(m.Shard) {
		s.links.Send(f.Peer, &l)
	}
}

// Hear takes what another node has.
func (s *SavedStates) Hear(f *peers.Remote, m *States) {
	if m.Shard.Lobby || !m.Shard.InWorld() {
		return
	}
	for _, p := range []shards.Shard{m.Shard, shards.Lobby} {
		x := s.asked[p]
		if x == nil || x.answers[f.Peer.ID] >= x.most || !peers.Among(x.nodes, f.Peer.ID) {
			continue
		}
		x.answers[f.Peer.ID]++
		for _, state := range m.List {
			if x.most == 1 || state.Aside || state.Changes {
				x.found = append(x.found, HeldState{f.Peer, m.Shard.Region, state})
			}
		}
	}
}

// Beat ends searches.
func (s *SavedStates) Beat(now machine.Time) {
	for _, p := range shards.Sorted(s.asked) {
		if x := s.asked[p]; now >= x.until {
			delete(s.asked, p)
			slices.SortStableFunc(x.found, func(a, b HeldState) int { return cmp.Compare(b.At, a.At) })
			x.then(x.found)
		}
	}
}
