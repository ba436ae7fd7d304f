package wire

// Code is a machine-readable reason. The page lists them all; a client shows
// the text that comes with it, or Text's.
type Code string

// Why an Act was refused.
const (
	TooFar         Code = "too-far"
	TooFast        Code = "too-fast" // also of a connection
	Protected      Code = "protected"
	Occupied       Code = "occupied"
	NotReplaceable Code = "not-replaceable"
	NoItem         Code = "no-item"
	Cooldown       Code = "cooldown"
	NoSuchBlock    Code = "no-such-block"
	NoSuchEntity   Code = "no-such-entity"
	NotAllowed     Code = "not-allowed"
	Dead           Code = "dead"
	NotLoaded      Code = "not-loaded"
	Storage        Code = "storage"
	Stopped        Code = "stopped"
	Across         Code = "across"
	Visiting       Code = "visiting"
	Jailed         Code = "jailed"
	Muted          Code = "muted"
	Claimed        Code = "claimed"
)

// Why a connection was refused or ended.
const (
	BadVersion     Code = "version"
	BadWorld       Code = "world"
	BadName        Code = "name"
	NameTaken      Code = "name-taken"
	Banned         Code = "banned"
	NotWhitelisted Code = "not-whitelisted"
	BadCode        Code = "code"
	WrongCodes     Code = "codes" // too many wrong ones
	NotInvited     Code = "not-invited"
	BadToken       Code = "token"
	BadProof       Code = "proof"
	Full           Code = "full"
	Busy           Code = "busy"        // also a Notice, as those up to Unreachable
	Starting       Code = "starting"    // the node, or the part of the world, is not ready yet
	NoNodes        Code = "no-nodes"    // the node finds no other one of its world
	Silent         Code = "silent"      // those who host the part say nothing
	NoRoom         Code = "no-room"     // no node has room to host the part
	Unreachable    Code = "unreachable" // the part's hosts are there, and none leads it
	TooLarge       Code = "too-large"
	Malformed      Code = "malformed"
	Idle           Code = "idle"
	Slow           Code = "slow"
	Kicked         Code = "kicked"
	Restart        Code = "restart"
	Elsewhere      Code = "elsewhere"
	Internal       Code = "internal"
	Unsigned       Code = "unsigned"    // also a Notice
	Restored       Code = "restored"    // a region's Notice, whose text is Unix seconds; clients get a Chat
	Unconfirmed    Code = "unconfirmed" // a Notice of the player's node, after that; clients get a Chat
)

var texts = map[Code]string{
	TooFar:         "That is too far away.",
	TooFast:        "That was too fast. Slow down a little.",
	Protected:      "This place is protected.",
	Occupied:       "Somebody stands there.",
	NotReplaceable: "There is something there already.",
	NoItem:         "You do not have that.",
	Cooldown:       "Not so soon again.",
	NoSuchBlock:    "There is no such block there.",
	NoSuchEntity:   "It is not there any more.",
	NotAllowed:     "You may not do that.",
	Dead:           "You are dead. Come back to life first.",
	NotLoaded:      "This part of the world is not loaded yet.",
	Storage:        "The world could not be saved. The disk may be full.",
	Stopped:        "You let go of the block before it was broken.",
	Across:         "A border of the world's regions lies in between: go to the other side of it.",
	Jailed:         "You are in jail: you cannot do that.",
	Muted:          "You are muted: you cannot write on signs.",
	Claimed:        "This land belongs to somebody else, who has to trust you: /trust with your name.",
	BadVersion:     "This client and this world speak different versions. Reload the page or update.",
	BadWorld:       "This is not the world that you asked for.",
	BadName:        "A name has 1 to 20 letters, digits, spaces or _ - '.",
	NameTaken:      "Somebody else has this name.",
	Banned:         "You are banned from this world.",
	NotWhitelisted: "Only invited players may enter this world.",
	BadCode:        "The join code is wrong.",
	WrongCodes:     "Too many wrong join codes were tried from your address.",
	NotInvited:     "To enter this world you need an invitation: open the link that you were sent.",
	BadToken:       "The session has expired. Reload the page.",
	BadProof:       "Your player key could not be verified.",
	Full:           "The world is full at the moment.",
	Busy:           "The world is busy. You are let in as soon as it can take you.",
	Starting:       "The world is still starting. You are let in as soon as it is ready.",
	NoNodes:        "No other node of this world answers. Still trying.",
	Silent:         "The hosts of this part of the world are silent. It goes on as soon as they are back.",
	NoRoom:         "No node has room for this part of the world. Still trying.",
	Unreachable:    "The nodes that host this part of the world do not lead it at the moment. Still trying.",
	TooLarge:       "A message was too large.",
	Malformed:      "A message could not be understood.",
	Idle:           "Nothing was heard from you for a long time.",
	Slow:           "Your connection is too slow to keep up.",
	Kicked:         "You were asked to leave.",
	Restart:        "The world is restarting.",
	Elsewhere:      "You have joined from another window.",
	Internal:       "Something went wrong on this node.",
	Unsigned:       "In this world every player signs what they do with their own key, and nothing that is signed has come from you. Update your program, or enter through another node.",
}

// Text returns c for a person.
func (c Code) Text() string {
	if t, ok := texts[c]; ok {
		return t
	}
	return "Refused: " + string(c) + "."
}

// Passes reports whether c is a reason to wait that passes without anybody's doing:
// a client that was refused with it comes again by itself.
func (c Code) Passes() bool {
	switch c {
	case Busy, Starting, NoNodes, Silent, NoRoom, Unreachable:
		return true
	}
	return false
}

// Refusal makes the Refused message of a code with its own text.
func (c Code) Refusal(retrySeconds uint32) *Refused { return &Refused{c, c.Text(), retrySeconds} }

// Error makes a refusal an error.
func (m *Refused) Error() string { return "refused (" + string(m.Code) + "): " + m.Text }
