package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Acts are run when they come, between two ticks: who waits for an answer would
// wait for the next tick longer than for the disks. What others see of it is in
// the next tick's frames.

// soon is how many batches may be on their way to the disk while acts between
// ticks send theirs at once. The next waits for one of them and takes along what
// comes until then.
const soon = 2

// between reports whether something can be done now that is not a tick's.
func (r *Region) between() bool {
	return r.ticking && r.tick != 0 && r.columns.complete() && !r.stepping && !r.store.readOnly
}

// actNow runs a player's act that has just come, after the steps before it. If
// one of them has to wait for its tick, so does the act.
func (r *Region) actNow(h *home) {
	if h.out == nil && !h.leaves && r.between() {
		clear(r.commands)
		r.commands = h.inbox.takeNow(h, r.commands[:0])
		r.runNow()
	}
}

// laterNow runs what neighbours ask for and answer.
func (r *Region) laterNow() {
	if r.between() {
		clear(r.commands)
		r.commands = r.queue.take(r.commands[:0], r.judge)
		r.runNow()
	}
}

// runNow runs commands between two ticks.
func (r *Region) runNow() {
	if len(r.commands) == 0 {
		return
	}
	r.stepping = true
	changes := r.area.Act(r.commands)
	r.store.unsaved = true
	r.showChanges(r.tick, changes)
	r.applyChanges(changes)
	r.stepping = false
	if len(r.store.pending) < soon {
		r.store.flush()
	}
}

// judge says whether it is a command's turn, and ends one that is late. Answers of
// neighbours wait for as long as nothing can be written: what they give must be on
// the disk together with that they were taken.
func (r *Region) judge(c *world.Command) verdict {
	switch {
	case c.Kind == world.CmdSettle && (r.store.readOnly || r.outgoing.outs[c.Player] != nil):
		return keepIt
	case c.Kind == world.CmdSettle && r.sessions.at(c.Player) == nil:
		r.asks.settleStored(c.Remote)
		return dropIt
	case c.Kind == world.CmdRemote && r.edits.late(c.Remote):
		return dropIt
	}
	return runIt
}

// collect makes the commands of a tick.
func (r *Region) collect() {
	clear(r.commands)
	r.commands = r.queue.take(r.commands[:0], r.judge)
	for _, p := range r.area.Players() {
		if h := r.sessions.at(p.ID); h != nil && h.out == nil {
			h.leaves = h.leaves && r.area.Leaves(h.p)
			r.commands = h.inbox.take(h, r.commands)
		}
	}
}

// onSession takes what a session says about its player, or passes it on to the
// player's new home.
func (r *Region) onSession(from machine.Peer, player id.ID, m machine.Message) {
	h := r.sessions.at(player)
	switch {
	case h == nil:
		r.passOn(from, player, m)
	case r.sessions.speaksFor(h, from):
		r.keepOrDo(h, m)
	}
}

// onRemoteEdit does the block's side of an act.
func (r *Region) onRemoteEdit(from machine.Peer, m *RemoteEdit) {
	if ask := r.edits.onRequest(from, m, r.loading); ask != nil {
		r.queue.add(world.Command{Player: ask.Player, Kind: world.CmdRemote, Seq: ask.Seq, Remote: ask})
		r.wake()
		r.laterNow()
	}
}

// onRemoteEditDone settles an act whose block lies elsewhere.
func (r *Region) onRemoteEditDone(from machine.Peer, m *RemoteEditDone) {
	q := r.asks.answered(from, m)
	if q == nil {
		return
	}
	if q.Kind == world.RemoteItem {
		r.items.settle(q, m.Remote.Code)
		return
	}
	done := *q.Remote
	done.Code, done.Got = m.Remote.Code, m.Remote.Got
	switch {
	case r.sessions.at(done.Player) != nil:
		r.queue.add(world.Command{Player: done.Player, Kind: world.CmdSettle, Seq: done.Seq, Remote: &done})
		r.laterNow()
	default:
		r.asks.settleStored(&done)
		r.store.flush()
	}
}
