package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// hearingRange is how far away a player is heard.
const hearingRange = 48 * fixed.One

// onOrder does what the lobby wants of a player, or passes it on.
func (r *Region) onOrder(from machine.Peer, m *Order) {
	if from != Lobby {
		r.stats.Refused++
		return
	}
	if h := r.sessions.players[m.Player]; h != nil {
		r.applyOrForward(h, m)
	} else if ptr, ok := r.departed.destination(m.Player); ok {
		r.notHere(m.Player, m.Tag, ptr.to)
	} else if len(m.Owed) > 0 {
		r.takeBackStored(m)
	}
	r.hibernateIfIdle()
}

// runOrder does what an operator has signed, once; whoever leads the region next, or
// has the player next, knows that it was done.
func (r *Region) runOrder(h *playerSession, m *Order) {
	if len(m.Signed) == 0 {
		r.sayNear(h, m)
		return
	}
	o, err := r.verifiedOrder(m)
	if err == nil && h.p.Jailed && o.By() == h.p.ID {
		err = decision.ErrAuthority
	}
	if err == nil {
		err = r.executed(h.p.ID, o.Seq)
	}
	if err != nil {
		r.stats.Refused++
		return
	}
	if o.Kind == decision.Rollback {
		r.takeBack(h, m)
		return
	}
	r.execute(h, o)
}

// verifiedOrder is an order about a player by somebody who may give it.
func (r *Region) verifiedOrder(m *Order) (*decision.Order, error) {
	o, err := decision.DecodeOrder(m.Signed)
	if err == nil && o.Subject != m.Player {
		err = decision.ErrAuthority
	}
	if err == nil {
		err = o.Verify(r.cfg.World, time.Unix(0, int64(r.env.Now())), func(who id.ID) decision.Role { return r.cfg.rights(who).Role })
	}
	return o, err
}

// takeBack takes from a player what it has dug or taken and what a rollback puts back. It
// does so at once: what the answer says goes elsewhere, and must not be here as well.
func (r *Region) takeBack(h *playerSession, m *Order) {
	out := &Undone{Region: r.cfg.Pos, Tag: m.Tag}
	if !r.loop.between() {
		r.env.Send(Lobby, out)
		return
	}
	var cmds []world.Command
	for _, w := range m.Owed {
		if n := min(h.p.Items.Count(w.Block), int(w.Count)); n > 0 {
			cmds = append(cmds, world.Command{Kind: world.CmdOrder, Player: h.p.ID, Order: &world.Order{Kind: world.OrderTake, Block: w.Block, Count: n, Signed: m.Signed}})
		}
	}
	had := h.p.Items
	r.loop.runOrders(cmds)
	for _, w := range m.Owed {
		out.Owed = world.AddOwed(out.Owed, w.Block, had.Count(w.Block)-h.p.Items.Count(w.Block))
	}
	r.store.then(r.answer(out))
	r.store.flush()
}

// takeBackStored does that with a player who is away, and at home here.
func (r *Region) takeBackStored(m *Order) {
	out := &Undone{Region: r.cfg.Pos, Tag: m.Tag}
	p, ok := r.store.player(m.Player)
	_, leaves := r.store.small[playerKey(keyIntent, m.Player)] // it may be elsewhere
	o, err := r.verifiedOrder(m)
	if ok = ok && !leaves && err == nil && o.Kind == decision.Rollback && !r.store.readOnly && !r.cfg.Rules.OwnItems; ok {
		ok = r.executed(m.Player, o.Seq) == nil
	}
	if !ok {
		r.stats.Refused++
		r.env.Send(Lobby, out)
		return
	}
	for _, w := range m.Owed {
		n := min(p.Items.Count(w.Block), int(w.Count))
		p.Items.Take(w.Block, n)
		out.Owed = world.AddOwed(out.Owed, w.Block, n)
	}
	r.store.put(playerKey(keyPlayer, m.Player), p.AppendBinary(nil))
	r.store.then(r.answer(out))
	r.store.flush()
}

// execute does what an order that was verified says.
func (r *Region) execute(h *playerSession, o *decision.Order) {
	if o.Kind == decision.Kick {
		r.sessions.leave(h, LeftKicked)
	} else if does := o.Does(r.area.Spawn(), r.warp, r.cfg.number(decision.SetHomes)); does != nil {
		does.Signed = o.Append(nil)
		r.order(h.p.ID, does)
	}
}

// warp is a place that operators have named.
func (r *Region) warp(name string) (world.Pos, bool) {
	if r.cfg.Warp == nil {
		return world.Pos{}, false
	}
	return r.cfg.Warp(name)
}

// executed notes that an order is executed, unless it was before. The note goes to
// the disk before the effect, or with it, and where the player goes.
func (r *Region) executed(player id.ID, seq uint64) error {
	key := playerKey(keyOrders, player)
	before, err := decision.DecodeExecuted(r.store.small[key])
	if err != nil {
		return err
	}
	after, err := before.Add(seq)
	if err == nil {
		r.store.put(key, after.Append(nil))
	}
	return err
}

// onDecided gives players here the roles that the log of decisions says.
func (r *Region) onDecided(from machine.Peer) {
	if from != Lobby {
		r.stats.Refused++
		return
	}
	r.lands.refresh()
	r.cfg.applySettings(r.area)
	r.authorizeAll()
}

// authorizeAll gives players here the rights that they have now.
func (r *Region) authorizeAll() {
	for _, p := range r.area.Players() {
		h := r.sessions.at(p.ID)
		if h == nil {
			continue
		}
		now := *p
		r.cfg.authorize(&now, h.invited)
		for _, right := range []struct {
			kind    world.OrderKind
			was, is bool
		}{
			{world.OrderOperator, p.Operator, now.Operator}, {world.OrderVisitor, p.Visitor, now.Visitor}, {world.OrderJail, p.Jailed, now.Jailed},
			{world.OrderMute, p.Muted, now.Muted},
		} {
			o := &world.Order{Kind: right.kind}
			if right.is {
				o.Count = 1
			}
			if right.was != right.is {
				r.order(p.ID, o)
			}
		}
	}
}

// order lets the next tick run an order.
func (r *Region) order(player id.ID, o *world.Order) {
	r.queue.order(player, o)
}

func (r *Region) onLocate(from machine.Peer, m *Locate) {
	if from != Lobby {
		r.stats.Refused++
		return
	}
	if h := r.sessions.players[m.Player]; h != nil {
		r.applyOrForward(h, m)
	} else {
		r.locateStored(m)
	}
	r.hibernateIfIdle()
}

func (r *Region) located(h *playerSession, m *Locate) {
	r.env.Send(Lobby, &Located{
		Region: r.cfg.Pos, Player: m.Player, Tag: m.Tag, Found: true, Epoch: uint32(h.p.Epoch), Position: h.p.Body.Pos,
	})
}

// locateStored says what is on the disk of a player who is not in the world here.
// One that may have been handed over when this region crashed is asked for there.
func (r *Region) locateStored(m *Locate) {
	out := &Located{Region: r.cfg.Pos, Player: m.Player, Tag: m.Tag}
	if b, ok := r.store.small[playerKey(keyIntent, m.Player)]; ok {
		if ptr, err := decodePointer(b); err == nil {
			r.notHere(m.Player, m.Tag, ptr.to)
			return
		}
	}
	if b, ok := r.store.small[playerKey(keyPlayer, m.Player)]; ok {
		if p, err := world.DecodePlayer(b); err == nil {
			out.Stored, out.Epoch = true, uint32(p.Epoch)
		}
	} else if ptr, ok := r.departed.destination(m.Player); ok {
		r.notHere(m.Player, m.Tag, ptr.to)
		return
	}
	r.env.Send(Lobby, out)
}

// onSaveAll writes everything.
func (r *Region) onSaveAll(from machine.Peer, m *SaveAll) {
	if from != Lobby {
		r.stats.Refused++
		return
	}
	answer := func(ok bool) {
		out := &Saved{Region: r.cfg.Pos, Tag: m.Tag}
		if !ok {
			out.Err = "not saved"
			if r.failure != nil {
				out.Err = r.failure.Error()
			}
		}
		r.env.Send(Lobby, out)
	}
	if r.store.readOnly || !r.hasUnsaved() {
		r.store.then(answer)
	} else {
		r.snapshot(answer)
	}
	r.hibernateIfIdle()
}
