package group

import (
	"encoding/binary"
	"slices"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Member is a member of a group. Its ID is given once and never again: a node
// that comes back without its log is another member.
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
	Removed bool // the group goes on without this node
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
}

const stateVersion = 1

func (s *shared) append(b []byte) []byte {
	b = binary.AppendUvarint(b, s.Applied)
	b = binary.AppendUvarint(b, s.AppliedTerm)
	b = binary.AppendUvarint(b, s.NextID)
	b = binary.AppendUvarint(b, uint64(len(s.Members)))
	for _, m := range s.Members {
		b = binary.AppendUvarint(b, m.ID)
		b = append(appendPeer(b, m.Peer), bit(m.Learner))
	}
	b = binary.AppendUvarint(b, uint64(len(s.Wanted)))
	for _, p := range s.Wanted {
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

func (r *reader) shared() (s shared) {
	s.Applied, s.AppliedTerm, s.NextID = r.uint(), r.uint(), r.uint()
	for n := r.count(peerSize + 2); n > 0; n-- {
		m := Member{ID: r.uint(), Peer: r.peer()}
		m.Learner = r.take(1)[0] == 1
		s.Members = append(s.Members, m)
	}
	s.Wanted = r.peers()
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
	r := reader{b: b}
	if r.take(1)[0] != stateVersion {
		r.bad = true
	}
	s.Removed = r.take(1)[0] == 1
	s.Gen = Gen{r.uint(), r.uint()}
	s.Self, s.Base, s.BaseTerm = r.uint(), r.uint(), r.uint()
	s.shared = r.shared()
	return s, r.end("the state of a group")
}

// hardState is what Raft must remember (thesis 3.8), and the longest lease
// that may be outstanding: after a restart it is kept from the beginning.
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
	r := reader{b: b}
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

// wantsVote reports whether somebody who is wanted is to have a vote.
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

// conf is the members as the library wants them.
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
	c.Members, c.Wanted = slices.Clone(s.Members), slices.Clone(s.Wanted)
	return c
}

// A change of the members: its context is the member.
func encodeMember(m Member) []byte {
	return appendPeer(binary.AppendUvarint(nil, m.ID), m.Peer)
}

func decodeMember(b []byte) (m Member, err error) {
	r := reader{b: b}
	m.ID, m.Peer = r.uint(), r.peer()
	return m, r.end("a change of members")
}

// change applies a change of the members to the table.
func (s *shared) change(cc *pb.ConfChange) error {
	m, err := decodeMember(cc.Context)
	if err != nil || m.ID != cc.GetNodeId() {
		return ErrCorrupt
	}
	i := slices.IndexFunc(s.Members, func(o Member) bool { return o.ID == m.ID })
	switch cc.GetType() {
	case pb.ConfChangeRemoveNode:
		if i >= 0 {
			s.Members = slices.Delete(slices.Clone(s.Members), i, i+1)
		}
		return nil
	case pb.ConfChangeAddLearnerNode:
		m.Learner = true
	case pb.ConfChangeUpdateNode:
		if i >= 0 {
			m.Learner = s.Members[i].Learner
		}
	}
	s.Members = slices.Clone(s.Members)
	if i >= 0 {
		s.Members[i] = m
		return nil
	}
	s.Members = append(s.Members, m)
	s.NextID = max(s.NextID, m.ID+1)
	return nil
}
