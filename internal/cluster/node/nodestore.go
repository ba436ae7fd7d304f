package node

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// nodeStore stores what the network knows across restarts: the nodes that answered last
// time, so that a node finds the others again even if those that it was configured with are
// gone; and the directory's records of shards, so that these are known if nearly all nodes
// end at once (decision 195). It is a machine because it has jobs.
type nodeStore struct {
	part.Part
	jobs   part.Jobs
	dir    *directory.Directory
	seen   *peers.Sightings
	loaded func([]machine.KV) // the other parts take what is theirs

	saved []byte       // the contacts as they are on the disk
	next  machine.Time // when to save them
	read  bool
	noted machine.Time // when it was last noted that the node runs

	records     uint64       // directory.Kept when the records were saved
	recordsNext machine.Time // when to save them
	recordsAt   machine.Time // when to look for what has expired
	obsolete    bool         // the disk has oldRecordsKey
}

// The keys of the contacts, and of when the node last ran; what the keys of records begin
// with, and the key that all had together before.
const (
	contactsKey   = "contacts"
	aliveKey      = "alive"
	recordKey     = "record/"
	oldRecordsKey = "records"
)

const (
	saveFirst        = 3 * time.Second
	saveEvery        = 30 * time.Second
	saveRecordsEvery = 2 * time.Second
	expireRecords    = 10 * time.Minute // those on the disk that have expired are removed
)

// Jobs.
const (
	jobLoad = iota + 1
	jobSave
	jobSaveRecords
)

func newNodeStore(c part.Part, p part.Seat, dir *directory.Directory, seen *peers.Sightings) *nodeStore {
	m := &nodeStore{Part: c, jobs: p, dir: dir, seen: seen}
	p.Put(m)
	return m
}

func (m *nodeStore) do(tag uint64, job machine.Job) { m.jobs.Do(part.NodeSpace, tag, job) }

// Start implements machine.Machine: what is on the disk is read.
func (m *nodeStore) Start() {
	m.seen.Start()
	m.next = m.Env.Now().Add(saveFirst)
	m.do(jobLoad, machine.DiskRead{Space: part.NodeSpace})
}

// OnDone implements machine.Machine. A list that cannot be read is no reason not to
// start: it is made again.
func (m *nodeStore) OnDone(tag uint64, result any, err error) {
	if tag == jobSaveRecords && err != nil {
		m.dir.NotSaved()
		m.records = 0
	}
	if tag != jobLoad {
		return
	}
	m.read = true
	kvs, _ := result.([]machine.KV)
	until, noted := aliveUntil(kvs)
	m.seen.WasOff(until, len(kvs) > 0, noted)
	m.seen.Standing.Load(kvs)
	known, saved, damaged := contacts(kvs)
	if m.saved = saved; damaged != nil {
		err = damaged
	}
	m.loaded(kvs)
	err = errors.Join(err, m.loadRecords(kvs))
	if err != nil {
		m.Note("The list of known nodes or records cannot be read, starting a new one: " + err.Error())
	}
	for _, p := range known {
		m.seen.Record(p)
	}
	m.dir.Begin(known)
}

// aliveUntil is when the node last noted that it runs, from what is on the disk.
func aliveUntil(kvs []machine.KV) (machine.Time, bool) {
	for _, kv := range kvs {
		if string(kv.Key) == aliveKey && len(kv.Value) == 8 {
			return machine.Time(binary.BigEndian.Uint64(kv.Value)), true
		}
	}
	return 0, false
}

// contacts finds the nodes that answered last time in what is on the disk.
func contacts(kvs []machine.KV) (known []machine.Peer, saved []byte, err error) {
	for _, kv := range kvs {
		if string(kv.Key) == contactsKey {
			if known, err = kademlia.DecodeSaved(kv.Value); err == nil {
				saved = kv.Value
			}
		}
	}
	return known, saved, err
}

// KnownNodes are the nodes that answered last time, from what is in part.NodeSpace.
func KnownNodes(kvs []machine.KV) []machine.Peer {
	known, _, _ := contacts(kvs) // a list that cannot be read is made again
	return known
}

// beat notes that the node runs, and saves the contacts from time to time.
func (m *nodeStore) beat(now machine.Time) {
	m.seen.StayAwake(now)
	if m.read && now.Sub(m.noted) >= peers.AliveEvery {
		m.noted = now
		m.Put(aliveKey, binary.BigEndian.AppendUint64(nil, uint64(now)))
	}
	if m.read && now >= m.next {
		m.save()
	}
	if m.read && now >= m.recordsNext && (m.dir.Kept() != m.records || now >= m.recordsAt) {
		m.saveRecords(now)
	}
	if m.read && m.seen.Standing.IsDue(now) {
		m.Put(peers.StandingKey, m.seen.Standing.Encode())
	}
	m.seen.Expire(now)
}

// loadRecords gives the directory the records of shards that are on the disk.
func (m *nodeStore) loadRecords(kvs []machine.KV) (err error) {
	for _, kv := range kvs {
		if key, ok := bytes.CutPrefix(kv.Key, []byte(recordKey)); ok {
			err = errors.Join(err, m.dir.LoadRecord(key, kv.Value))
		}
		if string(kv.Key) == oldRecordsKey {
			m.obsolete = true
			err = errors.Join(err, m.dir.LoadRecords(kv.Value))
		}
	}
	return err
}

// saveRecords writes the records that have changed, and removes those that have gone.
func (m *nodeStore) saveRecords(now machine.Time) {
	kept := m.dir.Kept()
	m.recordsNext = now.Add(saveRecordsEvery)
	put, gone := m.dir.SaveRecords()
	w := machine.DiskWrite{Space: part.NodeSpace}
	for _, kv := range put {
		w.Put = append(w.Put, machine.KV{Key: append([]byte(recordKey), kv.Key...), Value: kv.Value})
	}
	for _, key := range gone {
		w.Delete = append(w.Delete, append([]byte(recordKey), key...))
	}
	if m.obsolete && len(put) > 0 {
		m.obsolete = false
		w.Delete = append(w.Delete, []byte(oldRecordsKey))
	}
	m.records, m.recordsAt = kept, now.Add(expireRecords)
	if len(w.Put)+len(w.Delete) > 0 {
		m.do(jobSaveRecords, w)
	}
}

func (m *nodeStore) save() {
	m.next = m.Env.Now().Add(saveEvery)
	b := m.dir.Saved()
	if len(b) <= 1 || bytes.Equal(b, m.saved) {
		return // nobody is there: those of last time may be again
	}
	m.saved = b
	m.Put(contactsKey, b)
}

// Put writes a value to the node's own space.
func (m *nodeStore) Put(key string, value []byte) {
	m.do(jobSave, machine.DiskWrite{Space: part.NodeSpace, Put: []machine.KV{{Key: []byte(key), Value: value}}})
}

// OnMessage implements machine.Machine.
func (m *nodeStore) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (m *nodeStore) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (m *nodeStore) OnLink(machine.Peer, machine.LinkEvent) {}
