package group

import (
	"time"

	"go.etcd.io/raft/v3"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// snapshotSender sends the whole space to members whose logs end before the leader's
// begins (thesis 5). The leader reads the space once, at one index, for all of them,
// and sends it in chunks, a few ahead of what is acknowledged. A transfer that
// breaks or stalls begins anew.
type snapshotSender struct {
	component
	raft   *raftNode
	reads  *reads
	outbox *outbox

	transfers map[uint64]*snapshotTransfer // by member
	source    *spaceSnapshot               // what new transfers send
	reading   bool                         // source is being read
	started   int                          // transfers so far, for tests
}

const (
	maxChunksInFlight = 4
	chunkTimeout      = 5 * time.Second // without an acknowledgement
)

// spaceSnapshot is the whole space at one index.
type spaceSnapshot struct {
	state shared
	data  []byte
}

// snapshotTransfer is a transfer to one member.
type snapshotTransfer struct {
	source *spaceSnapshot
	pos    int    // of source.data
	seq    uint32 // of the next chunk
	acked  uint32 // chunks before this one are acknowledged
	at     machine.Time
	done   bool // all chunks are sent
}

func (s *snapshotSender) reset() {
	s.transfers, s.source, s.reading = map[uint64]*snapshotTransfer{}, nil, false
}

// sending reports whether a transfer is in progress.
func (s *snapshotSender) sending() bool { return len(s.transfers) > 0 }

// start begins a transfer, unless there is one.
func (s *snapshotSender) start(to uint64) {
	if s.transfers[to] != nil {
		return
	}
	t := &snapshotTransfer{at: s.now()}
	s.transfers[to] = t
	s.started++
	if c := s.source; c != nil && c.state.Applied >= s.st.Base && c.state.find(to) != nil {
		t.source = c
		s.sendChunks(to)
		return
	}
	if !s.reading {
		s.read()
	}
}

// read reads the space.
func (s *snapshotSender) read() {
	s.reading = true
	c := &spaceSnapshot{}
	instance := s.raft.instance()
	s.reads.add(read{
		begin: func() { c.state = s.st.clone() },
		then: func(kvs []machine.KV, err error) {
			if s.raft.instance() != instance {
				return
			}
			s.reading = false
			for _, kv := range kvs {
				c.data = appendKV(c.data, kv)
			}
			s.onRead(c, err)
		},
	})
}

func (s *snapshotSender) onRead(c *spaceSnapshot, err error) {
	if err == nil {
		s.source = c
	}
	for _, m := range s.st.Members {
		t := s.transfers[m.ID]
		if t == nil || t.source != nil {
			continue
		}
		if err != nil || c.state.find(m.ID) == nil {
			s.fail(m.ID)
			continue
		}
		t.source = c
		s.sendChunks(m.ID)
	}
}

// sendChunks sends as many chunks as may be in flight.
func (s *snapshotSender) sendChunks(to uint64) {
	t := s.transfers[to]
	for !t.done && t.seq < t.acked+maxChunksInFlight {
		c := &Chunk{
			Space: s.cfg.Space, Gen: s.st.Gen, From: s.st.Self, To: to, Term: s.raft.status().term,
			Index: t.source.state.Applied, Seq: t.seq,
		}
		if t.seq == 0 {
			c.State = t.source.state.append(nil)
		}
		end := min(t.pos+s.cfg.Chunk, len(t.source.data))
		c.Data, t.pos = t.source.data[t.pos:end:end], end
		c.Last = end == len(t.source.data)
		t.done = c.Last
		t.seq++
		s.outbox.send(to, c)
	}
}

// onAck continues a transfer.
func (s *snapshotSender) onAck(m *ChunkAck) {
	t := s.transfers[m.From]
	if !s.raft.active() || m.Gen != s.st.Gen || m.To != s.st.Self || t == nil || t.source == nil || m.Index != t.source.state.Applied {
		return
	}
	switch {
	case m.Refused:
		s.fail(m.From)
	case t.done && m.Seq == t.seq-1:
		s.drop(m.From)
		s.raft.reportSnapshot(m.From, raft.SnapshotFinish)
	case m.Seq >= t.acked && m.Seq < t.seq:
		t.acked, t.at = m.Seq+1, s.now()
		s.sendChunks(m.From)
	}
}

// drop forgets a transfer, and the copy of the space when it was the last.
func (s *snapshotSender) drop(to uint64) {
	delete(s.transfers, to)
	if len(s.transfers) == 0 {
		s.source = nil
	}
}

// fail ends a transfer; the library asks for another.
func (s *snapshotSender) fail(to uint64) {
	if s.transfers[to] != nil {
		s.drop(to)
		s.raft.reportSnapshot(to, raft.SnapshotFailure)
	}
}

// failStalled ends transfers that are not acknowledged.
func (s *snapshotSender) failStalled() {
	for m := range s.st.others() {
		if t := s.transfers[m.ID]; t != nil && s.now().Sub(t.at) > chunkTimeout {
			s.fail(m.ID)
		}
	}
}
