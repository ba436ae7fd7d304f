package kademlia

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// clockSlack is how far the clocks of nodes may differ.
const clockSlack = 10 * time.Minute

// Config is a node's settings; Events is needed.
type Config struct {
	Self   id.ID
	Events Events
	K      int // 0: DefaultK
	Paths  int // disjoint paths of a lookup (S/Kademlia 4.4); 0: 1, as in the paper
	// Subnet is how many contacts of one /24 or /48 a bucket takes; 0: no limit.
	Subnet  int
	Timeout time.Duration // of an RPC; 0: DefaultTimeout
	// Verify returns the job that checks a record's signature and that its
	// signer may sign it: its error is the refusal. nil: all records are good
	// (a simulation that does not look at signatures).
	Verify func(*Record) machine.Job
	// Keepers returns those who may replace a record besides its signer (the
	// members of a region's group). Somebody else may only once none of them
	// answers a ping, or never if the key is bound to its signer. nil: anybody
	// may replace any record.
	Keepers func(*Record) (keepers []machine.Peer, bound bool)
	// Replaced is called when another record takes the place of one that is kept here for
	// others. May be nil.
	Replaced func(old, now *Record)
}

// Timers.
const (
	timerRPC uint16 = iota + 1
	timerSweep
	timerNeighbours
)

// Node is one participant of the directory.
type Node struct {
	cfg   Config
	env   machine.Env
	table *Table

	calls     map[uint64]*call
	deadlines rpcDeadlines
	lookups   map[*lookup]struct{}
	checks    map[uint64]func(error) // jobs under way
	tag       uint64
	joins     uint32

	held      [kinds]map[id.ID]*holding
	published map[recordKey]*publication
	kept      uint64                // how often a record was kept
	saved     map[recordKey]*Record // that are on the disk
	loading   int                   // records from the disk that are being verified
}

type recordKey struct {
	kind Kind
	key  id.ID
}

// New returns a node that knows nobody.
func New(cfg Config, env machine.Env) *Node {
	if cfg.K == 0 {
		cfg.K = DefaultK
	}
	if cfg.Paths == 0 {
		cfg.Paths = 1
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	n := &Node{
		cfg: cfg, env: env, table: NewTable(cfg.Self, cfg.K, cfg.Subnet),
		calls: map[uint64]*call{}, lookups: map[*lookup]struct{}{},
		checks: map[uint64]func(error){}, published: map[recordKey]*publication{}, saved: map[recordKey]*Record{},
	}
	return n
}

// Table is the routing table; read only.
func (n *Node) Table() *Table { return n.table }

// Start implements machine.Machine.
func (n *Node) Start() {
	wait := time.Duration(n.env.Rand().Intn(int(sweep)))
	n.env.SetTimer(n.env.Now().Add(wait), machine.Timer{Kind: timerSweep})
}

// Join enters the network by any known nodes: it takes them as contacts, looks
// itself up and then refreshes all buckets farther away than its nearest
// neighbour (Kademlia 2.3). A contact that answers stays at the address that it
// answers from. Nodes are known by their ids: one without is left out.
func (n *Node) Join(known []machine.Peer) {
	for _, p := range known {
		if !p.ID.IsZero() && !n.table.Answers(p.ID) {
			n.seen(p)
		}
	}
	n.start(&lookup{target: n.cfg.Self, proc: FindNode, done: func(*lookup) {
		n.refresh(0)
	}})
	n.joins++
	n.env.SetTimer(n.env.Now().Add(settle), machine.Timer{Kind: timerNeighbours, Gen: n.joins})
}

// onNeighbours looks this node up again, so that it knows those who have come
// near meanwhile, and they know it.
func (n *Node) onNeighbours(t machine.Timer) {
	if t.Gen != n.joins {
		return
	}
	wait := Neighbourhood/2 + time.Duration(n.env.Rand().Intn(int(Neighbourhood)))
	n.env.SetTimer(n.env.Now().Add(wait), t)
	n.start(&lookup{target: n.cfg.Self, proc: FindNode})
}

// refresh looks up a random id in every bucket that was not touched for age.
// Nobody depends on what such a lookup ends with, so one path is enough.
func (n *Node) refresh(age time.Duration) {
	for _, target := range n.table.Untouched(n.env.Now(), age, n.env.Rand()) {
		n.start(&lookup{target: target, proc: FindNode, single: true})
	}
}

// Lookup finds the k nodes nearest to target; Events.Found has them.
func (n *Node) Lookup(tag uint64, target id.ID) {
	n.start(&lookup{target: target, proc: FindNode, done: func(l *lookup) {
		n.cfg.Events.Found(tag, l.result())
	}})
}

// Locate looks for a node that has perhaps moved: if it answers, its new address is in the
// table. Nobody depends on what such a lookup ends with, so one path is enough.
func (n *Node) Locate(node id.ID) {
	n.start(&lookup{target: node, proc: FindNode, single: true})
}

// Find looks for a record; Events.Found has it. A record that is held here and
// has not expired is found at once, unless it is from before a restart.
func (n *Node) Find(tag uint64, kind Kind, key id.ID) {
	if h := n.live(kind, key); h != nil && !h.claim && !h.remembered {
		n.cfg.Events.Found(tag, Result{Record: h.rec})
		return
	}
	n.FindElsewhere(tag, kind, key)
}

// FindElsewhere looks for a record that others have, whatever is held here; one that is
// remembered counts if they have none.
func (n *Node) FindElsewhere(tag uint64, kind Kind, key id.ID) {
	n.start(&lookup{target: key, proc: find(kind), done: func(l *lookup) {
		n.compareRemembered(l)
		n.cacheFound(l)
		n.cfg.Events.Found(tag, l.result())
	}})
}

// Ping asks a node whether it is there.
func (n *Node) Ping(to machine.Peer, then func(alive bool)) {
	n.call(to, &Request{Proc: Ping}, func(r *Reply) { then(r != nil) })
}

// Call calls a procedure of one node, outside of any lookup; nil if no answer
// comes. It gives the request its number.
func (n *Node) Call(to machine.Peer, r *Request, then func(*Reply)) { n.call(to, r, then) }

// seen notes a message from p, pings whom it might replace, and gives p the
// records that it should hold now.
func (n *Node) seen(p machine.Peer) {
	added, check := n.table.Seen(p)
	if added {
		n.welcome(p)
	}
	if check != nil {
		who := *check
		n.call(who, &Request{Proc: Ping}, func(*Reply) { n.table.Checked(who.ID) })
	}
}

// OnMessage implements machine.Machine.
func (n *Node) OnMessage(from machine.Peer, m machine.Message) {
	if from.ID == n.cfg.Self {
		return
	}
	switch m := m.(type) {
	case *Request:
		n.seen(from)
		if !m.answered {
			n.answer(from, m)
		}
	case *Reply:
		n.onReply(from, m)
	}
}

// OnTimer implements machine.Machine.
func (n *Node) OnTimer(t machine.Timer) {
	switch t.Kind {
	case timerRPC:
		n.deadlines.fire(n, t)
	case timerNeighbours:
		n.onNeighbours(t)
	case timerSweep:
		n.env.SetTimer(n.env.Now().Add(sweep), t)
		n.refresh(Refresh)
		n.sweepRecords()
	}
}

// OnLink implements machine.Machine; the directory has no links.
func (n *Node) OnLink(machine.Peer, machine.LinkEvent) {}

// OnDone implements machine.Machine: a signature has been checked.
func (n *Node) OnDone(tag uint64, _ any, err error) {
	then := n.checks[tag]
	delete(n.checks, tag)
	if then != nil {
		then(err)
	}
}

// verify checks a record's signature and goes on with the outcome.
func (n *Node) verify(r *Record, then func(error)) {
	if n.cfg.Verify == nil {
		then(nil)
		return
	}
	n.tag++
	n.checks[n.tag] = then
	n.env.Do("", n.tag, n.cfg.Verify(r))
}
