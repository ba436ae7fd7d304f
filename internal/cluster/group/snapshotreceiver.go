package group

import (
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// snapshotReceiver gathers the chunks of a snapshot in memory. When they are complete,
// Raft gets the metadata; if it accepts the snapshot, one atomic write replaces log,
// state and space.
type snapshotReceiver struct {
	component
	raft    *raftNode
	disk    *diskWriter
	applier *applier
	outbox  *outbox
	links   *links
	owner   failer

	in       *incoming
	complete *incoming // while Raft decides about it
}

// incoming is a snapshot that is received.
type incoming struct {
	from  uint64
	index uint64
	seq   uint32 // of the next chunk
	state shared
	data  []byte
	kvs   []machine.KV // once it is complete
}

func (s *snapshotReceiver) reset() { s.in, s.complete = nil, nil }

// onChunk takes a chunk and acknowledges it.
func (s *snapshotReceiver) onChunk(from machine.Peer, c *Chunk) {
	if !s.raft.active() || c.Gen != s.st.Gen || c.To != s.st.Self {
		return
	}
	now := s.raft.status()
	if p, known := s.outbox.addressOf(c.From); !known || p.ID != from.ID || c.Term != now.term {
		return
	}
	in := s.in
	if c.Seq == 0 {
		in = s.begin(c)
	}
	ack := &ChunkAck{Space: c.Space, Gen: c.Gen, From: s.st.Self, To: c.From, Index: c.Index, Seq: c.Seq}
	switch {
	case now.lead != c.From: // it may be the leader, and be known as such soon
		in, ack.Refused = s.in, true
	case !in.add(c, s.cfg.MaxSpace):
		in, ack.Refused = nil, true
	}
	s.in = in
	s.outbox.postTo(from, ack)
	if in != nil && c.Last && !ack.Refused {
		s.finish(in, c.Term)
	}
}

// begin begins with a first chunk; nil: it is invalid.
func (s *snapshotReceiver) begin(c *Chunk) *incoming {
	rd := newReader(c.State)
	in := &incoming{from: c.From, index: c.Index, state: rd.shared(stateVersion)}
	if rd.end("a snapshot") != nil || in.state.Applied != c.Index || in.state.find(s.st.Self) == nil {
		return nil
	}
	return in
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

// finish gives a complete snapshot to Raft, which calls install if it needs it.
func (s *snapshotReceiver) finish(in *incoming, term uint64) {
	s.in, s.complete = nil, in
	s.raft.step(&pb.Message{
		Type: pb.MsgSnap.Enum(), From: new(in.from), To: new(s.st.Self), Term: new(term),
		Snapshot: &pb.Snapshot{Metadata: &pb.SnapshotMetadata{
			Index: new(in.index), Term: new(in.state.AppliedTerm), ConfState: in.state.conf(),
		}},
	})
	s.raft.pump()
	s.complete = nil
}

// install replaces everything by the complete snapshot.
func (s *snapshotReceiver) install(snap *pb.Snapshot) {
	in := s.complete
	if in == nil || in.index != snap.GetMetadata().GetIndex() {
		s.owner.fail(ErrInvalidMessage)
		return
	}
	s.disk.install(in)
	s.applier.snapshot(in.index, in.state.AppliedTerm)
	s.st.install(in.state)
	if s.cfg.Installed != nil {
		s.cfg.Installed(in.state.Basis, in.kvs)
	}
	s.links.openAll()
	s.events.changed()
}
