package pack

// Grows is what a block becomes in time: another block, or a tree.
type Grows struct {
	Ticks       uint16 // after about so many; 0: it does not grow
	Into        uint16 // id of what it becomes; 0: a tree
	Log, Leaves uint16 // ids of what the tree is made of
}

const (
	maxGrows = 60000
	maxRare  = 1000
)

// named is a block of which a field names another one.
type named struct {
	block   int
	name    unresolved
	set     func(*Block, uint16)
	carried bool // what can be carried is wanted, not a block
}

// names notes that a field of the block that comes next names another one.
func (r *reader) names(name unresolved, set func(*Block, uint16)) {
	r.naming = append(r.naming, named{len(r.out.Blocks), name, set, false})
}

// grows reads what a block becomes.
func (r *reader) grows(o *object, b *Block) {
	f := o.get("grows", kindObject)
	if f == nil {
		return
	}
	in, _ := objectOf(o.file, o.what+": grows", f.value, o.report)
	in.need("ticks")
	b.Grows.Ticks = uint16(in.number("ticks", 1, maxGrows, 1))
	part := func(name string) unresolved { return unresolved{o.file, o.what, "grows", in.text(name), f.line} }
	if into := part("into"); into.name != "" {
		r.names(into, func(b *Block, id uint16) { b.Grows.Into = id })
	} else {
		in.need("log")
		in.need("leaves")
		r.names(part("log"), func(b *Block, id uint16) { b.Grows.Log = id })
		r.names(part("leaves"), func(b *Block, id uint16) { b.Grows.Leaves = id })
	}
	in.finish()
	if b.Class != Cross {
		o.fail(f.line, "grows is for blocks of the class cross")
	}
}

// resolveNames finds the blocks that others name.
func (r *reader) resolveNames() {
	for _, n := range r.naming {
		id, ok := r.ids[n.name.name]
		if b := r.kind(id); !ok || b.Class == Air || n.carried && !b.Item || !n.carried && b.Class == Thing {
			r.add(n.name.file, n.name.line, "%s: %s: there is no block %q", n.name.what, n.name.field, n.name.name)
		}
		if n.block < len(r.out.Blocks) {
			n.set(&r.out.Blocks[n.block], id)
		}
	}
}
