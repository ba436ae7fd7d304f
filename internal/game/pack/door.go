package pack

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// Bits of Block.Door. A block of the class door stands for eight: the first one, which
// is also what is carried, is the lower half of a closed door whose panel lies along x.
const (
	Upper  = 1 // half, above the lower one
	Open   = 2 // nothing bumps into it
	Turned = 4 // its panel lies along z while it is closed
	doors  = 8
)

var doorNames = [doors]string{
	"", "_upper", "_open", "_open_upper", "_turned", "_turned_upper", "_turned_open", "_turned_open_upper",
}

// door adds the blocks of a door. Textures: side is the lower half, top the upper one,
// bottom the picture of the whole. Only the lower half leaves something.
func (r *reader) door(b Block, left unresolved, o *object) {
	if len(b.Name) > MaxName-len(doorNames[doors-1]) {
		o.fail(o.line, "the name of a door is at most %d long", MaxName-len(doorNames[doors-1]))
		return
	}
	name, lower, upper := b.Name, b.Side, b.Top
	b.Support = SupportGround
	for i, suffix := range doorNames {
		b.Name, b.Door = name+suffix, uint8(i)
		b.Item = i == 0
		b.Solid, b.Tall = i&Open == 0, fixed.One
		if !b.Solid {
			b.Tall = 0
		}
		b.Side, b.Top, b.Dim = lower, lower, 0
		drop := left
		if i&Upper != 0 {
			b.Side, b.Top, drop.name = upper, upper, ""
		}
		r.addBlock(b, drop, o)
	}
}
