package truth

import (
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
}

// NewView looks at objects of this world.
func NewView(objects []*storage.Object) *View {
	v := &View{blocks: map[world.Pos]world.Block{}, players: map[id.ID]*world.Player{}, seen: map[id.ID]*witness{}}
	for _, o := range objects {
		switch s := o.State.(type) {
		case *difference:
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

// Witness is where the witness of a node is; false: there is none.
func (v *View) Witness(node id.ID) (world.RegionPos, bool) {
	if w := v.seen[node]; w != nil {
		return w.at, true
	}
	return world.RegionPos{}, false
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
