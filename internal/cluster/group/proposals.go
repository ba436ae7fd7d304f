package group

import (
	"encoding/binary"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Bounds of batching: waiting writes form one entry while not too many entries are
// in flight.
const (
	maxInflightEntries = 8
	maxWaitingBytes    = 64 << 20
)

// proposals are the writes that the owner of a leader asked for, until they are
// committed or fail.
//
// A leader may lose its lease and regain it in the same term. Entries that were in
// flight then ended with ErrUnknown and may still be applied; an owner that began
// before that would not know of them, and its memory and the disks would differ. So
// an entry without writes, the barrier, is appended behind them, and the replica
// does not lead again in that term until it is applied.
type proposals struct {
	component
	raft *raftNode

	waiting  []proposal
	bytes    int // of waiting
	inflight []inflightEntry
	seq      uint64

	uncertainTerm uint64 // the term in which entries were in flight when leadership ended
	barrier       uint64 // number of the barrier; 0: it is not in the log yet
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

// reset forgets the barrier: the log begins anew.
func (p *proposals) reset() { p.uncertainTerm, p.barrier = 0, 0 }

// add takes a write. Its Space is ignored.
func (p *proposals) add(tag uint64, w machine.DiskWrite) {
	data := appendWrite(nil, w)
	switch {
	case len(data) > p.cfg.MaxWrite:
		p.events.result(tag, nil, fmt.Errorf("%d bytes: %w", len(data), ErrTooLarge))
	case p.bytes+len(data) > maxWaitingBytes:
		p.events.result(tag, nil, ErrBusy)
	default:
		p.waiting = append(p.waiting, proposal{tag, data})
		p.bytes += len(data)
	}
}

// mayPropose reports whether waiting writes may become an entry.
func (p *proposals) mayPropose() bool {
	return len(p.waiting) > 0 && len(p.inflight) < maxInflightEntries
}

// inFlight reports whether entries are in flight.
func (p *proposals) inFlight() bool { return len(p.inflight) > 0 }

func (p *proposals) idle() bool { return len(p.waiting) == 0 && len(p.inflight) == 0 }

// propose gives waiting writes to Raft as one entry, if that is not too large. It
// reports whether Raft accepted it.
func (p *proposals) propose() bool {
	n, size := 0, 0
	for n < len(p.waiting) && (n == 0 || size+len(p.waiting[n].data) <= p.cfg.MaxEntry) {
		size += len(p.waiting[n].data)
		n++
	}
	p.seq++
	f := inflightEntry{term: p.raft.status().term, seq: p.seq}
	data := make([]byte, 0, size+16)
	data = binary.AppendUvarint(append(data, entryWrites), p.seq)
	data = binary.AppendUvarint(data, uint64(n))
	for _, w := range p.waiting[:n] {
		data = append(data, w.data...)
		f.tags = append(f.tags, w.tag)
	}
	p.waiting = p.waiting[n:]
	p.bytes -= size
	if p.raft.propose(entries(data, p.cfg.MaxEntry)...) != nil {
		for _, t := range f.tags {
			p.events.result(t, nil, ErrBusy)
		}
		return false
	}
	p.inflight = append(p.inflight, f)
	return true
}

// uncertain reports whether entries of a term may be applied that ended with
// ErrUnknown.
func (p *proposals) uncertain(term uint64) bool { return p.uncertainTerm == term }

// proposeBarrier appends the barrier if one is needed.
func (p *proposals) proposeBarrier() {
	if now := p.raft.status(); !now.leader || p.uncertainTerm != now.term || p.barrier != 0 {
		return
	}
	p.seq++
	data := binary.AppendUvarint([]byte{entryWrites}, p.seq)
	if p.raft.propose(binary.AppendUvarint(data, 0)) == nil {
		p.barrier = p.seq
		p.raft.pump()
	}
}

// applied ends the proposals of an entry that is applied.
func (p *proposals) applied(term, seq uint64) {
	if len(p.inflight) > 0 && p.inflight[0].term == term && p.inflight[0].seq == seq {
		tags := p.inflight[0].tags
		p.inflight = p.inflight[1:]
		for _, t := range tags {
			p.events.result(t, nil, nil)
		}
	}
	if p.uncertainTerm == term && p.barrier == seq {
		p.uncertainTerm, p.barrier = 0, 0
	}
}

// abort ends all proposals. Those that Raft has not got are not applied.
func (p *proposals) abort(why error) {
	if len(p.inflight) > 0 {
		p.uncertainTerm, p.barrier = p.inflight[0].term, 0
	}
	for _, f := range p.inflight {
		for _, t := range f.tags {
			p.events.result(t, nil, fmt.Errorf("%w (%w)", ErrUnknown, why))
		}
	}
	for _, w := range p.waiting {
		p.events.result(w.tag, nil, fmt.Errorf("%w (%w)", ErrNotLeader, why))
	}
	p.inflight, p.waiting, p.bytes = nil, nil, 0
}
