package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Messages are pointers to these structs, frozen once sent. Those from a region
// carry its Region, because a session hears many; those to a region are
// addressed by To or by the logical peer.

// Rates of watching a column; 0 is not watching it.
const (
	RateNone  = 0
	RateEvery = 1 // each tick
	RateHalf  = 2 // every 2nd tick
	RateQuart = 4 // every 4th tick
)

// From a session to a region.
type (
	// Enter makes the region the home of a player who comes into the world. The
	// lobby has admitted the player and named the region that it believes to be
	// the home. The answer is Entered, Moved (the home is elsewhere: enter
	// there) or Refused. Entering again from another session replaces the old
	// session, which gets Moved with the reason MovedReplaced.
	Enter struct {
		Player   id.ID
		Entity   uint32 // the number other clients know the player by, given by the lobby
		Name     string
		Mode     uint8 // for a player that is new to the world
		Operator bool
		Visitor  bool // changes nothing by its invitation, as the lobby says
		New      bool // the lobby has never seen the player: make one if none is stored

		Entry  uint32 // of the session, rises with each of its Enters
		Oldest uint32 // the session has the answers to all acts below

		// What the player signs in this session names them (package inputlog); zero
		// where nothing need be signed.
		Key, Nonce [32]byte

		// Pass is what the player has signed to enter by the session's node, Signed the
		// name within; nil: the region is led by that node.
		Pass   *identity.Pass
		Signed string
	}

	// Leave takes a player out of the world: it is saved and Left comes back once
	// the save is on disk. A link that closes means the same.
	Leave struct{ Player id.ID }

	// Watch says which columns of the region (world.ColumnPos.Index) the sender
	// wants to hear of and how often. It replaces what was watched before; all
	// zero ends it. A session gets Columns and Frames; a neighbour region
	// (BlocksOnly) gets Columns and Blocks, each tick. A neighbour says it again
	// from time to time, with the Number up to which it has heard all; 0: nothing,
	// it begins. A session that has Missed frames of the last second gets keyframes,
	// and columns whose blocks have changed since.
	Watch struct {
		Rates      [world.Columns]uint8
		BlocksOnly bool
		Missed     bool
		Heard      uint32
	}

	// Inputs are body steps of a player, one for each tick, with consecutive
	// sequence numbers from First; Pos is where the client's own body is after
	// the last of them.
	Inputs struct {
		Player id.ID
		First  uint32
		Steps  []Step
		Pos    world.Vec
		NoPos  bool // Pos is not known
	}

	// Act is something a player does that is not moving. It is answered by an
	// ActResult with the same Seq, once it is durable or refused. Seq counts the
	// acts of a session from 1. It may be sent any number of times: each is done
	// once, in the order of Seq.
	Act struct {
		Player id.ID
		Seq    uint32
		Oldest uint32 // the session has the answers to all below
		Kind   uint8  // docs/protocols/client.md "Act kinds"
		Pos    world.Pos
		Face   uint8
		A      uint64
		B      uint32
		Text   string // of an act that writes
		After  uint32 // the last step that the player had made; where acts are signed the segment says it
		Proof  []byte // an encoded inputlog.Segment with the act; empty where nothing need be signed
	}

	// Segment is what a player has signed without an act: Signed is an encoded
	// inputlog.Segment.
	Segment struct {
		Player id.ID
		Signed []byte
	}
)

// SignText is a sign with its text. Place is that of frame.Place.
type SignText struct {
	Place uint32
	Text  string
}

// Step is the input of one tick (docs/protocols/client.md "Input").
type Step = world.Input

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

	// Heard is chat from somebody near.
	Heard struct {
		Region world.RegionPos
		From   id.ID
		Name   string
		Text   string
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

// Between regions.
type (
	// Blocks are the block changes of a tick, for neighbours that watch.
	Blocks struct {
		Region  world.RegionPos
		Tick    uint64
		Number  uint32 // of what a neighbour is told, from 1
		Changes []BlockChange
	}

	// Handover gives a player to its new home: frozen at the old one until
	// HandoverOK or HandoverRefused comes. State is the encoded player as in the
	// log. A Handover may be sent again (after a crash of either side): a region
	// that has or had the player with this Epoch or a higher one answers
	// HandoverOK.
	Handover struct {
		Player  id.ID
		Epoch   uint32 // the new one: the old home's + 1
		State   []byte
		Acts    []byte       // the act record, empty if it asks
		Orders  []byte       // which orders about the player were executed: decision.Executed
		Log     []byte       // what the player has signed: inputlog.Log; empty if it asks, or nothing need be signed
		Session machine.Peer // zero: nobody plays the player at the moment
		Asks    bool         // does not give, but asks whether the region has it
	}

	// HandoverOK says that the new home has made the player durable.
	HandoverOK struct {
		Player id.ID
		Epoch  uint32
	}

	// HandoverRefused says that the player stays where it is.
	HandoverRefused struct {
		Player id.ID
		Epoch  uint32
		Code   string
	}

	// RemoteEdit asks the region that Remote.At lies in for its side of an act;
	// the home has checked the player's side and set aside what it costs, and
	// that is durable. It may be sent again: Remote.Op tells one from another, and
	// all below Oldest are settled. Epoch is the player's: what comes late is not
	// done. Proof is the player's word for the act.
	RemoteEdit struct {
		Remote *world.Remote
		Oldest uint64
		Epoch  uint32
		Proof  ActProof
	}

	// RemoteEditDone answers a RemoteEdit, once durable or refused.
	RemoteEditDone struct{ Remote *world.Remote }

	// Forward passes on what came to an old home after a handover from the player's
	// session: Inputs, an Act, a Leave.
	Forward struct {
		Player  id.ID
		Session machine.Peer
		Msg     machine.Message
	}

	// MobOver gives a mob over the border. It may be sent again: Op tells one from
	// another, and all below Oldest are settled.
	MobOver struct {
		State      []byte
		Op, Oldest uint64
	}

	// MobOverDone answers a MobOver: the mob was taken, or is to stay (Back)
	// because nothing ticks there.
	MobOverDone struct {
		Op   uint64
		Back bool
	}

	// NearChat is something that a player said near a border.
	NearChat struct {
		Player id.ID
		Name   string
		At     world.Vec
		Text   string
	}
)

// BlockChange is a block that has become another.
type BlockChange struct {
	Pos   world.Pos
	Block world.Block
}

// From the lobby to a region. Of a player that has moved on the lobby hears where to
// (NotHere), and asks there; an order for one that is not in the world is dropped.
type (
	// Order acts on a player at its home.
	Order struct {
		Tag    uint64 // the lobby's
		Player id.ID
		Signed []byte // the encoding of a decision.Order; empty: Near counts
		Near   string // what the player says to those near
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

	// Died says of what a player who is at home in Region has died.
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

// Quick implements machine.Quick: players say so in every tick.
func (m *Inputs) Quick() bool { return len(m.Steps) <= 16 }

// Quick implements machine.Quick: players say so once a second.
func (m *Segment) Quick() bool { return len(m.Signed) <= machine.MaxQuick }
