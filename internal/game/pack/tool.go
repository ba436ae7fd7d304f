package pack

import "slices"

// Tools are the kinds of tools.
var Tools = []string{"pickaxe", "axe", "shovel", Hoe, "sword", Bow}

// Kinds of tools that do more than break blocks and strike.
const (
	Hoe = "hoe" // tills
	Bow = "bow" // shoots
)

// Tool is what something does in the hand of whoever breaks a block.
type Tool struct {
	Kind   string // one of Tools; "": it is no tool
	Level  uint8  // 1 and up: blocks name the least that they need
	Speed  uint8  // how many times as fast as by hand it breaks what it is for
	Uses   uint16 // blocks that it breaks, and blows, before it is worn out
	Damage uint8  // of a blow, or of what it shoots; 0: as much as by hand
	Shoots uint16 // id of what a bow shoots
}

// Dig is what a block asks of a tool.
type Dig struct {
	Kind  string // of the tool that breaks it faster; "": none does
	Level uint8  // without a tool of at least that level nothing is left of it; 0: by hand as well
}

// Armour is what something does that is worn.
type Armour struct {
	Slot   uint8  // HeadSlot to FeetSlot; 0: it is not worn
	Guards uint8  // of 25 parts of what hurts
	Uses   uint16 // blows that it takes before it is worn out
}

// Holds is the fluid in a bucket, and the bucket without it.
type Holds struct{ Fluid, Empty uint16 }

// Where armour is worn.
const (
	HeadSlot = iota + 1
	BodySlot
	LegsSlot
	FeetSlot
)

var armourSlots = []string{"", "head", "body", "legs", "feet"}

// Lasts is after how many uses something is worn out that is counted by its condition:
// tools and armour; 0: it is counted by pieces.
func (b *Block) Lasts() uint16 { return max(b.Tool.Uses, b.Armour.Uses) }

// Bounds of tools.
const (
	maxLevel = 10
	maxSpeed = 20
	maxUses  = 10000
	maxGuard = 8
)

// thing reads an entry of "items": what is carried and is no block.
func (r *reader) thing(file string, v value) {
	o, name, ok := r.entry(file, "item", v, "color")
	if !ok {
		return
	}
	b := Block{Name: name, Title: o.title(name), Class: Thing, Item: true, Hardness: Unbreakable, Sound: Sounds[0]}
	b.Color = o.color()
	b.Food = uint8(o.number("food", 1, maxFood, 0))
	b.Fuel = uint16(o.number("fuel", 1, maxFuel, 0))
	b.Side = name
	if f := o.get("texture", kindString); f != nil {
		b.Side = o.name("texture")
	}
	b.Top, b.Bottom = b.Side, b.Side
	if f := o.get("tool", kindObject); f != nil {
		in, _ := objectOf(file, o.what+": tool", f.value, &r.report)
		for _, field := range []string{"kind", "level", "speed", "uses"} {
			in.need(field)
		}
		b.Tool = Tool{
			Kind: in.choice("kind", "", Tools), Level: uint8(in.number("level", 1, maxLevel, 1)),
			Speed: uint8(in.number("speed", 1, maxSpeed, 1)), Uses: uint16(in.number("uses", 1, maxUses, 1)), Damage: uint8(in.number("damage", 1, maxFood, 0)),
		}
		r.shoots(in, b.Tool.Kind)
		in.finish()
	}
	o.armour(&b)
	r.holds(o)
	if f := o.field("fuel"); f != nil && b.Lasts() > 0 {
		o.fail(f.line, "fuel is not for tools and armour, which are counted by their condition")
	}
	o.finish()
	r.addBlock(b, unresolved{}, o)
}

// shoots reads what a bow shoots.
func (r *reader) shoots(in *object, kind string) {
	f := in.get("shoots", kindString)
	switch {
	case (f != nil) != (kind == Bow):
		in.fail(in.line, "shoots is for bows, and these need it")
	case f != nil:
		name := unresolved{in.file, in.what, "shoots", f.scalar.(string), f.line}
		r.naming = append(r.naming, named{len(r.out.Blocks), name, func(b *Block, id uint16) { b.Tool.Shoots = id }, true})
	}
}

// holds reads what a bucket is full of.
func (r *reader) holds(o *object) {
	f := o.get("holds", kindObject)
	if f == nil {
		return
	}
	in, _ := objectOf(o.file, o.what+": holds", f.value, o.report)
	in.need("fluid")
	in.need("empty")
	part := func(name string) unresolved { return unresolved{o.file, in.what, name, in.text(name), f.line} }
	r.names(part("fluid"), func(b *Block, id uint16) { b.Holds.Fluid = id })
	r.naming = append(r.naming, named{len(r.out.Blocks), part("empty"), func(b *Block, id uint16) { b.Holds.Empty = id }, true})
	in.finish()
}

// armour reads how something is worn.
func (o *object) armour(b *Block) {
	f := o.get("armour", kindObject)
	if f == nil {
		return
	}
	in, _ := objectOf(o.file, o.what+": armour", f.value, o.report)
	for _, field := range []string{"slot", "guards", "uses"} {
		in.need(field)
	}
	b.Armour = Armour{
		uint8(max(HeadSlot, slices.Index(armourSlots, in.choice("slot", "head", armourSlots[HeadSlot:])))),
		uint8(in.number("guards", 1, maxGuard, 1)), uint16(in.number("uses", 1, maxUses, 1)),
	}
	in.finish()
	if b.Tool.Kind != "" {
		o.fail(f.line, "armour is no tool")
	}
}

// dig reads the tool that a block asks for.
func (o *object) dig() (d Dig) {
	f := o.get("dig", kindObject)
	if f == nil {
		return d
	}
	in, _ := objectOf(o.file, o.what+": dig", f.value, o.report)
	in.need("tool")
	d = Dig{in.choice("tool", "", Tools), uint8(in.number("level", 0, maxLevel, 0))}
	in.finish()
	return d
}
