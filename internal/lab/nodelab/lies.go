package nodelab

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// lie is something that a host does to a region. Lies live here: the player's program has
// none.
type lie struct {
	name  string
	comes comes
	// follows: a host that does not lead the region tells it; otherwise the leader does.
	follows bool
	// after is how long players edit before, at least: what was signed when the log began is
	// not looked for (decision 185).
	after time.Duration

	tell func(a *regionlog.Area, built world.Pos) // what the leader does to the region; nil: nothing
	acts func(t *telling)                         // what the node does besides; nil: nothing
	// sends changes what the node sends another from then on, or leaves it out (nil).
	sends func(t *telling, to machine.Peer, m machine.Message) machine.Message
	// hears reports whether it takes what another sends.
	hears func(t *telling, from machine.Peer, m machine.Message) bool
	// shows changes what the region tells a session, before it is signed.
	shows func(t *telling, session machine.Peer, m machine.Message) machine.Message
	stops bool // the region's timers
	pairs bool // players join two at a node
	lobby bool // who tells it is no host of the lobby
	// restarts: the node is killed, and starts again with its disk as it was before.
	restarts bool
}

// comes is what comes of a lie.
type comes int

const (
	conviction comes = iota // and another leads
	suspicion               // nothing is proven, and another leads
	warning                 // its players are told, and it goes on (decision 229)
	nothing                 // nobody believes it, nobody is convicted, nothing changes
)

func (c comes) String() string {
	return [...]string{"it is convicted", "it loses the lead", "its players are told", "nothing"}[c]
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
	{name: "shows two players different worlds", shows: showsGold},
	{name: "shows a node's players an old state", shows: showsNothingNew},
	{name: "shows one of a node's players an old state", shows: showsOneNothingNew, pairs: true},
	{name: "shows a player what it does not sign", comes: warning, sends: sendsGold},
	{name: "withholds its log", comes: suspicion, sends: func(_ *telling, _ machine.Peer, m machine.Message) machine.Message {
		switch m.(type) {
		case *accountability.LogEntries, *accountability.LogState, *accountability.Piece:
			return nil
		}
		return m
	}},
	{name: "ignores a player's inputs", comes: suspicion, hears: ignoresOne, after: 15 * time.Second},
	{name: "stops its region's clock", comes: suspicion, stops: true},
	{name: "drops an acknowledged edit and begins its log anew", comes: suspicion, tell: func(a *regionlog.Area, built world.Pos) {
		now, _ := a.Block(built)
		a.Revert([]world.BlockChange{{At: built, Was: world.Air, Now: now}})
	}},
	{name: "restarts from an older disk, and has led", comes: nothing, restarts: true},
	{name: "restarts from an older disk, and has followed", comes: nothing, restarts: true, follows: true},
	{name: "forges messages of a neighbouring region", comes: nothing, follows: true, acts: forgesNeighbour},
	{name: "forges an operator and a ban", comes: nothing, acts: forgesDecisions},
	{name: "forges messages of the lobby", comes: nothing, lobby: true, hears: forgesLobby},
	{name: "fabricates a proof against an honest host", comes: nothing, follows: true, hears: fabricates},
}

// ignoresOne takes nothing that one player does: the first one at another node that does
// something.
func ignoresOne(t *telling, _ machine.Peer, m machine.Message) bool {
	var who id.ID
	switch m := m.(type) {
	case *accountability.Unheeded:
		return id.Of(m.Key[:]) != t.whom.ID
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
	if t.whom.ID.IsZero() {
		t.whom.ID = who
	}
	return who != t.whom.ID
}
