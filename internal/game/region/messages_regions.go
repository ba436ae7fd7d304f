package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
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
		Again   bool         // the region has had it, and may have lost it since
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
		Line   string          // as typed
		Signed *line.Signature // nil: nobody signs here
	}
)

// BlockChange is a block that has become another.
type BlockChange struct {
	Pos   world.Pos
	Block world.Block
}
