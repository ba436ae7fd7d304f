package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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

// Step is the input of one tick (docs/protocols/client.md "Input").
type Step = world.Input

// Quick implements machine.Quick: players say so in every tick.
func (m *Inputs) Quick() bool { return len(m.Steps) <= 16 }

// Quick implements machine.Quick: players say so once a second.
func (m *Segment) Quick() bool { return len(m.Signed) <= machine.MaxQuick }
