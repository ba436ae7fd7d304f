package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Messages that concern more than one component.

// onWatch replaces what somebody watches.
func (r *Region) onWatch(from machine.Peer, w *Watch) {
	pos, isRegion := RegionOf(from)
	switch {
	case !validRates(&w.Rates):
		r.stats.Refused++
	case isRegion:
		want, left := r.border.onWatch(from, pos, w)
		if want != 0 {
			r.loading.load(want)
			r.border.sendMissingColumns(r.loop.tick)
		}
		r.restIf(left)
	case from == Lobby || w.BlocksOnly:
	case r.interest.watch(from, w, r.loop.tick):
		r.activity.touch()
		r.wake()
	}
}

// onSession takes what a session says about its player, or passes it on to the
// player's new home.
func (r *Region) onSession(from machine.Peer, player id.ID, m machine.Message) {
	h := r.sessions.at(player)
	switch {
	case h == nil:
		r.departed.forwardToHome(from, player, m)
	case r.sessions.speaksFor(h, from):
		r.applyOrForward(h, m)
	}
}

// onRemoteEdit does the block's side of an act.
func (r *Region) onRemoteEdit(from machine.Peer, m *RemoteEdit) {
	if ask := r.edits.onRequest(from, m, r.loading); ask != nil {
		r.queue.add(world.Command{Player: ask.Player, Kind: world.CmdRemote, Seq: ask.Seq, Remote: ask})
		r.wake()
		r.loop.laterNow()
	}
}

// onRemoteEditDone settles an act whose block lies elsewhere.
func (r *Region) onRemoteEditDone(from machine.Peer, m *RemoteEditDone) {
	q := r.pending.answered(from, m)
	if q == nil {
		return
	}
	if q.Kind == world.RemoteItem {
		r.items.settle(q, m.Remote.Code)
		return
	}
	done := *q.Remote
	done.Code = m.Remote.Code
	if q.Kind != world.RemotePour { // what a bucket becomes, its home knows
		if done.Got = m.Remote.Got; done.Got != world.Air && (done.Got != q.Got || done.Code != world.Done) { // more than the tool harvests
			r.stats.Refused++
			done.Got = world.Air
		}
	}
	switch {
	case r.sessions.at(done.Player) != nil:
		r.queue.add(world.Command{Player: done.Player, Kind: world.CmdSettle, Seq: done.Seq, Remote: &done})
		r.loop.laterNow()
	default:
		r.pending.applyToStored(&done)
		r.store.flush()
	}
}
