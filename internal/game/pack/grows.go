package pack

// Grows is what a block becomes in time: a tree.
type Grows struct {
	Ticks       uint16 // after about so many; 0: it does not grow
	Log, Leaves uint16 // ids of what the tree is made of
}

const (
	maxGrows = 60000
	maxRare  = 1000
)

// growing is a block whose tree is known by names.
type growing struct {
	block       int
	log, leaves unresolved
}

// grows reads what a block becomes.
func (r *reader) grows(o *object, b *Block) {
	f := o.get("grows", kindObject)
	if f == nil {
		return
	}
	in, _ := objectOf(o.file, o.what+": grows", f.value, o.report)
	for _, name := range []string{"ticks", "log", "leaves"} {
		in.need(name)
	}
	b.Grows.Ticks = uint16(in.number("ticks", 1, maxGrows, 1))
	part := func(name string) unresolved { return unresolved{o.file, o.what, "grows", in.text(name), f.line} }
	r.growing = append(r.growing, growing{len(r.out.Blocks), part("log"), part("leaves")})
	in.finish()
	if b.Class != Cross {
		o.fail(f.line, "grows is for blocks of the class cross")
	}
}

// resolveTrees finds what trees are made of.
func (r *reader) resolveTrees() {
	for _, g := range r.growing {
		find := func(n unresolved) uint16 {
			id, ok := r.ids[n.name]
			if !ok || r.out.Blocks[id].Class == Thing || r.out.Blocks[id].Class == Air {
				r.add(n.file, n.line, "%s: %s: there is no block %q", n.what, n.field, n.name)
			}
			return id
		}
		if log, leaves := find(g.log), find(g.leaves); g.block < len(r.out.Blocks) {
			r.out.Blocks[g.block].Grows.Log, r.out.Blocks[g.block].Grows.Leaves = log, leaves
		}
	}
}
