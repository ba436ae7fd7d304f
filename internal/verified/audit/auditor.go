package audit

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// Env is what an auditor needs of its node. Act, Activate and Activation are those
// of storage.Node; Act signs.
type Env interface {
	Now() machine.Time
	Act(*state.Action)
	Activate(geom.Point)
	Activation() (after, until machine.Time)
	Accuse(Accusation)
}

// Config is an auditor's settings.
type Config struct {
	Rules *voxelrules.Rules
	Self  *state.Player // the node
	Begin machine.Time  // t_0
	Every time.Duration // an interval
	// AccuseAfter is how many audits may show the same difference before the leader is
	// accused; 0: DefaultAccuseAfter. Other nodes may be late in signing.
	AccuseAfter int
}

// DefaultAccuseAfter leaves time for a node to come to a region, to sign what its
// player did there, and to do so again.
const DefaultAccuseAfter = 6

// Accusation is what a leader is accused of.
type Accusation struct {
	Kind   AccusationKind
	Region world.RegionPos
	At     world.Pos
	Shown  world.Block // by the leader
	Voted  world.Block // by the zones, for Differs
	Of     int64       // the update
	Player id.ID       // for the others
}

// AccusationKind is the kind of an accusation.
type AccusationKind uint8

// The kinds of accusation.
const (
	Differs      AccusationKind = iota + 1 // shows a block that the zones do not have
	NotRequested                           // reports an act that the player did not request
	NotEarned                              // gave a player what its acts do not earn
)

// Stats are an auditor's counters. Of is the last update that it has seen.
type Stats struct {
	Of          int64
	Present     bool   // there is an auditor of this node in the storage
	Waiting     int    // edits that are not in the storage yet
	Taken       uint64 // edits that the voted state contains
	Refused     uint64 // edits that were given up
	Compared    uint64 // columns
	Differing   int    // blocks that are at present shown otherwise than voted
	Accusations uint64
}

// Auditor signs the edits of a node's players and audits the regions that they see.
type Auditor struct {
	cfg        Config
	env        Env
	sessions   map[id.ID]*session
	players    map[id.ID]*player
	pending    []*pendingEdit
	observed   observedBlocks
	mismatches map[world.Pos]*mismatch
	excess     map[playerBlock]*mismatch
	initial    map[world.ColumnPos]map[world.Pos]bool // what has differed ever since a column was looked at
	stats      Stats

	// Where the auditor stands in the storage.
	present      bool
	at           world.RegionPos // for the interval that has begun
	nextAt       world.RegionPos // from the next on
	moveAfter    int64           // the interval after which it is at next
	signUntil    machine.Time    // until when an activated auditor must sign a batch; 0: none is activated
	lastSigned   int64           // the last interval that was signed
	seq          uint64
	emptyAnswers int // retrievals in a row without a result
}

// session is a player's connection to the node.
type session struct {
	player id.ID
	home   world.RegionPos
	acts   []region.Act // without an answer
	last   uint32       // the newest act
	entry  uint32       // answers to earlier Enters do not count
}

// player is somebody who plays at the node.
type player struct {
	id            id.ID
	home          world.RegionPos
	slots         [world.Slots]world.Stack
	allSlotsKnown bool // all slots are known
	gone          bool
	joined        bool // an EditJoin was signed, in the interval joinedIn
	joinedIn      int64

	compared bool // its inventory was compared with what it has earned
}

// pendingEdit is an edit that is not confirmed by the voted state yet.
type pendingEdit struct {
	voxelrules.Edit
	in       world.RegionPos
	interval int64 // the interval that it was signed for; 0: not yet
	tries    int
}

// New returns a node's auditor.
func New(cfg Config, env Env) *Auditor {
	if cfg.AccuseAfter == 0 {
		cfg.AccuseAfter = DefaultAccuseAfter
	}
	return &Auditor{
		cfg: cfg, env: env, sessions: map[id.ID]*session{}, players: map[id.ID]*player{},
		observed: newObservedBlocks(), mismatches: map[world.Pos]*mismatch{}, excess: map[playerBlock]*mismatch{}, initial: map[world.ColumnPos]map[world.Pos]bool{},
	}
}

const (
	maxActs    = 64      // of a session without an answer; as many as may wait, and more
	maxPending = 1 << 14 // edits of a node
)

// OnRequest notes a request of a session of the node to a region.
func (a *Auditor) OnRequest(who id.ID, of world.RegionPos, m machine.Message) {
	s := a.session(who)
	switch m := m.(type) {
	case *region.Watch:
		a.observed.onWatch(who, of, m)
	case *region.Inputs:
		s.home = of
		a.arrive(s, m.Player)
	case *region.Act:
		s.home = of
		a.arrive(s, m.Player)
		if m.Seq <= s.last { // asked for again
			return
		}
		if s.last = m.Seq; len(s.acts) == maxActs {
			s.acts = slices.Delete(s.acts, 0, 1)
		}
		s.acts = append(s.acts, *m)
	case *region.Enter:
		a.setPlayer(s, m.Player)
		s.entry = m.Entry
	}
}

func (a *Auditor) session(who id.ID) *session {
	s := a.sessions[who]
	if s == nil {
		s = &session{}
		a.sessions[who] = s
	}
	return s
}

// arrive notes the region that a player is in.
func (a *Auditor) arrive(s *session, who id.ID) {
	a.setPlayer(s, who)
	p := a.players[who]
	if p == nil {
		p = &player{id: who}
		a.players[who] = p
	}
	p.home, p.gone = s.home, false
}

// setPlayer notes the player of a session.
func (a *Auditor) setPlayer(s *session, who id.ID) {
	if before := s.player; before != who {
		s.player = who
		a.dropPlayer(before)
	}
}

// dropPlayer marks a player without sessions as gone, and forgets it at once if nothing was
// signed of it.
func (a *Auditor) dropPlayer(who id.ID) {
	p := a.players[who]
	if p == nil {
		return
	}
	for _, other := range a.sessions {
		if other.player == who {
			return
		}
	}
	p.gone, p.allSlotsKnown = true, false
	if !p.joined && !a.hasPendingEdit(p) {
		delete(a.players, who)
	}
}

// OnResponse notes a message of a region to a session of the node.
func (a *Auditor) OnResponse(who id.ID, m machine.Message) {
	switch m := m.(type) {
	case *region.Columns:
		a.observed.onColumns(who, m)
	case *region.Frame:
		a.observed.onFrame(who, m)
	case *region.ActResult:
		a.onActResult(who, m)
	case *region.Inventory:
		// Whose session it is it says itself: what a leader says of strangers is
		// nobody's here, and would be kept.
		if s := a.sessions[who]; s != nil && s.player == m.Player {
			if a.players[m.Player] == nil {
				s.home = m.Region
				a.arrive(s, m.Player)
			}
			a.players[m.Player].updateInventory(m)
		}
	}
}

// OnSessionEnd forgets a session.
func (a *Auditor) OnSessionEnd(who id.ID) {
	s := a.sessions[who]
	a.observed.forgetSession(who)
	if s == nil {
		return
	}
	delete(a.sessions, who)
	a.dropPlayer(s.player)
}

// onActResult queues the edit that a region reports for signing, if it is what the player
// has requested; otherwise it accuses the leader.
func (a *Auditor) onActResult(who id.ID, m *region.ActResult) {
	s := a.sessions[who]
	if s == nil || m.Player != s.player || m.Entry != s.entry {
		return // the session does not count it either
	}
	i := slices.IndexFunc(s.acts, func(a region.Act) bool { return a.Seq == m.Seq })
	if i < 0 {
		if m.Seq > s.last && m.OK && m.Did != nil {
			a.accuse(Accusation{Kind: NotRequested, Region: m.Region, At: m.Did.At, Shown: m.Did.Block, Player: m.Player})
		}
		return
	}
	act := s.acts[i]
	s.acts = slices.Delete(s.acts, i, i+1)
	if !m.OK {
		return
	}
	e := voxelrules.Edit{Player: m.Player, Tick: voxelrules.TickAt(a.env.Now())}
	switch did := m.Did; {
	case world.ActKind(act.Kind) == world.ActCraft:
		e.Kind, e.Recipe, e.Times = voxelrules.EditCraft, uint32(act.A), act.B
		a.queueEdit(e, s.home)
	case did == nil:
	case !matches(&act, did):
		a.accuse(Accusation{Kind: NotRequested, Region: m.Region, At: did.At, Shown: did.Block, Player: m.Player})
	default:
		e.Kind, e.At, e.Block = voxelrules.EditBreak, did.At, did.Block
		if did.Kind == world.RemotePlace {
			e.Kind = voxelrules.EditPlace
		}
		a.queueEdit(e, did.At.Region())
	}
}

// matches reports whether an edit is what the player has requested.
func matches(a *region.Act, did *world.Remote) bool {
	switch world.ActKind(a.Kind) {
	case world.ActDig:
		return did.Kind == world.RemoteBreak && did.At == a.Pos
	case world.ActPlace:
		return did.Kind == world.RemotePlace && (did.At == a.Pos || did.At == a.Pos.Next(world.Face(a.Face)))
	}
	return false
}

// queueEdit puts an edit into the next batch.
func (a *Auditor) queueEdit(e voxelrules.Edit, in world.RegionPos) {
	if !a.cfg.Rules.Holds(in) || len(a.pending) >= maxPending {
		a.stats.Refused++
		return
	}
	a.pending = append(a.pending, &pendingEdit{Edit: e, in: in})
}

func (a *Auditor) accuse(acc Accusation) {
	a.stats.Accusations++
	a.env.Accuse(acc)
}

// Stats returns the counters.
func (a *Auditor) Stats() Stats {
	s := a.stats
	s.Present, s.Waiting, s.Differing = a.present, len(a.pending), len(a.mismatches)
	return s
}

// Sessions returns the sessions of players at the node, in order.
func (a *Auditor) Sessions() []id.ID {
	return id.Sorted(a.sessions)
}
