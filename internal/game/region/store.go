package region

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
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
	component
	tags  *jobTags
	queue string // of disk jobs, and the space
	// addRecords puts what is not worth a batch of its own into one that is written.
	addRecords func()

	small   map[string][]byte   // players and pointers, by key
	dirty   map[string]struct{} // keys of small that are not in a batch yet; gone from small: delete
	next    batch
	pending []*batch
	lastSeq uint64 // of log records

	changed  uint16 // columns that differ from what the last snapshot wrote
	logBytes int    // since the last snapshot
	readOnly bool
	unsaved  bool // what no log has has changed since the last snapshot
	running  int  // snapshots on their way
}

// batch is what one write changes, and what is to be done after it.
type batch struct {
	tag      uint64
	keys     []string // of small
	log      []byte
	changes  []world.BlockChange
	items    []itemsBefore
	dropped  []itemBefore
	stored   []containerBefore
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

func newStore(c component, tags *jobTags) *store {
	return &store{
		component: c, tags: tags, queue: Space(c.cfg.Pos),
		small: map[string][]byte{}, dirty: map[string]struct{}{},
	}
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

// player returns a player's save, if there is one that can be read.
func (s *store) player(player id.ID) (*world.Player, bool) {
	b, ok := s.small[playerKey(keyPlayer, player)]
	if !ok {
		return nil, false
	}
	p, err := world.DecodePlayer(b)
	return p, err == nil
}

// pointer returns a player's pointer of a kind, if there is one that can be read.
func (s *store) pointer(kind string, player id.ID) (pointer, bool) {
	b, ok := s.small[playerKey(kind, player)]
	if !ok {
		return pointer{}, false
	}
	ptr, err := decodePointer(b)
	return ptr, err == nil
}

// carried notes what a player carries before the next batch.
func (s *store) carried(player id.ID, items world.Inventory) {
	s.next.items = append(s.next.items, itemsBefore{player, items})
}

// overfull reports whether too many answers wait for the disk.
func (s *store) overfull() bool { return len(s.next.then) > maxUnwritten }

// flush sends the next batch to the disk, if there is anything in it.
func (s *store) flush() {
	if s.readOnly || s.next.empty() && len(s.dirty) == 0 || len(s.pending) >= maxPending {
		return
	}
	var w machine.DiskWrite
	s.fill(&w)
	if len(s.next.log) > 0 {
		s.lastSeq++
		w.Put = append(w.Put, machine.KV{Key: []byte(logKey(s.lastSeq)), Value: s.next.log})
		s.logBytes += len(s.next.log)
	}
	s.write(w)
}

// fill moves the dirty small records into a write.
func (s *store) fill(w *machine.DiskWrite) {
	s.addRecords()
	w.Space = s.queue
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
func (s *store) write(w machine.DiskWrite) {
	b := s.next
	s.next = batch{}
	b.tag = s.tags.next(jobWrite)
	s.pending = append(s.pending, &b)
	s.stats.Writes++
	s.env.Do(s.queue, b.tag, w)
}

// oldest returns the batch whose write has this tag; nil if it has failed
// together with an earlier one.
func (s *store) oldest(tag uint64) *batch {
	if len(s.pending) == 0 || s.pending[0].tag != tag {
		return nil
	}
	return s.pending[0]
}

// done takes the good end of the oldest batch; recovered says that everything can
// be written again.
func (s *store) done() (b *batch, recovered bool) {
	b, s.pending = s.pending[0], s.pending[1:]
	if b.snapshot {
		s.running--
		recovered, s.readOnly = s.readOnly, false
	}
	return b, recovered
}

// fail makes the store read-only and returns all batches that are not on the disk.
func (s *store) fail() []*batch {
	s.stats.WritesFailed++
	next := s.next
	failed := append(s.pending, &next)
	s.pending, s.next = nil, batch{}
	s.readOnly, s.unsaved = true, true
	s.running = 0
	return failed
}

// release ends a batch that has failed, when its acts have been undone.
func (s *store) release(b *batch) {
	s.changed |= b.columns
	for _, k := range b.keys {
		s.dirty[k] = struct{}{}
	}
	for _, do := range b.then {
		do(false)
	}
}
