package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Edits across the border (docs/protocols/region.md, "Remote edits").

// applyRemotes sends what a tick asks of neighbours and answers to them, each
// once it is durable: an item is not in two places after a crash.
func (r *Region) applyRemotes(c *world.Changes) {
	for i := range c.Remotes {
		ask := c.Remotes[i]
		r.store.then(func(ok bool) {
			if ok {
				r.ask(&ask)
			} else if h := r.homes[ask.Player]; h != nil {
				r.refuse(h, ask.Seq, storageCode)
			}
		})
	}
	for i := range c.Answers {
		done := c.Answers[i]
		ops := r.opsOf(done.From)
		if done.Code != world.Done {
			r.answerRemote(&done, done.Code)
			continue
		}
		ops.done(done.Op, done.Got)
		r.putOps(done.From, ops)
		r.store.then(func(ok bool) {
			code := done.Code
			if !ok {
				code = storageCode
			} else {
				ops.kept(done.Op)
			}
			r.answerRemote(&done, code)
			if !ok {
				r.putOps(done.From, ops)
			}
		})
	}
}

func (r *Region) answerRemote(ask *world.Remote, code world.Refusal) {
	if code != world.Done { // may be asked again
		r.opsOf(ask.From).drop(ask.Op)
	}
	done := *ask
	done.Code = code
	r.env.Send(PeerOf(done.From), &RemoteEditDone{&done})
}

// onRemoteEdit does the block's side of an act.
func (r *Region) onRemoteEdit(from machine.Peer, m *RemoteEdit) {
	pos, ok := RegionOf(from)
	if !ok || m.Remote == nil || m.Remote.From != pos || m.Remote.At.Region() != r.cfg.Pos || !m.Remote.Block.Known() {
		r.stats.Refused++
		return
	}
	switch {
	case r.askedBefore(pos, m):
		return
	case r.store.readOnly:
		r.answerRemote(m.Remote, storageCode)
		return
	case !r.needReady(from, m):
		return
	}
	if o := r.opsOf(pos); len(o.list) < maxOps {
		o.list = append(o.list, op{number: m.Remote.Op})
	} else {
		r.answerRemote(m.Remote, world.TooFast)
		return
	}
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
