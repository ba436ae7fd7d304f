package group

import (
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A member whose log ends before the leader's begins gets the whole space: the
// leader reads it once, at one index, and sends it in chunks, a few ahead of
// what has been confirmed. The receiver gathers them in memory and puts them in
// the place of what it had by one atomic write, together with the index. If
// anything goes wrong the transfer begins anew.

const (
	maxChunksInFlight = 4               // chunks on their way
	chunkTimeout      = 5 * time.Second // without a confirmation
)

type snapshots struct {
	transfers map[uint64]*snapshotTransfer
	source    *spaceSnapshot // what the streams send
	reading   bool
	in        *incoming
	arrived   *incoming // complete, on its way through the library
	started   int       // transfers that were begun, for tests
}

// spaceSnapshot is the whole space at one index.
type spaceSnapshot struct {
	state shared
	data  []byte
}

// snapshotTransfer is a transfer to one member.
type snapshotTransfer struct {
	source    *spaceSnapshot
	pos       int // of from.data
	seq       uint32
	confirmed uint32 // confirmed
	at        machine.Time
	done      bool
}

// incoming is a transfer to this replica.
type incoming struct {
	from        uint64
	term, index uint64
	seq         uint32 // the next
	state       shared
	data        []byte
	kvs         []machine.KV // once it is complete
}

func (s *snapshots) init() {
	*s = snapshots{transfers: map[uint64]*snapshotTransfer{}, started: s.started}
}

// start begins a transfer, unless there is one.
func (s *snapshots) start(r *Replica, to uint64) {
	if s.transfers[to] != nil {
		return
	}
	st := &snapshotTransfer{at: r.env.Now()}
	s.transfers[to] = st
	s.started++
	if c := s.source; c != nil && c.state.Applied >= r.st.Base && c.state.find(to) != nil {
		st.source = c
		s.sendChunks(r, to)
		return
	}
	if s.reading {
		return
	}
	s.reading = true
	c := &spaceSnapshot{}
	of := r.rn
	r.reads.queued = append(r.reads.queued, read{
		begin: func() { c.state = r.st.clone() },
		then: func(kvs []machine.KV, err error) {
			if r.rn != of {
				return
			}
			s.reading = false
			for _, kv := range kvs {
				c.data = appendKV(c.data, kv)
			}
			s.onSpaceRead(r, c, err)
		},
	})
}

func (s *snapshots) onSpaceRead(r *Replica, c *spaceSnapshot, err error) {
	if err == nil {
		s.source = c
	}
	for _, m := range r.st.Members {
		st := s.transfers[m.ID]
		if st == nil || st.source != nil {
			continue
		}
		if err != nil || c.state.find(m.ID) == nil {
			s.fail(r, m.ID)
			continue
		}
		st.source = c
		s.sendChunks(r, m.ID)
	}
}

// sendChunks sends as many chunks as may be on their way.
func (s *snapshots) sendChunks(r *Replica, to uint64) {
	st := s.transfers[to]
	for !st.done && st.seq < st.confirmed+maxChunksInFlight {
		c := &Chunk{
			Space: r.cfg.Space, Gen: r.st.Gen, From: r.st.Self, To: to, Term: r.raftStatus().term,
			Index: st.source.state.Applied, Seq: st.seq,
		}
		if st.seq == 0 {
			c.State = st.source.state.append(nil)
		}
		end := min(st.pos+r.cfg.Chunk, len(st.source.data))
		c.Data, st.pos = st.source.data[st.pos:end:end], end
		c.Last = end == len(st.source.data)
		st.done = c.Last
		st.seq++
		r.send(to, c)
	}
}

// onChunkAck goes on with a transfer.
func (r *Replica) onChunkAck(m *ChunkAck) {
	st := r.snaps.transfers[m.From]
	if r.phase != member || m.Gen != r.st.Gen || m.To != r.st.Self || st == nil || st.source == nil || m.Index != st.source.state.Applied {
		return
	}
	switch {
	case m.Refused:
		r.snaps.fail(r, m.From)
	case st.done && m.Seq == st.seq-1:
		r.snaps.drop(m.From)
		r.guard(func() { r.rn.ReportSnapshot(m.From, raft.SnapshotFinish) })
	case m.Seq >= st.confirmed && m.Seq < st.seq:
		st.confirmed, st.at = m.Seq+1, r.env.Now()
		r.snaps.sendChunks(r, m.From)
	}
}

// drop forgets a transfer, and the copy when nobody needs it.
func (s *snapshots) drop(to uint64) {
	delete(s.transfers, to)
	if len(s.transfers) == 0 {
		s.source = nil
	}
}

// fail ends a transfer; the library asks for another.
func (s *snapshots) fail(r *Replica, to uint64) {
	if s.transfers[to] != nil {
		s.drop(to)
		r.guard(func() { r.rn.ReportSnapshot(to, raft.SnapshotFailure) })
	}
}

// check ends transfers that stand still.
func (s *snapshots) check(r *Replica, now machine.Time) {
	for m := range r.others() {
		if st := s.transfers[m.ID]; st != nil && now.Sub(st.at) > chunkTimeout {
			s.fail(r, m.ID)
		}
	}
}

// onChunk gathers a snapshot.
func (r *Replica) onChunk(from machine.Peer, c *Chunk) {
	if r.phase != member || c.Gen != r.st.Gen || c.To != r.st.Self {
		return
	}
	if p, known := r.addressOf(c.From); !known || p.ID != from.ID || c.Term != r.raftStatus().term {
		return
	}
	in := r.snaps.in
	if c.Seq == 0 {
		rd := reader{b: c.State}
		in = &incoming{from: c.From, term: c.Term, index: c.Index, state: rd.shared()}
		if rd.end("a snapshot") != nil || in.state.Applied != c.Index || in.state.find(r.st.Self) == nil {
			in = nil
		}
	}
	ack := &ChunkAck{Space: c.Space, Gen: c.Gen, From: r.st.Self, To: c.From, Index: c.Index, Seq: c.Seq}
	switch {
	case r.raftStatus().lead != c.From: // it may be the leader, and be known as such soon
		in, ack.Refused = r.snaps.in, true
	case !in.add(c, r.cfg.MaxSpace):
		in, ack.Refused = nil, true
	}
	r.snaps.in = in
	if r.link(from) {
		r.env.Send(from, ack)
	}
	if in == nil || !c.Last || ack.Refused {
		return
	}
	r.snaps.in, r.snaps.arrived = nil, in
	r.step(&pb.Message{
		Type: pb.MsgSnap.Enum(), From: new(c.From), To: new(r.st.Self), Term: new(c.Term),
		Snapshot: &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
			Index: new(c.Index), Term: new(in.state.AppliedTerm), ConfState: in.state.conf(),
		}},
	})
	r.pump()
	r.snaps.arrived = nil // installed, or no longer needed
}

// add takes the next chunk; it reports whether it fits.
func (in *incoming) add(c *Chunk, limit int) bool {
	if in == nil || c.From != in.from || c.Index != in.index || c.Seq != in.seq || len(in.data)+len(c.Data) > limit {
		return false
	}
	in.seq++
	in.data = append(in.data, c.Data...)
	if !c.Last {
		return true
	}
	var err error
	in.kvs, err = decodeKVs(in.data)
	return err == nil
}

// install puts a snapshot in the place of everything.
func (r *Replica) install(s *pb.Snapshot) {
	in := r.snaps.arrived
	if in == nil || in.index != s.GetMetadata().GetIndex() {
		r.fail(ErrInvalidMessage)
		return
	}
	b := &r.batch
	b.snap, b.entries, b.state, b.urgent = in, nil, true, true
	b.changes = []machine.DiskWrite{{Space: r.cfg.Space, DeletePrefix: [][]byte{{}}, Put: in.kvs}}
	r.partialWrite = nil
	if r.onApply != nil {
		r.onApply(in.index, in.state.AppliedTerm, nil)
	}
	r.st.shared = in.state
	r.st.Base, r.st.BaseTerm = in.state.Applied, in.state.AppliedTerm
	for m := range r.others() {
		r.link(m.Peer)
	}
	r.emit(r.ev.OnChange)
}
