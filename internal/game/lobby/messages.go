package lobby

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Messages are pointers to these structs, frozen once sent. Those that go to
// everybody are one struct, so its pointer can key a cache of encodings.

// From a session.
type (
	// Enter asks to come into the world. The key of Player has been proven. The
	// answer is Admitted, after which come Commands and the full Players, or
	// Refused, after which the link is closed.
	Enter struct {
		Player id.ID
		Name   string         // as the player has typed and signed it
		Local  bool           // from the machine that the node runs on
		Pass   *identity.Pass // of key and name, for the node of the lobby where that is another; nil: not proven
		// Invitation is the player's admission (package invitation), which the node of
		// the lobby verifies; empty: there is none.
		Invitation []byte
		// Resume says that the player was admitted by another host of the lobby and
		// has not left since: nobody is told that it has come.
		Resume bool
		// Known says that the player is let in only if the lobby knows it: too many new
		// ones have come from its address.
		Known bool
		// Console says that this is no player who comes into the world, but a moderator or
		// operator who reads the chat, speaks and commands.
		Console bool
	}

	// Say is a line that the player typed; a leading slash makes it a command.
	Say struct {
		Text   string
		Signed *line.Signature // nil: the player has not signed it
	}

	// Signed is a decision or an order that the lobby has proposed to the player,
	// signed: the encoding of a decision.Statement or a decision.Order.
	Signed struct{ Statement []byte }

	// Clip is a box of blocks that the player has brought along, to be pasted; one without
	// blocks asks for what the player has copied, which comes back as a Clip.
	Clip struct {
		Size   [3]uint32
		Blocks []byte // package clipboard
	}

	// Leave ends the session in good order. A link that closes means the same.
	Leave struct{}
)

// To a session.
type (
	// Admitted says who the player is; its fields are what region.Enter wants.
	// Home is where to enter; that region may know better.
	Admitted struct {
		Player     id.ID
		Name       string // as it is shown
		Entity     uint32
		Operator   bool
		Visitor    bool // changes nothing, by its invitation
		New        bool // not known to have been in the world before
		Mode       uint8
		Home       world.RegionPos
		TimeOffset int64
	}

	// Refused ends the session: at once, or later when the player is kicked,
	// banned or has joined from elsewhere. The link is closed after it.
	Refused struct {
		Code  wire.Code
		Text  string
		Retry uint32 // seconds until another try makes sense, 0: never
		// Order is who is kicked's proof that an operator wants it: the encoding of a
		// decision.Order.
		Order []byte
	}

	// Players lists the players who are here, or changes of that list.
	Players struct {
		Full bool
		List []PlayerInfo
	}

	// Chat is a line to show. Of a player's words it has the line that the player has
	// typed, and its signature (Check).
	Chat struct {
		Kind   wire.ChatKind
		From   string
		Text   string
		Line   string
		Signed *line.Signature
	}

	// Propose asks the player to sign what a command of the player asks for: the
	// encoding of a decision.Statement or a decision.Order without issuer and signature.
	Propose struct{ Statement []byte }

	// NewHost says that another node leads the lobby now, which knows nothing of
	// the session: it enters again, with Resume. The session's own node says it,
	// or the lobby itself if it is asked about a session that it does not know.
	NewHost struct{}

	// Notice is something to show for a moment.
	Notice struct {
		Code wire.Code
		Text string
	}

	// TimeOffset moves the time of day: the world's tick plus Ticks, modulo the
	// length of a day, is the time since sunrise.
	TimeOffset struct{ Ticks int64 }

	// Skin says what the session's player looks like (package wire): after each
	// admission, and when it changes.
	Skin struct{ Skin []byte }

	// AskSkin asks for the skin of a player who is here.
	AskSkin struct{ Entity uint32 }

	// SkinOf is the skin of a player.
	SkinOf struct {
		Entity uint32
		Skin   []byte
	}

	// Commands lists what the player may type, for completion. It comes again
	// when the player becomes an operator or ceases to be one.
	Commands struct{ List []wire.Command }
)

// PlayerInfo is a player on the list.
type PlayerInfo struct {
	Player  id.ID
	Entity  uint32
	Name    string
	Present bool // false: has left
	Region  world.RegionPos
	Skin    uint32 // wire.SkinID of its skin
}

// To a region. The lobby gives them to Env.Send with the zero Peer, and the node
// brings them to Region (Order and Locate go to the player's home as far as the
// lobby knows; that region answers NotHere if it knows better).
type (
	// Order acts on a player who is here, by a signed order; or it is a line that the
	// player says to those near, and the player's signature of it (nil: nobody signs here).
	Order struct {
		Region world.RegionPos
		Tag    uint64
		Player id.ID
		Signed []byte // the encoding of a decision.Order; empty: Near counts
		Near   string // what the player has typed
		Line   *line.Signature
		Owed   []world.Owed
	}

	// Locate asks where a player is; Located comes back, with Found false if the
	// player is not in the world any more.
	Locate struct {
		Region world.RegionPos
		Player id.ID
		Tag    uint64
	}

	// Undo is an order about the history of a box that lies in the region or meets it;
	// Undone comes back.
	Undo struct {
		Region world.RegionPos
		Tag    uint64
		Signed []byte
		Blocks []byte // what is pasted in the region (package clipboard)
		// Once a Rollback was done: what is to be taken out of where its player has put it,
		// and what goes back to where the player has taken it from.
		Take, Give []world.Owed
	}

	// SaveAll asks a region to write a snapshot; Saved comes back.
	SaveAll struct {
		Region world.RegionPos
		Tag    uint64
	}

	// Claimed answers Claim: whether From is the player's home.
	Claimed struct {
		Region world.RegionPos
		Player id.ID
		From   world.RegionPos
		Epoch  uint32
		OK     bool
		// Visitor says that the player changes nothing by its invitation.
		Visitor bool
	}
)

// Decided says that the node's log of decisions has changed. It comes from the
// node itself.
type Decided struct{}

// Vouched answers Vouch, to the region, once the session has come: OK if the lobby has admitted that
// session as that player, who then is what the other fields say.
type Vouched struct {
	Region  world.RegionPos
	Session machine.Peer
	Player  id.ID
	OK      bool
	Entity  uint32
	Name    string
	New     bool
	Visitor bool
	Mode    uint8
}

// From a region, brought by the node.
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

	// Departed says that a player has left the world and is saved in Region.
	Departed struct {
		Region world.RegionPos
		Player id.ID
		Epoch  uint32
	}

	// Died says of what a player whose home is Region has died.
	Died struct {
		Region world.RegionPos
		Player id.ID
		Cause  world.Cause
	}

	// Sleeping says which players whose home is Region sleep: each second, while some
	// do.
	Sleeping struct {
		Region  world.RegionPos
		Players []id.ID
	}

	// Located answers Locate: the player is in the world here (Found), or was here
	// last (Stored).
	Located struct {
		Region   world.RegionPos
		Player   id.ID
		Tag      uint64
		Found    bool
		Stored   bool
		Epoch    uint32
		Position world.Vec
	}

	// NotHere answers a Locate or an Order: the region has given the player to
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

	// Vouch asks, for a region, whether a session of another node is a player's.
	Vouch struct {
		Region  world.RegionPos
		Session machine.Peer
		Player  id.ID
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
