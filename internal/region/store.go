package region

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// store is the region's side of its space on the disk: small records (players,
// pointers, items) as they are or will be on the disk, and the batches that are on
// their way.
//
// A batch is one atomic write. Batches are written in order, and if one fails
// all behind it fail too, so that what is on disk is always a prefix. When one
// fails, what its acts did is undone, from the last to the first, and the
// region is read-only until a snapshot, which holds everything, succeeds.
type store struct {
	small   map[string][]byte   // players and pointers, by key
	dirty   map[string]struct{} // keys of small that are not in a batch yet; gone from small: delete
	next    batch
	pending []*batch
	lastSeq uint64 // of log records

	changed  uint16 // columns that differ from what the last snapshot wrote
	logBytes int    // since the last snapshot
	readOnly bool
}

// batch is what one write changes, and what is to be done after it.
type batch struct {
	tag      uint64
	keys     []string // of small
	log      []byte
	changes  []world.BlockChange
	items    []itemsBefore
	lying    []itemBefore
	then     []func(ok bool)
	snapshot bool
	columns  uint16 // in the snapshot
}

// itemsBefore is what a player carried before a batch's acts.
type itemsBefore struct {
	player id.ID
	items  world.Inventory
}

func (b *batch) empty() bool {
	return len(b.log) == 0 && len(b.then) == 0 && !b.snapshot
}

func newStore() store {
	return store{small: map[string][]byte{}, dirty: map[string]struct{}{}}
}

func (s *store) put(key string, value []byte) {
	s.small[key] = value
	s.dirty[key] = struct{}{}
}

func (s *store) del(key string) {
	if _, ok := s.small[key]; ok {
		delete(s.small, key)
		s.dirty[key] = struct{}{}
	}
}

// then calls do once everything until now is on the disk, or has failed to get
// there. If there is nothing to wait for, it calls do at once.
func (s *store) then(do func(ok bool)) {
	switch {
	case s.readOnly:
		do(false)
	case !s.next.empty() || len(s.dirty) > 0:
		s.next.then = append(s.next.then, do)
	case len(s.pending) > 0:
		last := s.pending[len(s.pending)-1]
		last.then = append(last.then, do)
	default:
		do(true)
	}
}

// record notes block changes for the next batch.
func (s *store) record(changes []world.BlockChange) {
	for _, c := range changes {
		s.changed |= 1 << c.At.Column().Index()
		if !s.readOnly {
			s.next.log = appendChange(s.next.log, c)
			s.next.changes = append(s.next.changes, c)
		}
	}
}

// maxPending is how many batches may be on their way before the next has to
// wait and grow.
const maxPending = 4

// flush sends the next batch to the disk, if there is anything in it.
func (r *Region) flush() {
	s := &r.store
	if s.readOnly || s.next.empty() && len(s.dirty) == 0 || len(s.pending) >= maxPending {
		return
	}
	var w machine.DiskWrite
	r.fill(&w)
	if len(s.next.log) > 0 {
		s.lastSeq++
		w.Put = append(w.Put, machine.KV{Key: []byte(logKey(s.lastSeq)), Value: s.next.log})
		s.logBytes += len(s.next.log)
	}
	r.write(w)
}

// fill moves the dirty small records into a write.
func (r *Region) fill(w *machine.DiskWrite) {
	s := &r.store
	r.putLedgers()
	w.Space = Space(r.cfg.Pos)
	s.next.keys = slices.Sorted(maps.Keys(s.dirty))
	clear(s.dirty)
	for _, k := range s.next.keys {
		if v, ok := s.small[k]; ok {
			w.Put = append(w.Put, machine.KV{Key: []byte(k), Value: v})
		} else {
			w.Delete = append(w.Delete, []byte(k))
		}
	}
}

// write sends the next batch.
func (r *Region) write(w machine.DiskWrite) {
	s := &r.store
	b := s.next
	s.next = batch{}
	b.tag = r.tag(jobWrite)
	s.pending = append(s.pending, &b)
	r.stats.Writes++
	r.env.Do(r.queue, b.tag, w)
}

// onWritten takes the end of a batch's write.
func (r *Region) onWritten(tag uint64, err error) {
	s := &r.store
	if len(s.pending) == 0 || s.pending[0].tag != tag {
		return // failed together with an earlier one
	}
	if err != nil {
		r.onWriteFailed(err)
		return
	}
	b := s.pending[0]
	s.pending = s.pending[1:]
	if b.snapshot {
		r.onSnapshot(b)
	}
	for _, do := range b.then {
		do(true)
	}
	r.flush()
	r.rest()
}

// onWriteFailed undoes all that is not on the disk and makes the region
// read-only.
func (r *Region) onWriteFailed(err error) {
	s := &r.store
	r.stats.WritesFailed++
	next := s.next
	failed := append(s.pending, &next)
	s.pending, s.next = nil, batch{}
	s.readOnly = true
	r.unsaved = true
	r.snapshotting = 0
	r.undo(failed)
	for _, b := range failed {
		s.changed |= b.columns
		for _, k := range b.keys {
			s.dirty[k] = struct{}{}
		}
		for _, do := range b.then {
			do(false)
		}
	}
	r.failure = err
	r.stopActs()
	r.notice("storage", "This part of the world cannot be saved at the moment: it can be looked at, but not changed. ("+err.Error()+")")
	r.env.SetTimer(r.env.Now().Add(retryWrite), machine.Timer{Kind: timerRetry})
}

// stopActs refuses what was asked for and would change what must last.
func (r *Region) stopActs() {
	for _, p := range r.area.Players() {
		h := r.homes[p.ID]
		if h == nil {
			continue
		}
		if p.Dig.Active {
			r.refuse(h, p.Dig.Seq, storageCode)
			p.Dig = world.Dig{}
		}
		h.inbox.filter(func(t *todo) bool {
			if t.isAct && lasting(t.act.Kind) {
				r.refuse(h, t.seq, storageCode)
				return false
			}
			return true
		})
	}
	kept := r.later[:0]
	for _, c := range r.later {
		if c.Kind == world.CmdRemote {
			done := *c.Remote
			done.Code = storageCode
			r.endRemote(&done)
		} else {
			kept = append(kept, c)
		}
	}
	r.later = kept
}

// undo takes back what the acts of batches did, the last first.
func (r *Region) undo(failed []*batch) {
	var undone []world.BlockChange
	for i := len(failed) - 1; i >= 0; i-- {
		changes := failed[i].changes
		r.area.Revert(changes)
		for j := len(changes) - 1; j >= 0; j-- {
			c := changes[j]
			now, _ := r.area.Block(c.At)
			undone = append(undone, world.BlockChange{At: c.At, Was: c.Now, Now: now})
		}
		for _, it := range failed[i].items {
			r.restoreItems(it)
		}
		for _, was := range slices.Backward(failed[i].lying) {
			r.restoreItem(was)
		}
	}
	for _, c := range undone {
		r.store.changed |= 1 << c.At.Column().Index()
	}
	r.showBlocks(r.tick, undone)
}

// restoreItems gives a player back what it carried before acts that failed.
func (r *Region) restoreItems(it itemsBefore) {
	key := playerKey(keyPlayer, it.player)
	if h := r.homes[it.player]; h != nil {
		h.p.Items = it.items
		h.items = it.items
		r.sendInventory(h, allSlots)
		r.store.put(key, h.p.AppendBinary(nil))
		return
	}
	if b, ok := r.store.small[key]; ok {
		if p, err := world.DecodePlayer(b); err == nil {
			p.Items = it.items
			r.store.put(key, p.AppendBinary(nil))
		}
	}
}
