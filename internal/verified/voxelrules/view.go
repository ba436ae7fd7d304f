package voxelrules

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// View is what objects say of the world: the blocks that differ from the
// terrain, and players. Frozen.
type View struct {
	blocks   map[world.Pos]world.Block
	players  map[id.ID]*world.Player
	auditors map[id.ID]*auditor
	chunks   map[world.ColumnPos][]*state.Object
}

// NewView looks at objects of this world.
func NewView(objects []*state.Object) *View {
	v := &View{blocks: map[world.Pos]world.Block{}, players: map[id.ID]*world.Player{}, auditors: map[id.ID]*auditor{}, chunks: map[world.ColumnPos][]*state.Object{}}
	for _, o := range objects {
		switch s := o.State.(type) {
		case *difference:
			v.chunks[s.pos] = append(v.chunks[s.pos], o)
			low := s.pos.Origin().Add(0, int32(s.y)*world.ChunkSize, 0)
			for _, b := range s.blocks {
				v.blocks[low.Add(int32(b.at&31), int32(b.at>>10), int32(b.at>>5&31))] = b.is
			}
		case *auditor:
			v.auditors[o.Player.ID] = s
		case *character:
			if !o.Static && s.coming == present {
				v.players[o.Player.ID] = s.body
			}
		}
	}
	return v
}

// Player is a player who is there, to look at; nil: it is not.
func (v *View) Player(who id.ID) *world.Player { return v.players[who] }

// Changed returns the blocks that differ from the terrain. It is not to be
// changed.
func (v *View) Changed() map[world.Pos]world.Block { return v.blocks }

// Auditor is where the auditor of a node is, and the last tick of the last batch
// that it has been heard with; false: there is none.
func (v *View) Auditor(node id.ID) (at world.RegionPos, heard uint64, ok bool) {
	if a := v.auditors[node]; a != nil {
		return a.at, a.lastHeard, true
	}
	return world.RegionPos{}, 0, false
}

// Column is a column as the view has it, if that tells of all of it: what was
// generated, and how it differs. Frozen.
func (r *Rules) Column(v *View, pos world.ColumnPos) *world.Column {
	return r.columns.column(pos, v.chunks[pos])
}

// ColumnPlace is where in the storage the differences of a column are kept.
func (r *Rules) ColumnPlace(pos world.ColumnPos) geom.Point {
	return r.placeOfBlock(pos.Origin().Add(world.ChunkSize/2, 0, world.ChunkSize/2))
}

// ItemCount is how many of a block a player at a node has as far as its edits tell;
// false: they do not, because the block is not counted or the player unknown.
func (v *View) ItemCount(node, player id.ID, b world.Block) (uint32, bool) {
	if a := v.auditors[node]; a != nil && world.Counted(b) {
		for i := range a.inventories {
			if a.inventories[i].player == player {
				return a.inventories[i].count(b), true
			}
		}
	}
	return 0, false
}

// HasInventory reports whether an auditor has a player's inventory.
func (v *View) HasInventory(node, player id.ID) bool {
	a := v.auditors[node]
	return a != nil && slices.ContainsFunc(a.inventories, func(inv inventory) bool { return inv.player == player })
}
