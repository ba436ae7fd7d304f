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
		q := question{Remote: &m}
		if h := r.homes[m.Player]; h != nil {
			q.epoch = uint32(h.p.Epoch)
		}
		r.number(&m)
		r.store.then(func(ok bool) {
			if ok {
				r.ask(q)
			} else if h := r.homes[m.Player]; h != nil {
				r.refuse(h, m.Seq, storageCode)
			}
		})
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
		m.Oldest > m.Remote.Op || m.Remote.Op > TickAt(r.env.Now().Add(aheadAtMost), r.cfg.Epoch)<<8 {
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
	if r.store.readOnly {
		done := *m.Remote
		done.Code = storageCode
		r.endRemote(&done)
		return
	}
	r.noteActor(m.Remote.Player, m.Epoch)
	r.later = append(r.later, world.Command{Player: m.Remote.Player, Kind: world.CmdRemote, Seq: m.Remote.Seq, Remote: m.Remote})
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
	if !r.asks.settle(m.Remote.Op) {
		return // has been answered before
	}
	r.askAgain(func(o *world.Remote) bool { return o.At == m.Remote.At }) // the next one's turn
	if h := r.homes[m.Remote.Player]; h != nil {
		r.keepOrDo(h, m)
	} else if ptr, ok := r.whereTo(m.Remote.Player); ok {
		r.env.Send(PeerOf(ptr.to), &Forward{Player: m.Remote.Player, Msg: m})
	}
}

func (r *Region) settleRemote(h *home, m *RemoteEditDone) {
	if m.Remote == nil || m.Remote.Player != h.p.ID {
		r.stats.Refused++
		return
	}
	r.later = append(r.later, world.Command{Player: h.p.ID, Kind: world.CmdSettle, Seq: m.Remote.Seq, Remote: m.Remote})
	r.laterNow()
}
