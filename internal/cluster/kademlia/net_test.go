package kademlia

import (
	"container/heap"
	"fmt"
	"sort"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// network is a datagram network for tests: each message takes 20 ms, unless
// drop says it is lost.
type network struct {
	t     *testing.T
	now   machine.Time
	seq   int
	queue events
	ends  map[id.ID]*end
	all   []*end
	drop  func(from, to *end, m machine.Message) bool
	sent  int
	open  bool             // questions to strangers are answered before it is known who asks
	met   map[[2]*end]bool // who has asked whom; only if open
	asked int              // questions that were answered so
}

type event struct {
	at  machine.Time
	seq int
	run func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

// end is a node with the Env and the Events of it.
type end struct {
	net     *network
	name    string
	self    machine.Peer
	rand    rng.Rand
	node    *Node
	down    bool
	log     []machine.Message // received
	found   map[uint64]Result
	stored  map[uint64]int
	refused map[uint64]map[Code]int
	renewed []*Record
	created map[uint64]creationEnd
}

type creationEnd struct {
	won   bool
	rival *Record
}

func newNetwork(t *testing.T) *network {
	return &network{t: t, now: 1, ends: map[id.ID]*end{}}
}

func (w *network) add(name string, cfg Config) *end {
	e := w.addID(nodeID(name), cfg)
	e.name = name
	return e
}

func (w *network) addID(who id.ID, cfg Config) *end {
	e := &end{net: w, self: machine.Peer{ID: who}, rand: rng.New(uint64(len(w.all)), 5),
		found: map[uint64]Result{}, stored: map[uint64]int{}, refused: map[uint64]map[Code]int{},
		created: map[uint64]creationEnd{}}
	cfg.Self, cfg.Events = who, e
	e.node = New(cfg, e)
	w.ends[who] = e
	w.all = append(w.all, e)
	e.node.Start()
	return e
}

// grow adds n nodes that join by a random earlier one.
func (w *network) grow(n int, cfg Config) {
	r := rng.New(99)
	for range n {
		e := w.add(fmt.Sprint("node ", len(w.all)), cfg)
		if len(w.all) > 1 {
			e.node.Join([]machine.Peer{w.all[r.Intn(len(w.all)-1)].self})
		}
		w.run(500 * time.Millisecond)
	}
	w.run(10 * time.Second)
}

func (w *network) after(d time.Duration, run func()) {
	w.seq++
	heap.Push(&w.queue, event{w.now.Add(d), w.seq, run})
}

func (w *network) run(d time.Duration) {
	stop := w.now.Add(d)
	for len(w.queue) > 0 && w.queue[0].at <= stop {
		e := heap.Pop(&w.queue).(event)
		w.now = e.at
		e.run()
	}
	w.now = stop
}

func (e *end) Now() machine.Time { return e.net.now }
func (e *end) Rand() *rng.Rand   { return &e.rand }
func (e *end) Open(machine.Peer) {}
func (e *end) Close(machine.Peer) {
}

func (e *end) Send(to machine.Peer, m machine.Message) {
	e.net.sent++
	far := e.net.ends[to.ID]
	if far == nil || e.down || e.net.drop != nil && e.net.drop(e, far, m) {
		return
	}
	e.net.after(20*time.Millisecond, func() {
		if !far.down && !e.openly(far, m) {
			far.log = append(far.log, m)
			far.node.OnMessage(e.self, m)
		}
	})
}

// openly is how the transport brings a question to a stranger (machine.Question),
// and a while later who has asked it.
func (e *end) openly(far *end, m machine.Message) bool {
	q, ok := m.(machine.Question)
	w := e.net
	if !w.open || !ok || !q.Open() || w.met[[2]*end{e, far}] {
		return false
	}
	a := far.node.Answer(q)
	if a == nil {
		return false
	}
	if w.met == nil {
		w.met = map[[2]*end]bool{}
	}
	w.asked++
	w.met[[2]*end{e, far}] = true
	w.after(20*time.Millisecond, func() { e.node.OnMessage(far.self, a) })
	w.after(70*time.Millisecond, func() { far.node.OnMessage(e.self, q.Asked()) })
	return true
}

func (e *end) SetTimer(at machine.Time, t machine.Timer) {
	e.net.after(at.Sub(e.net.now), func() {
		if !e.down {
			e.node.OnTimer(t)
		}
	})
}

// check is the job of these tests: forged records have the payload "forged".
type check struct{ r *Record }

func verifyTest(r *Record) machine.Job { return check{r} }

func (e *end) Do(_ string, tag uint64, job machine.Job) {
	e.net.after(time.Millisecond, func() {
		var err error
		if string(job.(check).r.Payload) == "forged" {
			err = fmt.Errorf("signature")
		}
		e.node.OnDone(tag, nil, err)
	})
}

func (e *end) Found(tag uint64, r Result) { e.found[tag] = r }
func (e *end) Stored(tag uint64, holders int, refused map[Code]int) {
	e.stored[tag], e.refused[tag] = holders, refused
}

// create notes the outcome of a Create.
func (e *end) create(tag uint64, r *Record) {
	e.node.Create(r, func(won bool, rival *Record) { e.created[tag] = creationEnd{won, rival} })
}
func (e *end) Renew(r *Record) { e.renewed = append(e.renewed, r) }

// closest are the k live nodes nearest to target, computed from outside.
func (w *network) closest(target id.ID, k int) []id.ID {
	var out []id.ID
	for _, e := range w.all {
		if !e.down {
			out = append(out, e.self.ID)
		}
	}
	sort.Slice(out, func(i, j int) bool { return Closer(target, out[i], out[j]) })
	return out[:min(k, len(out))]
}

func ids(ps []machine.Peer) []id.ID {
	var out []id.ID
	for _, p := range ps {
		out = append(out, p.ID)
	}
	return out
}

func record(key string, version uint64, now machine.Time, payload string) *Record {
	return &Record{Kind: Chunk, Key: id.Of([]byte(key)), Version: version,
		Until: now.Add(Expire), Payload: []byte(payload)}
}

// holders counts who has a live record.
func (w *network) holders(r *Record) (out []*end) {
	for _, e := range w.all {
		if h := e.node.held[r.Kind][r.Key]; h != nil && h.until > w.now && !e.down {
			out = append(out, e)
		}
	}
	return out
}

// nodeID is the id of a node whose public key is its name.
func nodeID(name string) id.ID {
	var key [32]byte
	copy(key[:], name)
	return id.Of(key[:])
}
