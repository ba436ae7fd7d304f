package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/timing"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Region is the authority of one region. The node makes one for the first
// message to a region, and lets go of it when Asleep reports true.
type Region struct {
	cfg   Config
	env   machine.Env
	queue string // of disk jobs

	area     *world.Area
	halo     *halo
	entities entities
	store    store
	loading  loading

	awake   bool // the disk has been read
	ticking bool
	asleep  bool
	tick    uint64       // the last one
	touched machine.Time // when somebody last had business here
	unsaved bool         // ticked since the last snapshot
	failure error        // why it cannot be read or written

	loaded   uint16 // columns that are there
	version  [world.Columns]uint64
	blocksAt [world.Columns]uint64 // tick that tells of the last block change
	untold   uint16                // columns with changes for the next tick to tell of
	stepping bool                  // what a step of the world changed is being applied

	homes      map[id.ID]*home
	outs       map[id.ID]*outgoing // players on their way to another home
	offers     map[uint64]*outgoing
	lastOffer  uint64
	arriving   map[id.ID]uint64 // epochs of players whose takeover is on its way to the disk
	ledgers    map[id.ID]*ledger
	never      map[id.ID]uint64   // epochs of handovers refused while nothing could be written
	refusals   map[refusal]uint32 // epochs of handovers refused because the player is at home elsewhere
	claims     map[id.ID]*claim   // handovers that wait for the lobby
	moved      map[id.ID]gone     // who went where, lately
	asks       asks               // edits that neighbours were asked for
	mobs       crossings          // to neighbours
	ops        map[world.RegionPos]*ops
	subs       []*subscriber
	subOf      map[machine.Peer]*subscriber
	groups     map[watchSet]*group
	neighbours []neighbour
	tending    bool // a timer for the border is set
	commands   []world.Command
	later      []world.Command // for the next tick: orders, remotes, their answers
	lastOrder  uint32

	enc          frame.CellEncoder // scratch of a tick
	mixed        map[mix][]byte
	room         []byte
	snapshotting int // snapshots on their way
	lastTag      uint64
	timerGen     uint32
	tickDue      machine.Time  // when the next one is
	strain       timing.Strain // of ticks that are late
	stats        Stats
}

// Kinds of jobs, in the high byte of a tag.
const (
	jobRead = iota + 1
	jobWrite
	jobGenerate
)

// Kinds of timers.
const (
	timerTick = iota + 1
	timerRead
	timerRetry
	timerHandover
	timerAsk
	timerMob
	timerBorder
	timerClaim
)

// New returns the region of cfg; nothing happens before Start.
func New(cfg Config, env machine.Env) *Region {
	r := &Region{
		cfg: cfg.withDefaults(), env: env, queue: Space(cfg.Pos), store: newStore(), halo: newHalo(cfg.Pos),
		homes: map[id.ID]*home{}, outs: map[id.ID]*outgoing{}, moved: map[id.ID]gone{},
		offers: map[uint64]*outgoing{}, arriving: map[id.ID]uint64{}, ops: map[world.RegionPos]*ops{}, never: map[id.ID]uint64{},
		claims: map[id.ID]*claim{}, refusals: map[refusal]uint32{},
		ledgers: map[id.ID]*ledger{},
		subOf:   map[machine.Peer]*subscriber{}, groups: map[watchSet]*group{}, mixed: map[mix][]byte{},
	}
	r.area = world.NewArea(r.cfg.Rules, cfg.Pos, r.halo)
	r.entities.init(cfg.Pos)
	return r
}

// Pos returns which region it is.
func (r *Region) Pos() world.RegionPos { return r.cfg.Pos }

// Asleep reports that the region hibernates: all is on disk and nobody watches.
// A node looks after each handler, and drops a region that sleeps; the next
// message for it begins with New again.
func (r *Region) Asleep() bool { return r.asleep }

// tag returns a new tag for a job of a kind. The low byte is free for the
// job's own use.
func (r *Region) tag(kind uint64) uint64 {
	r.lastTag++
	return kind<<56 | r.lastTag<<8
}

// Start implements machine.Machine.
func (r *Region) Start() { r.load() }

// OnMessage implements machine.Machine.
func (r *Region) OnMessage(from machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case *Watch:
		r.onWatch(from, m)
	case *Inputs:
		r.onInputs(from, m)
	case *Act:
		r.onAct(from, m)
	case *Columns:
		r.onColumns(from, m)
	case *Blocks:
		r.onBlocks(from, m)
	case *NearChat:
		r.onNearChat(from, m)
	case *HandoverOK:
		r.onHandoverOK(from, m)
	case *HandoverRefused:
		r.onHandoverRefused(from, m)
	case *RemoteEditDone:
		r.onRemoteEditDone(from, m)
	case *MobOverDone:
		r.onMobOverDone(from, m)
	case *Laws:
		r.onLaws(from, m)
	case *Claimed:
		r.onClaimed(from, m)
	case *NewHost:
		r.onNewHost(from)
	default:
		r.onMessageThatWakes(from, m)
	}
}

// onMessageThatWakes takes the messages that need to know what is on the disk.
func (r *Region) onMessageThatWakes(from machine.Peer, m machine.Message) {
	if !r.awake {
		r.wait(from, m)
		return
	}
	switch m := m.(type) {
	case *Enter:
		r.onEnter(from, m)
	case *Leave:
		r.onLeave(from, m)
	case *Handover:
		r.onHandover(from, m)
	case *RemoteEdit:
		r.onRemoteEdit(from, m)
	case *Forward:
		r.onForward(from, m)
	case *Order:
		r.onOrder(from, m)
	case *MobOver:
		r.onMobOver(from, m)
	case *Locate:
		r.onLocate(from, m)
	case *SaveAll:
		r.onSaveAll(from, m)
	default:
		r.stats.Refused++
	}
}

// wait keeps a message until the region can take it.
func (r *Region) wait(from machine.Peer, m machine.Message) {
	if len(r.loading.waiting) >= maxWaiting {
		r.stats.Refused++
		return
	}
	r.loading.waiting = append(r.loading.waiting, letter{from, m})
}

// needReady asks for all columns and reports whether they are there; if not, the
// message waits for them.
func (r *Region) needReady(from machine.Peer, m machine.Message) bool {
	if r.loaded == allColumns {
		return true
	}
	r.wait(from, m)
	r.loadColumns(allColumns)
	return false
}

// OnTimer implements machine.Machine.
func (r *Region) OnTimer(t machine.Timer) {
	switch t.Kind {
	case timerTick:
		if t.Gen == r.timerGen && r.ticking {
			r.onTick()
		}
	case timerRead:
		r.failure = nil
		r.load()
	case timerRetry:
		if r.store.readOnly && r.snapshotting == 0 {
			r.snapshot(nil)
		}
	case timerHandover:
		r.onHandoverTimer(t)
	case timerAsk:
		r.onAskTimer(t)
	case timerMob:
		r.onMobTimer(t)
	case timerBorder:
		r.onBorderTimer()
	case timerClaim:
		r.claimsLate()
	}
}

// OnLink implements machine.Machine. The node tells every region about the end
// of a session's link.
func (r *Region) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	if ev == machine.LinkUp {
		return
	}
	s := r.subOf[peer]
	if s == nil {
		return
	}
	if s.home != nil {
		r.leave(s.home, LeftClosed)
	}
	r.dropWatch(peer)
	r.rest()
}

// OnDone implements machine.Machine.
func (r *Region) OnDone(tag uint64, result any, err error) {
	switch tag >> 56 {
	case jobRead:
		r.onRead(result, err)
	case jobWrite:
		r.onWritten(tag, err)
	case jobGenerate:
		r.onGenerated(int(tag&0xff), result, err)
	}
}

// notice tells all sessions something.
func (r *Region) notice(code, text string) {
	for _, s := range r.subs {
		r.env.Send(s.peer, &Notice{Region: r.cfg.Pos, Code: code, Text: text})
	}
}
