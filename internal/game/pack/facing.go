package pack

// Bits of Block.Facing: a direction (0 to 3 are −z, +z, −x, +x: where stairs rise to, where a
// sign is read from), and how it is placed.
const (
	OnHead = 4 // stairs that hang from above
	OnWall = 4 // a sign at a wall behind it
)

// Eighths of a cell: a bit for each, 1 for +x, 2 for +z, 4 for +y.
const (
	octantsLower = 0x0f
	OctantsUpper = 0xf0
)

// octantsToward are the four eighths at a side.
var octantsToward = [4]uint8{0x33, 0xcc, 0x55, 0xaa}

var facingNames = [...]string{"", "_south", "_west", "_east", "_upper", "_upper_south", "_upper_west", "_upper_east"}

// facing adds the blocks of stairs and of signs. All leave the first one, which is carried.
func (r *reader) facing(b Block, left unresolved, o *object) {
	longest := facingNames[len(facingNames)-1]
	if len(b.Name) > MaxName-len(longest) {
		o.fail(o.line, "the name of a %v is at most %d long", b.Class, MaxName-len(longest))
		return
	}
	name := b.Name
	for i := range facingNames {
		b.Name, b.Facing, b.Item = name+facingNames[i], uint8(i), i == 0
		if b.Class == Sign {
			b.Support = SupportGround // or a wall, which the rules know
		}
		if b.Class == Stairs {
			half := uint8(octantsLower)
			if i&OnHead != 0 {
				half = OctantsUpper
			}
			b.Octants = half | octantsToward[i&3]
		}
		r.addBlock(b, left, o)
	}
}
