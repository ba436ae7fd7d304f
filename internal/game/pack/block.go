package pack

import (
	"strconv"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// Block is what the rules and the client know about a kind of block. Its id is its
// place in Content.Blocks.
type Block struct {
	Name  string // stable name: snake_case, unique
	Title string // for people
	Class Class

	Solid       bool // bodies cannot enter its box
	Opaque      bool // hides whole faces of neighbours and stops light
	Replaceable bool // another block can be placed into it
	Gravity     bool // falls when nothing is below
	Climbable   bool
	Item        bool // can be carried: in a slot, by /give, in the creative list

	Light     uint8     // light emitted, 0 to 15
	Dim       uint8     // light lost on the way into it, besides the 1 of each step: 15 for opaque blocks
	Fluid     uint8     // fluid level in eighths: 8 for a source, 0 for what is no fluid
	Burns     uint8     // health that it takes each half second from what is in it, and sets on fire
	Flammable uint16    // ticks beside fire or lava until it burns, half as many to half as many more; 0: it does not
	Fire      uint8     // how far fire still spreads from it, in blocks; 0: it is no fire
	Loot      Loot      // zero: it is no chest with loot
	Holds     Holds     // zero: it is no full bucket
	Stores    uint8     // slots for things that players put into it; 0: it is no container
	Smelts    uint8     // Cold or Lit; 0: it is no furnace
	Fuel      uint16    // ticks that one of it burns in a furnace; 0: it does not burn
	Food      uint8     // how much it fills; 0 for what cannot be eaten
	Door      uint8     // of what opens: which of its blocks, bits of Upper, Open, Turned
	Bed       uint8     // of a bed: which of its blocks, BedHead and the direction of its head
	Facing    uint8     // of stairs and signs: which of their blocks, a direction and OnHead or OnWall
	Upper     uint16    // id of the block that a slab is in the upper half of its cell; 0: it is not placed there
	Octants   uint8     // which eighths of the cell bodies bump into, see octants.go; 0: all up to Tall
	Hardness  int32     // ticks of 1/20 s to break by hand; Unbreakable, Instant
	Leaves    uint16    // id of what is left when it is broken; 0, air: nothing
	Tall      fixed.Num // height of the box that bodies bump into; 0 if not Solid
	Support   Support
	Rare      uint16 // one in so many leaves something when it is broken; 0: all do
	Grows     Grows  // zero: it does not
	Tills     uint16 // id of what a hoe makes of it; 0: nothing
	Fertile   bool   // crops grow on it
	Dig       Dig    // which tool breaks it faster, and which it needs to leave something
	Tool      Tool   // zero: it is no tool
	Armour    Armour // zero: it is not worn

	Sound             string // one of Sounds
	Top, Side, Bottom string // textures by name
	Color             uint32 // 0xRRGGBB seen from above: maps, far terrain, particles
}

// Hardness values with a meaning of their own.
const (
	Unbreakable = -1 // no number of ticks is enough
	Instant     = 0  // breaks at once
)

// Bounds of a block's numbers.
const (
	maxHardness  = 12000 // ten minutes
	maxLight     = 15
	maxFood      = 20 // as much health as there is
	fluidFull    = 8
	MaxStores    = 54 // slots of a container
	maxFuel      = 20000
	maxFlammable = 12000
	maxFire      = 8
)

// unresolved is a name in a content file that something is to be called by, and
// where it stands.
type unresolved struct {
	file, what, field, name string
	line                    int
}

// entry begins to read something that has a name, which reports then have, and a field
// that it needs besides.
func (r *reader) entry(file, kind string, v value, needs string) (o *object, name string, ok bool) {
	if o, ok = objectOf(file, kind, v, &r.report); !ok {
		return nil, "", false
	}
	o.need("name")
	o.need(needs)
	if name = o.name("name"); name != "" {
		o.what = kind + " " + name
	}
	return o, name, true
}

// block reads an entry of "blocks".
func (r *reader) block(file string, v value) {
	o, name, ok := r.entry(file, "block", v, "class")
	if !ok {
		return
	}
	b := Block{Name: name, Title: o.title(name), Class: classOf(o.choice("class", "cube", blockClasses))}
	b.shape()
	b.Sound = o.choice("sound", "", Sounds)
	if b.Class != Air {
		o.need("sound")
		o.need("color")
	}
	b.Hardness = o.hardness(b.Hardness)
	b.Color = o.color()
	b.Gravity = o.flag("falls")
	b.Replaceable = o.flag("replaceable") || b.Replaceable
	b.Light = uint8(o.number("light", 0, maxLight, 0))
	b.Food = uint8(o.number("food", 1, maxFood, 0))
	b.Fluid = uint8(o.number("fluid", 1, fluidFull, 0))
	if (b.Fluid > 0) != (b.Class == Fluid) {
		o.fail(o.line, "fluid is for blocks of the class fluid, and these need it")
	}
	b.Burns = uint8(o.number("burns", 1, maxFood, 0))
	b.Fire = uint8(o.number("fire", 1, maxFire, 0))
	b.Item = b.Class != Air && b.Class != UpperSlab && b.Fire == 0 && (b.Class != Fluid || b.Fluid == fluidFull)
	if dim := uint8(o.number("dim", 0, 14, int64(b.Dim))); !b.Opaque {
		b.Dim = dim
	} else if f := o.field("dim"); f != nil {
		o.fail(f.line, "dim is for blocks that light comes through")
	}
	b.Dig = o.dig()
	b.Stores = uint8(o.number("stores", 1, MaxStores, 0))
	b.Fuel = uint16(o.number("fuel", 1, maxFuel, 0))
	b.Support = supportOf(o.choice("support", "none", supportNames[:]))
	if f := o.get("upper", kindString); f != nil {
		if b.Class != Slab {
			o.fail(f.line, "upper is for slabs")
		}
		r.names(unresolved{file, o.what, "upper", f.scalar.(string), f.line}, func(b *Block, id uint16) { b.Upper = id })
	}
	b.Rare = uint16(o.number("rare", 2, maxRare, 0))
	r.grows(o, &b)
	b.Fertile = o.flag("fertile")
	if f := o.get("tills", kindString); f != nil {
		r.names(unresolved{file, o.what, "tills", f.scalar.(string), f.line}, func(b *Block, id uint16) { b.Tills = id })
	}
	r.loot(o, &b)
	lit := o.smelts(&b)
	if b.Stores > 0 && (b.Gravity || b.Replaceable || b.Support != SupportNone) {
		o.fail(o.line, "stores and smelts are for blocks that go only when they are broken, so not with falls, replaceable or support")
	}
	o.flammable(&b)
	o.textures(&b)
	left := unresolved{file, o.what, "drop", name, o.line}
	if f := o.get("drop", kindString); f != nil {
		left.name, left.line = f.scalar.(string), f.line
	} else if b.Class == Air || b.Class == Fluid {
		left.name = ""
	}
	o.finish()
	switch {
	case b.Class.Opens():
		r.door(b, left, o)
	case b.Class == Bed:
		r.bed(b, left, o)
	case b.Class == Stairs || b.Class == Sign:
		r.facing(b, left, o)
	case b.Smelts > 0:
		r.furnace(b, lit, left, o)
	default:
		r.addBlock(b, left, o)
	}
}

// flammable reads after how many ticks beside a fire the block burns. What has another part, or
// something in it, does not: nothing may be lost with it.
func (o *object) flammable(b *Block) {
	b.Flammable = uint16(o.number("flammable", 2, maxFlammable, 0))
	if b.Flammable == 0 {
		return
	}
	if b.Gravity || b.Replaceable || b.Stores > 0 || b.Grows.Ticks > 0 || b.Loot.Rolls > 0 || b.Class == Door || b.Class == Bed || b.Class == Sign {
		o.fail(o.line, "flammable is not for doors, beds and signs, nor with falls, replaceable, stores, smelts, grows or loot")
	}
}

// shape fills in what follows from a block's class.
func (b *Block) shape() {
	s := shapes[b.Class]
	b.Solid, b.Tall, b.Dim = s.tall > 0, s.tall, s.dim
	b.Opaque = b.Dim == 15
	if b.Class == UpperSlab {
		b.Octants = OctantsUpper
	}
	b.Climbable = b.Class == Ladder
	b.Replaceable = b.Class == Air || b.Class == Fluid
	if b.Replaceable {
		b.Hardness = Unbreakable
	}
}

// hardness reads ticks or "unbreakable".
func (o *object) hardness(otherwise int32) int32 {
	if f := o.field("hardness"); f != nil && f.kind == kindString {
		o.read = append(o.read, "hardness")
		if f.scalar != "unbreakable" {
			o.fail(f.line, "hardness is %q; want a number of ticks, 20 a second, or \"unbreakable\"", f.scalar)
		}
		return Unbreakable
	}
	return int32(o.number("hardness", 0, maxHardness, int64(otherwise)))
}

// color reads "#rrggbb".
func (o *object) color() uint32 {
	f := o.get("color", kindString)
	if f == nil {
		return 0
	}
	s := f.scalar.(string)
	n, err := strconv.ParseUint(s[min(1, len(s)):], 16, 24)
	if len(s) != 7 || s[0] != '#' || err != nil {
		o.fail(f.line, "color is %q; want # and six hexadecimal digits", s)
		return 0
	}
	return uint32(n)
}

// textures reads one name for all faces, or an object with top, side and bottom.
func (o *object) textures(b *Block) {
	b.Side = b.Name
	if f := o.field("textures"); f != nil && f.kind == kindString {
		b.Side = o.name("textures")
	} else if f := o.get("textures", kindObject); f != nil {
		in, _ := objectOf(o.file, o.what+": textures", f.value, o.report)
		if s := in.name("side"); s != "" {
			b.Side = s
		}
		b.Top, b.Bottom = in.name("top"), in.name("bottom")
		in.finish()
	}
	if b.Top == "" {
		b.Top = b.Side
	}
	if b.Bottom == "" {
		b.Bottom = b.Top
	}
}
