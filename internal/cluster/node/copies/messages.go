package copies

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Spare copies: a leader keeps the state of its shard on nodes that do not host it. They
// travel over links.
type (
	// Spare is a part of the state of a shard after the entry Index of its group's log,
	// which is of Term: the whole state, or its changes since the entry After. With
	// After equal to Index it has no data, and asks what the receiver has. The first part
	// has the sender's signature over the state that this leads to (Proof).
	Spare struct {
		Shard       shards.Shard
		Gen         group.Gen
		Term, Index uint64
		After       uint64 // 0: the whole state
		Part        uint32
		Last        bool
		Data        []byte
		Proof       []byte
	}

	// SpareHeld is the answer: what the sender has of the shard, and how many parts of
	// what is on its way. Refused: it keeps no copy of it.
	SpareHeld struct {
		Shard       shards.Shard
		Gen         group.Gen
		Term, Index uint64
		Parts       uint32
		Refused     bool
	}
)

// MaxSparePart is how many bytes of a state one Spare has.
const MaxSparePart = 32 << 10

type (
	// CopyQuery asks for a part of a copy that the receiver keeps of a shard: its spare
	// copy, or the one that it has from a time (SavedState).
	CopyQuery struct {
		Shard shards.Shard
		At    machine.Time // 0: the spare copy
		Part  uint32
	}

	// CopyPart is the answer: the copy is the state after the entry Index.
	CopyPart struct {
		Shard       shards.Shard
		At          machine.Time
		Gen         group.Gen
		Term, Index uint64
		Part        uint32
		Last        bool
		Data        []byte
	}
)

// LogHeld is a member's word that it has applied the log of a shard's group up to an
// entry. Followers send theirs to the leader, which passes them on to those who keep a
// copy of the shard. These tell a member that asks what it has said itself: so a member
// whose disk was put back to an older state learns that, and nobody else can make it
// believe so (rollbackCheck).
type LogHeld struct {
	Shard       shards.Shard
	Gen         group.Gen
	Term, Index uint64
	Key         [32]byte
	Sig         [64]byte
}

// Datagram says that the message needs no link and may be lost.
func (*LogHeld) Datagram() {}

type (
	// MergeChanges asks the leader of a region to make changes that were made to a copy
	// of it, which is the state after the entry Index, and to take over players who came
	// there meanwhile. Proof is the signature with which a host gave the copy to the
	// sender.
	MergeChanges struct {
		Shard       shards.Shard
		Gen         group.Gen
		Term, Index uint64
		Proof       []byte
		Aside       group.Gen // the group that made them, which has given way
		Number      uint32
		Changes     []world.BlockChange
		Players     [][]byte // as regions store them
	}

	// MergeDone is the answer: how many of the blocks are as the changes made them.
	// Refused: the sender may not ask for it.
	MergeDone struct {
		Shard   shards.Shard
		Number  uint32
		InPlace uint32
		Refused bool
	}
)

// MaxMergeChanges and MaxMergePlayers are how many changes and players one MergeChanges
// has.
const (
	MaxMergeChanges = 1024
	MaxMergePlayers = 16
)

type (
	// StatesQuery asks what earlier states of a region a node has, or (the lobby) what it
	// has put aside of all regions. The founder's node may ask.
	StatesQuery struct{ Shard shards.Shard }

	// States is the answer.
	States struct {
		Shard shards.Shard
		List  []SavedState
	}

	// SavedState is an earlier state of a region that a node keeps: the one of a time, or
	// (Aside) what it had when it stopped being a host, or gave way to another group; or
	// (Changes) what was built on a copy and not merged, as single blocks.
	SavedState struct {
		At          machine.Time
		Aside       bool
		Changes     bool
		Gen         group.Gen
		Term, Index uint64
		Bytes       uint32
	}
)

// Datagram says that the message needs no link and may be lost.
func (*StatesQuery) Datagram() {}

type (
	// RestoreState asks the leader of a region to put its blocks back to an earlier state
	// that a node keeps. The founder's node may ask.
	RestoreState struct {
		Shard  shards.Shard
		Number uint32
		Holder machine.Peer
		State  SavedState
		Show   bool // only what would be changed is asked for
	}

	// StateRestored is the answer: how many blocks were put back, and how many were not,
	// because somebody changed them meanwhile; or Failed. Low and High are the corners of
	// the box in which they are.
	StateRestored struct {
		Shard         shards.Shard
		Number        uint32
		Changed, Kept uint32
		Low, High     world.Pos
		Failed        bool
	}
)
