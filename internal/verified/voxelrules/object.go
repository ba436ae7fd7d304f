package voxelrules

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The kinds of object, in the highest four bits of their ids and first in their
// encodings.
const (
	tagRegionState = iota + 1 // what a region has besides blocks and bodies
	tagChunk                  // the differences of a chunk
	tagMob
	tagRemoteEdit // a request of a neighbour, or the answer to one
	tagCharacter
	tagAuditor       // who signs what players at a node do
	tagLeftInventory // what a player has left behind that plays at no node
	tagItem          // a stack that lies in the world
)

const tagShift = 60

func tagOf(o *state.Object) int { return int(o.ID >> tagShift) }

// character is a player in the world. Frozen, as all states are.
type character struct {
	coming coming
	body   *world.Player
}

// coming says that a player has announced to come, and nothing that it does is
// known yet (thesis 5.4.1).
type coming uint8

const (
	present  coming = iota // it has come, or is away
	waking                 // its character was away
	newcomer               // it had no character
)

// regionState is what a region has besides blocks and bodies: its count of mobs and
// scheduled block ticks, and places beyond its border that have changed.
type regionState struct {
	pos   world.RegionPos
	area  []byte // world.Area.AppendRest without mobs
	notes []world.Pos
}

// remoteEdit is something that a player has done, or wants done, to a block of a
// region that it was not in. It lies at the block.
type remoteEdit struct {
	answered bool
	tick     uint64 // when it was written
	remote   world.Remote
}

// CharacterOf returns the id of a player's character.
func CharacterOf(player id.ID) state.ObjectID {
	return tagCharacter<<tagShift | state.ObjectID(binary.BigEndian.Uint64(player[:8])>>4)
}

// make gives an object its encoding's size and digest.
func (r *Rules) make(o *state.Object) *state.Object {
	r.scratch = r.AppendObject(r.scratch[:0], o)
	o.Size, o.Digest = len(r.scratch), id.Of(r.scratch)
	return r.share(o)
}

func (r *Rules) newCharacter(p *state.Player, static bool, c *character) *state.Object {
	return r.make(&state.Object{ID: CharacterOf(p.ID), Static: static, Pos: r.place(c.body.Body.Pos), Player: p, State: c})
}

func (r *Rules) newMob(m *world.Mob) *state.Object {
	return r.make(&state.Object{
		ID: tagMob<<tagShift | state.ObjectID(m.Entity), Pos: r.place(m.Body.Pos), State: m,
	})
}

func (r *Rules) newItem(it *world.Item) *state.Object {
	return r.make(&state.Object{
		ID: tagItem<<tagShift | state.ObjectID(it.Entity), Pos: r.place(it.Body.Pos), State: it,
	})
}

func (r *Rules) newChunk(d *difference) *state.Object {
	const bits, mask = 24, 1<<24 - 1
	middle := d.pos.Origin().Add(world.ChunkSize/2, 0, world.ChunkSize/2)
	return r.make(&state.Object{
		ID: tagChunk<<tagShift | state.ObjectID(uint32(d.pos.X)&mask)<<(bits+3) |
			state.ObjectID(uint32(d.pos.Z)&mask)<<3 | state.ObjectID(d.y),
		Pos: r.placeOfBlock(middle), State: d,
	})
}

func (r *Rules) newRegionState(s *regionState) *state.Object {
	middle := s.pos.Column(0).Origin().Add(world.RegionSize/2, 0, world.RegionSize/2)
	return r.make(&state.Object{
		ID:  tagRegionState<<tagShift | state.ObjectID(uint32(s.pos.X)&(1<<24-1))<<24 | state.ObjectID(uint32(s.pos.Z)&(1<<24-1)),
		Pos: r.placeOfBlock(middle), State: s,
	})
}

// newRemoteEdit makes a remote edit. Those of one player to one block in one tick are
// the same.
func (r *Rules) newRemoteEdit(e *remoteEdit) *state.Object {
	who := binary.BigEndian.Uint64(e.remote.Player[:8])
	kind, at := uint64(0), e.remote.At
	if e.answered {
		kind = 1
	}
	return r.make(&state.Object{
		ID:  tagRemoteEdit<<tagShift | state.ObjectID(rng.Hash(who, uint64(e.remote.Seq), kind, uint64(at.X), uint64(at.Y), uint64(at.Z))>>4),
		Pos: r.placeOfBlock(e.remote.At), State: e,
	})
}
