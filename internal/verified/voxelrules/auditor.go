package voxelrules

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// auditor represents a node's players in a region: it has no body, and its signed edits
// are applied to the region's blocks. It may move to a neighbouring region at the end of
// a step, and is removed after idleSteps without a batch. Frozen.
type auditor struct {
	at          world.RegionPos
	idle        uint8
	lastHeard   uint64      // the last tick of the step that it has spoken in last
	inventories []inventory // of the node's players, ascending by id; none if blocks are free
}

// leftInventory is the inventory of a player whose auditor is gone. It stays in the region;
// the next auditor that the player joins there takes it.
type leftInventory struct {
	at world.RegionPos
	inventory
}

const (
	idleSteps      = 6  // without a word, then an auditor is gone
	maxInventories = 64 // of an auditor
)

// AuditorOf returns the id of the object that is a node's auditor.
func AuditorOf(node id.ID) state.ObjectID {
	return tagAuditor<<tagShift | state.ObjectID(binary.BigEndian.Uint64(node[:8])>>4)
}

func (r *Rules) middle(pos world.RegionPos) geom.Point {
	return r.placeOfBlock(pos.Column(0).Origin().Add(world.RegionSize/2, 0, world.RegionSize/2))
}

// Middle returns where a region's middle is in the storage.
func (r *Rules) Middle(pos world.RegionPos) geom.Point { return r.middle(pos) }

// Holds reports whether a region is of the stored world.
func (r *Rules) Holds(pos world.RegionPos) bool { return r.inWindow(pos) }

func (r *Rules) newAuditor(p *state.Player, a *auditor) *state.Object {
	return r.make(&state.Object{ID: AuditorOf(p.ID), Pos: r.middle(a.at), Player: p, State: a})
}

func (r *Rules) newLeftInventory(b *leftInventory) *state.Object {
	hash := rng.Hash(binary.BigEndian.Uint64(b.player[:8]), uint64(b.at.X), uint64(b.at.Z))
	return r.make(&state.Object{ID: tagLeftInventory<<tagShift | state.ObjectID(hash>>4), Pos: r.middle(b.at), State: b})
}

// auditorStep is an auditor during the replay of a step.
type auditorStep struct {
	player *state.Player
	auditor
	edits      []Edit // that are left to do
	current    *Edit  // in this tick
	spoke      bool   // there was a batch
	gone       bool
	to         world.RegionPos
	countItems bool // what players have is counted
}

func (r *Rules) startAuditorStep(p *state.Player, a *auditor, bodies [][]byte, from, to uint64) *auditorStep {
	out := &auditorStep{player: p, auditor: *a, to: a.at, countItems: r.cfg.Mode == world.Survival}
	out.inventories = slices.Clone(a.inventories)
	for i := range out.inventories {
		out.inventories[i].items = slices.Clone(out.inventories[i].items)
	}
	for _, body := range bodies {
		b, err := DecodeBatch(body)
		if err != nil || !b.Audit {
			continue
		}
		out.spoke, out.gone, out.to = true, b.Leave, b.To
		for _, e := range b.Edits {
			if n := len(out.edits); e.Tick > from && e.Tick <= to && (n == 0 || out.edits[n-1].Tick < e.Tick) {
				out.edits = append(out.edits, e)
			}
		}
	}
	return out
}

// inventory returns that of a player; nil: the player does not play here.
func (a *auditorStep) inventory(who id.ID) *inventory {
	if i, ok := a.find(who); ok {
		return &a.inventories[i]
	}
	return nil
}

func (a *auditorStep) find(who id.ID) (int, bool) {
	return slices.BinarySearchFunc(a.inventories, who, func(inv inventory, who id.ID) int { return slices.Compare(inv.player[:], who[:]) })
}

// commands appends the signed edit of a tick, if its player can have made it.
func (a *auditorStep) commands(g *region, tick uint64, cmds []world.Command) []world.Command {
	a.current = nil
	if len(a.edits) == 0 || a.edits[0].Tick != tick {
		return cmds
	}
	e := &a.edits[0]
	a.edits = a.edits[1:]
	inv := a.inventory(e.Player)
	kind := world.RemoteBreak
	switch e.Kind {
	case EditJoin:
		a.addPlayer(g, e.Player)
		return cmds
	case EditLeave:
		a.removePlayer(g, e.Player)
		return cmds
	case EditCraft:
		if inv != nil {
			inv.craft(e.Recipe, e.Times)
		}
		return cmds
	case EditPlace:
		kind = world.RemotePlace
		if a.countItems && world.Counted(e.Block.Carried()) && (inv == nil || inv.count(e.Block.Carried()) == 0) {
			return cmds
		}
	}
	a.current = e
	return append(cmds, world.Command{Player: a.player.ID, Kind: world.CmdSigned, Seq: uint32(tick), Remote: &world.Remote{
		Kind: kind, From: g.area.Pos(), Player: e.Player, Seq: uint32(tick), At: e.At, Block: e.Block,
	}})
}

// applyResults adds what the tick's edit has earned its player, and takes what it cost.
func (a *auditorStep) applyResults(results []world.Result) {
	if a.current == nil || !a.countItems {
		return
	}
	inv := a.inventory(a.current.Player)
	for i := range results {
		if x := &results[i]; x.Kind == world.CmdSigned && x.Player == a.player.ID && x.Did != nil && inv != nil {
			if x.Did.Kind == world.RemoteBreak {
				inv.add(x.Did.Got, 1)
			} else {
				inv.add(x.Did.Block.Carried(), -1)
			}
		}
	}
}

// addPlayer adds a player, with the inventory that it has left here, or else with that of
// a newcomer.
func (a *auditorStep) addPlayer(g *region, who id.ID) {
	i, here := a.find(who)
	if here || !a.countItems || len(a.inventories) >= maxInventories {
		return
	}
	inv := inventory{player: who}
	if j := slices.IndexFunc(g.leftInventories, func(inv inventory) bool { return inv.player == who }); j >= 0 {
		inv = g.leftInventories[j]
		inv.items = slices.Clone(inv.items)
		g.leftInventories = slices.Delete(g.leftInventories, j, j+1)
	} else {
		for _, s := range world.NewPlayer(who, "", world.Survival, world.Vec{}).Items {
			inv.add(s.Block, int64(s.Count))
		}
	}
	a.inventories = slices.Insert(a.inventories, i, inv)
}

// removePlayer removes a player and leaves its inventory here.
func (a *auditorStep) removePlayer(g *region, who id.ID) {
	if i, ok := a.find(who); ok {
		g.leaveInventory(a.inventories[i])
		a.inventories = slices.Delete(a.inventories, i, i+1)
	}
}

// leaveInventory adds an inventory to those that lie here; one of the same player, which only
// who plays at two nodes can bring about, is replaced.
func (g *region) leaveInventory(inv inventory) {
	g.leftInventories = slices.DeleteFunc(g.leftInventories, func(q inventory) bool { return q.player == inv.player })
	g.leftInventories = append(g.leftInventories, inv)
}

// nextAuditor is the auditor after the step; nil: it is gone, and what its players have
// lies here.
func (r *Rules) nextAuditor(g *region, a *auditorStep, pos world.RegionPos) *state.Object {
	next := &auditor{at: a.at, idle: a.idle + 1, lastHeard: a.lastHeard, inventories: a.inventories}
	if a.spoke {
		next.idle, next.lastHeard = 0, g.to
		if near(a.at, a.to) && r.inWindow(a.to) {
			next.at = a.to
		}
	}
	if a.gone || next.idle > idleSteps {
		for _, inv := range a.inventories {
			g.leaveInventory(inv)
		}
		return nil
	}
	return r.newAuditor(a.player, next)
}

func appendInventory(out []byte, inv *inventory) []byte {
	out = appendUints(append(out, inv.player[:]...), uint64(len(inv.items)))
	for _, x := range inv.items {
		out = appendUints(out, uint64(x.block), uint64(x.count))
	}
	return out
}

func readInventory(in *reader) (inv inventory) {
	inv.player = id.ID(in.Take(id.Size))
	for range in.Uint(uint64(world.BlockLimit)) {
		x := item{in.block(), uint32(in.Uint(maxItems))}
		if n := len(inv.items); in.Bad() || x.count == 0 || !world.Counted(x.block) || n > 0 && inv.items[n-1].block >= x.block {
			in.Fail()
			break
		}
		inv.items = append(inv.items, x)
	}
	return inv
}

func appendAuditor(out []byte, p *state.Player, a *auditor) []byte {
	out = append(out, p.ID[:]...)
	out = binary.BigEndian.AppendUint32(out, uint32(p.Home.X))
	out = binary.BigEndian.AppendUint32(out, uint32(p.Home.Y))
	out = append(appendInts(out, int64(a.at.X), int64(a.at.Z)), a.idle)
	out = appendUints(out, a.lastHeard, uint64(len(a.inventories)))
	for i := range a.inventories {
		out = appendInventory(out, &a.inventories[i])
	}
	return out
}

func (r *Rules) decodeAuditor(in *reader) (*state.Object, error) {
	who := id.ID(in.Take(id.Size))
	x, y := in.Take(4), in.Take(4)
	if in.Bad() {
		return nil, errFields
	}
	home := geom.Point{X: int32(binary.BigEndian.Uint32(x)), Y: int32(binary.BigEndian.Uint32(y))}
	a := &auditor{at: world.RegionPos{X: in.int32(), Z: in.int32()}, idle: in.Byte(), lastHeard: in.Uint(1 << 62)}
	for range in.Uint(maxInventories) {
		inv := readInventory(in)
		if n := len(a.inventories); in.Bad() || n > 0 && slices.Compare(a.inventories[n-1].player[:], inv.player[:]) >= 0 {
			return nil, errFields
		}
		a.inventories = append(a.inventories, inv)
	}
	if !in.End() || !r.inWindow(a.at) || a.idle > idleSteps {
		return nil, errFields
	}
	return r.newAuditor(r.player(who, home), a), nil
}

func (r *Rules) decodeLeftInventory(in *reader) (*state.Object, error) {
	b := &leftInventory{at: world.RegionPos{X: in.int32(), Z: in.int32()}}
	b.inventory = readInventory(in)
	if !in.End() || !r.inWindow(b.at) {
		return nil, errFields
	}
	return r.newLeftInventory(b), nil
}
