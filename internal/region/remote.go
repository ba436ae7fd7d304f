package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Edits across the border (docs/protocols/region.md, "Remote edits").

// applyRemotes sends what a tick asks of neighbours and answers to them, each
// once it is durable: an item is not in two places after a crash.
func (r *Region) applyRemotes(c *world.Changes) {
	for i := range c.Remotes {
		m := c.Remotes[i]
		if h := r.homes[m.Player]; h != nil {
			r.ask(&question{Remote: &m, epoch: uint32(h.p.Epoch), session: r.ledgerOf(m.Player).session})
		}
	}
	for i := range c.Answers {
		done := c.Answers[i]
		r.endRemote(&done)
	}
}

// endRemote answers an edit once it is durable how it ended. That holds for a
// refusal too: a copy of the question may be on its way, perhaps to a machine
// that leads this region next, and must not be done when the player has been
// told that it was not.
func (r *Region) endRemote(done *world.Remote) {
	ops := r.opsOf(done.From)
	ops.end(done)
	r.putOps(done.From, ops)
	r.store.then(func(ok bool) {
		if !ok && done.Code == world.Done {
			done.Code, done.Got = storageCode, world.Air
			ops.end(done)
			r.putOps(done.From, ops)
		}
		ops.kept(done.Op)
		r.answerRemote(done)
	})
}

func (r *Region) answerRemote(done *world.Remote) {
	r.env.Send(PeerOf(done.From), &RemoteEditDone{done})
}

// aheadAtMost is how far the clock of a neighbour's machine may be ahead: what
// is numbered from a later time is not believed.
const aheadAtMost = time.Hour

// onRemoteEdit does the block's side of an act.
func (r *Region) onRemoteEdit(from machine.Peer, m *RemoteEdit) {
	pos, ok := RegionOf(from)
	if !ok || m.Remote == nil || m.Remote.From != pos || m.Remote.At.Region() != r.cfg.Pos || !m.Remote.Block.Known() ||
		!r.itemFits(pos, m.Remote) || m.Oldest > m.Remote.Op || m.Remote.Op > TickAt(r.env.Now().Add(aheadAtMost), r.cfg.Epoch)<<8 {
		r.stats.Refused++
		return
	}
	if !adjacent(pos, r.cfg.Pos) || !r.plausible(m.Epoch) {
		r.stats.Refused++
		return
	}
	o := r.opsOf(pos)
	switch {
	case r.askedBefore(pos, m):
		return
	case !r.store.readOnly && !r.needReady(from, m):
		return
	case len(o.list) >= maxOps: // it is asked again
		r.stats.Refused++
		return
	}
	o.list = append(o.list, op{number: m.Remote.Op, epoch: m.Epoch})
	ask := *m.Remote
	ask.Operator = r.cfg.operator(ask.Player) // no neighbour decides that
	if r.store.readOnly || !reachable(pos, &ask) {
		ask.Code = world.NotAllowed
		if r.store.readOnly {
			ask.Code = storageCode
		}
		r.endRemote(&ask)
		r.flush()
		return
	}
	if ask.Kind != world.RemoteItem {
		r.noteActor(ask.Player, m.Epoch)
	}
	r.later = append(r.later, world.Command{Player: ask.Player, Kind: world.CmdRemote, Seq: ask.Seq, Remote: &ask})
	r.wake()
	r.laterNow()
}

// onRemoteEditDone settles an act whose block lies elsewhere.
func (r *Region) onRemoteEditDone(from machine.Peer, m *RemoteEditDone) {
	pos, ok := RegionOf(from)
	if !ok || m.Remote == nil || m.Remote.At.Region() != pos {
		r.stats.Refused++
		return
	}
	q := r.asks.find(func(q *question) bool { return q.Op == m.Remote.Op })
	if q == nil || q.answered || r.store.readOnly { // it is asked again
		return
	}
	q.answered = true
	if q.Kind == world.RemoteItem {
		r.settleItem(q, m.Remote.Code)
		return
	}
	done := *q.Remote
	done.Code, done.Got = m.Remote.Code, m.Remote.Got
	switch {
	case r.homes[done.Player] != nil:
		r.later = append(r.later, world.Command{Player: done.Player, Kind: world.CmdSettle, Seq: done.Seq, Remote: &done})
		r.laterNow()
	default:
		r.settleStored(&done)
		r.flush()
	}
}

// settled ends a question: what came of it is in the same batch.
func (r *Region) settled(res world.Result) {
	q := r.asks.find(func(q *question) bool {
		return q.answered && !q.settled && q.Player == res.Player && q.Seq == res.Seq
	})
	if q == nil {
		return
	}
	q.settled = true
	key := askKey(q.Op)
	kept := r.store.small[key]
	r.store.del(key)
	// The block is on the neighbour's disk, or is not: that holds in any case.
	r.endAct(res.Player, q.session, ended{seq: res.Seq, code: res.Code, did: res.Did}, true)
	r.store.then(func(ok bool) {
		if ok {
			r.closeAsk(q)
			return
		}
		q.answered, q.settled = false, false // what it gave was taken back: asked again
		r.store.put(key, kept)
	})
}

// settleStored settles an act of a player who has left the world since.
func (r *Region) settleStored(done *world.Remote) {
	key := playerKey(keyPlayer, done.Player)
	b, ok := r.store.small[key]
	p, err := world.DecodePlayer(b)
	if ok && err == nil {
		r.store.next.items = append(r.store.next.items, itemsBefore{p.ID, p.Items})
		p.Settle(done)
		r.store.put(key, p.AppendBinary(nil))
	}
	did := done
	if done.Code != world.Done {
		did = nil
	}
	r.settled(world.Result{Player: done.Player, Kind: world.CmdSettle, Seq: done.Seq, Code: done.Code, Did: did})
}
