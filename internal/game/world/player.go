package world

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Limits of a player.
const (
	MaxHealth = 20
	MaxAir    = 300 // ticks under water before drowning hurts
	MaxFood   = 20
	HotBar    = 9 // slots 0 to 8
)

// Player is everything that the world knows of a player: it is what a save
// holds and what one region hands to the next.
type Player struct {
	ID       id.ID
	Name     string
	Entity   uint64 // how others know the player; below 2^47
	Body     Body
	Mode     Mode
	Operator bool
	Visitor  bool   // changes nothing: was invited to look around
	Jailed   bool   // changes nothing, and opens no doors: a moderator has decided it
	Muted    bool   // writes on no signs: a moderator has decided it
	Health   uint8  // 0 (dead) to 20
	Air      uint16 // ticks of breath left, 0 to 300
	Food     uint8  // 0 (starving) to 20
	Effort   uint16 // what it has done since it lost the last of it, below effortPerFood
	Items    Inventory
	Selected uint8  // hot bar slot, 0 to 8
	Epoch    uint64 // raised by each handover
	LastSeq  uint32 // the last input that was run
	Arriving bool   // placed by somebody else: look for room before the first step
	Fire     uint8  // ticks for which it burns
	Bed      Pos    // where it comes back to life
	HasBed   bool
	Homes    []Home // never changed in place: copies share it
	Dig      Dig
	DugTo    uint32 // the last input that has counted for a dig

	// Ticks:
	NextPlace uint64 // when the next block placed or broken at once is due
	NextHit   uint64 // when the next blow is due
	NextHurt  uint64 // safe from blows before
	NextHeal  uint64
	LastInput uint64

	Credit uint8 // inputs that may be run now

	// Not part of a save:
	Handle  uint32 // small number, unique among what is in the area; see Area
	Frozen  bool   // being handed over: does nothing, nothing is done to it
	Buttons uint16 // of the last input
	asleep  bool   // in a bed, see rest
	dirty   dirty  // what the Changes of this tick say of it
	slots   uint64 // that changed in this tick
}

// dirty says which lists of Changes a player belongs into.
type dirty uint8

const (
	dirtySelf dirty = 1 << iota
	dirtySave
	dirtyMoved
	dirtyChecked // the client's position was wrong
	dirtyHeld    // another slot was selected
)

// Dig is a block being broken. Done and Need are body steps.
type Dig struct {
	Active bool
	At     Pos
	Block  Block
	Face   Face
	Seq    uint32
	Done   uint64
	Need   uint32
}

// EntityOf returns the number that others know a player by: the first 6 bytes
// of the id without the highest bit, which marks mobs.
func EntityOf(player id.ID) uint64 {
	return binary.BigEndian.Uint64(player[:8]) >> 17
}

// NewPlayer returns a player who is new to the world, standing at a place (the
// middle of the feet) with what new players are given.
func NewPlayer(player id.ID, name string, mode Mode, at Vec) *Player {
	p := &Player{
		ID: player, Name: name, Entity: EntityOf(player), Mode: mode,
		Health: MaxHealth, Air: MaxAir, Food: MaxFood, Arriving: true, Credit: inputStart,
	}
	p.Body.Pos = at
	switch mode {
	case Survival:
		p.Items = starterKit
	case Creative:
		p.Items = creativeKit
	}
	return p
}

// Dead reports whether the player waits for its respawn.
func (p *Player) Dead() bool { return p.Health == 0 }

// Asleep reports whether the player sleeps, see rest.
func (p *Player) Asleep() bool { return p.asleep }

// Worn returns what the player wears, from head to feet.
func (p *Player) Worn() (worn [Slots - Carried]Block) {
	for i, s := range p.Items[Carried:] {
		worn[i] = s.Block
	}
	return worn
}

// Held returns the block in the player's hand, Air for none.
func (p *Player) Held() Block { return p.Items[p.Selected].Block }

// NewSession forgets what belongs to a connection: sequence numbers begin anew.
func (p *Player) NewSession() {
	p.LastSeq, p.Dig, p.DugTo, p.Credit = 0, Dig{}, 0, inputStart
}

// Home returns the region that the body is in.
func (p *Player) Home() RegionPos { return p.Body.Pos.Block().Region() }
