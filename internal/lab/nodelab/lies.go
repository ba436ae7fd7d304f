package nodelab

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// lie is something that a leader does to its region. Lies live here: the player's program
// has none.
type lie struct {
	name string
	// unproven: its log proves nothing. Who convicts the leader has been shown something else
	// than it signs; otherwise it is suspected and replaced.
	unproven bool
	tell     func(a *regionlog.Area, built world.Pos)
	// sends reports whether the node sends a message from then on; nil: all.
	sends func(machine.Message) bool
	// hears reports whether it takes one; nil: all.
	hears func(machine.Message) bool
	// after is how long players edit before, at least: what was signed when the log began is
	// not looked for (decision 185).
	after time.Duration
}

// tongue is what a node sends: all, until it tells a lie.
type tongue struct{ lie atomic.Pointer[lie] }

func (t *tongue) sends(m machine.Message) bool {
	l := t.lie.Load()
	return l == nil || l.sends == nil || l.sends(m)
}

func (t *tongue) hears(m machine.Message) bool {
	l := t.lie.Load()
	return l == nil || l.hears == nil || l.hears(m)
}

// ignoresOne takes nothing that one player does: the first one at another node that does
// something.
func ignoresOne() func(machine.Message) bool {
	var whom id.ID
	return func(m machine.Message) bool {
		var who id.ID
		switch m := m.(type) {
		case *accountability.Unheeded:
			return id.Of(m.Key[:]) != whom
		case *routing.Routed:
			switch act := m.Msg.(type) {
			case *region.Act:
				who = act.Player
			case *region.Inputs:
				who = act.Player
			case *region.Segment:
				who = act.Player
			}
		}
		if who.IsZero() {
			return true
		}
		if whom.IsZero() {
			whom = who
		}
		return who != whom
	}
}

var lies = []lie{
	{name: "drops an acknowledged edit", tell: func(a *regionlog.Area, built world.Pos) {
		now, _ := a.Block(built)
		a.Area.Revert([]world.BlockChange{{At: built, Was: world.Air, Now: now}})
	}},
	{name: "invents a block", tell: func(a *regionlog.Area, built world.Pos) {
		at := built.Add(0, 12, 0)
		now, _ := a.Block(at)
		a.Area.Revert([]world.BlockChange{{At: at, Was: world.GoldOre, Now: now}})
	}},
	{name: "grants an item", tell: func(a *regionlog.Area, _ world.Pos) {
		a.Players()[0].Items[30] = world.Stack{Block: world.GoldOre, Count: 50}
	}},
	{name: "logs that it grants an item", tell: func(a *regionlog.Area, _ world.Pos) {
		p := a.Players()[0]
		p.Items[30] = world.Stack{Block: world.GoldOre, Count: 50}
		a.Changed(p)
	}},
	{name: "gives what nobody has ordered", tell: func(a *regionlog.Area, _ world.Pos) {
		order := &world.Order{Kind: world.OrderGive, Block: world.GoldOre, Count: 50}
		a.Act([]world.Command{{Player: a.Players()[0].ID, Kind: world.CmdOrder, Seq: 1 << 30, Order: order}})
	}},
	{name: "lets a friend fly", tell: func(a *regionlog.Area, _ world.Pos) {
		a.Players()[0].Body.Pos.Y += 1 << 16 // 16 m
	}},
	{name: "lets a friend into walls", tell: func(a *regionlog.Area, _ world.Pos) { a.Players()[0].Mode = world.Spectator }},
	{name: "lets a friend run too fast", tell: func(a *regionlog.Area, _ world.Pos) {
		a.Players()[0].Body.Pos.X += 1 << 11 // half a metre
	}},
	{name: "hurts a player", tell: func(a *regionlog.Area, _ world.Pos) { a.Players()[0].Health-- }},
	{name: "lets a friend take no damage", tell: func(a *regionlog.Area, _ world.Pos) {
		a.Players()[0].NextHurt = 1 << 40 // the tick from which somebody may hurt it
	}},
	{name: "forges an edit of a neighbour's player", tell: func(a *regionlog.Area, built world.Pos) {
		now, _ := a.Block(built)
		m := &world.Remote{Kind: world.RemoteBreak, From: world.RegionPos{X: a.Pos().X + 1, Z: a.Pos().Z}, Player: a.Players()[0].ID, Seq: 1 << 30, At: built, Block: now}
		a.Act([]world.Command{{Player: m.Player, Kind: world.CmdRemote, Seq: m.Seq, Remote: m}})
	}},
	{name: "forges an answer of a neighbour", tell: func(a *regionlog.Area, built world.Pos) {
		p := a.Players()[0]
		m := &world.Remote{Kind: world.RemoteBreak, From: a.Pos(), Player: p.ID, Seq: 1 << 30, At: built.Add(world.RegionSize, 0, 0), Block: world.GoldOre, Got: world.GoldOre, Code: world.Done}
		a.Act([]world.Command{{Player: p.ID, Kind: world.CmdSettle, Seq: m.Seq, Remote: m}})
	}},
	{name: "forges a player's act", tell: func(a *regionlog.Area, built world.Pos) {
		p := a.Players()[0]
		a.Act([]world.Command{{Player: p.ID, Kind: world.CmdAct, Seq: 1 << 30, Act: world.Act{Kind: world.ActDig, At: built}}})
	}},
	{name: "withholds its log", unproven: true, tell: func(*regionlog.Area, world.Pos) {}, sends: func(m machine.Message) bool {
		switch m.(type) {
		case *accountability.LogEntries, *accountability.LogState, *accountability.Piece:
			return false
		}
		return true
	}},
	{name: "ignores one player's inputs", unproven: true, tell: func(*regionlog.Area, world.Pos) {}, hears: ignoresOne(), after: 15 * time.Second},
	{name: "drops an acknowledged edit and begins its log anew", unproven: true, tell: func(a *regionlog.Area, built world.Pos) {
		now, _ := a.Block(built)
		a.Revert([]world.BlockChange{{At: built, Was: world.Air, Now: now}})
	}},
}

// tellLie lets a node lie.
func tellLie(h *host.Host, t *tongue, o *NodeOrder) error {
	i := slices.IndexFunc(lies, func(l lie) bool { return l.name == o.Lie })
	if i < 0 || o.Region == nil || o.Place == nil {
		return fmt.Errorf("no lie %q", o.Lie)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	t.lie.Store(&lies[i])
	return h.WithArea(ctx, *o.Region, func(a *regionlog.Area) { lies[i].tell(a, *o.Place) })
}
