package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/id"

// Changes is what a Tick or an Act did. It belongs to the area and is valid until
// the next; bodies that moved are not listed, look at Players, Mobs and Items.
type Changes struct {
	Tick        uint64
	Blocks      []BlockChange // in the order in which they happened
	Edits       []Edit        // those of Blocks that somebody has made
	Results     []Result      // of acts and orders
	Corrections []*Player     // whose body is not where the client expects it
	Selves      []*Player     // mode, health, air, operator or life changed
	Items       []ItemChange
	Held        []*Player // another slot was selected
	Moved       []*Player // teleported, respawned or pushed: the client cannot have known
	Saves       []*Player // something changed that must last
	Kicked      []Kick
	Leavers     []*Player // over 1 m outside the region, or put beyond its border: to be handed over
	Notices     []Notice
	Deaths      []Death

	Events []Event
	Cracks []Crack

	Spawned    []*Mob
	Gone       []MobGone
	MobLeavers []*Mob

	ItemSaves   []*Item // new, or something changed that must last
	ItemsGone   []ItemGone
	ItemLeavers []*Item // outside the region: to be given to the neighbour

	Opened     []Opening
	Containers []Pos   // what is in them changed, or they are gone
	Moves      []Moved // what somebody has put into containers, or taken out of them

	Remotes []Remote // to be asked of the region that Remote.At lies in
	Answers []Remote // to be sent back to the region of Remote.From
}

// Kinds of Remote.
const (
	RemotePlace RemoteKind = iota + 1
	RemoteBreak
	RemoteItem // an item that crosses the border; nobody is its player
	RemoteOpen // a door or the like, or closes it
	RemoteTill // a field
	RemotePour // what a bucket takes up or pours out: Got is the bucket afterwards
	remoteKinds
)

// LastRemote is the highest kind of a Remote.
const LastRemote = remoteKinds - 1

// RemoteKind is what a Remote asks for.
type RemoteKind uint8

// Edits reports whether an act of the kind is one that others can do again from what was
// signed (redo).
func (k RemoteKind) Edits() bool { return k == RemotePlace || k == RemoteBreak }

// Remote is something that a player of one region does to a block of another, or
// an item that comes from there. The home has checked the player's side and taken the item; the owner
// checks the rest, does it and fills in Code and Got; the home settles it.
type Remote struct {
	Kind     RemoteKind
	From     RegionPos // the player's home
	Player   id.ID
	Seq      uint32 // of the act
	At       Pos
	Face     Face
	Block    Block // to place, or what the home saw broken
	Body     Vec   // the player's feet
	Mode     Mode
	Operator bool
	Item     *Item  // RemoteItem
	Op       uint64 // the home's number of it, so that it may be asked again

	Code Refusal // the answer
	Got  Block   // what is left of the block that was broken; until then, what the tool would harvest
}

// BlockChange is a block that became another.
type BlockChange struct {
	At       Pos
	Was, Now Block
}

// Edit is a block change that somebody has made.
type Edit struct {
	BlockChange
	By   id.ID
	Undo bool // it takes back other edits, or makes them again
}

// PastEdit is an edit that was made at a tick, or, if Moved is not zero, how many of the
// block Now were put into a container, or taken out of it (negative).
type PastEdit struct {
	Edit
	Tick  uint64
	Moved int32
}

// Result answers an act or an order. The result of ActDig comes when the block
// is broken, the act refused, or the player lets go (Stopped).
type Result struct {
	Player id.ID
	Kind   CommandKind // CmdOrder, CmdAct, CmdSettle or CmdSigned
	Seq    uint32
	Code   Refusal
	Did    *Remote // the block that was broken or placed; nil: none was
}

// ItemChange says which slots of a player changed, a bit for each.
type ItemChange struct {
	Player *Player
	Slots  uint64
}

// Kick is a player whom the lobby wants out. The area still holds it.
type Kick struct {
	Player *Player
	Text   string
}

// Notice is something to show to a player for a moment.
type Notice struct {
	Player     *Player
	Code, Text string
}

// Death is a player who has died, and of what.
type Death struct {
	Player *Player
	Cause  Cause
}

// Opening is a player who looks into a container.
type Opening struct {
	Player *Player
	At     Pos
	Slots  int // of the container
}

// EventKind is something to see or hear, numbered as on the wire.
type EventKind uint8

// The events.
const (
	EventSwing EventKind = iota + 1
	EventHurt
	EventEat
	EventCall
)

// Event happened at an entity.
type Event struct {
	Handle uint32
	At     Pos // of the entity
	Kind   EventKind
}

// Crack is how far a block is broken: 0 to 9, 10 for not at all.
type Crack struct {
	At    Pos
	Stage uint8
}

// NoCrack is the stage of a block that nobody is breaking any more.
const NoCrack = 10

// MobGone is a mob that is not in the area any more.
type MobGone struct {
	Mob  *Mob
	Died bool // otherwise it vanished
}

func (c *Changes) reset(tick uint64) {
	*c = Changes{
		Tick: tick, Blocks: c.Blocks[:0], Edits: c.Edits[:0], Results: c.Results[:0], Corrections: c.Corrections[:0],
		Selves: c.Selves[:0], Items: c.Items[:0], Held: c.Held[:0], Moved: c.Moved[:0], Saves: c.Saves[:0],
		Kicked: c.Kicked[:0], Leavers: c.Leavers[:0], Notices: c.Notices[:0], Deaths: c.Deaths[:0],
		Events: c.Events[:0], Cracks: c.Cracks[:0], Spawned: c.Spawned[:0], Gone: c.Gone[:0],
		MobLeavers: c.MobLeavers[:0], ItemSaves: c.ItemSaves[:0], ItemsGone: c.ItemsGone[:0], ItemLeavers: c.ItemLeavers[:0],
		Opened: c.Opened[:0], Containers: c.Containers[:0], Moves: c.Moves[:0], Remotes: c.Remotes[:0], Answers: c.Answers[:0],
	}
}
