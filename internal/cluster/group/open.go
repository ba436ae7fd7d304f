package group

import (
	"fmt"
	"math"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Tags of jobs; reads have those from tagReads on.
const (
	tagLoad = iota + 1
	tagWrite
	tagErase
	tagIgnored
	tagReads
)

// Bounds of what is on its way.
const (
	maxMessage     = 1 << 20  // bytes of entries in one message
	maxUncommitted = 32 << 20 // bytes of proposals
	maxInflight    = 128      // messages to one member
	maxInflightB   = 4 << 20  // their bytes
)

// OnDone implements machine.Machine.
func (r *Replica) OnDone(tag uint64, result any, err error) {
	defer r.begin()()
	switch {
	case tag == tagLoad:
		r.onLoaded(result, err)
	case tag == tagWrite:
		r.onWritten(err)
	case tag == tagIgnored:
	case tag == tagErase:
		r.onErased(err)
	default:
		r.onRead(tag, result, err)
	}
}

// onLoaded begins with what the disk knows.
func (r *Replica) onLoaded(result any, err error) {
	if r.phase != loading {
		return
	}
	kvs, ok := result.([]machine.KV)
	if err == nil && !ok {
		err = fmt.Errorf("the disk answered with %T", result)
	}
	if err != nil {
		r.disk.err = fmt.Errorf("%s cannot be read: %w", r.own(), err)
		r.clock.loadAt = r.env.Now().Add(retryDisk)
		return
	}
	r.disk.err = nil
	r.phase = blank
	if len(kvs) > 0 {
		r.resume(kvs)
	} else if r.first != nil {
		r.create(r.first.after, r.first.members)
	}
	early := r.queued
	r.queued = nil
	for _, l := range early {
		r.OnMessage(l.from, l.m)
	}
}

// resume goes on where the replica was when it was stopped.
func (r *Replica) resume(kvs []machine.KV) {
	var hs hardState
	var entries []*pb.Entry
	err := fmt.Errorf("no record of the group: %w", ErrCorrupt)
	for _, kv := range kvs {
		switch k := string(kv.Key); {
		case k == "m":
			r.st, err = decodeState(kv.Value)
		case k == "h":
			var bad error
			if hs, bad = decodeHard(kv.Value); bad != nil {
				r.fail(bad)
				return
			}
		default:
			e, bad := decodeEntry(k, kv.Value)
			if bad != nil {
				r.fail(fmt.Errorf("%s: %w", r.own(), bad))
				return
			}
			entries = append(entries, e)
		}
	}
	switch {
	case err != nil:
		r.fail(err)
	case r.st.Removed:
		r.fail(ErrRemoved)
	default:
		r.hs = hs
		r.open(entries)
		r.grantLease(hs.Lease)
	}
}

// decodeEntry reads an entry of the log and its key.
func decodeEntry(key string, value []byte) (*pb.Entry, error) {
	e := &pb.Entry{}
	if len(key) != 9 || key[0] != 'e' || proto.Unmarshal(value, e) != nil || string(entryKey(e.GetIndex())) != key {
		return nil, fmt.Errorf("record %q: %w", key, ErrCorrupt)
	}
	return e, nil
}

// create begins a group of this node alone. The log begins behind an index
// that nobody has: newcomers need the content of the space. Of two groups that
// were begun apart the one that was begun first has the greater fork: it is
// the one that has been lived in for longer.
func (r *Replica) create(after uint64, members []machine.Peer) {
	r.st = state{
		Gen:  Gen{after + 1, ^uint64(r.env.Now())&^0xffff | r.env.Rand().Uint64()&0xffff},
		Self: 1, Base: 1, BaseTerm: 1,
		shared: shared{
			Applied: 1, AppliedTerm: 1, NextID: 2,
			Members: []Member{{ID: 1, Peer: r.cfg.Self}},
			Wanted:  members,
		},
	}
	r.hs = hardState{Term: 1, Commit: 1}
	r.batch.state, r.batch.urgent = true, true
	r.open(nil)
}

// join becomes the member that a leader has taken in.
func (r *Replica) join(from machine.Peer, m *Message) {
	r.st = state{Gen: m.Gen, Self: m.To}
	r.hs = hardState{}
	r.outbox.addr[m.From] = from
	r.batch.state, r.batch.urgent = true, true
	r.open(nil)
}

// open starts Raft with r.st, r.hs and the log.
func (r *Replica) open(entries []*pb.Entry) {
	defer func() {
		if p := recover(); p != nil {
			r.fail(fmt.Errorf("%s: %w: %v", r.own(), ErrCorrupt, p))
		}
	}()
	hard := &pb.HardState{Term: new(r.hs.Term), Vote: new(r.hs.Vote), Commit: new(r.hs.Commit)}
	r.log = newStorage(r.st.Base, r.st.BaseTerm, hard, func() *shared { return &r.st.shared })
	r.log.add(entries)
	r.diskLast, _ = r.log.LastIndex()
	rn, err := raft.NewRawNode(&raft.Config{
		ID: r.st.Self,
		// Only leaders are ticked (clock.go), so that the library's random
		// election timeouts are never looked at.
		HeartbeatTick: 1, ElectionTick: max(2, int(2*r.cfg.MaxElection/r.cfg.Heartbeat)),
		Storage: r.log, Applied: r.st.Applied,
		AsyncStorageWrites: true,
		MaxSizePerMsg:      maxMessage, MaxCommittedSizePerReady: 4 * maxMessage,
		MaxUncommittedEntriesSize: maxUncommitted, MaxInflightMsgs: maxInflight,
		MaxInflightBytes: maxInflightB,
		CheckQuorum:      true, PreVote: true, StepDownOnRemoval: true,
		DisableProposalForwarding: true,
		Logger:                    silentLogger{},
	})
	if err != nil {
		r.fail(err)
		return
	}
	r.rn, r.phase = rn, member
	r.lead.init()
	r.snaps.init()
	r.clock = electionClock{armed: r.clock.armed, timerGen: r.clock.timerGen}
	r.membership, r.hibernation, r.partialWrite = membershipChange{}, hibernation{}, nil
	for _, m := range r.st.Members {
		if m.ID != r.st.Self {
			r.link(m.Peer)
		}
	}
	r.grantLease(0)
	r.emit(r.ev.OnChange)
}

// step gives a message to Raft. A member's invalid messages must not end the node.
func (r *Replica) step(m *pb.Message) {
	r.guard(func() { _ = r.rn.Step(m) }) // its errors are about messages to ignore
}

// guard calls into the library, which panics when an invariant is broken.
func (r *Replica) guard(do func()) {
	defer func() {
		if p := recover(); p != nil {
			r.fail(fmt.Errorf("the group of %s cannot go on here: %w: %v", r.cfg.Space, ErrInvalidMessage, p))
		}
	}()
	do()
}

const (
	forever   = machine.Time(math.MaxInt64)
	retryDisk = 250 * time.Millisecond
)
