package group

import (
	"fmt"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// diskWriter writes log, hard state, group state and space. One write is in
// progress at a time; what comes meanwhile gathers in the next batch. A failed write
// is retried: Raft cannot do without it, and nothing that depends on it is sent.
type diskWriter struct {
	component
	raft  *raftNode
	owner failer
	lease leaseRecord
	reads interface{ waiting() bool }

	hs       hardState // as it is or will be on the disk
	next     batch
	inflight *batch
	job      machine.DiskWrite // inflight as the disk got it
	last     uint64            // index of the last entry on the disk, or in flight
	err      error             // of the job that is retried
	retryAt  machine.Time
}

// leaseRecord is the lease that must survive a restart.
type leaseRecord interface {
	longestLease() time.Duration
	leaseSynced(d time.Duration)
}

// reset sets the hard state of a replica that begins or continues.
func (d *diskWriter) reset(hs hardState) { d.hs = hs }

// restart begins another log; changes are made to the space together with it.
func (d *diskWriter) restart(changes []machine.DiskWrite) {
	d.next = batch{wipe: true, state: true, urgent: true, changes: changes, since: d.now()}
	d.err, d.retryAt = nil, 0
}

// discard forgets what is not in flight. It returns the changes of the space.
func (d *diskWriter) discard() []machine.DiskWrite {
	changes := d.next.changes
	d.next = batch{}
	return changes
}

// opened is called when the log is open.
func (d *diskWriter) opened() { d.last, _ = d.raft.storage().LastIndex() }

func (d *diskWriter) busy() bool { return d.inflight != nil }

// failing is why nothing can be written or read; nil: it can.
func (d *diskWriter) failing() error { return d.err }

func (d *diskWriter) setFailing(err error) { d.err, d.retryAt = err, 0 }

// spaceWritten reports whether every applied change is on the disk, or in flight.
func (d *diskWriter) spaceWritten() bool {
	return len(d.next.changes) == 0 && d.next.snap == nil && d.err == nil
}

// scheduleState has the state written, though not urgently.
func (d *diskWriter) scheduleState() {
	if !d.next.state && len(d.next.changes) == 0 {
		d.next.since = d.now()
	}
	d.next.state = true
}

// writeState has the state written at once.
func (d *diskWriter) writeState() { d.next.state, d.next.urgent = true, true }

// writeLease has the longest outstanding lease written at once.
func (d *diskWriter) writeLease() { d.next.hard, d.next.urgent = true, true }

// change adds applied changes of the space.
func (d *diskWriter) change(ws []machine.DiskWrite, bytes int) {
	d.next.changes = append(d.next.changes, ws...)
	d.next.bytes += bytes
}

// install replaces log and space by a snapshot.
func (d *diskWriter) install(in *incoming) {
	b := &d.next
	b.snap, b.entries, b.state, b.urgent = in, nil, true, true
	b.changes = []machine.DiskWrite{{Space: d.cfg.Space, DeletePrefix: [][]byte{{}}, Put: in.kvs}}
}

// append takes a message to raft.LocalAppendThread: what must be synced.
func (d *diskWriter) append(m *pb.Message) {
	b := &d.next
	if es := m.GetEntries(); len(es) > 0 {
		b.addEntries(es)
		b.urgent = true
	}
	if m.Term != nil || m.Vote != nil || m.Commit != nil {
		if m.GetTerm() != d.hs.Term || m.GetVote() != d.hs.Vote {
			b.urgent = true
		}
		d.hs.Term, d.hs.Vote, d.hs.Commit = m.GetTerm(), m.GetVote(), m.GetCommit()
		if !b.dirty() {
			b.since = d.now()
		}
		b.hard = true
	}
	b.responses = append(b.responses, m.GetResponses()...)
}

// flush gives the batch to the disk if the disk is free and it is time.
func (d *diskWriter) flush() {
	for d.inflight == nil {
		b := &d.next
		if d.mustWrite() {
			d.write()
			return
		}
		if len(b.responses) == 0 || b.urgent {
			return
		}
		responses := b.responses // everything that they wait for is synced
		b.responses = nil
		d.raft.deliver(responses)
		d.raft.pump()
	}
}

func (d *diskWriter) mustWrite() bool {
	b := &d.next
	return b.urgent || b.dirty() &&
		(d.now() >= b.since.Add(d.cfg.ApplyDelay) || b.bytes > maxMessage || d.reads.waiting())
}

// deadlines are when a write is retried and when a batch is due; 0: never.
func (d *diskWriter) deadlines() (retry, write machine.Time) {
	if d.next.dirty() && d.inflight == nil {
		write = d.next.since.Add(d.cfg.ApplyDelay)
	}
	return d.retryAt, write
}

// write builds the one atomic write.
func (d *diskWriter) write() {
	b := d.next
	d.next = batch{}
	w := machine.DiskWrite{Space: d.cfg.own(), Then: b.changes}
	b.instance = d.raft.instance()
	if b.wipe || b.snap != nil {
		w.DeletePrefix = [][]byte{{'e'}}
		d.last = d.st.Base
	}
	if len(b.entries) > 0 {
		last := b.entries[len(b.entries)-1].GetIndex()
		for i := last + 1; i <= d.last; i++ {
			w.Delete = append(w.Delete, entryKey(i))
		}
		d.last = last
	}
	if b.state {
		b.base = d.truncateLog(&w)
	}
	var err error
	if w.Put, err = b.puts(); err != nil {
		d.owner.fail(err)
		return
	}
	if b.state {
		w.Put = append(w.Put, machine.KV{Key: []byte("m"), Value: d.st.encode()})
	}
	b.lease = d.lease.longestLease()
	d.hs.Lease = b.lease
	w.Put = append(w.Put, machine.KV{Key: []byte("h"), Value: d.hs.encode()})
	d.inflight, d.job = &b, w
	d.env.Do(d.cfg.own(), tagWrite, w)
}

// truncateLog drops entries that are applied and that lagging members have had
// time to fetch. A member that needs them later gets a snapshot.
func (d *diskWriter) truncateLog(w *machine.DiskWrite) (base uint64) {
	log := d.raft.storage()
	last, _ := log.LastIndex()
	keep := uint64(d.cfg.KeepEntries)
	durable := min(d.st.Applied, last)
	if durable <= d.st.Base || last-d.st.Base <= 2*keep && log.bytes <= d.cfg.MaxLogBytes {
		return 0
	}
	bytes := log.bytes
	base = d.st.Base
	for base < durable && (last-base > keep || bytes > d.cfg.MaxLogBytes/2) {
		base++
		bytes -= log.size(base)
		w.Delete = append(w.Delete, entryKey(base))
	}
	term, err := log.Term(base)
	if err != nil || base == d.st.Base {
		return 0
	}
	d.st.truncate(base, term)
	return base
}

// onWritten is the end of a write. It reports whether what it wrote belongs to
// the log that is open.
func (d *diskWriter) onWritten(err error) bool {
	b := d.inflight
	if b == nil {
		return false
	}
	if err != nil {
		d.err = fmt.Errorf("%s cannot be written: %w", d.cfg.Space, err)
		d.retryAt = d.now().Add(retryDisk)
		d.events.changed()
		return false
	}
	if d.err != nil {
		d.err, d.retryAt = nil, 0
		d.events.changed()
	}
	d.inflight, d.job = nil, machine.DiskWrite{}
	d.lease.leaseSynced(b.lease)
	if b.instance == 0 || b.instance != d.raft.instance() {
		return false // another log has begun
	}
	log := d.raft.storage()
	if b.snap != nil {
		log.restore(b.snap.state.Applied, b.snap.state.AppliedTerm)
	}
	log.add(b.entries)
	if b.base > 0 {
		log.truncate(b.base)
	}
	d.raft.deliver(b.responses)
	return true
}

// retry repeats a write that failed.
func (d *diskWriter) retry() {
	if d.err != nil && d.inflight != nil && d.retryAt > 0 && d.now() >= d.retryAt {
		d.retryAt = 0
		d.env.Do(d.cfg.own(), tagWrite, d.job)
	}
}

// lastIndex is the index of the log's last entry, which may not be synced yet.
func (d *diskWriter) lastIndex() uint64 {
	waiting := d.next.entries
	if len(waiting) == 0 && d.inflight != nil && d.inflight.instance == d.raft.instance() {
		waiting = d.inflight.entries
	}
	if len(waiting) > 0 {
		return waiting[len(waiting)-1].GetIndex()
	}
	last, _ := d.raft.storage().LastIndex()
	return last
}

// hardState is the hard state as it is or will be on the disk.
func (d *diskWriter) hardState() hardState { return d.hs }

// forget is called when the records were deleted: nothing is left to write.
func (d *diskWriter) forget() {
	d.next, d.inflight, d.hs = batch{}, nil, hardState{}
}
