package accountability

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Logs of regions, and of the lobby (package regionlog). They travel over links from the
// leader of a shard to the other members of its group.
type (
	// FollowLog asks the leader of a shard for its log, for a few seconds. State: the
	// sender needs the state of a checkpoint to begin with.
	FollowLog struct {
		Shard shards.Shard
		State bool
	}

	// LogEntries is what changed a region in some ticks, or the lobby's register in a second,
	// deflated (regionlog.Batch), and the checkpoint after them if one is due.
	LogEntries struct {
		Shard      shards.Shard
		Number     uint64 // of the first
		Packed     []byte
		Checkpoint []byte // regionlog.Checkpoint in its encoding; may be empty
	}

	// LogState is a part of the deflated state of a checkpoint, which comes with the
	// last part.
	LogState struct {
		Shard      shards.Shard
		Part       uint32
		Data       []byte
		Checkpoint []byte // empty, but in the last part
	}

	// Shown is what the leader of a region signs for a node whose sessions watch it: a
	// regionlog.Shown, after the hashes of the one before.
	Shown struct {
		Region    world.RegionPos
		Statement []byte
	}

	// ShownHere tells members of a region's group that its leader shows sessions of the
	// sender the region: they see whether they get its log.
	ShownHere struct{ Region world.RegionPos }

	// Unheeded hands over what a player has signed and the leader of its region does not do:
	// from the player's node to the members of the group, and from these to the leader. Act
	// is the number of an act of the segment; 0: its steps were not run.
	Unheeded struct {
		Region     world.RegionPos
		Key, Nonce [32]byte // of the player's session
		Act        uint32
		Segment    []byte
	}

	// Audit asks a node that was drawn by lot to audit the leader of a region, who has signed
	// a checkpoint of it for the sender.
	Audit struct {
		Region     world.RegionPos
		Leader     machine.Peer
		Checkpoint []byte
	}

	// Challenge asks the leader of a region for the piece of its log that ends with a
	// checkpoint that it has signed. Piece is a part of the answer (regionlog.Piece); without
	// Data: it is not kept any more.
	Challenge struct {
		Region     world.RegionPos
		Checkpoint []byte
	}
	Piece struct {
		Region world.RegionPos
		Tick   uint64 // of the checkpoint
		Part   uint32
		Last   bool
		Data   []byte
	}

	// Evidence spreads that a node has lied. Without Data it says that the sender can
	// prove it, or asks for the proof.
	Evidence struct {
		Node id.ID
		Ask  bool
		Data []byte // regionlog.AppendEvidence
	}
)

// MaxLogPart is how many bytes of a state one LogState has.
const MaxLogPart = 128 << 10
