package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// storageCode refuses an act that could not be written to the disk.
const storageCode world.Refusal = "storage"

// saveEvery is how often a player who moves is saved.
const saveEvery = 5 * time.Second

// maxName is how many bytes of a name a save holds. The hall admits shorter
// ones only.
const maxName = 64

// home is a player who is in the world here.
type home struct {
	p       *world.Player
	peer    machine.Peer // of its session; zero: none at the moment
	sub     *subscriber
	heard   machine.Time // when the session last said something
	savedAt machine.Time
	inbox   inbox
	items   world.Inventory // as the last batch has them
	wrong   bool            // the client has to be told where its body is
	intent  pointer         // on the disk: may be handed over there (epoch 0: none)
	sure    bool            // the intent is durable
	leaves  bool            // is handed over when neighbours have answered its edits; until then it does nothing
	out     *outgoing       // being handed over
	came    arrival

	staysUntil machine.Time // not handed over before
}

// own fills in the personal part of a frame.
func (h *home) own(o *Own) {
	o.HasAck, o.Ack = true, h.p.LastSeq
	if h.wrong {
		h.wrong = false
		b := &h.p.Body
		o.Corrected, o.Position, o.Velocity = true, b.Pos, b.Vel
		for i, on := range [...]bool{b.OnGround, b.Flying, b.InWater, b.Climbing} {
			if on {
				o.Body |= 1 << i
			}
		}
	}
}

// onEnter makes this region the home of a player, if it is.
func (r *Region) onEnter(from machine.Peer, m *Enter) {
	if _, isRegion := RegionOf(from); isRegion || from == Hall || len(m.Name) > maxName || m.Mode > uint8(world.Spectator) {
		r.stats.Refused++
		return
	}
	if h := r.homes[m.Player]; h != nil {
		r.replaceSession(h, from, m)
		return
	}
	if o := r.outs[m.Player]; o != nil {
		o.entering = &letter{from, m}
		return
	}
	if r.arriving[m.Player] != 0 && !r.store.readOnly {
		r.store.then(func(bool) { r.onEnter(from, m) })
		return
	}
	if b, ok := r.store.small[playerKey(keyPlayer, m.Player)]; ok {
		r.enterStored(from, m, b)
		return
	}
	if b, ok := r.store.small[playerKey(keyPointer, m.Player)]; ok {
		if ptr, err := decodePointer(b); err == nil {
			r.env.Send(from, &Moved{r.cfg.Pos, m.Player, ptr.to, uint32(ptr.epoch), MovedElsewhere})
			return
		}
	}
	r.enterNew(from, m)
}

// enterStored lets a player in who was here before. If it may have been handed
// over when this node crashed, the other region is asked first.
func (r *Region) enterStored(from machine.Peer, m *Enter, saved []byte) {
	p, err := world.DecodePlayer(saved)
	if err != nil || p.ID != m.Player {
		r.env.Send(from, &Refused{r.cfg.Pos, m.Player, "storage", "Your player's data is damaged."})
		return
	}
	if b, ok := r.store.small[playerKey(keyIntent, m.Player)]; ok {
		if ptr, err := decodePointer(b); err == nil {
			r.askWhether(p, ptr, &letter{from, m})
			return
		}
	}
	if !r.needReady(from, m) || r.lateEnter(from, m) {
		return
	}
	r.admit(p, from, m)
}

// lateEnter reports whether a session has entered again since it said this.
func (r *Region) lateEnter(from machine.Peer, m *Enter) bool {
	l := r.ledgerOf(m.Player)
	late := l.session == from.ID && m.Entry < l.entry
	if late {
		r.stats.Refused++
	}
	return late
}

// enterNew makes a player who is new to the world, or whose data is lost.
func (r *Region) enterNew(from machine.Peer, m *Enter) {
	if at := r.cfg.Rules.Spawn.Region(); at != r.cfg.Pos {
		r.env.Send(from, &Moved{r.cfg.Pos, m.Player, at, 0, MovedElsewhere})
		return
	}
	if r.store.readOnly {
		r.env.Send(from, &Refused{r.cfg.Pos, m.Player, "storage", "This world cannot be saved at the moment."})
		return
	}
	if !r.needReady(from, m) {
		return
	}
	p := world.NewPlayer(m.Player, m.Name, world.Mode(m.Mode), r.spawnPlace(m.Player))
	// Who is made anew, because all hosts of its home have gone, begins above
	// all epochs of its earlier life.
	p.Epoch = 1 + TickAt(r.env.Now(), r.cfg.Epoch)/uint64(time.Second/TickLength)
	r.admit(p, from, m)
}

// admit puts a player into the area.
func (r *Region) admit(p *world.Player, from machine.Peer, m *Enter) {
	p.Name, p.Entity, p.Operator = m.Name, uint64(m.Entity), r.cfg.operator(m.Player)
	p.NewSession()
	h := r.settleIn(p, from)
	r.ledgerOf(p.ID).enter(from.ID, m)
	r.save(h)
	r.flush()
	r.greet(h)
}

// settleIn makes a player's home here.
func (r *Region) settleIn(p *world.Player, session machine.Peer) *home {
	now := r.env.Now()
	p.Operator = r.cfg.operator(p.ID)
	h := &home{p: p, heard: now, savedAt: now, items: p.Items}
	r.area.AddPlayer(p)
	r.homes[p.ID] = h
	delete(r.moved, p.ID)
	r.attach(h, session)
	r.env.Send(Hall, &Arrived{r.cfg.Pos, p.ID, uint32(p.Epoch)})
	r.touch()
	r.wake()
	return h
}

// attach makes session the one that plays h.
func (r *Region) attach(h *home, session machine.Peer) {
	if h.sub != nil {
		h.sub.home = nil
		r.settle(h.sub)
		h.sub = nil
	}
	h.peer, h.inbox = session, inbox{}
	if session != (machine.Peer{}) {
		s := r.subscriber(session)
		if s.home != nil { // a session plays one player
			r.leave(s.home, LeftOwn)
			s = r.subscriber(session)
		}
		s.home, h.sub = h, s
	}
	h.heard = r.env.Now()
}

// greet tells a session all about its player.
func (r *Region) greet(h *home) {
	b := &h.p.Body
	h.wrong = true
	r.env.Send(h.peer, &Entered{
		Region: r.cfg.Pos, Player: h.p.ID, Epoch: uint32(h.p.Epoch), Position: b.Pos, Yaw: b.Yaw, Pitch: b.Pitch,
		Tick: TickAt(r.env.Now(), r.cfg.Epoch),
	})
	r.sendSelf(h)
	r.sendInventory(h, allSlots)
}

// replaceSession lets a player who is here be played from another session.
func (r *Region) replaceSession(h *home, from machine.Peer, m *Enter) {
	if r.lateEnter(from, m) {
		return
	}
	if h.peer != from && h.peer != (machine.Peer{}) {
		r.env.Send(h.peer, &Moved{r.cfg.Pos, m.Player, r.cfg.Pos, uint32(h.p.Epoch), MovedReplaced})
	}
	h.p.Name, h.p.Operator = m.Name, r.cfg.operator(m.Player)
	h.p.NewSession()
	if h.peer != from {
		r.attach(h, from)
	} else {
		h.inbox = inbox{} // it is sent again
	}
	r.ledgerOf(m.Player).enter(from.ID, m)
	if h.out != nil {
		h.out.entering = &letter{from, m}
		return
	}
	r.greet(h)
}

func (r *Region) onLeave(from machine.Peer, m *Leave) {
	h := r.homes[m.Player]
	if h == nil {
		r.passOn(from, m.Player, m)
		return
	}
	if r.homeOf(from, h) {
		r.leave(h, LeftOwn)
	}
}

// leave takes a player out of the world. One that is being handed over leaves
// from its new home.
func (r *Region) leave(h *home, reason uint8) {
	session := h.peer
	if h.out != nil {
		h.out.leaving = true
		r.attach(h, machine.Peer{})
		return
	}
	r.save(h)
	r.area.RemovePlayer(h.p.ID)
	r.entities.gone(h.p.Handle, h.p.Entity, frame.LeftWorld)
	delete(r.homes, h.p.ID)
	r.attach(h, machine.Peer{})
	r.touch()
	player, epoch := h.p.ID, uint32(h.p.Epoch)
	r.store.then(func(bool) {
		if session != (machine.Peer{}) {
			r.env.Send(session, &Left{r.cfg.Pos, player, reason})
		}
		r.env.Send(Hall, &Departed{r.cfg.Pos, player, epoch, reason})
	})
	r.flush()
}

// save puts a player into the next batch.
func (r *Region) save(h *home) {
	h.savedAt = r.env.Now()
	r.store.put(playerKey(keyPlayer, h.p.ID), h.p.AppendBinary(nil))
}

// saveAll saves everybody who is here.
func (r *Region) saveAll() {
	for _, p := range r.area.Players() {
		if h := r.homes[p.ID]; h != nil && h.out == nil {
			r.save(h)
		}
	}
}

// keepHomes saves players from time to time and removes the silent.
func (r *Region) keepHomes(tick uint64) {
	now := r.env.Now()
	var silent []*home
	for _, p := range r.area.Players() {
		h := r.homes[p.ID]
		if h == nil || h.out != nil {
			continue
		}
		r.noteIntent(h)
		if now.Sub(h.heard) >= r.cfg.Silent {
			silent = append(silent, h)
		} else if now.Sub(h.savedAt) >= saveEvery {
			r.saveIfChanged(h)
		}
	}
	for _, h := range silent {
		r.leave(h, LeftIdle)
	}
	if tick%(heartbeat*10) == 0 {
		r.forgetGone()
	}
}

// saveIfChanged saves a player unless the save would be the same.
func (r *Region) saveIfChanged(h *home) {
	h.savedAt = r.env.Now()
	key := playerKey(keyPlayer, h.p.ID)
	if b := h.p.AppendBinary(nil); string(b) != string(r.store.small[key]) {
		r.store.put(key, b)
	}
}

// applyPlayers saves and tells what a tick changed of players.
func (r *Region) applyPlayers(c *world.Changes) {
	for _, p := range c.Corrections {
		r.mark(p)
	}
	for _, p := range c.Moved {
		r.mark(p)
	}
	for _, p := range c.Selves {
		if h := r.homes[p.ID]; h != nil {
			r.sendSelf(h)
		}
	}
	for _, it := range c.Items {
		if h := r.homes[it.Player.ID]; h != nil {
			r.sendInventory(h, it.Slots)
		}
	}
	for _, p := range c.Saves {
		h := r.homes[p.ID]
		if h == nil {
			continue
		}
		if p.Items != h.items {
			r.store.next.items = append(r.store.next.items, itemsBefore{p.ID, h.items})
			h.items = p.Items
		}
		r.save(h)
	}
	for _, d := range c.Deaths {
		r.env.Send(Hall, &Died{Region: r.cfg.Pos, Player: d.Player.ID, Cause: d.Cause})
	}
	for _, n := range c.Notices {
		if h := r.homes[n.Player.ID]; h != nil && h.peer != (machine.Peer{}) {
			r.env.Send(h.peer, &Notice{r.cfg.Pos, n.Code, n.Text})
		}
	}
}

func (r *Region) mark(p *world.Player) {
	if h := r.homes[p.ID]; h != nil {
		h.wrong = true
	}
}

// applyResults answers acts: refusals at once, the rest when it is on the disk.
func (r *Region) applyResults(results []world.Result) {
	for _, res := range results {
		h := r.homes[res.Player]
		if res.Kind == world.CmdSettle {
			r.settled(res)
			continue
		}
		if h == nil || res.Kind != world.CmdAct {
			continue
		}
		if res.Code != world.Done {
			r.refuse(h, res.Seq, res.Code)
			continue
		}
		// While nothing can be written only what need not last gets here: see lasting.
		r.endAct(res.Player, r.ledgerOf(res.Player).session, ended{seq: res.Seq, did: res.Did}, r.store.readOnly)
	}
}

const allSlots = 1<<world.Slots - 1

func (r *Region) sendInventory(h *home, slots uint64) {
	if h.peer == (machine.Peer{}) {
		return
	}
	m := &Inventory{Region: r.cfg.Pos, Player: h.p.ID, Selected: h.p.Selected}
	for i, s := range h.p.Items {
		if slots>>i&1 == 1 {
			m.Slots = append(m.Slots, Slot{uint8(i), s.Block, uint16(s.Count)})
		}
	}
	r.env.Send(h.peer, m)
}

func (r *Region) sendSelf(h *home) {
	if h.peer == (machine.Peer{}) {
		return
	}
	p := h.p
	r.env.Send(h.peer, &Self{
		Region: r.cfg.Pos, Player: p.ID, Mode: uint8(p.Mode), Health: p.Health, Air: p.Air,
		MayFly: p.Mode != world.Survival, Operator: p.Operator, Dead: p.Dead(),
	})
}
