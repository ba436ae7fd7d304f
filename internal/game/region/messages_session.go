package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// From a region to a session.
type (
	// Entered says that the player is in the world, here. Self and Inventory
	// (all of it) follow.
	Entered struct {
		Region   world.RegionPos
		Player   id.ID
		Epoch    uint32
		Position world.Vec
		Yaw      uint16
		Pitch    int16
		Tick     uint64
	}

	// Refused answers an Enter that cannot be fulfilled.
	Refused struct {
		Region world.RegionPos
		Player id.ID
		Code   string // docs/protocols/client.md, refusal codes of a connection
		Text   string
	}

	// Left says that a player is saved and out of the world.
	Left struct {
		Region world.RegionPos
		Player id.ID
		Reason uint8
	}

	// Moved says that the player's home is now To. After a handover the session
	// goes on there at once, nothing need be asked; as the answer to Enter it
	// must enter there.
	Moved struct {
		Region world.RegionPos
		Player id.ID
		To     world.RegionPos
		Epoch  uint32
		Reason uint8
	}

	// Columns are the blocks of columns that the session began to watch, as they
	// are after Tick. Each is frozen; the same pointer comes to everyone who is
	// sent the same version, so it can key a cache of encodings. Frames with
	// these columns follow and begin with a keyframe.
	Columns struct {
		Region  world.RegionPos
		Tick    uint64
		Number  uint32 // of what a neighbour is told, from 1; for sessions 0
		Columns []Column
	}

	// Frame is what changed for a session in one tick. Cells is the encoded
	// count and cells of the frame layout, shared by all who watch the same; a
	// session writes wire/frame's head (from Region, Tick and Own) and then
	// Cells, without decoding.
	Frame struct {
		Region world.RegionPos
		Tick   uint64
		Own    Own
		Cells  []byte
	}

	// ActResult answers an Act. Entry is that of the session's Enter: what was said
	// before the session has entered again does not count. The same answer may come
	// several times (Acts.Complete).
	ActResult struct {
		Region world.RegionPos
		Player id.ID
		Seq    uint32
		Entry  uint32
		OK     bool
		Reason string // docs/protocols/client.md, refusal codes of an Act
		Text   string
		// Did is the block that was broken or placed, for the node of the session
		// to sign (docs/protocols/storage-rules.md); nil: none was.
		Did *world.Remote
	}

	// Self is the player's own state when it has changed.
	Self struct {
		Region   world.RegionPos
		Player   id.ID
		Mode     uint8
		Health   uint8
		Air      uint16
		Food     uint8 // NoHunger: nobody gets hungry
		MayFly   bool
		Operator bool
		Visitor  bool
		Dead     bool
	}

	// Inventory is the slots that have changed.
	Inventory struct {
		Region   world.RegionPos
		Player   id.ID
		Slots    []Slot
		Selected uint8
	}

	// Container is what is in the container that the player looks into. Size 0: it is gone.
	Container struct {
		Region world.RegionPos
		Player id.ID
		At     world.Pos
		Size   uint8  // slots
		Slots  []Slot // that are not empty
		Heat   uint16 // of a furnace: ticks that its fire lasts
		Work   uint16 // ticks that it has worked on what lies in it
	}

	// Signs are what is written on the signs of a column, all of them: after the column,
	// and when that changes.
	Signs struct {
		Region world.RegionPos
		Column uint8 // index
		Texts  []SignText
	}

	// Heard is chat from somebody near: what is shown of a line, the line that the player has
	// typed, and its signature (Check).
	Heard struct {
		Region world.RegionPos
		From   id.ID
		Name   string
		Text   string
		Line   string
		Signed *line.Signature
	}

	// NewHost says that another node leads the region now, which knows nothing of
	// the receiver. A session enters again if its home is there, watches again,
	// and sends acts again that were not answered. A node says it, not the
	// region: that of the session, or one where the region begins anew. Neighbours
	// and, about the lobby, all regions are told too.
	NewHost struct{ Region world.RegionPos }

	// Notice is something to show for a moment, for example that the region
	// cannot write to its disk.
	Notice struct {
		Region world.RegionPos
		Code   string
		Text   string
	}
)

// SignText is a sign with its text. Place is that of frame.Place.
type SignText struct {
	Place uint32
	Text  string
}

// Own is the personal part of a frame.
type Own = frame.Own

// Column is a frozen column with the version of its blocks, which grows with
// every change.
type Column struct {
	Column  *world.Column
	Version uint64
}

// Slot is a place in an inventory.
type Slot struct {
	Slot  uint8
	Block world.Block
	Count uint16
}

// Why a player left or moved.
const (
	LeftOwn        = iota // asked to
	LeftIdle              // was silent for too long
	LeftKicked            // by an order
	LeftClosed            // its link closed
	MovedHandover         // walked or was brought over a border
	MovedElsewhere        // answer to Enter: the home is To
	MovedReplaced         // the player came in from another session
	LeftUnsigned          // did not sign what it did
)
