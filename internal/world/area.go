package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
)

// AreaConfig is what an Area needs to know of its world.
type AreaConfig struct {
	Seed    uint64
	Spawn   Pos   // the block that players stand in when they come back to life
	Protect int32 // nobody but operators builds this near (in x and in z) the spawn; 0: no protection
	Mobs    int   // how many mobs live in a region at most
	Peace   bool  // players cannot hurt each other

	// OwnItems lets players pick up only what they have dropped themselves: a
	// storage that counts what each has won does not know of gifts.
	OwnItems bool
}

// Area is the state of one region and the rules by which it changes: its 16
// columns, players, mobs, items and scheduled block ticks. Tick is one step of 1/20 s.
//
// It is deterministic: the same columns, players, mobs and commands give the
// same Digest and the same Changes. Nothing in it may be changed but through
// its methods. Players, mobs and items are kept sorted by id.
//
// Handles are small numbers, unique among the players, mobs and items in the area at
// one time and used again later; they are not part of the state.
type Area struct {
	cfg     AreaConfig
	pos     RegionPos
	x0, z0  int32 // the lowest block
	outside Blocks
	tick    uint64
	offset  int64 // of the time of day, in ticks

	columns [Columns]*Column
	frozen  [Columns]*Column // what Share has given away, nil since the last change
	zones   []Zone           // where only operators build

	players  []*Player // sorted by id
	byID     map[id.ID]*Player
	byEntity map[uint64]*Player
	mobs     []*Mob  // sorted by entity
	items    []*Item // sorted by entity
	mobCount uint64  // mobs ever spawned here: their entities come from it
	handles  handles

	updates updates // scheduled block ticks

	changes Changes // of this tick
	did     *Remote // what the act that is being run has done to a block
	sorted  []*Command
	near    grid
	paths   *pathfinder
}

// Zone is a box of blocks, both corners inside.
type Zone struct{ Min, Max Pos }

// Holds reports whether p lies in the zone.
func (z Zone) Holds(p Pos) bool {
	return p.X >= z.Min.X && p.X <= z.Max.X && p.Y >= z.Min.Y && p.Y <= z.Max.Y && p.Z >= z.Min.Z && p.Z <= z.Max.Z
}

// NewArea returns a region without columns. Blocks of other regions are read
// from outside, which may be nil.
func NewArea(cfg AreaConfig, pos RegionPos, outside Blocks) *Area {
	return &Area{
		cfg: cfg, pos: pos, outside: outside,
		x0: pos.X * RegionSize, z0: pos.Z * RegionSize,
		byID: map[id.ID]*Player{}, byEntity: map[uint64]*Player{},
		updates: newUpdates(), paths: new(pathfinder),
	}
}

// Pos returns which region it is.
func (a *Area) Pos() RegionPos { return a.pos }

// SetColumn puts a column of the region in its place. The area owns it now.
func (a *Area) SetColumn(c *Column) {
	i := c.Pos.Index()
	a.columns[i], a.frozen[i] = c, nil
}

// Column returns the column with an index (ColumnPos.Index) to look at, nil if
// it is not there. The next Tick may change it: see Share.
func (a *Area) Column(i int) *Column { return a.columns[i] }

// Share returns the column with an index as it is now, frozen: it is never
// written to, and is the same pointer until a block changes. Nil if the column
// is not there.
func (a *Area) Share(i int) *Column {
	if a.frozen[i] == nil && a.columns[i] != nil {
		a.frozen[i] = a.columns[i].Clone()
	}
	return a.frozen[i]
}

// Ready reports whether all columns are there.
func (a *Area) Ready() bool { return !slices.Contains(a.columns[:], nil) }

// SetTimeOffset sets what is added to the tick for the time of day.
func (a *Area) SetTimeOffset(ticks int64) { a.offset = ticks }

// SetZones sets where only operators build, besides around the spawn.
func (a *Area) SetZones(zones []Zone) { a.zones = slices.Clone(zones) }

// Block reads a block of the region, or of its surroundings.
func (a *Area) Block(p Pos) (Block, bool) {
	dx, dz := p.X-a.x0, p.Z-a.z0
	if uint32(dx) >= RegionSize || uint32(dz) >= RegionSize {
		return a.blockOutside(p)
	}
	c := a.columns[dx>>ChunkBits|dz>>ChunkBits<<2]
	switch {
	case p.Y < 0:
		return Bedrock, true
	case p.Y >= Height:
		return Air, true
	case c == nil:
		return Air, false
	}
	return c.At(int(dx&(ChunkSize-1)), int(p.Y), int(dz&(ChunkSize-1))), true
}

func (a *Area) blockOutside(p Pos) (Block, bool) {
	if a.outside == nil || !p.InWorld() {
		return edgeBlock(p)
	}
	return a.outside.Block(p)
}

// edgeBlock is what lies where no column is.
func edgeBlock(p Pos) (Block, bool) {
	switch {
	case p.Y < 0:
		return Bedrock, true
	case p.Y >= Height && p.X > -Limit && p.X < Limit && p.Z > -Limit && p.Z < Limit:
		return Air, true
	}
	return Air, false
}

// owns reports whether p is a block of the region (loaded or not).
func (a *Area) owns(p Pos) bool {
	return uint32(p.X-a.x0) < RegionSize && uint32(p.Z-a.z0) < RegionSize && uint32(p.Y) < Height
}

// set changes a block of the region and says so in the changes.
func (a *Area) set(p Pos, b Block) {
	if !a.owns(p) {
		return
	}
	i := p.Column().Index()
	c := a.columns[i]
	if c == nil {
		return
	}
	x, z := int(p.X&(ChunkSize-1)), int(p.Z&(ChunkSize-1))
	was := c.At(x, int(p.Y), z)
	if was == b {
		return
	}
	c.Set(x, int(p.Y), z, b)
	a.frozen[i] = nil
	a.changes.Blocks = append(a.changes.Blocks, BlockChange{p, was, b})
	a.touch(p)
}

// Revert takes back block changes, the last first, because they could not be
// kept. They are not listed in the changes of a tick, and nothing follows from
// them; a block that has become something else since stays.
func (a *Area) Revert(changes []BlockChange) {
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		if now, ok := a.Block(c.At); !ok || now != c.Now || !a.owns(c.At) {
			continue
		}
		in := c.At.Column().Index()
		a.columns[in].Set(int(c.At.X&(ChunkSize-1)), int(c.At.Y), int(c.At.Z&(ChunkSize-1)), c.Was)
		a.frozen[in] = nil
	}
}

// outsideBy reports whether a place is more than a distance outside the region.
func (a *Area) outsideBy(p Vec, far fixed.Num) bool {
	x0, z0 := fixed.Int(int(a.x0)), fixed.Int(int(a.z0))
	size := fixed.Int(RegionSize)
	return p.X < x0-far || p.X >= x0+size+far || p.Z < z0-far || p.Z >= z0+size+far
}
