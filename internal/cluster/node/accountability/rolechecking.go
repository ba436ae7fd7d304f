package accountability

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// roleChecking compares what a region's leader makes of players (operators, prisoners),
// whose land it heeds, and whose orders it executes, with the log of decisions that this node has itself. A
// difference is no proof: this node may not have heard of a decision yet.
type roleChecking struct {
	part.Part
	rights  func(id.ID) decision.Rights // nil: nothing is compared
	lands   func(world.RegionPos) []decision.SignedLand
	suspect func(what string)

	wrong    map[falseRole]*roleDifference
	executed map[executedOrder]bool // by the log that is followed
}

// falseRole is what a leader takes somebody for, and this node does not.
type falseRole struct {
	who  id.ID
	role string
}

type roleDifference struct{ since, seen machine.Time }

type executedOrder struct {
	player id.ID
	seq    uint64
}

const (
	// roleStandsFor is how long a difference must stand: decisions spread within seconds.
	roleStandsFor = 20 * time.Second
	// roleGoneAfter is when a difference that is not seen has ended: it may come and go.
	roleGoneAfter   = 5 * time.Second
	maxFalseRoles   = 256
	maxExecutedSeen = 1 << 10
)

// reset forgets what another leader did.
func (k *roleChecking) reset() { k.wrong, k.executed = nil, nil }

// beat compares players with their roles.
func (k *roleChecking) beat(now machine.Time, area *world.Area) {
	if area == nil || k.rights == nil {
		return
	}
	seen := map[falseRole]bool{}
	for _, p := range area.Players() {
		r := k.rights(p.ID)
		if p.Operator && r.Role < decision.RoleOperator {
			seen[falseRole{p.ID, "an operator"}] = true
		}
		for _, x := range []struct {
			is, decided bool
			one, none   string
		}{
			{p.Jailed, r.Jailed, "a prisoner", "no prisoner"},
			{p.Muted, r.Muted, "muted", "not muted"},
		} {
			switch {
			case x.is && !x.decided:
				seen[falseRole{p.ID, x.one}] = true
			case !x.is && x.decided:
				seen[falseRole{p.ID, x.none}] = true
			}
		}
	}
	for _, owner := range ignored(area, k.lands(area.Pos())) {
		seen[falseRole{owner, leavesOut}] = true
	}
	for was, d := range k.wrong { // the order does not matter
		if was.role == signsOrders && !k.operates(was.who) {
			d.seen = now
		}
		if now.Sub(d.seen) >= roleGoneAfter {
			delete(k.wrong, was)
		}
	}
	for is := range seen { // the order does not matter
		k.note(now, is)
	}
	k.judge(now)
}

// operates reports whether somebody may order what is done to players.
func (k *roleChecking) operates(who id.ID) bool { return k.rights(who).Role.May(decision.MayOperate) }

const signsOrders = "somebody who may give orders"

func (k *roleChecking) note(now machine.Time, is falseRole) {
	if k.wrong == nil {
		k.wrong = map[falseRole]*roleDifference{}
	}
	if d := k.wrong[is]; d != nil {
		d.seen = now
	} else if len(k.wrong) < maxFalseRoles {
		k.wrong[is] = &roleDifference{now, now}
	}
}

// judge suspects the leader if a difference has stood for long.
func (k *roleChecking) judge(now machine.Time) {
	inOrder := func(a, b falseRole) int {
		return cmp.Or(slices.Compare(a.who[:], b.who[:]), cmp.Compare(a.role, b.role))
	}
	for _, is := range slices.SortedFunc(maps.Keys(k.wrong), inOrder) { // one is enough
		if d := k.wrong[is]; d.seen.Sub(d.since) >= roleStandsFor {
			k.reset()
			if is.role == leavesOut {
				k.suspect(fmt.Sprintf("does not heed what player %s has signed about land", is.who.Short()))
				return
			}
			k.suspect(fmt.Sprintf("takes player %s for %s, which nobody has decided", is.who.Short(), is.role))
			return
		}
	}
}

// onOrders takes the orders that the leader has executed.
func (k *roleChecking) onOrders(now machine.Time, list []*decision.Order) {
	if k.rights == nil {
		return
	}
	for _, o := range list {
		at := executedOrder{o.Subject, o.Seq}
		if k.executed[at] {
			k.suspect(fmt.Sprintf("has executed an order about player %s twice", o.Subject.Short()))
			return
		}
		if k.executed == nil || len(k.executed) >= maxExecutedSeen {
			k.executed = map[executedOrder]bool{}
		}
		k.executed[at] = true
		err := o.Verify(o.World, time.UnixMilli(int64(o.Seq)), func(who id.ID) decision.Role { return k.rights(who).Role })
		if errors.Is(err, decision.ErrAuthority) {
			k.note(now, falseRole{o.By(), signsOrders})
		}
	}
}
