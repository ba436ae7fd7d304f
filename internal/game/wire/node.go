package wire

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Bounds of what a node sends.
const (
	MaxSlots       = 256  // slots in an Inventory or a Container
	MaxPlayers     = 8192 // players in a Players message
	maxLabel       = 128  // bytes of a world's name, a seed
	maxLine        = 4096 // bytes of a line for a person
	maxFarDeflated = 1 << 16
)

// Challenge answers Hello.
type Challenge struct {
	Version   uint32   `json:"version"`
	Nonce     [32]byte `json:"nonce"`
	World     id.ID    `json:"world"`
	WorldName string   `json:"worldName"`
}

// Refused ends a connection and says why. It is an error, too.
type Refused struct {
	Code  Code   `json:"code"`
	Text  string `json:"text"`  // for a person
	Retry uint32 `json:"retry"` // seconds until another try makes sense, 0: never
}

// WorldInfo is what a client needs to know about the world.
type WorldInfo struct {
	Name string `json:"name"`
	Seed string `json:"seed"`
	Mode uint8  `json:"mode"` // how newcomers play, as in Self
	Day  uint32 `json:"day"`  // ticks of a day
}

// Welcome says who and where the player is.
type Welcome struct {
	Player     id.ID     `json:"player"`
	Name       string    `json:"name"`
	Entity     uint64    `json:"entity"`
	World      WorldInfo `json:"world"`
	Spawn      world.Vec `json:"spawn"`
	Tick       uint64    `json:"tick"`
	TimeOffset int64     `json:"timeOffset"`
	Operator   bool      `json:"operator"`
	Pos        world.Vec `json:"pos"` // where the player is; the first frame says it again
	Yaw        uint16    `json:"yaw"`
	Pitch      int16     `json:"pitch"`
}

// Unload tells a client to forget a column and everything in it.
type Unload struct {
	Column world.ColumnPos `json:"column"`
}

// Frame carries a frame of wire/frame.
type Frame struct {
	Body []byte `json:"body"`
}

// Pong answers a Ping.
type Pong struct {
	Time uint32 `json:"time"`
	Tick uint64 `json:"tick"`
}

// ActResult answers an Act, once what it changed is on disk.
type ActResult struct {
	Seq  uint32 `json:"seq"`
	OK   bool   `json:"ok"`
	Code Code   `json:"code"` // why not; empty if OK
	Text string `json:"text"` // for a person
}

// Self is what a player knows about its own body.
type Self struct {
	Mode     uint8  `json:"mode"`   // 0 survival, 1 creative, 2 spectator
	Health   uint8  `json:"health"` // half hearts, 0–20
	Air      uint16 `json:"air"`    // ticks of breath, 0–300
	Food     uint8  `json:"food"`   // 0–20; NoHunger: nobody gets hungry here
	MayFly   bool   `json:"mayFly"`
	Operator bool   `json:"operator"`
	Dead     bool   `json:"dead"`
	Visitor  bool   `json:"visitor"` // may change nothing
}

// NoHunger is Self.Food in a peaceful world.
const NoHunger = 255

// SlotItem is what lies in an inventory's slot.
type SlotItem struct {
	Slot  uint8  `json:"slot"`
	Block uint16 `json:"block"`
	Count uint16 `json:"count"` // 0: empty
}

// Inventory lists the slots that changed.
type Inventory struct {
	Slots    []SlotItem `json:"slots"`
	Selected uint8      `json:"selected"`
}

// Container is what is in the container that the player looks into.
type Container struct {
	X     int32      `json:"x"`
	Y     int32      `json:"y"`
	Z     int32      `json:"z"`
	Size  uint8      `json:"size"`  // slots; 0: it is gone
	Slots []SlotItem `json:"slots"` // that are not empty
	Heat  uint16     `json:"heat"`  // of a furnace: ticks that its fire lasts
	Work  uint16     `json:"work"`  // ticks that it has worked on what lies in it
}

// Pos returns where the container is.
func (m *Container) Pos() world.Pos { return world.Pos{X: m.X, Y: m.Y, Z: m.Z} }

// ChatKind says who sees a line.
type ChatKind uint8

// The kinds of chat lines.
const (
	ChatNear ChatKind = iota
	ChatWorld
	ChatSystem
	ChatWhisper
	ChatError
)

// Chat is a line for the player.
type Chat struct {
	Kind ChatKind `json:"kind"`
	From string   `json:"from"`
	Text string   `json:"text"`
}

// PlayerInfo is one player on the list of who is here.
type PlayerInfo struct {
	Entity  uint64          `json:"entity"`
	Name    string          `json:"name"`
	Present bool            `json:"present"` // false: left
	Region  world.RegionPos `json:"region"`
	Skin    uint32          `json:"skin"` // SkinID of the player's skin
}

// Players is who is in the world, or what changed of it.
type Players struct {
	Full bool         `json:"full"` // forget everybody who is not on this list
	List []PlayerInfo `json:"list"`
}

// FarTile is the coarse look of a region: 32×32 heights and top blocks.
type FarTile struct {
	Region   world.RegionPos `json:"region"`
	Deflated []byte          `json:"deflated"`
}

// TimeOffset moves the time of day.
type TimeOffset struct {
	Ticks int64 `json:"ticks"`
}

// Notice is something to show for a moment.
type Notice struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

// Type is the message's first byte.
func (*Challenge) Type() Type { return TypeChallenge }

// Type is the message's first byte.
func (*Refused) Type() Type { return TypeRefused }

// Type is the message's first byte.
func (*Welcome) Type() Type { return TypeWelcome }

// Type is the message's first byte.
func (*Unload) Type() Type { return TypeUnload }

// Type is the message's first byte.
func (*Frame) Type() Type { return TypeFrame }

// Type is the message's first byte.
func (*Pong) Type() Type { return TypePong }

// Type is the message's first byte.
func (*ActResult) Type() Type { return TypeActResult }

// Type is the message's first byte.
func (*Self) Type() Type { return TypeSelf }

// Type is the message's first byte.
func (*Inventory) Type() Type { return TypeInventory }

// Type is the message's first byte.
func (*Container) Type() Type { return TypeContainer }

// Type is the message's first byte.
func (*Chat) Type() Type { return TypeChat }

// Type is the message's first byte.
func (*Players) Type() Type { return TypePlayers }

// Type is the message's first byte.
func (*FarTile) Type() Type { return TypeFarTile }

// Type is the message's first byte.
func (*TimeOffset) Type() Type { return TypeTimeOffset }

// Type is the message's first byte.
func (*Notice) Type() Type { return TypeNotice }
