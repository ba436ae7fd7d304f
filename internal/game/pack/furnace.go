package pack

// A block that smelts stands for two: the first one, which is also what is carried, is
// cold; the other one burns.
const (
	Cold = iota + 1
	Lit
)

// Slots of a furnace.
const (
	FurnaceInput  = iota // what becomes something else
	FurnaceFuel          // what burns
	FurnaceOutput        // what has been made; players only take from it
	FurnaceSlots
)

const litSuffix = "_lit"

// smelts reads what makes a block a furnace, and returns the light that it gives while it
// burns.
func (o *object) smelts(b *Block) (light uint8) {
	f := o.get("smelts", kindObject)
	if f == nil {
		return 0
	}
	in, _ := objectOf(o.file, o.what+": smelts", f.value, o.report)
	light = uint8(in.number("light", 0, maxLight, 0))
	in.finish()
	if b.Class != Cube || b.Stores > 0 {
		o.fail(f.line, "smelts is for cubes, and not with stores: a furnace has three slots")
	}
	b.Smelts, b.Stores = Cold, FurnaceSlots
	return light
}

// furnace adds the two blocks of a furnace. The burning one has the texture of the sides
// with _lit at its end.
func (r *reader) furnace(b Block, light uint8, left unresolved, o *object) {
	if len(b.Name)+len(litSuffix) > MaxName || len(b.Side)+len(litSuffix) > MaxName {
		o.fail(o.line, "the name of a furnace and of its sides is at most %d long", MaxName-len(litSuffix))
		return
	}
	r.addBlock(b, left, o)
	b.Name, b.Side = b.Name+litSuffix, b.Side+litSuffix
	b.Smelts, b.Light, b.Item = Lit, light, false
	r.addBlock(b, left, o)
}

// smelting checks a recipe that a furnace makes.
func (r *reader) smelting(o *object, made *Recipe) {
	line := o.field("ticks").line
	if len(made.Of) != 1 || made.Of[0].Count != 1 || r.lasts(made.Makes.Kind) {
		o.fail(line, "ticks: a furnace makes something of one thing, and no tools or armour")
		return
	}
	for _, other := range r.out.Recipes {
		if other.Ticks > 0 && other.Of[0].Kind == made.Of[0].Kind {
			o.fail(line, "ticks: a furnace makes something else of %s already", r.kind(made.Of[0].Kind).Name)
			return
		}
	}
}
