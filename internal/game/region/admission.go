package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// admission lets players in: those who are here, were here, or are new to the
// world.
type admission struct {
	component
	area     *regionlog.Area
	store    *store
	dedup    *deduplication
	loading  *loading
	sessions *playerSessions
	outgoing *outgoingHandovers
	incoming *incomingHandovers
}

// onEnter makes this region the home of a player, if it is.
func (a *admission) onEnter(from machine.Peer, m *Enter) {
	if _, isRegion := RegionOf(from); isRegion || from == Lobby || len(m.Name) > maxName || m.Mode > uint8(world.Spectator) {
		a.stats.Refused++
		return
	}
	if a.cfg.Signed && id.Of(m.Key[:]) != m.Player {
		a.env.Send(from, &Refused{a.cfg.Pos, m.Player, unsignedCode, unsignedText})
		return
	}
	if h := a.sessions.at(m.Player); h != nil {
		a.replaceSession(h, from, m)
		return
	}
	if o := a.outgoing.of(m.Player); o != nil {
		o.entering = &queuedMessage{from, m}
		return
	}
	if a.incoming.arrivingWith(m.Player) != 0 && !a.store.readOnly {
		a.store.then(func(bool) { a.onEnter(from, m) })
		return
	}
	if b, ok := a.store.small[playerKey(keyPlayer, m.Player)]; ok {
		a.enterStored(from, m, b)
		return
	}
	if ptr, ok := a.store.pointer(keyPointer, m.Player); ok {
		a.outgoing.offerAgain(m.Player, ptr, from)
		a.env.Send(from, &Moved{a.cfg.Pos, m.Player, ptr.to, uint32(ptr.epoch), MovedElsewhere})
		return
	}
	a.enterNew(from, m)
}

// enterStored admits a player who was here before. If it may have been handed
// over when this node crashed, the other region is asked first.
func (a *admission) enterStored(from machine.Peer, m *Enter, saved []byte) {
	p, err := world.DecodePlayer(saved)
	if err != nil || p.ID != m.Player {
		a.env.Send(from, &Refused{a.cfg.Pos, m.Player, "storage", "Your player's data is damaged."})
		return
	}
	if ptr, ok := a.store.pointer(keyIntent, m.Player); ok {
		a.outgoing.askNewHome(p, ptr, &queuedMessage{from, m})
		return
	}
	if !a.loading.needReady(from, m) || a.lateEnter(from, m) {
		return
	}
	a.admit(p, from, m)
}

// lateEnter reports whether a session has entered again since it said this.
func (a *admission) lateEnter(from machine.Peer, m *Enter) bool {
	l := a.dedup.of(m.Player)
	late := l.session == a.cfg.session(from, m.Nonce) && m.Entry < l.entry
	if late {
		a.stats.Refused++
	}
	return late
}

// enterNew makes a player who is new to the world, or whose data is lost.
func (a *admission) enterNew(from machine.Peer, m *Enter) {
	if at := a.cfg.spawn().Region(); at != a.cfg.Pos {
		a.env.Send(from, &Moved{a.cfg.Pos, m.Player, at, 0, MovedElsewhere})
		return
	}
	if a.store.readOnly {
		a.env.Send(from, &Refused{a.cfg.Pos, m.Player, "storage", "This world cannot be saved at the moment."})
		return
	}
	if !a.loading.needReady(from, m) {
		return
	}
	p := world.NewPlayer(m.Player, m.Name, world.Mode(m.Mode), spawnPlace(a.area, a.cfg, m.Player))
	p.Epoch = newEpoch(a.cfg, a.env.Now())
	a.admit(p, from, m)
}

// newEpoch is the epoch with which a player begins: one that is created anew, because all
// hosts of its home are gone, begins above all its earlier epochs.
func newEpoch(cfg *Config, now machine.Time) uint64 {
	return 1 + TickAt(now, cfg.Epoch)/uint64(time.Second/TickLength)
}

// admit puts a player into the area.
func (a *admission) admit(p *world.Player, from machine.Peer, m *Enter) {
	p.Name, p.Entity = m.Name, uint64(m.Entity)
	p.NewSession()
	h := a.sessions.add(p, from, m.Visitor)
	if h.log = a.sessions.logOf(p.ID); h.log != nil {
		h.log.Enter(m.Key, m.Nonce)
	}
	a.dedup.of(p.ID).enter(h.session(), m)
	a.sessions.save(h)
	a.store.flush()
	a.sessions.greet(h)
}

// replaceSession lets a player who is here be played from another session.
func (a *admission) replaceSession(h *playerSession, from machine.Peer, m *Enter) {
	if a.lateEnter(from, m) {
		return
	}
	if h.peer != from && h.peer != (machine.Peer{}) {
		a.env.Send(h.peer, &Moved{a.cfg.Pos, m.Player, a.cfg.Pos, uint32(h.p.Epoch), MovedReplaced})
	}
	h.p.Name = m.Name
	h.invited = m.Visitor
	a.cfg.authorize(h.p, h.invited)
	h.p.NewSession()
	a.area.Changed(h.p)
	if h.peer != from {
		a.sessions.attach(h, from)
	} else {
		h.inputs = inputQueue{} // it is sent again
		h.dropProofs()
	}
	if h.log != nil {
		h.log.Enter(m.Key, m.Nonce)
		a.sessions.save(h) // with the act record, or neither
	}
	a.dedup.of(m.Player).enter(h.session(), m)
	if h.handover != nil {
		h.handover.entering = &queuedMessage{from, m}
		return
	}
	a.sessions.greet(h)
}
