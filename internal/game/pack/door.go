package pack

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// Bits of Block.Door. A block that opens stands for several, of which the first one is
// also what is carried: a door for eight, of both halves, others for four.
const (
	Upper  = 1 // half of a door, above the lower one
	Open   = 2 // nothing bumps into it
	Turned = 4 // its panel lies along z while it is closed; of a trapdoor: while it is open
)

var doorNames = [...]string{
	"", "_upper", "_open", "_open_upper", "_turned", "_turned_upper", "_turned_open", "_turned_open_upper",
}

// Opens reports whether blocks of a class open and close.
func (c Class) Opens() bool { return c == Door || c == Trapdoor || c == Gate }

// DoorStep is how far Block.Door differs from one block to the next: only doors have
// upper halves.
func (c Class) DoorStep() uint8 {
	if c == Door {
		return 1
	}
	return 2
}

// door adds the blocks of what opens. Textures: side is a door's lower half, top the upper
// one, bottom the picture of the whole. Only the lower half leaves something.
func (r *reader) door(b Block, left unresolved, o *object) {
	longest := doorNames[len(doorNames)-int(b.Class.DoorStep())]
	if len(b.Name) > MaxName-len(longest) {
		o.fail(o.line, "the name of a %v is at most %d long", b.Class, MaxName-len(longest))
		return
	}
	name, lower, upper := b.Name, b.Side, b.Top
	if b.Class == Door {
		b.Support = SupportGround
	}
	for i := uint8(0); int(i) < len(doorNames); i += b.Class.DoorStep() {
		b.Name, b.Door = name+doorNames[i], i
		b.Item = i == 0
		b.Solid, b.Tall = i&Open == 0, fixed.One
		if !b.Solid {
			b.Tall = 0
		}
		b.Climbable = b.Class == Trapdoor && !b.Solid
		b.Side, b.Top, b.Dim = lower, lower, 0
		drop := left
		if i&Upper != 0 {
			b.Side, b.Top, drop.name = upper, upper, ""
		}
		r.addBlock(b, drop, o)
	}
}
