package witness

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/truth"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Env is what a witness needs of its node. Act, Activate and Activation are those
// of storage.Node; Act signs.
type Env interface {
	Now() machine.Time
	Act(*storage.Action)
	Activate(geom.Point)
	Activation() (after, until machine.Time)
	Accuse(Charge)
}

// Config is a witness's settings.
type Config struct {
	Rules *truth.Rules
	Self  *storage.Player // the node
	Begin machine.Time    // t_0
	Every time.Duration   // an interval
	// Patience is after how many looks that show the same difference a leader is
	// accused; 0: DefaultPatience. Others' nodes may be late in signing.
	Patience int
}

// DefaultPatience leaves time for a node to come to a region, to sign what its
// player did there, and to do so again.
const DefaultPatience = 6

// Charge is what a leader is accused of.
type Charge struct {
	Kind   ChargeKind
	Region world.RegionPos
	At     world.Pos
	Shown  world.Block // by the leader
	Voted  world.Block // by the zones, for Differs
	Of     int64       // the update
	Player id.ID       // for the others
}

// ChargeKind is what a charge is.
type ChargeKind uint8

// The kinds of charge.
const (
	Differs   ChargeKind = iota + 1 // shows a block that the zones do not have
	NotAsked                        // says that a player has done what it did not ask for
	NotEarned                       // a player has got what its acts do not bring
)

// Stats are the figures of a witness. Of is the last update that it has seen.
type Stats struct {
	Of        int64
	Present   bool   // there is a witness of this node in the storage
	Waiting   int    // edits that are not in the storage yet
	Taken     uint64 // edits that the zones hold
	Refused   uint64 // edits that were given up
	Compared  uint64 // columns
	Differing int    // blocks that are shown otherwise than they are voted at the moment
	Charges   uint64
}

// Witness is that of a node.
type Witness struct {
	cfg      Config
	env      Env
	sessions map[id.ID]*session
	players  map[id.ID]*player
	pending  []*deed
	eyes     eyes
	suspects map[world.Pos]*suspect
	excess   map[owned]*suspect
	old      map[world.ColumnPos]map[world.Pos]bool // what has differed ever since a column was looked at
	stats    Stats

	// Where the witness stands in the storage.
	present bool
	at      world.RegionPos // for the interval that has begun
	next    world.RegionPos // from the next on
	moved   int64           // the interval after which it is at next
	until   machine.Time    // when a witness that was announced has to speak; 0: none was
	signed  int64           // the last interval that was signed
	seq     uint64
	blind   int // looks in a row that have shown nothing
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
	id    id.ID
	home  world.RegionPos
	slots [world.Slots]world.Stack
	full  bool // all slots are known
	gone  bool
	come  bool // it was signed that the player is here,
	// for the interval cameOf
	cameOf int64

	weighed bool // what it has was compared with what it has won
}

// deed is an edit that is to be in the storage.
type deed struct {
	truth.Edit
	in    world.RegionPos
	of    int64 // the interval that it was signed for; 0: not yet
	tries int
}

// New returns a node's witness.
func New(cfg Config, env Env) *Witness {
	if cfg.Patience == 0 {
		cfg.Patience = DefaultPatience
	}
	return &Witness{
		cfg: cfg, env: env, sessions: map[id.ID]*session{}, players: map[id.ID]*player{},
		eyes: newEyes(), suspects: map[world.Pos]*suspect{}, excess: map[owned]*suspect{}, old: map[world.ColumnPos]map[world.Pos]bool{},
	}
}

const (
	maxActs    = 64      // of a session without an answer; as many as may wait, and more
	maxPending = 1 << 14 // edits of a node
)

// Asked notes what a session of the node asks of a region.
func (w *Witness) Asked(who id.ID, of world.RegionPos, m machine.Message) {
	s := w.session(who)
	switch m := m.(type) {
	case *region.Watch:
		w.eyes.watch(who, of, m)
	case *region.Inputs:
		s.home = of
		w.visit(s, m.Player)
	case *region.Act:
		s.home = of
		w.visit(s, m.Player)
		if m.Seq <= s.last { // asked for again
			return
		}
		if s.last = m.Seq; len(s.acts) == maxActs {
			s.acts = slices.Delete(s.acts, 0, 1)
		}
		s.acts = append(s.acts, *m)
	case *region.Enter:
		w.is(s, m.Player)
		s.entry = m.Entry
	}
}

func (w *Witness) session(who id.ID) *session {
	s := w.sessions[who]
	if s == nil {
		s = &session{}
		w.sessions[who] = s
	}
	return s
}

// visit notes where a player is.
func (w *Witness) visit(s *session, who id.ID) {
	w.is(s, who)
	p := w.players[who]
	if p == nil {
		p = &player{id: who}
		w.players[who] = p
	}
	p.home, p.gone = s.home, false
}

// is notes whose session one is.
func (w *Witness) is(s *session, who id.ID) {
	if before := s.player; before != who {
		s.player = who
		w.leave(before)
	}
}

// leave lets a player go who has no session any more; of whom nothing was signed
// nothing is kept.
func (w *Witness) leave(who id.ID) {
	p := w.players[who]
	if p == nil {
		return
	}
	for _, other := range w.sessions {
		if other.player == who {
			return
		}
	}
	p.gone, p.full = true, false
	if !p.come && !w.owes(p) {
		delete(w.players, who)
	}
}

// Told notes what a session of the node is told.
func (w *Witness) Told(who id.ID, m machine.Message) {
	switch m := m.(type) {
	case *region.Columns:
		w.eyes.columns(who, m)
	case *region.Frame:
		w.eyes.frame(who, m)
	case *region.ActResult:
		w.answered(who, m)
	case *region.Inventory:
		// Whose session it is it says itself: what a leader says of strangers is
		// nobody's here, and would be kept.
		if s := w.sessions[who]; s != nil && s.player == m.Player {
			if w.players[m.Player] == nil {
				s.home = m.Region
				w.visit(s, m.Player)
			}
			w.players[m.Player].inventory(m)
		}
	}
}

// Ended forgets a session.
func (w *Witness) Ended(who id.ID) {
	s := w.sessions[who]
	w.eyes.forget(who)
	if s == nil {
		return
	}
	delete(w.sessions, who)
	w.leave(s.player)
}

// answered takes the answer to an act: what was done is to be signed, if it is
// what the player has asked for.
func (w *Witness) answered(who id.ID, m *region.ActResult) {
	s := w.sessions[who]
	if s == nil || m.Player != s.player || m.Entry != s.entry {
		return // the session does not count it either
	}
	i := slices.IndexFunc(s.acts, func(a region.Act) bool { return a.Seq == m.Seq })
	if i < 0 {
		if m.Seq > s.last && m.OK && m.Did != nil {
			w.accuse(Charge{Kind: NotAsked, Region: m.Region, At: m.Did.At, Shown: m.Did.Block, Player: m.Player})
		}
		return
	}
	act := s.acts[i]
	s.acts = slices.Delete(s.acts, i, i+1)
	if !m.OK {
		return
	}
	e := truth.Edit{Player: m.Player, Tick: truth.TickAt(w.env.Now())}
	switch did := m.Did; {
	case world.ActKind(act.Kind) == world.ActCraft:
		e.Kind, e.Recipe, e.Times = truth.EditCraft, uint32(act.A), act.B
		w.sign(e, s.home)
	case did == nil:
	case !fits(&act, did):
		w.accuse(Charge{Kind: NotAsked, Region: m.Region, At: did.At, Shown: did.Block, Player: m.Player})
	default:
		e.Kind, e.At, e.Block = truth.EditBreak, did.At, did.Block
		if did.Kind == world.RemotePlace {
			e.Kind = truth.EditPlace
		}
		w.sign(e, did.At.Region())
	}
}

// fits reports whether what was done is what was asked for.
func fits(a *region.Act, did *world.Remote) bool {
	switch world.ActKind(a.Kind) {
	case world.ActDig:
		return did.Kind == world.RemoteBreak && did.At == a.Pos
	case world.ActPlace:
		return did.Kind == world.RemotePlace && (did.At == a.Pos || did.At == a.Pos.Next(world.Face(a.Face)))
	}
	return false
}

// sign lets an edit be in the next batch.
func (w *Witness) sign(e truth.Edit, in world.RegionPos) {
	if !w.cfg.Rules.Holds(in) || len(w.pending) >= maxPending {
		w.stats.Refused++
		return
	}
	w.pending = append(w.pending, &deed{Edit: e, in: in})
}

func (w *Witness) accuse(c Charge) {
	w.stats.Charges++
	w.env.Accuse(c)
}

// Stats reads the figures.
func (w *Witness) Stats() Stats {
	s := w.stats
	s.Present, s.Waiting, s.Differing = w.present, len(w.pending), len(w.suspects)
	return s
}

// Sessions are those whose players are here, in order.
func (w *Witness) Sessions() []id.ID {
	return id.Sorted(w.sessions)
}
