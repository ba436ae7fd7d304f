package regionlog

import (
	"bytes"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// What a leader may do to a player besides what the player does and the rules: what an
// operator has signed, what roles permit, and what belongs to sessions and handovers.

// mayOrder reports an order that must not be run: nobody has signed it. Roles are not in
// the log; followers compare them with what they know themselves. Whoever is
// across the border, and was not taken there, is put back.
func (a *Area) mayOrder(c *world.Command) error {
	o := c.Order
	switch {
	case o.Kind == world.OrderOperator || o.Kind == world.OrderVisitor || o.Kind == world.OrderJail || o.Kind == world.OrderMute:
		return nil
	case o.Kind == world.OrderTeleport && len(o.Signed) == 0 && a.putBack(c):
		return nil
	}
	signed, err := decision.DecodeOrder(o.Signed)
	if err != nil || signed.World != a.world || signed.Subject != c.Player || !signed.Signed() {
		return fmt.Errorf("%w: player %s was given something, moved or changed by an order that nobody has signed", errRule, c.Player)
	}
	if !a.ordersThat(signed, o, a.Spawn()) && !a.ordersThat(signed, o, a.spawnBefore) {
		return fmt.Errorf("%w: what was done to player %s is not what the signed order says", errRule, c.Player)
	}
	if n := len(a.ordered); n == 0 || o.Kind != world.OrderTake || a.ordered[n-1].Seq != signed.Seq { // one takes several kinds
		a.ordered = append(a.ordered, signed)
	}
	return nil
}

// ordersThat reports whether a signed order is to do what was done, where players begin at
// spawn. Where a warp leads, and how many homes one may have, is not in the log.
func (a *Area) ordersThat(signed *decision.Order, done *world.Order, spawn world.Pos) bool {
	if done.Kind == world.OrderTake { // how much is owed is not in the log
		return signed.Kind == decision.Rollback && done.Count > 0
	}
	warp := func(string) (world.Pos, bool) { return done.At.Block(), true }
	does := signed.Does(spawn, warp, done.Count)
	return does != nil && does.Kind == done.Kind && does.At == done.At && does.Block == done.Block && does.Count == done.Count &&
		does.Mode == done.Mode && does.Text == done.Text
}

// Ordered are the orders that were run since it was called last. Their signatures were
// verified, and not whether those who signed may give orders.
func (r *Replayer) Ordered() []*decision.Order {
	if r.area == nil {
		return nil
	}
	list := r.area.ordered
	r.area.ordered = nil
	return list
}

// putBackAtMost is how far from the nearest place inside somebody may be moved who is put
// back at the border: a body moves while the order waits for a tick.
const putBackAtMost = 8 * fixed.One

// putBack reports whether a player is moved to the border only, where it is nearest. Whom an
// order has moved into a distant region that did not take it may be far away.
func (a *Area) putBack(c *world.Command) bool {
	p, at := a.Player(c.Player), c.Order.At
	if p == nil {
		return true // nobody is moved
	}
	o, size := a.Pos().Column(0).Origin(), fixed.Int(world.RegionSize)
	x, z := at.X-fixed.Int(int(o.X)), at.Z-fixed.Int(int(o.Z))
	border := min(x, z, size-x, size-z)
	d := at.Sub(a.Pos().Inside(p.Body.Pos))
	return border >= 0 && border <= putBackAtMost && max(d.X, -d.X, d.Y, -d.Y, d.Z, -d.Z) <= putBackAtMost
}

// applyChanged takes a player who was changed: its session, roles, epoch, what it is
// called, and that it waits to be handed over. What it carries, where it is and how it is
// changes by the rules only.
func (a *Area) applyChanged(b []byte) error {
	p, err := readPlayer(b)
	if err != nil {
		return err
	}
	old := a.Player(p.ID)
	if old == nil {
		return ErrFormat
	}
	may := *old
	may.Name, may.Operator, may.Visitor, may.Jailed, may.Muted, may.Epoch = p.Name, p.Operator, p.Visitor, p.Jailed, p.Muted, p.Epoch
	if p.LastSeq != old.LastSeq || p.DugTo != old.DugTo || p.Credit != old.Credit {
		may.NewSession()
	}
	if !p.Dig.Active {
		may.Dig = p.Dig
	}
	if !bytes.Equal(may.AppendBinary(nil), p.AppendBinary(nil)) {
		return fmt.Errorf("%w: player %s was changed other than by what it did", errRule, p.ID)
	}
	putPlayer(a.Area, p)
	return nil
}
