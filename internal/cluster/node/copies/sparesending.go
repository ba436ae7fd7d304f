package copies

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// SpareSending keeps spare copies of a shard that is led here on nodes that do not host
// it, so that the shard outlives the loss of all its hosts (restoration). A holder gets
// the whole state once, and then every few seconds the changes since what it has. A
// shard in which nobody has built or left anything has none, and costs nothing.
type SpareSending struct {
	part.Part
	group      *shardgroup.Group
	signatures Signatures
	links      *peers.Links
	dir        *directory.Directory
	seen       *peers.Sightings
	uploads    *limit.Budget // of the node

	ledSince machine.Time
	began    group.Status // when this node began to lead
	warned   bool         // that holders have more than this log
	reading  bool
	read     bool // since this node leads
	kept     bool // somebody has built or left something here
	full     *fullState
	changed  hostpolicy.Log // after the last change that was applied here
	changes  changeLog
	digest   *group.Digest // of the state after the last change; nil: it is not known
	holders  []*spareHolder
	refused  map[id.ID]machine.Time // who keeps no copy, since when
	spoken   hostpolicy.Log         // what this node, as a follower, has told the leader last
	spoke    machine.Time           // when
	choose   machine.Time           // when to look for holders next
}

// fullState is the whole state, as it is sent.
type fullState struct {
	end    hostpolicy.Log
	digest [32]byte
	data   []byte
}

const (
	SpareHolders     = 2               // nodes that keep a copy of a shard
	spareEvery       = 4 * time.Second // between changes that are sent to a holder
	spareStart       = 2 * time.Second // after this node has begun to lead
	spareAnswer      = 2 * time.Second // a holder that does not answer is asked again
	spareLost        = 30 * time.Second
	spareRefusal     = 10 * time.Minute
	chooseEvery      = 5 * time.Second
	spareUploadBurst = 1 << 20
)

// NewSpareSending returns what keeps copies of a group's shard at other nodes; uploads is
// what the node may send for all of them.
func NewSpareSending(c part.Part, s Signatures, g *shardgroup.Group, l *peers.Links, dir *directory.Directory, seen *peers.Sightings, uploads *limit.Budget) *SpareSending {
	m := &SpareSending{Part: c, signatures: s, group: g, links: l, dir: dir, seen: seen, uploads: uploads}
	m.Stop()
	return m
}

// NewUploads is what a node may send for spare copies: so many bytes a second.
func NewUploads(perSecond int) limit.Budget {
	return limit.NewBudget(float64(max(1, perSecond)), spareUploadBurst)
}

// Start begins: this node leads.
func (s *SpareSending) Start(now machine.Time) {
	s.Stop()
	s.ledSince, s.began = now, s.group.Raft.Status()
}

// Stop forgets what is to be sent.
func (s *SpareSending) Stop() {
	s.ledSince, s.reading, s.read, s.kept, s.full, s.holders, s.choose = 0, false, false, false, nil, nil, 0
	s.warned = false
	s.changes, s.digest, s.refused = changeLog{}, nil, map[id.ID]machine.Time{}
}

// IsSettled reports whether nothing is left to be sent.
func (s *SpareSending) IsSettled() bool {
	return s.Cfg.CopiesUpload < 0 || s.read && (!s.kept || !slices.ContainsFunc(s.holders, func(h *spareHolder) bool { return s.lacks(h) }))
}

// Applied notes changes that the replica has applied; without any, a snapshot.
//
// A holder that has a later entry than the last change, of the same generation, has what
// is here: what this node has applied before it led counts, too.
func (s *SpareSending) Applied(term, index uint64, ws []machine.DiskWrite) {
	s.changed.Term, s.changed.Last = term, index
	if !s.reading && !s.read {
		return
	}
	s.kept = s.kept || keepsAny(s.group.Shard, ws)
	s.changes.add(index, ws)
	if s.digest != nil {
		s.digest.Apply(ws)
	}
}

// keepsAny reports whether writes change what people would miss.
func keepsAny(p shards.Shard, ws []machine.DiskWrite) bool {
	return slices.ContainsFunc(ws, func(w machine.DiskWrite) bool { return Keeps(p, w.Put) || keepsAny(p, w.Then) })
}

// Keeps reports whether records are some that people would miss.
func Keeps(p shards.Shard, kvs []machine.KV) bool {
	return slices.ContainsFunc(kvs, func(kv machine.KV) bool { return p.Lobby || region.OfPlayers(kv.Key) })
}

// Beat goes on with what is to be sent.
func (s *SpareSending) Beat(now machine.Time) {
	switch {
	case s.reading || now.Sub(s.ledSince) < spareStart || s.IsLeaving() || s.Cfg.CopiesUpload < 0:
		return
	case !s.read:
		s.readState()
		return
	case !s.kept:
		return
	}
	s.chooseHolders(now)
	for _, h := range s.holders {
		s.refresh(h, now)
	}
	s.forgetSent()
}

// readState reads the whole state; changes are noted from now on.
func (s *SpareSending) readState() {
	s.reading = true
	led := s.ledSince
	s.group.Raft.ReadState(func(st group.State, err error) {
		if s.ledSince != led || s.group.Gone {
			return
		}
		s.reading = false
		if err != nil {
			s.ledSince = s.Env.Now() // again in a moment
			return
		}
		s.read = true
		end := hostpolicy.Log{Gen: st.Gen, Term: st.Term, Last: st.Index}
		s.changes.begin(st.Index)
		if s.changed.Last == 0 {
			s.changed = end
		}
		s.changed.Gen = st.Gen
		digest := group.DigestOf(st.Content)
		if s.kept = s.kept || Keeps(s.group.Shard, st.Content); s.kept {
			s.full = &fullState{end, digest.Sum(), group.AppendContent(nil, st.Content)}
		}
		s.digest = s.changes.follow(digest, st.Index)
		if s.full != nil && len(s.full.data) > maxSpare {
			s.Note(fmt.Sprintf("%s has too much (%d bytes) for spare copies.", s.group.Shard, len(s.full.data)))
			s.full, s.kept = nil, false
		}
	})
}

// forgetSent forgets what all holders have.
func (s *SpareSending) forgetSent() {
	if len(s.holders) == 0 {
		s.changes.trim(s.changed.Last)
		s.full = nil
		return
	}
	least := s.holders[0].had.Last
	for _, h := range s.holders {
		least = min(least, h.had.Last)
	}
	s.changes.trim(least)
	if s.full != nil && least >= s.full.end.Last {
		s.full = nil
	}
}

// chooseHolders lets go of holders that do not answer or have become members, and looks
// for others: former members, who have most of the shard, then the first in the
// order of hosts.
func (s *SpareSending) chooseHolders(now machine.Time) {
	if now < s.choose {
		return
	}
	s.choose = now.Add(chooseEvery)
	st := s.group.Raft.Status()
	isMember := func(who id.ID) bool {
		return slices.ContainsFunc(st.Members, func(m group.MemberStatus) bool { return m.Peer.ID == who })
	}
	s.holders = slices.DeleteFunc(s.holders, func(h *spareHolder) bool {
		if lost := now.Sub(h.heard) >= spareLost; lost || isMember(h.peer.ID) {
			s.refused[h.peer.ID] = now
			return true
		}
		return false
	})
	for who, at := range s.refused { // the order does not matter
		if now.Sub(at) >= spareRefusal {
			delete(s.refused, who)
		}
	}
	for _, p := range append(slices.Clone(st.Former), s.dir.Nearest(s.group.Shard, hostpolicy.Claimants)...) {
		if len(s.holders) >= SpareHolders {
			return
		}
		_, refused := s.refused[p.ID]
		chosen := slices.ContainsFunc(s.holders, func(h *spareHolder) bool { return h.peer.ID == p.ID })
		if p.ID != s.Cfg.Self.ID && !refused && !chosen && !isMember(p.ID) && s.seen.IsRecent(p.ID) {
			s.holders = append(s.holders, &spareHolder{peer: s.links.NewestAddress(p), heard: now})
		}
	}
}
