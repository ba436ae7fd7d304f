package group

import (
	"fmt"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Bounds of what the library has in flight.
const (
	maxMessage     = 1 << 20  // bytes of entries in one message
	maxUncommitted = 32 << 20 // bytes of proposals
	maxInflight    = 128      // messages to one member
	maxInflightB   = 4 << 20  // their bytes
)

// raftNode is Raft's state machine (the library's) and its log. The library panics
// when an invariant is broken, which a member's invalid messages may cause; that
// must end the replica and not the node, so every call goes through guard.
type raftNode struct {
	component
	owner failer
	ready readyHandlers

	rn     *raft.RawNode // nil: the replica is no member of a group
	log    *storage
	opened uint64 // how often open succeeded
}

// readyHandlers take the messages of a raft.Ready.
type readyHandlers struct {
	install      func(*pb.Snapshot) // before the append that it belongs to
	append       func(*pb.Message)
	apply        func(*pb.Message)
	sendSnapshot func(to uint64)
	send         func(*pb.Message)
}

// raftStatus is the library's term and leader.
type raftStatus struct {
	term, lead uint64
	leader     bool
}

// open starts Raft with the replica's state, the hard state and the log.
func (n *raftNode) open(hs hardState, entries []*pb.Entry) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %w: %v", n.cfg.own(), ErrCorrupt, p)
		}
	}()
	hard := &pb.HardState{Term: new(hs.Term), Vote: new(hs.Vote), Commit: new(hs.Commit)}
	n.log = newStorage(n.st.Base, n.st.BaseTerm, hard, func() *shared { return &n.st.shared })
	n.log.add(entries)
	rn, err := raft.NewRawNode(&raft.Config{
		ID: n.st.Self,
		// Only leaders are ticked (election.go), so that the library's random
		// election timeouts are never used.
		HeartbeatTick: 1, ElectionTick: max(2, int(2*n.cfg.MaxElection/n.cfg.Heartbeat)),
		Storage: n.log, Applied: n.st.Applied,
		AsyncStorageWrites: true,
		MaxSizePerMsg:      maxMessage, MaxCommittedSizePerReady: 4 * maxMessage,
		MaxUncommittedEntriesSize: maxUncommitted, MaxInflightMsgs: maxInflight,
		MaxInflightBytes: maxInflightB,
		CheckQuorum:      true, PreVote: true, StepDownOnRemoval: true,
		DisableProposalForwarding: true,
		Logger:                    silentLogger{},
	})
	if err != nil {
		return err
	}
	n.rn = rn
	n.opened++
	return nil
}

func (n *raftNode) close() { n.rn = nil }

// active reports whether the replica is a member of a group.
func (n *raftNode) active() bool { return n.rn != nil }

// instance identifies what the last open started; 0: it is closed.
func (n *raftNode) instance() uint64 {
	if n.rn == nil {
		return 0
	}
	return n.opened
}

// guard calls the library. If it panics, the replica fails.
func (n *raftNode) guard(do func(rn *raft.RawNode)) {
	if n.rn == nil {
		return // it has failed in this handler
	}
	defer func() {
		if p := recover(); p != nil {
			n.owner.fail(fmt.Errorf("the group of %s cannot go on here: %w: %v", n.cfg.Space, ErrInvalidMessage, p))
		}
	}()
	do(n.rn)
}

// step gives a message to Raft. Its errors are about messages to ignore.
func (n *raftNode) step(m *pb.Message) { n.guard(func(rn *raft.RawNode) { _ = rn.Step(m) }) }

func (n *raftNode) tick() { n.guard(func(rn *raft.RawNode) { rn.Tick() }) }

// propose appends entries to the log, without others in between.
func (n *raftNode) propose(parts ...[]byte) (err error) {
	m := &pb.Message{Type: pb.MsgProp.Enum(), From: new(n.st.Self)}
	for _, part := range parts {
		m.Entries = append(m.Entries, &pb.Entry{Data: part})
	}
	n.guard(func(rn *raft.RawNode) { err = rn.Step(m) })
	return err
}

// forgetLeader lets the library vote: while it knows a leader it does not.
func (n *raftNode) forgetLeader() {
	if s := n.status(); s.lead != 0 && !s.leader {
		n.guard(func(rn *raft.RawNode) { _ = rn.ForgetLeader() })
	}
}

func (n *raftNode) reportUnreachable(to uint64) {
	n.guard(func(rn *raft.RawNode) { rn.ReportUnreachable(to) })
}

func (n *raftNode) reportSnapshot(to uint64, s raft.SnapshotStatus) {
	n.guard(func(rn *raft.RawNode) { rn.ReportSnapshot(to, s) })
}

func (n *raftNode) status() raftStatus {
	if n.rn == nil {
		return raftStatus{}
	}
	s := n.rn.BasicStatus()
	return raftStatus{s.GetTerm(), s.Lead, s.RaftState == raft.StateLeader}
}

// progress is how far a member's log is, as the leader knows it.
type progress struct {
	match  uint64
	active bool // follows the log entry by entry
}

func (n *raftNode) progress() map[uint64]progress {
	out := map[uint64]progress{}
	if n.rn == nil {
		return out
	}
	n.rn.WithProgress(func(m uint64, _ raft.ProgressType, pr tracker.Progress) {
		out[m] = progress{pr.Match, pr.State == tracker.StateReplicate}
	})
	return out
}

// pump handles what the library has ready until there is nothing left.
func (n *raftNode) pump() {
	for n.active() && n.rn.HasReady() {
		var rd raft.Ready
		n.guard(func(rn *raft.RawNode) { rd = rn.Ready() })
		for _, m := range rd.Messages {
			if !n.active() {
				return
			}
			n.dispatch(m)
		}
	}
}

func (n *raftNode) dispatch(m *pb.Message) {
	switch {
	case m.GetTo() == raft.LocalAppendThread:
		if s := m.GetSnapshot(); s != nil {
			n.ready.install(s)
		}
		n.ready.append(m)
	case m.GetTo() == raft.LocalApplyThread:
		n.ready.apply(m)
	case m.GetType() == pb.MsgSnap:
		n.ready.sendSnapshot(m.GetTo())
	default:
		n.ready.send(m)
	}
}

// deliver passes on messages that the library allowed only after a write.
func (n *raftNode) deliver(ms []*pb.Message) {
	for _, m := range ms {
		switch {
		case !n.active():
			return
		case m.GetTo() == n.st.Self:
			n.step(m)
		default:
			n.ready.send(m)
		}
	}
}

// lastEntry is the index and the term of the log's last entry.
func (n *raftNode) lastEntry() (index, term uint64, err error) {
	index, _ = n.log.LastIndex()
	term, err = n.log.Term(index)
	return index, term, err
}

// storage is the log as the library reads it; diskWriter adds what is synced.
func (n *raftNode) storage() *storage { return n.log }

func (n *raftNode) logBytes() int { return n.log.bytes }

// unappliedWrites are the writes of the log's entries that are not applied.
func (n *raftNode) unappliedWrites() (changes []machine.DiskWrite, err error) {
	var whole partialWrite
	last, _ := n.log.LastIndex()
	for i := n.st.Applied + 1; i <= last; i++ {
		es, err := n.log.Entries(i, i+1, 1)
		if err != nil {
			return nil, err
		}
		if d := whole.join(es[0].GetType(), es[0].GetData()); len(d) > 0 && d[0] == entryWrites && es[0].GetType() == pb.EntryNormal {
			_, ws, err := decodeWrites(n.cfg.Space, d)
			if err != nil {
				return nil, err
			}
			changes = append(changes, ws...)
		}
	}
	return changes, nil
}
