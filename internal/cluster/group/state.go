package group

import (
	"encoding/binary"
	"iter"
	"slices"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Member is a member of a group. An ID is never given again: a node that returns
// without its log becomes another member.
type Member struct {
	ID      uint64
	Peer    machine.Peer
	Learner bool
}

// state is what a replica knows of its group, as of the last applied entry.
//
// The records of its own space:
//
//	m            state
//	h            hardState
//	e<index>     an entry of the log (index: 8 bytes, big-endian)
type state struct {
	Gen     Gen
	Self    uint64
	Removed bool // the group continues without this node
	shared
	// Base and BaseTerm are of the last entry that the log no longer has.
	Base, BaseTerm uint64
}

// shared is the part of the state that is the same on all replicas.
type shared struct {
	Applied, AppliedTerm uint64
	NextID               uint64
	Members              []Member       // by ID
	Wanted               []machine.Peer // nil: as they are
	// Former are nodes that had a vote and were removed, the last first: they have an
	// older state of the space.
	Former []machine.Peer
	// Restored: the group began with a copy of the state of that time, since the hosts
	// of the one before, which are former members, were gone; 0: it did not.
	Restored machine.Time
	// Basis is what the owner says that the copy was, for members that are added to
	// compare it with what they get; nil: nothing.
	Basis []byte
}

// maxFormer bounds shared.Former.
const maxFormer = 6

// stateVersion is the layout of a state; the ones before had no basis, and no former
// members.
const (
	stateVersion       = 3
	stateWithoutBasis  = 2
	stateWithoutFormer = 1
)

func (s *shared) append(b []byte) []byte {
	b = binary.AppendUvarint(b, s.Applied)
	b = binary.AppendUvarint(b, s.AppliedTerm)
	b = binary.AppendUvarint(b, s.NextID)
	b = binary.AppendUvarint(b, uint64(len(s.Members)))
	for _, m := range s.Members {
		b = binary.AppendUvarint(b, m.ID)
		b = append(appendPeer(b, m.Peer), bit(m.Learner))
	}
	b = binary.AppendUvarint(appendPeers(appendPeers(b, s.Wanted), s.Former), uint64(s.Restored))
	return appendBytes(b, s.Basis)
}

func appendPeers(b []byte, peers []machine.Peer) []byte {
	b = binary.AppendUvarint(b, uint64(len(peers)))
	for _, p := range peers {
		b = appendPeer(b, p)
	}
	return b
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func (r *reader) shared(version byte) (s shared) {
	s.Applied, s.AppliedTerm, s.NextID = r.uint(), r.uint(), r.uint()
	for n := r.Count(peerSize + 2); n > 0; n-- {
		m := Member{ID: r.uint(), Peer: r.peer()}
		m.Learner = r.Byte() == 1
		s.Members = append(s.Members, m)
	}
	s.Wanted = r.peers()
	if version != stateWithoutFormer {
		s.Former, s.Restored = r.peers(), machine.Time(r.uint())
	}
	if version == stateVersion {
		if b := r.bytes(); len(b) > 0 {
			s.Basis = b
		}
	}
	return s
}

func (s *state) encode() []byte {
	b := []byte{stateVersion, bit(s.Removed)}
	for _, v := range []uint64{s.Gen.Number, s.Gen.Fork, s.Self, s.Base, s.BaseTerm} {
		b = binary.AppendUvarint(b, v)
	}
	return s.shared.append(b)
}

func decodeState(b []byte) (s state, err error) {
	r := newReader(b)
	version := r.Byte()
	if version < stateWithoutFormer || version > stateVersion {
		r.Fail()
	}
	s.Removed = r.Byte() == 1
	s.Gen = Gen{r.uint(), r.uint()}
	s.Self, s.Base, s.BaseTerm = r.uint(), r.uint(), r.uint()
	s.shared = r.shared(version)
	return s, r.end("the state of a group")
}

// hardState is Raft's persistent state (thesis 3.8), and the longest lease that may
// be outstanding: a restarted replica assumes that it has just been granted.
type hardState struct {
	Term, Vote, Commit uint64
	Lease              time.Duration
}

func (h hardState) encode() []byte {
	var b []byte
	for _, v := range []uint64{h.Term, h.Vote, h.Commit, uint64(h.Lease)} {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

func decodeHard(b []byte) (h hardState, err error) {
	r := newReader(b)
	h.Term, h.Vote, h.Commit = r.uint(), r.uint(), r.uint()
	h.Lease = time.Duration(r.uint())
	return h, r.end("the vote of a group's member")
}

func entryKey(index uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{'e'}, index)
}

func (s *shared) find(n uint64) *Member {
	for i := range s.Members {
		if s.Members[i].ID == n {
			return &s.Members[i]
		}
	}
	return nil
}

func (s *shared) findPeer(who id.ID) *Member {
	for i := range s.Members {
		if s.Members[i].Peer.ID == who {
			return &s.Members[i]
		}
	}
	return nil
}

// wants reports whether a member is one of the wanted ones.
func (s *shared) wants(m Member) bool {
	return slices.ContainsFunc(s.Wanted, func(p machine.Peer) bool { return p.ID == m.Peer.ID })
}

// wantsVote reports whether a wanted member is to have a vote: all are, except
// the second of two.
func (s *shared) wantsVote(who id.ID) bool {
	return len(s.Wanted) != 2 || s.Wanted[1].ID != who
}

func (s *shared) voters() (n int) {
	for _, m := range s.Members {
		if !m.Learner {
			n++
		}
	}
	return n
}

// others are the members besides this one, in order.
func (s *state) others() iter.Seq[Member] {
	members, self := s.Members, s.Self // a change makes another slice
	return func(yield func(Member) bool) {
		for _, m := range members {
			if m.ID != self && !yield(m) {
				return
			}
		}
	}
}

// isOnlyVoter reports whether this node is the only voter.
func (s *state) isOnlyVoter() bool {
	self := s.find(s.Self)
	return self != nil && !self.Learner && s.voters() == 1
}

// conf is the members in the form of the library.
func (s *shared) conf() *pb.ConfState {
	cs := &pb.ConfState{}
	for _, m := range s.Members {
		if m.Learner {
			cs.Learners = append(cs.Learners, m.ID)
		} else {
			cs.Voters = append(cs.Voters, m.ID)
		}
	}
	return cs
}

func (s *shared) clone() shared {
	c := *s
	c.Members, c.Wanted, c.Former = slices.Clone(s.Members), slices.Clone(s.Wanted), slices.Clone(s.Former)
	return c
}

// A change of the members: its context is the member.
func encodeMember(m Member) []byte {
	return appendPeer(binary.AppendUvarint(nil, m.ID), m.Peer)
}

func decodeMember(b []byte) (m Member, err error) {
	r := newReader(b)
	m.ID, m.Peer = r.uint(), r.peer()
	return m, r.end("a change of members")
}

// change applies a change of the members. It returns the member that it is about.
func (s *shared) change(cc *pb.ConfChange) (Member, error) {
	m, err := decodeMember(cc.Context)
	if err != nil || m.ID != cc.GetNodeId() {
		return m, ErrCorrupt
	}
	s.changeMember(cc.GetType(), m)
	return m, nil
}

func (s *shared) changeMember(how pb.ConfChangeType, m Member) {
	i := slices.IndexFunc(s.Members, func(o Member) bool { return o.ID == m.ID })
	switch how {
	case pb.ConfChangeRemoveNode:
		if i >= 0 {
			if !s.Members[i].Learner {
				s.addFormer(s.Members[i].Peer)
			}
			s.Members = slices.Delete(slices.Clone(s.Members), i, i+1)
		}
		return
	case pb.ConfChangeAddLearnerNode:
		m.Learner = true
	case pb.ConfChangeUpdateNode:
		if i >= 0 {
			m.Learner = s.Members[i].Learner
		}
	}
	if !m.Learner {
		s.removeFormer(m.Peer.ID)
	}
	s.Members = slices.Clone(s.Members)
	if i >= 0 {
		s.Members[i] = m
		return
	}
	s.Members = append(s.Members, m)
	s.NextID = max(s.NextID, m.ID+1)
}

// addFormer notes a member that was removed.
func (s *shared) addFormer(p machine.Peer) {
	s.removeFormer(p.ID)
	s.Former = slices.Insert(s.Former, 0, p)
	s.Former = s.Former[:min(len(s.Former), maxFormer)]
}

// removeFormer is when a former member has a vote again. One that was only invited may
// decline, and stays a former one.
func (s *shared) removeFormer(who id.ID) {
	s.Former = slices.DeleteFunc(slices.Clone(s.Former), func(p machine.Peer) bool { return p.ID == who })
}

// The methods that change a state. Records are written by diskWriter.

// set replaces everything: a replica begins, continues or forgets.
func (s *state) set(to state) { *s = to }

// advance is called for each entry that is applied.
func (s *state) advance(index, term uint64) { s.Applied, s.AppliedTerm = index, term }

// want sets the wanted members.
func (s *state) want(peers []machine.Peer) { s.Wanted = peers }

// remove notes that the group continues without this node.
func (s *state) remove() { s.Removed = true }

// truncate notes that the log begins after an index.
func (s *state) truncate(base, term uint64) { s.Base, s.BaseTerm = base, term }

// install takes over the state of a snapshot.
func (s *state) install(from shared) {
	s.shared = from
	s.Base, s.BaseTerm = from.Applied, from.AppliedTerm
}

// recovered is the state of the next generation, of which this node is the only
// member; its log ends at the index given.
func (s *state) recovered(fork, last, term uint64, self machine.Peer, wanted []machine.Peer) state {
	next := *s
	next.Gen = Gen{s.Gen.Number + 1, fork}
	next.Self = s.NextID
	next.Base, next.BaseTerm, next.Applied, next.AppliedTerm = last, term, last, term
	next.NextID++
	for m := range s.others() {
		next.addFormer(m.Peer)
	}
	next.Members = []Member{{ID: next.Self, Peer: self}}
	next.Wanted, next.Restored, next.Basis = wanted, 0, nil
	return next
}

// newGroup is the state of a group of one member. Its log begins after an index that
// nobody has, since newcomers need the content of the space.
func newGroup(gen Gen, self machine.Peer, wanted []machine.Peer) state {
	return state{
		Gen: gen, Self: 1, Base: 1, BaseTerm: 1,
		shared: shared{
			Applied: 1, AppliedTerm: 1, NextID: 2,
			Members: []Member{{ID: 1, Peer: self}},
			Wanted:  wanted,
		},
	}
}
