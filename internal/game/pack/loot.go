package pack

// Loot is what lies in a chest that nobody has opened. Whoever opens it makes it another
// block that stores things.
type Loot struct {
	Into  uint16 // id of that block
	Rolls uint8  // stacks that are drawn
	Of    []Stack
}

// maxRolls bounds the stacks in a chest with loot.
const maxRolls = 9

// loot reads what a block with stores holds at first. What lies in it is looked up once all
// blocks are there.
func (r *reader) loot(o *object, b *Block) {
	f := o.get("loot", kindObject)
	if f == nil {
		return
	}
	in, _ := objectOf(o.file, o.what+": loot", f.value, o.report)
	for _, field := range []string{"into", "rolls", "of"} {
		in.need(field)
	}
	b.Loot.Rolls = uint8(in.number("rolls", 1, maxRolls, 1))
	r.names(unresolved{o.file, in.what, "into", in.text("into"), f.line}, func(b *Block, id uint16) { b.Loot.Into = id })
	if of := in.get("of", kindObject); of != nil {
		for i := range of.fields {
			e := &of.fields[i]
			most := (&object{file: o.file, what: in.what, value: of.value, report: o.report}).number(e.name, 1, MaxStack, 1)
			b.Loot.Of = append(b.Loot.Of, Stack{Count: uint8(most)})
			r.naming = append(r.naming, named{len(r.out.Blocks), unresolved{o.file, in.what, "of", e.name, e.line}, func(b *Block, id uint16) { b.Loot.Of[i].Kind = id }, true})
		}
	}
	in.finish()
	if b.Stores == 0 {
		o.fail(f.line, "loot is for blocks with stores")
	}
}
