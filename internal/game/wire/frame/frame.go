package frame

import (
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// ErrMalformed is wrapped by every error of the decoder.
var ErrMalformed = errors.New("malformed frame")

// Units of entities' positions and angles in a frame.
const (
	UnitShift  = 6 // positions are in 1/64 m: world.Vec >> (fixed.Shift - UnitShift)
	AngleShift = 8 // angles are in 1/256 turns: 16-bit angles >> 8
)

// Tags of the sections of a cell.
const (
	tagEnd = iota
	tagEnter
	tagMove
	tagLeave
	tagState
	tagBlocks
	tagEvent
	tagCracks
	tagWear
)

const (
	flagAck     = 1 << 0
	flagCorrect = 1 << 1
	flagNumber  = 1 << 2
	flagKey     = 1 << 7 // of a cell's byte: forget its entities first
	cellMask    = world.Columns - 1

	// limit bounds positions and movements, in 1/64 m, so that a hostile frame
	// cannot overflow a decoder's sums.
	limit = 1 << 24
)

// Head is the personal beginning of a frame.
type Head struct {
	Region world.RegionPos
	Tick   uint64
	Own    Own
	// Number counts the frames of the region for this client, so that one that was
	// lost is noticed; only if Numbered: no frame is lost on a WebSocket.
	Numbered bool
	Number   uint16
}

// Own is what a frame says about the client's own player.
type Own struct {
	HasAck    bool
	Ack       uint32 // the last input sequence that was run
	Corrected bool   // the client was elsewhere: its body after input Ack follows
	Position  world.Vec
	Velocity  world.Vec // for each tick
	Body      uint8     // bit 0 on the ground, 1 flying, 2 in water, 3 climbing
}

// Frame is a decoded frame. Its slices are used again by the next Decode.
type Frame struct {
	Head
	Cells []Cell

	enters []Enter
	moves  []Move
	leaves []Leave
	states []State
	blocks []Block
	events []Event
	cracks []Crack
	wears  []Wear
}

// Cell is what changed in one column of a region.
type Cell struct {
	Index    uint8 // world.ColumnPos.Index
	Keyframe bool  // forget the cell's entities first
	Enters   []Enter
	Moves    []Move
	Leaves   []Leave
	States   []State
	Blocks   []Block
	Events   []Event
	Cracks   []Crack
	Wears    []Wear
}

// Enter is an entity that is now in the cell. Handle is what the cell's entries
// call it, Entity what the whole world does.
type Enter struct {
	Handle uint32
	Entity uint64
	Kind   uint8
	Motion
	Pose uint8
	Held world.Block
	Name []byte // part of the frame's bytes when decoded
}

// Motion is where an entity is and how it moved last, as both sides of a stream
// know it.
type Motion struct {
	X, Y, Z int32 // 1/64 m, x and z from the region's lowest corner
	DX, DZ  int32 // the last movement of a move entry
	Yaw     uint8 // 1/256 turns
	Pitch   int8
}

// How a move entry changes the horizontal position, and the look.
const (
	FlatLast  = iota // moves as in its last entry
	FlatNear         // dx and dz are changes of the last entry's, −8 to 7
	FlatWide         // dx and dz
	FlatStill        // stays (and turns, or changes its height)

	LookSame = 0 // unchanged
	LookNear = 1 // yaw and pitch are changes, −8 to 7
	LookWide = 2 // yaw and pitch
)

// Move is a move entry. Apply runs it on a Motion.
type Move struct {
	Handle     uint32
	Flat, Look uint8
	Yaw        uint8
	Pitch      int8
	DX, DY, DZ int32
}

// Leave is an entity that is no longer in the cell.
type Leave struct {
	Handle uint32
	Reason uint8
}

// Reasons of a Leave.
const (
	WentElsewhere = iota
	LeftWorld
	Died
	Vanished
	Taken // an item that somebody has picked up
)

// State is an entity that holds or does something else now.
type State struct {
	Handle uint32
	Pose   uint8
	Held   world.Block
}

// Worn is what an entity wears, from head to feet; Air where nothing is.
type Worn [4]world.Block

// Wear is an entity that wears something else now. One that enters wears nothing until
// a Wear of the same cell says so.
type Wear struct {
	Handle uint32
	Worn   Worn
}

// Block is a block that changed; see Place.
type Block struct {
	Place uint32
	Block world.Block
}

// Event is something that an entity did in this moment.
type Event struct {
	Handle uint32
	Event  uint8
}

// Crack is how far a block is broken, 0 to 9; NoCrack takes it away.
type Crack struct {
	Place uint32
	Stage uint8
}

// KindItem is the kind of an item that lies in the world: Held is what it is,
// Pose is how many.
const KindItem = 128

// NoCrack is the Stage of a block that is not being broken any more.
const NoCrack = 10

// Place packs a position in a column.
func Place(p world.Pos) uint32 {
	return uint32(p.Y)<<10 | uint32(p.Z&(world.ChunkSize-1))<<5 | uint32(p.X&(world.ChunkSize-1))
}

// PlaceIn returns the position of a place in a column.
func PlaceIn(c world.ColumnPos, place uint32) world.Pos {
	return c.Origin().Add(int32(place&31), int32(place>>10), int32(place>>5&31))
}
