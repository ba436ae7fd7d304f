package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Region is the authority of one region. The node makes one for the first
// message to a region, and lets go of it when Asleep reports true.
//
// It dispatches messages, timers and the ends of jobs to its components, which have
// the state, and decides when the region ticks and hibernates.
type Region struct {
	cfg   Config
	env   machine.Env
	stats Stats

	area     *regionlog.Area
	columns  *columns
	entities *entities
	interest *interest
	border   *border
	store    *store
	loading  *loading
	sessions *playerSessions
	signed   *signatures // of what players do
	dedup    *deduplication
	pending  *pendingEdits   // edits that neighbours were asked for
	edits    *requestedEdits // and were asked for by neighbours
	items    *droppedItems
	stores   *containers
	mobs     *crossings  // to neighbours
	lands    *lands      // that players own
	amends   []*amending // orders about many blocks that go on
	built    []uint64    // the last orders to build (Seq)
	history  *history    // who changed which block
	departed *departed   // who went where, lately
	outgoing *outgoingHandovers
	incoming *incomingHandovers
	enter    *admission
	queue    *commandQueue
	effects  *effects
	loop     *tickLoop
	activity *activity

	asleep  bool
	failure error // why the disk cannot be read or written
}

// Pos returns which region it is.
func (r *Region) Pos() world.RegionPos { return r.cfg.Pos }

// Area is the region's area, whose changes can be followed.
func (r *Region) Area() *regionlog.Area { return r.area }

// Current calls do for each session that watches, after the frames of a tick, with the
// columns whose blocks it was shown as they are.
func (r *Region) Current(do func(session machine.Peer, columns uint16)) {
	r.interest.current(r.loop.tick, do)
}

// Asleep reports that the region hibernates: all is on disk and nobody watches.
// A node looks after each handler, and drops a region that sleeps; the next
// message for it begins with New again.
func (r *Region) Asleep() bool { return r.asleep }

// Start implements machine.Machine.
func (r *Region) Start() { r.loading.read() }

// OnMessage implements machine.Machine.
func (r *Region) OnMessage(from machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case *Watch:
		r.onWatch(from, m)
	case *Inputs:
		r.onSession(from, m.Player, m)
	case *Act:
		r.onSession(from, m.Player, m)
	case *Segment:
		r.onSession(from, m.Player, m)
	case *Columns:
		r.border.onColumns(from, m, r.loop.ticking)
	case *Blocks:
		r.border.onBlocks(from, m, r.loop.ticking)
	case *NearChat:
		r.onNearChat(from, m)
	case *HandoverOK:
		r.restIf(r.outgoing.onOK(from, m))
	case *HandoverRefused:
		r.outgoing.onRefused(from, m)
	case *RemoteEditDone:
		r.onRemoteEditDone(from, m)
	case *MobOverDone:
		r.restIf(r.mobs.onMobOverDone(from, m))
	case *Decided:
		r.onDecided(from)
	case *Claimed:
		r.restIf(r.incoming.onClaimed(from, m))
	case *NewHost:
		r.onNewHost(from)
	default:
		r.onMessageNeedingDisk(from, m)
	}
}

// onMessageNeedingDisk takes the messages that need to know what is on the disk.
func (r *Region) onMessageNeedingDisk(from machine.Peer, m machine.Message) {
	if !r.loading.awake {
		r.loading.wait(from, m)
		return
	}
	switch m := m.(type) {
	case *Enter:
		r.enter.onEnter(from, m)
	case *Leave:
		r.onSession(from, m.Player, m)
	case *Handover:
		r.incoming.onHandover(from, m)
	case *RemoteEdit:
		r.onRemoteEdit(from, m)
	case *Forward:
		r.onForward(from, m)
	case *Order:
		r.onOrder(from, m)
	case *MobOver:
		r.restIf(r.mobs.onMobOver(from, m, r.loop.moves()))
	case *Locate:
		r.onLocate(from, m)
	case *Undo:
		r.onUndo(from, m)
	case *SaveAll:
		r.onSaveAll(from, m)
	case *Merge:
		r.onMerge(from, m)
	default:
		r.stats.Refused++
	}
}

// OnTimer implements machine.Machine.
func (r *Region) OnTimer(t machine.Timer) {
	switch t.Kind {
	case timerTick:
		if t.Gen == r.loop.gen && r.loop.ticking {
			r.onTick()
		}
	case timerRead:
		r.failure = nil
		r.loading.read()
	case timerRetry:
		if r.store.readOnly && r.store.running == 0 {
			r.snapshot(nil)
		}
	case timerHandover:
		r.outgoing.onTimer(t)
	case timerEdit:
		r.pending.onTimer(t)
	case timerMob:
		r.mobs.onTimer(t)
	case timerBorder:
		r.border.onTimer(r.loop.ticking)
		r.introduce()
		r.hibernateIfIdle()
	case timerClaim:
		r.incoming.expireClaims()
		r.hibernateIfIdle()
	}
}

// OnLink implements machine.Machine. The node tells every region about the end
// of a session's link.
func (r *Region) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	if ev == machine.LinkUp {
		return
	}
	s := r.interest.subOf[peer]
	if s == nil {
		return
	}
	if s.player != nil {
		r.sessions.leave(s.player, LeftClosed)
	}
	if s := r.interest.subOf[peer]; s != nil && r.interest.drop(s) {
		r.activity.touch()
		r.wake()
	}
	r.hibernateIfIdle()
}

// OnDone implements machine.Machine.
func (r *Region) OnDone(tag uint64, result any, err error) {
	switch tag >> 56 {
	case jobRead:
		r.onRead(result, err)
	case jobWrite:
		r.onWritten(tag, err)
	case jobGenerate:
		r.loading.onGenerated(int(tag&0xff), result, err)
	case jobVerify:
		r.signed.onVerified(tag, result)
		r.hibernateIfIdle()
	}
}

// notice tells all sessions something.
func (r *Region) notice(code, text string) {
	for _, s := range r.interest.subs {
		r.env.Send(s.peer, &Notice{Region: r.cfg.Pos, Code: code, Text: text})
	}
}
