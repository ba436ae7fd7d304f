package region

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
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
	edits := r.buildEdits(&b, o.By())
	out.Count = uint32(len(edits))
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

// buildEdits are the changes of an order in this region.
func (r *Region) buildEdits(b *decision.Building, by id.ID) (out []world.BlockChange) {
	operator := r.cfg.operator(by)
	z, in := b.Box(), r.cfg.Pos.Bounds()
	for y := z.Min.Y; y <= z.Max.Y; y++ {
		for x := max(z.Min.X, in.Min.X); x <= min(z.Max.X, in.Max.X); x++ {
			for zz := max(z.Min.Z, in.Min.Z); zz <= min(z.Max.Z, in.Max.Z); zz++ {
				at := world.Pos{X: x, Y: y, Z: zz}
				now, ok := r.area.Block(at)
				if !ok || now == b.Block || now == world.Bedrock || b.Shape == decision.Replace && now != b.With || !b.Has(at) ||
					r.area.Bars(at, by, operator) || r.area.Contents(at) != nil {
					continue
				}
				out = append(out, world.BlockChange{At: at, Was: now, Now: b.Block})
			}
		}
	}
	return out
}
