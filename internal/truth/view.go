package truth

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// View is what objects say of the world: the blocks that differ from the
// terrain, and players. Frozen.
type View struct {
	blocks  map[world.Pos]world.Block
	players map[id.ID]*world.Player
	seen    map[id.ID]*witness
	chunks  map[world.ColumnPos][]*storage.Object
}

// NewView looks at objects of this world.
func NewView(objects []*storage.Object) *View {
	v := &View{blocks: map[world.Pos]world.Block{}, players: map[id.ID]*world.Player{}, seen: map[id.ID]*witness{}, chunks: map[world.ColumnPos][]*storage.Object{}}
	for _, o := range objects {
		switch s := o.State.(type) {
		case *difference:
			v.chunks[s.pos] = append(v.chunks[s.pos], o)
			low := s.pos.Origin().Add(0, int32(s.y)*world.ChunkSize, 0)
			for _, b := range s.blocks {
				v.blocks[low.Add(int32(b.at&31), int32(b.at>>10), int32(b.at>>5&31))] = b.is
			}
		case *witness:
			v.seen[o.Player.ID] = s
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

// Witness is where the witness of a node is, and the last tick of the last batch
// that it has been heard with; false: there is none.
func (v *View) Witness(node id.ID) (at world.RegionPos, heard uint64, ok bool) {
	if w := v.seen[node]; w != nil {
		return w.at, w.heard, true
	}
	return world.RegionPos{}, 0, false
}

// Column is a column as the view has it, if that tells of all of it: what was
// generated, and how it differs. Frozen.
func (r *Rules) Column(v *View, pos world.ColumnPos) *world.Column {
	return r.lands.column(pos, v.chunks[pos])
}

// ColumnPlace is where in the storage the differences of a column are kept.
func (r *Rules) ColumnPlace(pos world.ColumnPos) geom.Point {
	return r.placeOfBlock(pos.Origin().Add(world.ChunkSize/2, 0, world.ChunkSize/2))
}

// Owns is how many of a block a player at a node has as far as its edits tell;
// false: they do not, because the block is not counted or the player unknown.
func (v *View) Owns(node, player id.ID, b world.Block) (uint32, bool) {
	if w := v.seen[node]; w != nil && b < world.BlockCount && counted[b] {
		for i := range w.purses {
			if w.purses[i].player == player {
				return w.purses[i].count(b), true
			}
		}
	}
	return 0, false
}

// Carries reports whether a witness has a player's purse.
func (v *View) Carries(node, player id.ID) bool {
	w := v.seen[node]
	return w != nil && slices.ContainsFunc(w.purses, func(p purse) bool { return p.player == player })
}
