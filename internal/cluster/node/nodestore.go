package node

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// nodeStore stores what the network knows across restarts, such as the nodes
// that answered last time, so that a node finds the others again even if those
// that it was configured with are gone. It is a machine because it has jobs.
type nodeStore struct {
	w       *network
	p       *submachine
	saved   []byte       // as it is on the disk
	next    machine.Time // when to save
	read    bool
	started machine.Time

	seen map[id.ID]sighting // nodes that were there not long ago

	// away is how long this node was off, or its machine suspended, when it last was,
	// and back when that ended. It notes on the disk that it runs.
	away  time.Duration
	back  machine.Time
	awake machine.Time // when it last looked
	noted machine.Time // when that was last noted
}

// sighting is when a node was last heard.
type sighting struct {
	peer machine.Peer
	at   machine.Time
	back machine.Time // when it was heard again after Net.GoneAfter; 0: it was never silent for so long
}

// rememberFor is how long a silent node counts as one that may return,
// seenRecently how long as one of the last hour; after Net.GoneAfter it is
// forgotten. maxHeard bounds their number.
const (
	rememberFor  = 5 * time.Minute
	seenRecently = time.Hour
	maxHeard     = 1 << 12
)

// The space, and the keys of the contacts, of the list of revocations, and of
// what the node has of the stored world.
const (
	// NodeSpace is the space of what a node keeps for itself.
	NodeSpace     = "node"
	contactsKey   = "contacts"
	revokedKey    = "revocations"
	checkpointKey = "stored"
	aliveKey      = "alive"
)

const (
	saveFirst = 3 * time.Second
	saveEvery = 30 * time.Second
	// aliveEvery is how often it is noted that the node runs.
	aliveEvery = time.Minute
)

// Jobs.
const (
	jobLoad = iota + 1
	jobSave
)

func (m *nodeStore) init(w *network) {
	m.w, m.p = w, &submachine{node: w.n, name: NodeSpace}
	m.p.m, m.seen = m, map[id.ID]sighting{}
}

// recordSeen notes that a node has answered.
func (m *nodeStore) recordSeen(p machine.Peer) {
	s, known := m.seen[p.ID]
	if !known && len(m.seen) >= maxHeard {
		return
	}
	now, last := m.w.n.env.Now(), s.at
	if !known {
		last = m.started
	}
	if now.Sub(last) >= m.w.cfg.GoneAfter {
		s.back = now
	}
	m.seen[p.ID] = sighting{p, now, s.back}
}

func (m *nodeStore) do(tag uint64, job machine.Job) { submachineEnv{m.p}.Do(NodeSpace, tag, job) }

// Start implements machine.Machine: what is on the disk is read.
func (m *nodeStore) Start() {
	m.started = m.w.n.env.Now()
	m.next = m.started.Add(saveFirst)
	m.do(jobLoad, machine.DiskRead{Space: NodeSpace})
}

// OnDone implements machine.Machine. A list that cannot be read is no reason
// not to start: it is made again.
func (m *nodeStore) OnDone(tag uint64, result any, err error) {
	if tag != jobLoad {
		return
	}
	m.read = true
	kvs, _ := result.([]machine.KV)
	m.away, m.back = m.absence(kvs), m.started
	known, saved, damaged := contacts(kvs)
	if m.saved = saved; damaged != nil {
		err = damaged
	}
	for _, kv := range kvs {
		if string(kv.Key) == revokedKey {
			m.w.verified.lists().recall(kv.Value)
		}
		if string(kv.Key) == accessKey {
			m.w.access.lists().recall(kv.Value)
		}
		if string(kv.Key) == checkpointKey && m.w.overlay != nil && m.w.overlay.storage != nil {
			m.w.overlay.storage.restoreCheckpoint(kv.Value)
		}
	}
	if err != nil {
		m.w.note("The list of known nodes cannot be read, starting a new one: " + err.Error())
	}
	for _, p := range known {
		m.recordSeen(p)
	}
	m.w.dir.begin(known)
}

// absence is how long the node has been off, from what is on the disk. A folder
// that does not say so was last used by a version that did not note it.
func (m *nodeStore) absence(kvs []machine.KV) time.Duration {
	for _, kv := range kvs {
		if string(kv.Key) == aliveKey && len(kv.Value) == 8 {
			return max(0, m.started.Sub(machine.Time(binary.BigEndian.Uint64(kv.Value))))
		}
	}
	if len(kvs) == 0 {
		return 0 // it has never run
	}
	return math.MaxInt64
}

// stayAwake notes that the node runs, and whether its machine was suspended.
func (m *nodeStore) stayAwake(now machine.Time) {
	if gap := now.Sub(m.awake); m.awake != 0 && gap >= aliveEvery {
		m.away, m.back = gap, now
	}
	m.awake = now
	if m.read && now.Sub(m.noted) >= aliveEvery {
		m.noted = now
		m.put(aliveKey, binary.BigEndian.AppendUint64(nil, uint64(now)))
	}
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

// KnownNodes are the nodes that answered last time, from what is in NodeSpace.
func KnownNodes(kvs []machine.KV) []machine.Peer {
	known, _, _ := contacts(kvs) // a list that cannot be read is made again
	return known
}

// beat saves the contacts from time to time.
func (m *nodeStore) beat(now machine.Time) {
	m.stayAwake(now)
	if m.read && now >= m.next {
		m.save()
	}
	for who, s := range m.seen { // the order does not matter
		if now.Sub(s.at) >= max(seenRecently, m.w.cfg.GoneAfter) {
			delete(m.seen, who)
		}
	}
}

func (m *nodeStore) save() {
	m.next = m.w.n.env.Now().Add(saveEvery)
	b := m.w.dir.kad.Table().AppendSaved(nil)
	if len(b) <= 1 || bytes.Equal(b, m.saved) {
		return // nobody is there: those of last time may be again
	}
	m.saved = b
	m.put(contactsKey, b)
}

// put writes a value to the node's own space.
func (m *nodeStore) put(key string, value []byte) {
	m.do(jobSave, machine.DiskWrite{Space: NodeSpace, Put: []machine.KV{{Key: []byte(key), Value: value}}})
}

// OnMessage implements machine.Machine.
func (m *nodeStore) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (m *nodeStore) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (m *nodeStore) OnLink(machine.Peer, machine.LinkEvent) {}
