package state

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Digest is what votes compare: the first 20 bytes of the SHA-256 of an
// encoding (id.Of). It is computed once, by whoever makes or decodes an object.
type Digest = id.ID

// ObjectID names an object for good, whatever its version.
type ObjectID uint64

// Player is who may act. Home is the place of the player's node in the world
// (its key mapped back, thesis 5.3.3): there its actions are stored. Frozen, and
// shared by all objects and actions of a player.
type Player struct {
	ID   id.ID
	Home geom.Point
}

// Object is one version of something in the world. It is frozen: a change makes
// a new Object, so that replicas share what is equal.
type Object struct {
	ID ObjectID
	// Static objects are not replayed (thesis 5.4.1): characters whose players
	// are away.
	Static bool
	Pos    geom.Point // in world units
	Player *Player    // whose character it is; nil: nobody's
	Size   int        // encoded, in bytes: what a message is charged for it
	Digest Digest     // of the encoded object, static flag and place included
	State  any        // the rules' own; frozen
}

// Action is what a player does: the only thing that changes the world. Frozen.
// The body is the rules' own encoding.
type Action struct {
	Player *Player
	Seq    uint64       // counts a player's actions; no two are the same
	At     machine.Time // in world time, when it takes effect
	Body   []byte
	Size   int // encoded, in bytes: what a message is charged for it
	// Signature is the player's, over player, number, time and body. Who checks
	// it is the driver's business (storage.Config.Check).
	Signature []byte
}

// Before is the order in which actions are replayed: by time, then by player,
// then by number.
func (a *Action) Before(b *Action) bool { return CompareActions(a, b) < 0 }

func CompareIDs(a, b id.ID) int {
	for i := range a {
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return 0
}

// World is the shape of a world and how fast anything spreads in it. Lengths are
// in world units; geom.Limit bounds them (a unit of 1 cm leaves room for 670 km).
type World struct {
	Side int32 // the world is the square [0, Side) × [0, Side)
	// Cell is the side of the squares in which the world is kept and replayed.
	Cell int32
	// Speed is v, the fastest that anything spreads, in units a second, and
	// Range is d_i, how far an action reaches (thesis 5.3.1).
	Speed, Range int32
	// Ring is how many cells around a cell its replay depends on, if the rules
	// can say that better than by a distance; 0: as many as are within Reach.
	Ring int32
}

// Reach is d = v·Δt + d_i: nothing farther away than this at the beginning of an
// interval has an influence on what is here at its end (thesis 5.3.1).
func (w World) Reach(interval time.Duration) int32 {
	return int32(int64(w.Speed)*int64(interval)/int64(time.Second)) + w.Range
}

// Step is the replay of one cell for one interval.
type Step struct {
	From, To machine.Time // world time
	// Target is the cell, its greatest corner not included.
	Target geom.Rect
	// Objects are the dynamic ones that are known at From in the target and as
	// far around it as Reach, or a little farther; ascending by ID.
	Objects []*Object
	// Actions are those of the objects' players after From and until To, in the
	// order of Before.
	Actions []*Action
}

// Rules are a world: what is in it at the beginning and how it goes on. They are
// pure: the same step gives the same objects on every machine, whoever asks and
// however often, and nothing that is given to them is changed or kept.
type Rules interface {
	World() World
	// Initial returns what is in a cell at t_0 (thesis 5.3.6), ascending by ID;
	// static objects too.
	Initial(cell geom.Rect) []*Object
	// Replay returns the objects that are in the step's target at To, ascending
	// by ID; characters that were made inactive are static from then on.
	//
	// What becomes of an object, and whether it comes to the target, may depend
	// only on objects within Reach of where it is at To, in the target or one of
	// the World's Ring around it, and on their players' actions. Objects near the rim of what is known may come out wrong: the
	// caller drops those that it does not know all the surroundings of.
	Replay(s *Step) []*Object
	// Activate makes a static character take part in the next step (thesis 5.4.1):
	// the dynamic version of o, or, if o is nil, a newcomer's character, which
	// lies at place. If in that step its player does not act to become active,
	// Replay makes it static again, or drops the newcomer. Nil: no such
	// character.
	Activate(p *Player, place geom.Point, o *Object) *Object
	// AppendObject appends the encoding of an object, Size bytes of it, and
	// DecodeObject reads one, with its digest.
	AppendObject(out []byte, o *Object) []byte
	DecodeObject(b []byte) (*Object, error)
}
