package world

// Refusal is why an act is not done; empty if it is done. The codes are those
// of docs/protocols/client.md.
type Refusal string

// The refusals that the rules give. (`storage` and `not-loaded` may also come
// from the region around an Area.)
const (
	Done           Refusal = ""
	TooFar         Refusal = "too-far"
	TooFast        Refusal = "too-fast"
	Protected      Refusal = "protected"
	Occupied       Refusal = "occupied"
	NotReplaceable Refusal = "not-replaceable"
	NoItem         Refusal = "no-item"
	Cooldown       Refusal = "cooldown"
	NoSuchBlock    Refusal = "no-such-block"
	NoSuchEntity   Refusal = "no-such-entity"
	NotAllowed     Refusal = "not-allowed"
	IsDead         Refusal = "dead"
	NotLoaded      Refusal = "not-loaded"
	Stopped        Refusal = "stopped"
	TooMany        Refusal = "too-many"
	TooLate        Refusal = "too-late" // it was signed too long ago
	Unsigned       Refusal = "unsigned" // the player has not signed it
	Across         Refusal = "across"   // it lies beyond the border of the player's region
	Visiting       Refusal = "visiting" // the player was invited to look around
	Jailed         Refusal = "jailed"   // a moderator has put the player in jail
	Muted          Refusal = "muted"    // a moderator has decided that the player says nothing
	Claimed        Refusal = "claimed"  // the land is somebody else's
)

var refusalTexts = map[Refusal]string{
	TooFar:         "That is too far away.",
	TooFast:        "You are doing that too fast.",
	Protected:      "The place around the spawn is protected.",
	Occupied:       "Somebody is standing there.",
	NotReplaceable: "There is no room for that.",
	NoItem:         "You have none of that.",
	Cooldown:       "Wait a moment.",
	NoSuchBlock:    "There is no such block.",
	NoSuchEntity:   "Nobody is there.",
	NotAllowed:     "That is not possible.",
	IsDead:         "You are dead.",
	NotLoaded:      "This part of the world is not loaded yet.",
	Stopped:        "You let go of the block before it was broken.",
	TooMany:        "Too much lies on the ground here already.",
	TooLate:        "That has taken too long on its way.",
	Unsigned:       "Your signature for that is missing.",
	Across:         "A border of the world's regions lies in between: go to the other side of it.",
	Visiting:       "You are visiting this world: you can look around, but not change anything. Ask the person who invited you.",
	Jailed:         "You are in jail: you cannot do that.",
	Muted:          "You are muted: you cannot write on signs.",
	Claimed:        "This land belongs to somebody else, who has to trust you: /trust with your name.",
	"storage":      "The world could not be saved; nothing was changed.",
}

// Text says the refusal to a person.
func (r Refusal) Text() string { return refusalTexts[r] }
