package group

import (
	"fmt"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// batch is what goes to the disk in one atomic write: entries of the log, the
// vote, changes of the space with the index up to which they are applied. One
// is on its way at a time; what comes meanwhile gathers in the next.
type batch struct {
	of      *raft.RawNode // whose entries and responses these are
	wipe    bool          // of the log: this is another beginning
	entries []*pb.Entry
	snap    *incoming // replaces everything
	changes []machine.DiskWrite
	bytes   int
	state   bool // is to be written
	hard    bool
	urgent  bool // somebody waits for it
	since   machine.Time
	base    uint64 // the log is cut off here, 0: no
	// responses are what the library says once it is written.
	responses []*pb.Message
	lease     time.Duration // what is written as the longest outstanding
}

func (b *batch) dirty() bool { return b.state || b.hard || b.urgent }

// diskState is how writing goes.
type diskState struct {
	err     error // of the write that is tried again
	retryAt machine.Time
}

// scheduleWrite notes that something waits for the disk, though not urgently.
func (r *Replica) scheduleWrite() {
	if !r.batch.state && len(r.batch.changes) == 0 {
		r.batch.since = r.env.Now()
	}
	r.batch.state = true
}

// append takes what the library wants to be synced.
func (r *Replica) append(m *pb.Message) {
	b := &r.batch
	if s := m.GetSnapshot(); s != nil {
		r.install(s)
	}
	if es := m.GetEntries(); len(es) > 0 {
		b.addEntries(es)
		b.urgent = true
	}
	if m.Term != nil || m.Vote != nil || m.Commit != nil {
		if m.GetTerm() != r.hs.Term || m.GetVote() != r.hs.Vote {
			b.urgent = true
		}
		r.hs.Term, r.hs.Vote, r.hs.Commit = m.GetTerm(), m.GetVote(), m.GetCommit()
		if !b.dirty() {
			b.since = r.env.Now()
		}
		b.hard = true
	}
	b.responses = append(b.responses, m.GetResponses()...)
}

// addEntries adds entries; those with the same or a higher index give way.
func (b *batch) addEntries(es []*pb.Entry) {
	first := es[0].GetIndex()
	for n := len(b.entries); n > 0 && b.entries[n-1].GetIndex() >= first; n-- {
		b.entries = b.entries[:n-1]
	}
	b.entries = append(b.entries, es...)
}

// flush gives the batch to the disk if the disk is free and it is time.
func (r *Replica) flush() {
	for r.inflight == nil {
		b := &r.batch
		if r.mustWrite() {
			r.write()
			return
		}
		if len(b.responses) == 0 || b.urgent {
			return
		}
		responses := b.responses // all that they wait for is there
		b.responses = nil
		r.deliver(responses)
		r.pump()
	}
}

func (r *Replica) mustWrite() bool {
	b := &r.batch
	return b.urgent || b.dirty() &&
		(r.env.Now() >= b.since.Add(r.cfg.ApplyDelay) || b.bytes > maxMessage || r.reads.waiting())
}

// write builds the one atomic write.
func (r *Replica) write() {
	b := r.batch
	r.batch = batch{}
	w := machine.DiskWrite{Space: r.own(), Then: b.changes}
	b.of = r.rn
	if b.wipe || b.snap != nil {
		w.DeletePrefix = [][]byte{{'e'}}
		r.diskLast = r.st.Base
	}
	if len(b.entries) > 0 {
		last := b.entries[len(b.entries)-1].GetIndex()
		for i := last + 1; i <= r.diskLast; i++ {
			w.Delete = append(w.Delete, entryKey(i))
		}
		r.diskLast = last
	}
	if b.state {
		b.base = r.cutLog(&w)
	}
	for _, e := range b.entries {
		data, err := proto.Marshal(e)
		if err != nil {
			r.fail(fmt.Errorf("an entry of the log: %w", err))
			return
		}
		w.Put = append(w.Put, machine.KV{Key: entryKey(e.GetIndex()), Value: data})
	}
	if b.state {
		w.Put = append(w.Put, machine.KV{Key: []byte("m"), Value: r.st.encode()})
	}
	b.lease = r.longestLease()
	r.hs.Lease = b.lease
	w.Put = append(w.Put, machine.KV{Key: []byte("h"), Value: r.hs.encode()})
	r.inflight = &b
	r.job = w
	r.env.Do(r.queue(), tagWrite, w)
}

// cutLog drops entries that are applied and that lagging members have had time
// to fetch. A member that needs them later gets a snapshot.
func (r *Replica) cutLog(w *machine.DiskWrite) (base uint64) {
	last, _ := r.log.LastIndex()
	keep := uint64(r.cfg.KeepEntries)
	durable := min(r.st.Applied, last)
	if durable <= r.st.Base || last-r.st.Base <= 2*keep && r.log.bytes <= r.cfg.MaxLogBytes {
		return 0
	}
	bytes := r.log.bytes
	base = r.st.Base
	for base < durable && (last-base > keep || bytes > r.cfg.MaxLogBytes/2) {
		base++
		bytes -= r.log.size(base)
		w.Delete = append(w.Delete, entryKey(base))
	}
	term, err := r.log.Term(base)
	if err != nil || base == r.st.Base {
		return 0
	}
	r.st.Base, r.st.BaseTerm = base, term
	return base
}

// onWritten goes on once the write is synced. One that failed is tried again:
// the library cannot do without it, and nothing that depends on it is said.
func (r *Replica) onWritten(err error) {
	b := r.inflight
	if b == nil {
		return
	}
	if err != nil {
		r.disk.err = fmt.Errorf("%s cannot be written: %w", r.cfg.Space, err)
		r.disk.retryAt = r.env.Now().Add(retryDisk)
		r.emit(r.ev.OnChange)
		return
	}
	if r.disk.err != nil {
		r.disk = diskState{}
		r.emit(r.ev.OnChange)
	}
	r.inflight, r.job = nil, machine.DiskWrite{}
	r.clock.durableLease = b.lease
	if r.rn == nil || b.of != r.rn {
		return // there has been another beginning
	}
	if b.snap != nil {
		r.log.restore(b.snap.state.Applied, b.snap.state.AppliedTerm)
	}
	r.log.add(b.entries)
	if b.base > 0 {
		for i := b.base; ; i-- { // what it takes from the count
			n := r.log.size(i)
			first, _ := r.log.FirstIndex()
			r.log.bytes -= n
			if i <= first {
				break
			}
		}
		_ = r.log.Compact(b.base) // an index that it has
	}
	r.deliver(b.responses)
	if r.st.Removed && r.phase == member {
		r.fail(ErrRemoved)
	}
}

// deliver passes on what the library says after a write.
func (r *Replica) deliver(ms []*pb.Message) {
	for _, m := range ms {
		switch {
		case r.phase != member:
			return
		case m.GetTo() == r.st.Self:
			r.step(m)
		default:
			r.outbox.add(m)
		}
	}
}

// retry writes again what could not be written.
func (r *Replica) retry(now machine.Time) {
	if r.disk.err != nil && r.inflight != nil && r.disk.retryAt > 0 && now >= r.disk.retryAt {
		r.disk.retryAt = 0
		r.env.Do(r.queue(), tagWrite, r.job)
	}
}
