package region

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// onUndo shows the history of a box, takes back what was done there, or does it again, as
// an operator has signed, or the owner of the land.
func (r *Region) onUndo(from machine.Peer, m *Undo) {
	switch {
	case from != Lobby:
		r.stats.Refused++
		return
	case !r.loading.needReady(from, m):
		r.wake()
		return
	}
	out := &Undone{Region: r.cfg.Pos, Tag: m.Tag}
	if o, err := decision.DecodeOrder(m.Signed); err == nil && o.Kind == decision.Build {
		r.onBuild(m, o, out)
		return
	}
	o, u, ok := r.permitted(m.Signed)
	switch {
	case !ok || r.store.readOnly:
		r.stats.Refused++
		r.env.Send(Lobby, out)
	case len(m.Take)+len(m.Give) > 0:
		r.settle(m, o, u, out)
	case o.Kind == decision.Inspect:
		out.OK = true
		out.Count, out.Edits = r.history.list(u.Box, tickOf(u.Since, r.cfg.Epoch), o.Subject)
		r.env.Send(Lobby, out)
	default:
		edits := r.history.amends(r.area.Block, u.Box, tickOf(u.Since, r.cfg.Epoch), o.Subject, o.Kind == decision.Restore)
		edits = slices.DeleteFunc(edits, func(e world.BlockChange) bool { return r.area.Contents(e.At) != nil })
		out.Count = uint32(len(edits))
		if r.settles(o) {
			out.Looted, out.Put = r.moved(u.Box, tickOf(u.Since, r.cfg.Epoch), o.Subject)
		}
		if u.Preview || len(edits) == 0 {
			out.OK = true
			r.env.Send(Lobby, out)
			break
		}
		if o.Kind == decision.Rollback && !o.Subject.IsZero() && o.Subject != o.By() {
			out.Owed = world.OwedFor(edits)
		}
		r.amend(&amending{signed: m.Signed, by: o.By(), edits: edits, undo: true, then: r.answer(out)})
	}
	r.hibernateIfIdle()
}

// permitted verifies an order about the history of a box.
func (r *Region) permitted(signed []byte) (o *decision.Order, u decision.Undo, ok bool) {
	o, err := decision.DecodeOrder(signed)
	if err == nil {
		u, err = o.Undo()
	}
	if err != nil || !u.Box.Meets(r.cfg.Pos.Bounds()) || r.cfg.rights(o.By()).Jailed {
		return nil, u, false
	}
	err = o.Verify(r.cfg.World, time.Unix(0, int64(r.env.Now())), func(who id.ID) decision.Role {
		if role := r.cfg.rights(who).Role; role >= decision.RoleModerator || !r.owned(u.Box, who) {
			return role
		}
		return decision.RoleOperator
	})
	return o, u, err == nil
}

// owned reports whether what a box has of the region is somebody's land.
func (r *Region) owned(box world.Zone, who id.ID) bool {
	b := r.cfg.Pos.Bounds()
	lo := world.Pos{X: max(box.Min.X, b.Min.X), Y: box.Min.Y, Z: max(box.Min.Z, b.Min.Z)}
	hi := world.Pos{X: min(box.Max.X, b.Max.X), Y: box.Max.Y, Z: min(box.Max.Z, b.Max.Z)}
	return slices.ContainsFunc(r.area.Lands(), func(l world.Land) bool { return l.Owner == who && l.Holds(lo) && l.Holds(hi) })
}

// tickOf is the tick at a time in Unix seconds.
func tickOf(unix int64, epoch machine.Time) uint64 {
	return TickAt(machine.Time(min(unix, 1<<33)*int64(time.Second)), epoch)
}

// list returns the last edits in a box since a tick, the newest first, and how many there
// are; of a player, zero: of anybody.
func (h *history) list(box world.Zone, since uint64, of id.ID) (n uint32, out []world.PastEdit) {
	for i := len(h.steps) - 1; i >= 0 && h.steps[i].tick >= since; i-- {
		s := &h.steps[i]
		if !of.IsZero() && h.actors[s.by] != of {
			continue
		}
		past := world.PastEdit{Edit: world.Edit{By: h.actors[s.by], Undo: s.undo}, Tick: s.tick}
		add := func(e world.BlockChange, moved int) {
			if !box.Holds(e.At) {
				return
			}
			if n++; len(out) < MaxPastEdits {
				past.BlockChange, past.Moved = e, int32(moved)
				out = append(out, past)
			}
		}
		for _, e := range slices.Backward(s.edits) {
			add(e, 0)
		}
		for _, m := range slices.Backward(s.moves) {
			add(world.BlockChange{At: m.At, Now: m.Block}, m.Count)
		}
	}
	return n, out
}
