package group

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// reads are reads of the space. They wait until all applied changes are in flight to
// the disk, and go through the same queue.
type reads struct {
	component
	disk interface{ spaceWritten() bool }

	next       uint64
	queued     []read
	inProgress map[uint64]read
}

type read struct {
	prefix []byte
	then   func(kvs []machine.KV, err error)
	begin  func() // called when the disk gets it
	owner  bool   // asked for by the owner: ends with leadership
}

func (q *reads) waiting() bool { return len(q.queued) > 0 }

func (q *reads) add(r read) { q.queued = append(q.queued, r) }

// addOwners adds a read whose result is for the owner.
func (q *reads) addOwners(tag uint64, prefix []byte) {
	q.add(read{prefix: prefix, owner: true, then: func(kvs []machine.KV, err error) {
		if err != nil {
			q.events.result(tag, nil, err)
			return
		}
		q.events.result(tag, kvs, nil)
	}})
}

// discard forgets what is queued.
func (q *reads) discard() { q.queued = nil }

// issue gives the reads to the disk if it is time.
func (q *reads) issue() {
	if len(q.queued) == 0 || !q.disk.spaceWritten() {
		return
	}
	if q.inProgress == nil {
		q.inProgress = map[uint64]read{}
	}
	for _, r := range q.queued {
		if r.begin != nil {
			r.begin()
		}
		q.next++
		q.inProgress[tagReads+q.next] = r
		q.env.Do(q.cfg.own(), tagReads+q.next, machine.DiskRead{Space: q.cfg.Space, Prefix: r.prefix})
	}
	q.queued = nil
}

func (q *reads) onDone(tag uint64, result any, err error) {
	r, ok := q.inProgress[tag]
	if !ok {
		return
	}
	delete(q.inProgress, tag)
	kvs, ok := result.([]machine.KV)
	if err == nil && !ok {
		err = fmt.Errorf("the disk answered with %T", result)
	}
	r.then(kvs, err)
}

// abort ends the reads that the owner began as leader.
func (q *reads) abort(why error) {
	keep := q.queued[:0]
	for _, r := range q.queued {
		if r.owner {
			r.then(nil, fmt.Errorf("%w (%w)", ErrNotLeader, why))
		} else {
			keep = append(keep, r)
		}
	}
	q.queued = keep
	for tag := tagReads; tag <= tagReads+int(q.next); tag++ {
		if r, ok := q.inProgress[uint64(tag)]; ok && r.owner {
			delete(q.inProgress, uint64(tag))
			r.then(nil, fmt.Errorf("%w (%w)", ErrNotLeader, why))
		}
	}
}
