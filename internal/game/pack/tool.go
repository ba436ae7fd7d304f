package pack

// Tools are the kinds of tools.
var Tools = []string{"pickaxe", "axe", "shovel", Hoe, "sword"}

// Hoe is the kind of tool that tills.
const Hoe = "hoe"

// Tool is what something does in the hand of whoever breaks a block.
type Tool struct {
	Kind   string // one of Tools; "": it is no tool
	Level  uint8  // 1 and up: blocks name the least that they need
	Speed  uint8  // how many times as fast as by hand it breaks what it is for
	Uses   uint16 // blocks that it breaks, and blows, before it is worn out
	Damage uint8  // of a blow; 0: as much as by hand
}

// Dig is what a block asks of a tool.
type Dig struct {
	Kind  string // of the tool that breaks it faster; "": none does
	Level uint8  // without a tool of at least that level nothing is left of it; 0: by hand as well
}

// Bounds of tools.
const (
	maxLevel = 10
	maxSpeed = 20
	maxUses  = 10000
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
			in.choice("kind", "", Tools), uint8(in.number("level", 1, maxLevel, 1)),
			uint8(in.number("speed", 1, maxSpeed, 1)), uint16(in.number("uses", 1, maxUses, 1)), uint8(in.number("damage", 1, maxFood, 0)),
		}
		in.finish()
		if f := o.field("fuel"); f != nil {
			o.fail(f.line, "fuel is not for tools, which are counted by their condition")
		}
	}
	o.finish()
	r.addBlock(b, unresolved{}, o)
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
