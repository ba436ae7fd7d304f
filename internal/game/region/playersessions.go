package region

import (
	"strconv"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// storageCode refuses an act that could not be written to the disk.
const storageCode world.Refusal = "storage"

// saved is the player as it is stored and handed over: as a visitor only if its invitation
// makes it one. What its role makes of it each region finds out for itself.
func (h *playerSession) saved() []byte {
	p := *h.p
	p.Visitor = h.invited
	return p.AppendBinary(nil)
}

// saveEvery is how often a player who moves is saved.
const saveEvery = 5 * time.Second

// maxName is how many bytes of a name a save holds. The lobby admits shorter
// ones only.
const maxName = 64

// playerSession is a player who is in the world here.
type playerSession struct {
	p             *world.Player
	peer          machine.Peer // of its session; zero: none at the moment
	sub           *subscriber
	heard         machine.Time // when the session last said something
	savedAt       machine.Time
	inputs        inputQueue
	items         world.Inventory   // as the last batch has them
	invited       bool              // to visit only: what its role makes of that is p.Visitor
	mustCorrect   bool              // the client has to be told where its body is
	intent        pointer           // on the disk: may be handed over there (epoch 0: none)
	intentDurable bool              // the intent is durable
	leaving       bool              // is handed over when neighbours have answered its edits; until then it does nothing
	handover      *outgoingHandover // being handed over
	came          arrival

	log          *inputlog.Log     // what the player has signed; nil: nothing need be
	proofs       []machine.Message // that are to be verified: in order, each with a segment, or a Leave
	verifying    uint64            // tag of the job that verifies the first proofs; 0: none does
	stoppedSince uint64            // the tick since which steps wait because none are signed; 0: they do not

	staysUntil machine.Time // not handed over before
	owed       *handedOver  // that other hosts see undone; nil: nothing is

	opened view   // the container that the player looks into
	land   string // whose land the player has heard that it stands on
}

// playerSessions are the players who are in the world here, and the sessions that
// play them.
type playerSessions struct {
	component
	area     *regionlog.Area
	store    *store
	entities *entities
	interest *interest
	dedup    *deduplication
	departed *departed
	activity *activity
	waker    waker
	players  map[id.ID]*playerSession
	slept    bool // the lobby was last told that somebody sleeps

	toldRestored map[id.ID]bool // who knows that the region was restored
	toldReplaced map[id.ID]bool // who knows that its host was convicted
}

// waker begins to tick, if somebody is there to tick for.
type waker interface{ wake() }

// at returns the session of a player who is here; nil: none is.
func (s *playerSessions) at(player id.ID) *playerSession { return s.players[player] }

// speaksFor reports whether a player's session is at a peer; a message for
// anybody else's player is refused.
func (s *playerSessions) speaksFor(h *playerSession, from machine.Peer) bool {
	if h != nil && h.peer == from {
		h.heard = s.env.Now()
		return true
	}
	s.stats.Refused++
	return false
}

// own fills in the personal part of a frame.
func (h *playerSession) own(o *Own) {
	o.HasAck, o.Ack = true, h.p.LastSeq
	if h.mustCorrect {
		h.mustCorrect = false
		b := &h.p.Body
		o.Corrected, o.Position, o.Velocity = true, b.Pos, b.Vel
		for i, on := range [...]bool{b.OnGround, b.Flying, b.InWater, b.Climbing} {
			if on {
				o.Body |= 1 << i
			}
		}
	}
}

// add makes a player's home here; invited says that it was invited to visit only.
func (s *playerSessions) add(p *world.Player, session machine.Peer, invited bool) *playerSession {
	now := s.env.Now()
	s.cfg.authorize(p, invited)
	h := &playerSession{p: p, heard: now, savedAt: now, items: p.Items, invited: invited}
	s.area.AddPlayer(p)
	s.players[p.ID] = h
	delete(s.departed.list, p.ID)
	s.attach(h, session)
	s.env.Send(Lobby, &Arrived{s.cfg.Pos, p.ID, uint32(p.Epoch)})
	s.activity.touch()
	s.waker.wake()
	return h
}

// attach makes session the one that plays h.
func (s *playerSessions) attach(h *playerSession, session machine.Peer) {
	if h.sub != nil {
		h.sub.player = nil
		s.interest.dropIfIdle(h.sub)
		h.sub = nil
	}
	h.peer, h.inputs = session, inputQueue{}
	h.dropProofs()
	if session != (machine.Peer{}) {
		sub := s.interest.subscriber(session)
		if sub.player != nil { // a session plays one player
			s.leave(sub.player, LeftOwn)
			sub = s.interest.subscriber(session)
		}
		sub.player, h.sub = h, sub
	}
	h.heard = s.env.Now()
}

const (
	restoredCode = "restored" // wire.Restored
	replacedCode = "replaced"
	replacedText = "This region has moved to another host: the previous one was caught breaking the rules of the world."
)

// greet tells a session all about its player.
func (s *playerSessions) greet(h *playerSession) {
	b := &h.p.Body
	h.mustCorrect = true
	s.env.Send(h.peer, &Entered{
		Region: s.cfg.Pos, Player: h.p.ID, Epoch: uint32(h.p.Epoch), Position: b.Pos, Yaw: b.Yaw, Pitch: b.Pitch,
		Tick: TickAt(s.env.Now(), s.cfg.Epoch),
	})
	s.sendSelf(h)
	s.sendInventory(h, allSlots)
	if s.cfg.Restored != 0 && !s.toldRestored[h.p.ID] {
		s.toldRestored[h.p.ID] = true
		s.env.Send(h.peer, &Notice{s.cfg.Pos, restoredCode, strconv.FormatInt(int64(s.cfg.Restored)/int64(time.Second), 10)})
	}
	if s.cfg.Replaced && !s.toldReplaced[h.p.ID] {
		s.toldReplaced[h.p.ID] = true
		s.env.Send(h.peer, &Notice{s.cfg.Pos, replacedCode, replacedText})
	}
}

// leave takes a player out of the world. One that is being handed over leaves
// from its new home.
func (s *playerSessions) leave(h *playerSession, reason uint8) {
	session := h.peer
	if h.handover != nil {
		h.handover.leaving = true
		s.attach(h, machine.Peer{})
		return
	}
	s.save(h)
	s.remove(h.p.ID)
	s.entities.gone(h.p.Handle, h.p.Entity, frame.LeftWorld)
	s.attach(h, machine.Peer{})
	s.activity.touch()
	player, epoch := h.p.ID, uint32(h.p.Epoch)
	s.store.then(func(bool) {
		if session != (machine.Peer{}) {
			s.env.Send(session, &Left{s.cfg.Pos, player, reason})
		}
		s.env.Send(Lobby, &Departed{s.cfg.Pos, player, epoch, reason})
	})
	s.store.flush()
}

// remove takes a player out of the area. Its session stays attached.
func (s *playerSessions) remove(player id.ID) {
	s.area.RemovePlayer(player)
	delete(s.players, player)
}

// save puts a player into the next batch.
func (s *playerSessions) save(h *playerSession) {
	h.savedAt = s.env.Now()
	s.store.put(playerKey(keyPlayer, h.p.ID), h.saved())
	if h.log != nil {
		s.store.put(playerKey(keySigned, h.p.ID), h.log.Append(nil))
	}
}

// saveAll saves everybody who is here.
func (s *playerSessions) saveAll() {
	for _, p := range s.area.Players() {
		if h := s.players[p.ID]; h != nil && h.handover == nil {
			s.save(h)
		}
	}
}

// maintain saves players from time to time, notes where those across the border
// may go, and removes the silent.
func (s *playerSessions) maintain(noteIntent func(*playerSession)) {
	now := s.env.Now()
	var silent, unsigned, owed []*playerSession
	tick := TickAt(now, s.cfg.Epoch)
	for _, p := range s.area.Players() {
		h := s.players[p.ID]
		if h == nil || h.handover != nil {
			continue
		}
		noteIntent(h)
		if s.owes(h) {
			owed = append(owed, h)
		} else if h.stoppedSince != 0 && tick > h.stoppedSince+inputlog.RemoveAfter-inputlog.StopAfter {
			unsigned = append(unsigned, h)
		} else if now.Sub(h.heard) >= s.cfg.Silent {
			silent = append(silent, h)
		} else if now.Sub(h.savedAt) >= saveEvery {
			s.saveIfChanged(h)
		}
	}
	for _, h := range silent {
		s.leave(h, LeftIdle)
	}
	for _, h := range unsigned {
		s.expel(h)
	}
	for _, h := range owed {
		s.leave(h, LeftClosed)
	}
}

// saveIfChanged saves a player unless the save would be the same.
func (s *playerSessions) saveIfChanged(h *playerSession) {
	h.savedAt = s.env.Now()
	key := playerKey(keyPlayer, h.p.ID)
	if b := h.saved(); string(b) != string(s.store.small[key]) {
		s.store.put(key, b)
	}
}

// apply saves and tells what a tick changed of players.
func (s *playerSessions) apply(c *world.Changes) {
	for _, p := range c.Corrections {
		s.mark(p)
	}
	for _, p := range c.Moved {
		s.mark(p)
	}
	for _, p := range c.Selves {
		if h := s.players[p.ID]; h != nil {
			s.sendSelf(h)
		}
	}
	for _, it := range c.Items {
		if h := s.players[it.Player.ID]; h != nil {
			s.sendInventory(h, it.Slots)
		}
	}
	for _, p := range c.Saves {
		h := s.players[p.ID]
		if h == nil {
			continue
		}
		if p.Items != h.items {
			s.store.carried(p.ID, h.items)
			h.items = p.Items
		}
		s.save(h)
	}
	for _, d := range c.Deaths {
		s.env.Send(Lobby, &Died{Region: s.cfg.Pos, Player: d.Player.ID, Cause: d.Cause})
	}
	for _, n := range c.Notices {
		if h := s.players[n.Player.ID]; h != nil && h.peer != (machine.Peer{}) {
			s.env.Send(h.peer, &Notice{s.cfg.Pos, n.Code, n.Text})
		}
	}
}

// reportSleep tells the lobby who sleeps. A player that the next word does not name does
// not sleep any more, nor does one of whom there is none.
func (s *playerSessions) reportSleep() {
	m := &Sleeping{Region: s.cfg.Pos}
	for _, p := range s.area.Players() {
		if p.Asleep() {
			m.Players = append(m.Players, p.ID)
		}
	}
	if len(m.Players) > 0 || s.slept {
		s.env.Send(Lobby, m)
	}
	s.slept = len(m.Players) > 0
}

func (s *playerSessions) mark(p *world.Player) {
	if h := s.players[p.ID]; h != nil {
		h.mustCorrect = true
	}
}

const allSlots = 1<<world.Slots - 1

func (s *playerSessions) sendInventory(h *playerSession, slots uint64) {
	if h.peer == (machine.Peer{}) {
		return
	}
	m := &Inventory{Region: s.cfg.Pos, Player: h.p.ID, Selected: h.p.Selected}
	for i, stack := range h.p.Items {
		if slots>>i&1 == 1 {
			m.Slots = append(m.Slots, Slot{uint8(i), stack.Block, uint16(stack.Count)})
		}
	}
	s.env.Send(h.peer, m)
}

func (s *playerSessions) sendSelf(h *playerSession) {
	if h.peer == (machine.Peer{}) {
		return
	}
	p := h.p
	food := p.Food
	if s.cfg.Rules.Peaceful {
		food = wire.NoHunger
	}
	s.env.Send(h.peer, &Self{
		Region: s.cfg.Pos, Player: p.ID, Mode: uint8(p.Mode), Health: p.Health, Air: p.Air, Food: food,
		MayFly: p.Mode != world.Survival, Operator: p.Operator, Visitor: p.Visitor && !p.Operator, Dead: p.Dead(),
	})
}

// restoreItems gives a player back what it carried before acts that failed.
func (s *playerSessions) restoreItems(it itemsBefore) {
	if h := s.players[it.player]; h != nil {
		s.area.TakeBack(h.p, it.items)
		h.items = it.items
		s.sendInventory(h, allSlots)
		s.store.put(playerKey(keyPlayer, it.player), h.saved())
		return
	}
	if p, ok := s.store.player(it.player); ok {
		p.Items = it.items
		s.store.put(playerKey(keyPlayer, it.player), p.AppendBinary(nil))
	}
}
