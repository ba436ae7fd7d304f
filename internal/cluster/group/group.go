// Package group replicates one disk space on several nodes by Raft, below the disk
// port: the machine that uses the space (a region or the lobby) does not know of
// it. A Replica is one node's copy of the space and its membership of the group. A
// write that the leader proposes is done once a majority has synced it; it then
// survives the loss of any minority.
//
// Source: Ongaro, Consensus: Bridging Theory and Practice (2014), as
// go.etcd.io/raft/v3 implements it; comments name the thesis' sections. Deviations:
// the leader's lease (section 6.4.1) also bounds elections, because followers do
// not use the library's clock (lease.go); messages are checked before the library
// steps them, since members may lie (step.go); snapshots travel in chunks
// (snapshot.go); membership moves step by step towards a wanted set (members.go);
// idle groups hibernate (hibernate.go); survivors of a lost majority may continue
// as the next generation (recover.go).
//
// Where to start: Replica (group.go), then ready.go, which drives the library, and
// lease.go.
//
// Invariants:
//   - nothing is acknowledged before a majority of the voters has synced it;
//   - at most one replica of a group leads at any time, as long as the clocks of
//     nodes measure the same interval with less than 10 % difference;
//   - the space, and the index up to which the log is applied to it, change in one
//     atomic write;
//   - a replica that lost its log never answers under its previous member number;
//   - of two groups of one space with different generations the older yields as
//     soon as they meet.
//
// See docs/protocols/group.md and
// docs/decisions/0013-replication-behind-the-disk-port.md.
package group

import (
	"errors"
	"time"

	"go.etcd.io/raft/v3"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Errors that proposals and reads end with, and reasons why a replica no
// longer leads or is no longer a member.
var (
	// ErrNotLeader: this replica does not lead. Nothing was applied.
	ErrNotLeader = errors.New("this node does not lead the group")
	// ErrUnknown: leadership ended while the proposal was on its way. It may be
	// applied, now or later, or never.
	ErrUnknown = errors.New("leadership was lost on the way: it may or may not be saved")
	// ErrBusy: too much is on its way. Nothing was applied.
	ErrBusy = errors.New("the group has too much to do")
	// ErrTooLarge: a write beyond Config.MaxWrite. Nothing was applied.
	ErrTooLarge = errors.New("the write is too large for the group's log")
	// ErrLease: the leader has not heard from a majority for too long.
	ErrLease = errors.New("the majority of the group cannot be reached")
	// ErrDeposed: another node was elected.
	ErrDeposed = errors.New("another node leads the group")
	// ErrTransferred: leadership was handed over.
	ErrTransferred = errors.New("leadership was handed over")
	// ErrHibernating: the group hibernates.
	ErrHibernating = errors.New("the group hibernates")
	// ErrRemoved: the group goes on without this node.
	ErrRemoved = errors.New("this node was removed from the group")
	// ErrSuperseded: the group was recovered without this node; what it has was
	// put aside.
	ErrSuperseded = errors.New("the group was recovered without this node")
	// ErrCorrupt: what is on the disk makes no sense.
	ErrCorrupt = errors.New("damaged group data")
	// ErrInvalidMessage: what a member said makes no sense, and the replica has lost
	// its way. The disk is as it was: a new replica may read it.
	ErrInvalidMessage = errors.New("a member said what makes no sense")
)

// Config says what a replica is and how it behaves. Zero values are defaults.
type Config struct {
	Space string       // that is kept
	Self  machine.Peer // this node, as others know it

	Heartbeat   time.Duration // of the leader; 100 ms
	Election    time.Duration // a follower's least lease to a leader; 500 ms
	MaxElection time.Duration // its longest, when latencies are high; 4 s
	DeadAfter   time.Duration // silence after which a member counts as dead; 3 s

	KeepEntries int           // of the log, for stragglers; 512
	MaxLogBytes int           // beyond which less is kept; 2 MiB
	MaxWrite    int           // bytes of one proposal; 16 MiB
	MaxEntry    int           // bytes of one entry of the log: a larger proposal is several; 1 MiB
	MaxSpace    int           // bytes of a snapshot that is accepted; 128 MiB
	Chunk       int           // bytes of a snapshot in one message; 64 KiB
	ApplyDelay  time.Duration // how long applied changes wait for a sync of something else; 100 ms
}

func or[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

func (c *Config) defaults() {
	or(&c.Heartbeat, 100*time.Millisecond)
	or(&c.Election, 500*time.Millisecond)
	or(&c.MaxElection, 4*time.Second)
	or(&c.DeadAfter, 3*time.Second)
	or(&c.KeepEntries, 512)
	or(&c.MaxLogBytes, 2<<20)
	or(&c.MaxWrite, 16<<20)
	or(&c.MaxEntry, maxMessage)
	or(&c.MaxSpace, 128<<20)
	or(&c.Chunk, 64<<10)
	or(&c.ApplyDelay, 100*time.Millisecond)
}

// Events receives what becomes of a replica. Events come at the end of the
// handler in which they arise; methods of the replica may be called from them.
type Events interface {
	// OnLead: this replica leads, everything committed before is applied, and
	// the space may be read and written.
	OnLead()
	// OnFollow: it no longer does. Everything on its way has ended.
	OnFollow(why error)
	// OnChange: the leader, the members or their health have changed: Status.
	OnChange()
	// OnNewer: a member says that the group goes on in a newer generation. The owner
	// finds out whether that is so; YieldTo then.
	OnNewer(from machine.Peer, gen Gen)
	// OnResult is the end of a Propose (result nil) or a Read (a []machine.KV).
	OnResult(tag uint64, result any, err error)
	// OnGone: it is no member any more (ErrRemoved, ErrSuperseded), or cannot go on (ErrInvalidMessage, or damage).
	// After ErrRemoved the space is as it was: see Erase.
	OnGone(why error)
}

type phase uint8

const (
	loading phase = iota // reads its own space
	blank                // has nothing and is in no group
	member               // of a group; voter, learner or on its way to be one
	gone                 // was removed, or cannot go on
)

// Replica is one node's copy of the space. It is a machine.Machine.
type Replica struct {
	cfg    Config
	env    machine.Env
	ev     Events
	phase  phase
	failed error // why it is gone
	first  *creation

	st  state     // as it is or will be on the disk
	hs  hardState // the same
	rn  *raft.RawNode
	log *storage

	batch        batch             // what goes to the disk next
	inflight     *batch            // what is on its way there
	job          machine.DiskWrite // the same, as it was given
	disk         diskState         // how that goes
	diskLast     uint64            // the last entry on the disk, or on its way
	partialWrite partialWrite      // of a large proposal

	outbox      outbox
	lead        leadership
	clock       electionClock
	props       proposals
	reads       reads
	snaps       snapshots
	membership  membershipChange
	hibernation hibernation
	events      []func()
	depth       int

	queued []queuedMessage // messages that came while the disk was read
	// removedClaims are the members that say that the group goes on without this node.
	removedClaims map[uint64]bool

	onApply func(index, term uint64, data []byte) // for tests; data nil: a snapshot
}

type queuedMessage struct {
	from machine.Peer
	m    machine.Message
}

// creation is what Create asked for before the disk was read.
type creation struct {
	members []machine.Peer
	after   uint64
}

// New returns a replica; Start loads what the disk knows of it.
func New(cfg Config, env machine.Env, ev Events) *Replica {
	cfg.defaults()
	r := &Replica{cfg: cfg, env: env, ev: ev}
	r.outbox.init()
	r.lead.init()
	r.snaps.init()
	return r
}

// own is the name of the space in which a group keeps its log.
func (r *Replica) own() string { return OwnSpace(r.cfg.Space) }

// OwnSpace is the name of the space in which a replica of a space keeps its
// log and what it knows of its group. It is there if and only if the node is,
// or was, a member.
func OwnSpace(space string) string { return "g." + space }

// Start implements machine.Machine.
func (r *Replica) Start() {
	defer r.begin()()
	r.env.Do(r.queue(), tagLoad, machine.DiskRead{Space: r.own()})
}

// queue is the name of the disk queue: everything that concerns the space goes
// through it, so that a read sees what was written before.
func (r *Replica) queue() string { return r.own() }

// Create makes a new group for the space, of this node alone, that takes in
// the other members one by one. What is in the space already becomes the
// group's. On a replica that is in a group it does nothing.
func (r *Replica) Create(members []machine.Peer) { r.CreateAfter(0, members) }

// CreateAfter makes a new group in the place of one of generation after that
// all members of have gone: if they come back, they give way.
func (r *Replica) CreateAfter(after uint64, members []machine.Peer) {
	defer r.begin()()
	switch r.phase {
	case loading:
		r.first = &creation{members, after}
	case blank:
		r.create(after, members)
	}
}

// begin enters a handler; what it returns leaves it. Events may call methods:
// those are handlers within a handler, the outermost does the work.
func (r *Replica) begin() (end func()) {
	r.depth++
	if r.depth == 1 {
		r.checkLease()
	}
	return r.end
}

func (r *Replica) end() {
	if r.depth == 1 {
		r.work()
		for len(r.events) > 0 {
			events := r.events
			r.events = nil
			for _, e := range events {
				e()
			}
			r.work()
		}
		r.setTimer()
	}
	r.depth--
}

func (r *Replica) emit(e func()) { r.events = append(r.events, e) }

// work does what has become possible.
func (r *Replica) work() {
	if r.phase == member {
		r.proposeBarrier()
		r.proposeWaiting()
		r.pump()
		r.stepMembership()
		r.transferWhenIdle()
		r.hibernateIfIdle()
		r.pump()
	}
	r.flush()
	r.issueReads()
	r.updateLeadership()
	r.flushOutbox()
}

// fail gives up: nothing of this replica goes on.
func (r *Replica) fail(why error) {
	if r.phase == gone {
		return
	}
	r.endLeadership(why)
	r.phase, r.failed = gone, why
	r.rn, r.batch = nil, batch{}
	r.emit(func() { r.ev.OnGone(why) })
}

// OnMessage implements machine.Machine.
func (r *Replica) OnMessage(from machine.Peer, m machine.Message) {
	defer r.begin()()
	if r.phase == loading {
		if len(r.queued) < 64 {
			r.queued = append(r.queued, queuedMessage{from, m})
		}
		return
	}
	switch m := m.(type) {
	case *Message:
		if m.Space == r.cfg.Space {
			r.onMessage(from, m)
		}
	case *Chunk:
		if m.Space == r.cfg.Space {
			r.onChunk(from, m)
		}
	case *ChunkAck:
		if m.Space == r.cfg.Space {
			r.onChunkAck(m)
		}
	}
}

// OnLink implements machine.Machine.
func (r *Replica) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	defer r.begin()()
	r.onLink(peer, ev)
}
