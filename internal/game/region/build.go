package region

import (
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// amendPerTick bounds the blocks of orders that a tick changes, so that those who play here
// do not notice.
const amendPerTick = 512

// amending is an order whose blocks are not all changed yet.
type amending struct {
	signed []byte
	by     id.ID
	edits  []world.BlockChange
	undo   bool
	then   func(ok bool) // once all of them are on the disk
}

// amend changes blocks. While somebody plays here it takes several ticks.
func (r *Region) amend(a *amending) {
	inOrder(a.edits)
	r.amends = append(r.amends, a)
	if !r.loop.moves() {
		for len(r.amends) > 0 {
			r.amendSome(len(r.amends[0].edits))
		}
		r.store.flush()
	}
}

// amendSome changes so many blocks at most.
func (r *Region) amendSome(most int) {
	if len(r.amends) == 0 {
		return
	}
	a := r.amends[0]
	n := min(most, len(a.edits))
	for n < len(a.edits) && n > 0 && halfOf(&a.edits[n]) == halfOf(&a.edits[n-1]) {
		n++ // halves of a door or a bed come together
	}
	changes := r.area.Amend(a.signed, a.by, a.edits[:n], a.undo)
	r.store.unsaved = true
	r.effects.apply(r.loop.now(), changes)
	r.activity.touch()
	if a.edits = a.edits[n:]; len(a.edits) == 0 {
		r.amends = r.amends[1:]
		r.store.then(a.then)
	}
}

// onBuild changes many blocks at once for a builder: where it may build, and nothing that
// holds something.
func (r *Region) onBuild(m *Undo, o *decision.Order, out *Undone) {
	b, err := o.Building()
	if err == nil {
		err = r.mayBuild(o, &b)
	}
	if err != nil || r.store.readOnly {
		r.stats.Refused++
		r.env.Send(Lobby, out)
		r.hibernateIfIdle()
		return
	}
	part := b.Box().Common(r.cfg.Pos.Bounds())
	var paste []world.Block
	if b.Shape == decision.Paste {
		paste, err = clipboard.Decode(m.Blocks, clipboard.Volume(part))
	}
	if err != nil {
		r.stats.Refused++
		r.env.Send(Lobby, out)
		r.hibernateIfIdle()
		return
	}
	if b.Shape == decision.Copy || b.Shape == decision.Cut {
		out.Blocks = clipboard.Encode(r.copied(&b, part, o.By()))
	}
	edits := r.buildEdits(&b, part, paste, o.By())
	out.Count = uint32(len(edits))
	if b.Shape == decision.Copy {
		r.answer(out)(true)
		r.hibernateIfIdle()
		return
	}
	r.amend(&amending{signed: m.Signed, by: o.By(), edits: edits, then: r.answer(out)})
	r.hibernateIfIdle()
}

// answer tells the lobby what has come of an order, once that is on the disk.
func (r *Region) answer(out *Undone) func(ok bool) {
	return func(ok bool) {
		out.OK = ok
		r.env.Send(Lobby, out)
	}
}

// mayBuild says why an order to build is not done.
func (r *Region) mayBuild(o *decision.Order, b *decision.Building) error {
	rights := r.cfg.rights(o.By())
	if rights.Jailed || !b.Box().Meets(r.cfg.Pos.Bounds()) || rights.Role < decision.RoleOperator && b.Count() > r.cfg.number(decision.SetBuild) {
		return decision.ErrAuthority
	}
	err := o.Verify(r.cfg.World, time.Unix(0, int64(r.env.Now())), func(who id.ID) decision.Role { return r.cfg.rights(who).Role })
	if err == nil && slices.Contains(r.built, o.Seq) {
		err = decision.ErrRepeated
	}
	if err == nil {
		r.built = append(r.built, o.Seq)
		r.built = r.built[max(0, len(r.built)-maxBuilt):]
	}
	return err
}

// maxBuilt is how many of the last orders to build are remembered: none is done twice. One
// that is done again after the region has moved changes the same blocks to the same.
const maxBuilt = 64

// buildEdits are the changes of an order in this region; of what is pasted those blocks are
// given that lie here.
func (r *Region) buildEdits(b *decision.Building, part world.Zone, paste []world.Block, by id.ID) (out []world.BlockChange) {
	operator, i := r.cfg.operator(by), -1
	eachBlock(part, func(at world.Pos) {
		i++
		e := world.BlockChange{At: at, Now: b.Block}
		ok := true
		if b.Shape == decision.Paste {
			e.Now, ok = paste[i], paste[i] != clipboard.Nothing && r.whole(at, paste[i])
		}
		if ok {
			e.Was, ok = r.mayChange(at, by, operator)
		}
		if ok && e.Was != e.Now && b.Makes(e) {
			out = append(out, e)
		}
	})
	return out
}

// mayChange is the block at a place, if somebody may change it by an order.
func (r *Region) mayChange(at world.Pos, by id.ID, operator bool) (world.Block, bool) {
	now, ok := r.area.Block(at)
	return now, ok && now != world.Bedrock && !r.area.Bars(at, by, operator) && r.area.Contents(at) == nil
}

// whole reports whether the other half of a block lies in the same region.
func (r *Region) whole(at world.Pos, b world.Block) bool {
	other, ok := world.OtherHalf(at, b)
	return !ok || r.cfg.Pos.Bounds().Holds(other)
}

// copied are the blocks of a part of the region; what is cut and stays is not among them.
func (r *Region) copied(b *decision.Building, part world.Zone, by id.ID) (out []world.Block) {
	operator := r.cfg.operator(by)
	eachBlock(part, func(at world.Pos) {
		now, ok := r.area.Block(at)
		if ok {
			now, ok = world.Copied(now)
		}
		if ok && b.Shape == decision.Cut {
			_, ok = r.mayChange(at, by, operator)
		}
		if !ok {
			now = clipboard.Nothing
		}
		out = append(out, now)
	})
	return out
}

// eachBlock visits a box in the order of package clipboard.
func eachBlock(z world.Zone, do func(world.Pos)) {
	for y := z.Min.Y; y <= z.Max.Y; y++ {
		for zz := z.Min.Z; zz <= z.Max.Z; zz++ {
			for x := z.Min.X; x <= z.Max.X; x++ {
				do(world.Pos{X: x, Y: y, Z: zz})
			}
		}
	}
}

// inOrder sorts changes so that nothing falls that is to stay: first what cannot stand by
// itself goes, last it comes, with halves side by side.
func inOrder(edits []world.BlockChange) {
	rank := func(e *world.BlockChange) int {
		switch {
		case e.Now != world.Air && !e.Now.Stands():
			return 2
		case e.Was == world.Air || e.Was.Stands():
			return 1
		}
		return 0
	}
	slices.SortStableFunc(edits, func(a, b world.BlockChange) int {
		if n := rank(&a) - rank(&b); n != 0 || rank(&a) == 1 {
			return n
		}
		p, q := halfOf(&a), halfOf(&b)
		return cmp.Or(cmp.Compare(p.Y, q.Y), cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X))
	})
}

// halfOf is where the lesser half of what is changed lies, or the block itself.
func halfOf(e *world.BlockChange) world.Pos {
	b := e.Now
	if b == world.Air {
		b = e.Was
	}
	other, ok := world.OtherHalf(e.At, b)
	if ok && (other.Y < e.At.Y || other.X < e.At.X || other.Z < e.At.Z) {
		return other
	}
	return e.At
}
