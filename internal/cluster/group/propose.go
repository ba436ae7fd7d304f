package group

import (
	"encoding/binary"
	"fmt"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Bounds of batching: what waits goes as one entry, while not too many are on
// their way.
const (
	maxInflightEntries = 8
	maxWaitingBytes    = 64 << 20
)

// proposals are the writes that the leader was asked for.
type proposals struct {
	waiting  []proposal
	bytes    int // of waiting
	inflight []inflightEntry
	seq      uint64
}

type proposal struct {
	tag  uint64
	data []byte
}

// inflightEntry is an entry that is not committed yet.
type inflightEntry struct {
	term, seq uint64
	tags      []uint64
}

// Propose asks for a write of the space; OnResult tells how it ended. Proposals
// are applied in the order in which they are made and need not wait for each
// other. The Space of the write is ignored.
func (r *Replica) Propose(tag uint64, w machine.DiskWrite) {
	defer r.begin()()
	if !r.lead.leads {
		r.result(tag, nil, ErrNotLeader)
		return
	}
	data := appendWrite(nil, w)
	switch {
	case len(data) > r.cfg.MaxWrite:
		r.result(tag, nil, fmt.Errorf("%d bytes: %w", len(data), ErrTooLarge))
	case r.props.bytes+len(data) > maxWaitingBytes:
		r.result(tag, nil, ErrBusy)
	default:
		r.props.waiting = append(r.props.waiting, proposal{tag, data})
		r.props.bytes += len(data)
	}
}

func (r *Replica) result(tag uint64, result any, err error) {
	r.emit(func() { r.ev.OnResult(tag, result, err) })
}

// proposeWaiting gives waiting proposals to Raft.
func (r *Replica) proposeWaiting() {
	p := &r.props
	for r.lead.leads && r.lead.transferee == 0 && len(p.waiting) > 0 && len(p.inflight) < maxInflightEntries {
		n, size := 0, 0
		for n < len(p.waiting) && (n == 0 || size+len(p.waiting[n].data) <= r.cfg.MaxEntry) {
			size += len(p.waiting[n].data)
			n++
		}
		p.seq++
		f := inflightEntry{term: r.raftStatus().term, seq: p.seq}
		data := make([]byte, 0, size+16)
		data = binary.AppendUvarint(append(data, entryWrites), p.seq)
		data = binary.AppendUvarint(data, uint64(n))
		for _, w := range p.waiting[:n] {
			data = append(data, w.data...)
			f.tags = append(f.tags, w.tag)
		}
		p.waiting = p.waiting[n:]
		p.bytes -= size
		if err := r.appendEntries(entries(data, r.cfg.MaxEntry)); err != nil {
			for _, t := range f.tags {
				r.result(t, nil, ErrBusy)
			}
			continue
		}
		p.inflight = append(p.inflight, f)
		r.pump()
	}
}

// appendEntries puts entries into the log, one behind the other.
func (r *Replica) appendEntries(parts [][]byte) (err error) {
	m := &pb.Message{Type: pb.MsgProp.Enum(), From: new(r.st.Self)}
	for _, part := range parts {
		m.Entries = append(m.Entries, &pb.Entry{Data: part})
	}
	r.guard(func() { err = r.rn.Step(m) })
	return err
}

// proposeBarrier puts an entry without writes behind those that were on their way when
// leadership for the owner ended. They may be applied yet; an owner that began
// before that in the same term would not know of them, and what it remembers
// and what is on the disks would be two worlds.
func (r *Replica) proposeBarrier() {
	now := r.raftStatus()
	if l := &r.lead; !now.leader || l.uncertainTerm != now.term || l.barrier != 0 {
		return
	}
	r.props.seq++
	data := binary.AppendUvarint([]byte{entryWrites}, r.props.seq)
	if r.appendEntries([][]byte{binary.AppendUvarint(data, 0)}) == nil {
		r.lead.barrier = r.props.seq
		r.pump()
	}
}

// onBarrierApplied is when an entry of writes is applied.
func (l *leadership) onBarrierApplied(term, seq uint64) {
	if l.uncertainTerm == term && l.barrier == seq {
		l.uncertainTerm, l.barrier = 0, 0
	}
}

// done ends the proposals of an entry that is committed.
func (p *proposals) done(r *Replica, term, seq uint64) {
	if len(p.inflight) == 0 || p.inflight[0].term != term || p.inflight[0].seq != seq {
		return
	}
	tags := p.inflight[0].tags
	p.inflight = p.inflight[1:]
	for _, t := range tags {
		r.result(t, nil, nil)
	}
}

// abort ends everything: what was not given to Raft is known not to be applied.
func (p *proposals) abort(r *Replica, why error) {
	for _, f := range p.inflight {
		for _, t := range f.tags {
			r.result(t, nil, fmt.Errorf("%w (%w)", ErrUnknown, why))
		}
	}
	for _, w := range p.waiting {
		r.result(w.tag, nil, fmt.Errorf("%w (%w)", ErrNotLeader, why))
	}
	p.inflight, p.waiting, p.bytes = nil, nil, 0
}

func (p *proposals) idle() bool { return len(p.waiting) == 0 && len(p.inflight) == 0 }

// reads are reads of the space. They wait until what was applied before is
// given to the disk, and go through the same queue.
type reads struct {
	next       uint64
	queued     []read
	inProgress map[uint64]read
}

type read struct {
	prefix []byte
	then   func(kvs []machine.KV, err error)
	begin  func() // when it is given to the disk
	owner  bool   // asked by the owner: ends with leadership
}

func (q *reads) waiting() bool { return len(q.queued) > 0 }

// Read reads the space as it is after everything that was committed so far;
// OnResult has the keys.
func (r *Replica) Read(tag uint64, d machine.DiskRead) {
	defer r.begin()()
	if !r.lead.leads {
		r.result(tag, nil, ErrNotLeader)
		return
	}
	then := func(kvs []machine.KV, err error) {
		if err != nil {
			r.result(tag, nil, err)
			return
		}
		r.result(tag, kvs, nil)
	}
	r.reads.queued = append(r.reads.queued, read{prefix: d.Prefix, then: then, owner: true})
}

// issueReads gives reads to the disk once nothing is applied that is not on its
// way there.
func (r *Replica) issueReads() {
	if len(r.reads.queued) == 0 || len(r.batch.changes) > 0 || r.batch.snap != nil || r.disk.err != nil || r.log == nil {
		return
	}
	if r.reads.inProgress == nil {
		r.reads.inProgress = map[uint64]read{}
	}
	for _, q := range r.reads.queued {
		if q.begin != nil {
			q.begin()
		}
		r.reads.next++
		r.reads.inProgress[tagReads+r.reads.next] = q
		r.env.Do(r.queue(), tagReads+r.reads.next, machine.DiskRead{Space: r.cfg.Space, Prefix: q.prefix})
	}
	r.reads.queued = nil
}

func (r *Replica) onRead(tag uint64, result any, err error) {
	q, ok := r.reads.inProgress[tag]
	if !ok {
		return
	}
	delete(r.reads.inProgress, tag)
	kvs, ok := result.([]machine.KV)
	if err == nil && !ok {
		err = fmt.Errorf("the disk answered with %T", result)
	}
	q.then(kvs, err)
}

// abort ends the reads that the owner began as leader.
func (q *reads) abort(why error) {
	keep := q.queued[:0]
	for _, a := range q.queued {
		if a.owner {
			a.then(nil, fmt.Errorf("%w (%w)", ErrNotLeader, why))
		} else {
			keep = append(keep, a)
		}
	}
	q.queued = keep
	for tag := tagReads; tag <= tagReads+int(q.next); tag++ {
		if a, ok := q.inProgress[uint64(tag)]; ok && a.owner {
			delete(q.inProgress, uint64(tag))
			a.then(nil, fmt.Errorf("%w (%w)", ErrNotLeader, why))
		}
	}
}
