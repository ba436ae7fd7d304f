package pack

// Bits of Block.Bed: the head, and from BedFacing on the direction from foot to head.
const (
	BedHead   = 1
	BedFacing = 1 // bits to shift: 0 to 3 are −z, +z, −x, +x
)

var bedNames = [...]string{"", "_head", "_south", "_south_head", "_west", "_west_head", "_east", "_east_head"}

// bed adds the blocks of a bed. Textures: side is that of all sides, top is the foot from
// above, bottom the head; the picture of the whole has the name of the block. Only the foot
// leaves something.
func (r *reader) bed(b Block, left unresolved, o *object) {
	longest := bedNames[len(bedNames)-1]
	if len(b.Name) > MaxName-len(longest) {
		o.fail(o.line, "the name of a bed is at most %d long", MaxName-len(longest))
		return
	}
	name, foot, head := b.Name, b.Top, b.Bottom
	b.Support, b.Bottom = SupportGround, name
	for i := range bedNames {
		b.Name, b.Bed = name+bedNames[i], uint8(i)
		b.Item = i == 0
		b.Top = foot
		drop := left
		if i&BedHead != 0 {
			b.Top, drop.name = head, ""
		}
		r.addBlock(b, drop, o)
	}
}
