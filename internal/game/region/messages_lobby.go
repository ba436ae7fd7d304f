package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// From the lobby to a region. Of a player that has moved on the lobby hears where to
// (NotHere), and asks there; an order for one that is not in the world is dropped.
type (
	// Order acts on a player at its home.
	Order struct {
		Tag    uint64 // the lobby's
		Player id.ID
		Signed []byte // the encoding of a decision.Order; empty: Near counts
		// Near is what the player has typed to say something to those near, Line its signature
		// of that; nil: nobody signs here.
		Near string
		Line *line.Signature
		// Owed is what a Rollback takes back from the player, as far as it carries it;
		// Undone comes back with how much that is.
		Owed []world.Owed
	}

	// Locate asks where a player is; Located comes back.
	Locate struct {
		Player id.ID
		Tag    uint64
	}

	// Undo is an order about the history of a box that lies in the region or meets it;
	// Undone comes back.
	Undo struct {
		Tag    uint64
		Signed []byte
		Blocks []byte // what is pasted in the region (package clipboard)
		// Once a Rollback was done: what is to be taken out of where its player has put it,
		// and what goes back to where the player has taken it from.
		Take, Give []world.Owed
	}

	// SaveAll asks a region to write a snapshot; Saved comes back.
	SaveAll struct{ Tag uint64 }

	// Claimed answers Claim: OK if From is the player's home, as far as the lobby has
	// found out.
	Claimed struct {
		Player  id.ID
		From    world.RegionPos
		Epoch   uint32
		OK      bool
		Visitor bool // the player changes nothing by its invitation
	}
)

// MaxPastEdits bounds those of an Undone.
const MaxPastEdits = 16

// Decided says that the node's log of decisions has changed. It comes from the
// node itself, in the lobby's name.
type Decided struct{}

// From a region to the lobby.
type (
	// Awake says that a region has begun to tick, Asleep that it has ended.
	Awake  struct{ Region world.RegionPos }
	Asleep struct{ Region world.RegionPos }

	// Arrived says that a player's home is now Region. The higher Epoch is right.
	Arrived struct {
		Region world.RegionPos
		Player id.ID
		Epoch  uint32
	}

	// Departed says that a player has left the world from Region.
	Departed struct {
		Region world.RegionPos
		Player id.ID
		Epoch  uint32
		Reason uint8
	}

	// Died names the cause of death of a player who is at home in Region.
	Died struct {
		Region world.RegionPos
		Player id.ID
		Cause  world.Cause
	}

	// Sleeping says who of those who are at home in Region sleeps: each second, while
	// some do.
	Sleeping struct {
		Region  world.RegionPos
		Players []id.ID
	}

	// Located answers Locate; Found is false if the player is not in the world.
	// Stored: it was here last.
	Located struct {
		Region   world.RegionPos
		Player   id.ID
		Tag      uint64
		Found    bool
		Stored   bool
		Epoch    uint32
		Position world.Vec
	}

	// NotHere answers a Locate or an Order for a player that this region has given to
	// another.
	NotHere struct {
		Region world.RegionPos
		Player id.ID
		Tag    uint64
		To     world.RegionPos
	}

	// Claim asks whether a player is at home in From, which hands it over to Region.
	Claim struct {
		Region world.RegionPos
		From   world.RegionPos
		Player id.ID
		Epoch  uint32
	}

	// Undone answers Undo: whether it was done, or could be; how many blocks were
	// changed, or would be; of Inspect the last edits, the newest first.
	Undone struct {
		Region world.RegionPos
		Tag    uint64
		OK     bool
		Count  uint32
		Edits  []world.PastEdit
		// By a Rollback: what the player may have of what is in the world again, what it has
		// taken out of containers, and what it has put into some, or dropped, and is there.
		// After Take, Give and an Order: how many there were.
		Owed, Looted, Put []world.Owed
		Blocks            []byte // what was copied in the region (package clipboard)
	}

	// Saved answers SaveAll; Err is empty when all is on disk.
	Saved struct {
		Region world.RegionPos
		Tag    uint64
		Err    string
	}
)
