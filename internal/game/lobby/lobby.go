package lobby

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Lobby is the machine. All its methods are handlers of machine.Machine.
type Lobby struct {
	env machine.Env
	cfg Config
	store

	sessions map[machine.Peer]*player
	entering []enter   // came before the store was read
	here     []*player // in the order in which they came
	consoles []*player // that are open; none of them is in the world
	changed  []*player // the others are yet to be told of
	armed    bool      // timerNews is set
	calling  bool      // timerRoster is set

	awake      map[world.RegionPos]bool
	nextTag    uint64
	lastOrder  uint64 // Seq of the last order that was proposed
	timeOffset int64  // as the sessions were told

	names       names
	whereabouts whereabouts
	vouches     vouches
	undos       undos
	saves       saves
	builders    builders
	skins       skins
	nights      nights
	lines       line.Seen
}

// player is somebody whom the lobby knows, here or away.
type player struct {
	id  id.ID
	rec record

	typed    string       // the name as the player has typed and signed it
	session  machine.Peer // through which the player is here
	here     bool         // admitted and not gone
	console  bool         // in the world is nobody
	claiming bool         // the claim of its name is on the way to the disk
	region   world.RegionPos

	location

	changed bool      // is in Lobby.changed
	told    bool      // the others know that it is here
	resumes bool      // was here already, through another host of the lobby
	quiet   rateLimit // of chat and commands
	deaths  rateLimit // that the others are told of

	role    decision.Role // as the client was told
	invited bool          // only to visit
	visitor bool          // changes nothing
	dressed
	slept     machine.Time // when it was last said to sleep
	since     int64        // Unix seconds when the player came
	proposals []*proposal
	building
}

// Kinds of timers.
const (
	timerNews   = iota + 1 // tell the others who came, moved and went
	timerLocate            // Arg: tag of a Locate without an answer
	timerSave              // Arg: tag of a save that takes too long
	timerRoster            // who was here before this host of the lobby has come back
	timerUndo              // Arg: tag of an order about history that takes too long
	timerVouch             // a question who plays has waited for long
)

// New returns the lobby of a world; Start reads what it has on disk.
func New(env machine.Env, cfg Config) *Lobby {
	h := &Lobby{
		env: env, cfg: cfg.withDefaults(),
		sessions: map[machine.Peer]*player{},
		awake:    map[world.RegionPos]bool{},
		saves:    saves{},
		undos:    undos{map[uint64]*undone{}, map[uint64]func(*Undone){}},
	}
	h.store = newStore(env, regionlog.NewRegister(h.cfg.Decisions.World(), h.cfg.Passes))
	h.names = names{store: &h.store, log: h.cfg.Decisions}
	h.whereabouts = whereabouts{env: env, cfg: &h.cfg, hall: h, players: h.players, requests: map[uint64]*playerRequest{}}
	h.vouches = vouches{env: env, cfg: &h.cfg, hall: h, sessions: h.sessions}
	h.builders = builders{unix: h.unix, write: func(put map[string]any, gone []string) { h.write(put, gone, nil) }}
	h.skins = skins{env: env, log: h.cfg.Decisions, news: h.queueNews}
	h.nights = nights{env: env, cfg: &h.cfg, hall: h}
	return h
}

// Start reads the lobby's space; sessions that come meanwhile wait.
func (h *Lobby) Start() { h.load() }

// Register is who has which name: to be recorded, and to look at.
func (h *Lobby) Register() *regionlog.Register { return h.register }

// OnMessage handles a message of messages.go; others are ignored.
func (h *Lobby) OnMessage(from machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case *Enter:
		h.onEnter(enter{from, m})
	case *Say:
		h.onSay(from, m)
	case *Skin:
		h.skins.wear(h.sessions[from], m)
	case *AskSkin:
		h.skins.answer(h.sessions[from], h.here, m)
	case *Clip:
		h.onClip(from, m)
	case *Leave:
		h.leave(from)
	case *Awake:
		h.awake[m.Region] = true
	case *Asleep:
		delete(h.awake, m.Region)
	case *Arrived:
		h.whereabouts.onArrived(m)
	case *Departed: // the session tells: it may have entered again already
	case *Died:
		h.onDied(m)
	case *Sleeping:
		h.nights.sleep(m)
	case *Located:
		h.whereabouts.onLocated(m)
	case *NotHere:
		h.whereabouts.onNotHere(m)
	case *Claim:
		h.whereabouts.onClaim(m)
	case *Saved:
		h.saves.hear(m)
	case *Undone:
		if !h.whereabouts.took(m) {
			h.undos.hear(m)
		}
	case *Vouch:
		h.vouches.on(m)
	case *Signed:
		h.onSigned(from, m.Statement)
	case *Decided:
		h.onDecided()
	}
}

// OnTimer handles the lobby's own timers.
func (h *Lobby) OnTimer(t machine.Timer) {
	switch t.Kind {
	case timerNews:
		h.armed = false
		h.sendNews()
	case timerLocate:
		h.whereabouts.expire(t.Arg)
	case timerSave:
		h.saves.expire(t.Arg)
	case timerUndo:
		h.undos.end(t.Arg)
	case timerVouch:
		h.vouches.expire()
	case timerRoster:
		h.calling = false
		h.toAll(h.list())
	}
}

// OnLink ends what a session had when its link ends.
func (h *Lobby) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	if ev != machine.LinkUp {
		h.leave(peer)
	}
}

// OnDone continues what waited for the disk.
func (h *Lobby) OnDone(tag uint64, result any, err error) { h.store.done(tag, result, err) }

func (h *Lobby) tag() uint64 {
	h.nextTag++
	return h.nextTag
}

// regionsAwake returns the regions that tick, in order of their position.
func (h *Lobby) regionsAwake() []world.RegionPos {
	out := make([]world.RegionPos, 0, len(h.awake))
	for r := range h.awake {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b world.RegionPos) int {
		if a.X != b.X {
			return int(a.X) - int(b.X)
		}
		return int(a.Z) - int(b.Z)
	})
	return out
}

// toRegion gives a message to the node to bring to its region.
func (h *Lobby) toRegion(m machine.Message) { h.env.Send(machine.Peer{}, m) }

// present are those who are here, in the order in which they came.
func (h *Lobby) present() []*player { return h.here }

// toAll sends one message to everybody who is here, and to consoles.
func (h *Lobby) toAll(m machine.Message) {
	h.toPlayers(m)
	h.toConsoles(m)
}

func (h *Lobby) toPlayers(m machine.Message) {
	for _, p := range h.here {
		h.env.Send(p.session, m)
	}
}

// tick is the world's tick at present.
func (h *Lobby) tick() int64 { return h.tickAt(h.env.Now()) }

func (h *Lobby) tickAt(t machine.Time) int64 { return TickAt(t, h.cfg.Epoch) }

// TickAt is the world's tick at a time; negative before the world's epoch.
func TickAt(t, epoch machine.Time) int64 { return int64(t.Sub(epoch) / tickLength) }
