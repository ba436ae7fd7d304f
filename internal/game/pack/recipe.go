package pack

// Stack is a count of one kind, by id.
type Stack struct {
	Kind  uint16
	Count uint8
}

// Recipe makes Makes of Of. Its number is its place in Content.Recipes.
type Recipe struct {
	Makes Stack
	Of    []Stack
	Ticks uint16 // that a furnace takes for it; 0: players make it by hand
}

// maxTicks bounds how long a furnace takes for one thing.
const maxTicks = 12000

// recipe reads an entry of "recipes"; names are looked up once all blocks are there.
func (r *reader) recipe(file string, v value) {
	o, ok := objectOf(file, "recipe", v, &r.report)
	if !ok {
		return
	}
	o.need("makes")
	o.need("of")
	if name := o.text("makes"); name != "" {
		o.what = "recipe of " + name
	}
	made := Recipe{Makes: Stack{r.carried(o, o.field("makes")), uint8(o.number("count", 1, MaxStack, 1))}}
	if f := o.field("count"); f != nil && r.lasts(made.Makes.Kind) {
		o.fail(f.line, "count: tools and armour are made one at a time")
	}
	if f := o.get("of", kindObject); f != nil {
		made.Of = r.parts(o, f)
	}
	made.Ticks = uint16(o.number("ticks", 1, maxTicks, 0))
	if made.Ticks > 0 {
		r.smelting(o, &made)
	}
	o.finish()
	if len(r.out.Recipes) == MaxRecipes {
		o.fail(o.line, "more than %d recipes", MaxRecipes)
		return
	}
	r.out.Recipes = append(r.out.Recipes, made)
}

func (r *reader) parts(o *object, of *field) (parts []Stack) {
	if n := len(of.fields); n == 0 || n > maxParts {
		o.fail(of.line, "it is made of %d kinds of things; want 1 to %d", n, maxParts)
		return nil
	}
	for i := range of.fields {
		if r.lasts(r.ids[of.fields[i].name]) {
			o.fail(of.fields[i].line, "%s is a tool or armour, which nothing is made of", of.fields[i].name)
		}
	}
	return r.stacks(o, of)
}

// stacks reads an object of names and counts of what can be carried.
func (r *reader) stacks(o *object, of *field) (all []Stack) {
	in := &object{file: o.file, what: o.what, value: of.value, report: o.report}
	for i := range of.fields {
		f := &of.fields[i]
		all = append(all, Stack{r.find(o, f.name, f.line), uint8(in.number(f.name, 1, MaxStack, 1))})
	}
	return all
}

// carried finds what a field names, which must be something that can be carried.
func (r *reader) carried(o *object, f *field) uint16 {
	if f == nil || f.kind != kindString {
		return 0
	}
	return r.find(o, f.scalar.(string), f.line)
}

// find looks up something that can be carried.
func (r *reader) find(o *object, name string, line int) uint16 {
	id, ok := r.ids[name]
	switch {
	case !ok:
		o.fail(line, "there is no block %q", name)
	case !r.out.Blocks[id].Item:
		o.fail(line, "%s cannot be carried", name)
	}
	return id
}

// kind returns a block by id; in a pack with errors there may be none.
func (r *reader) kind(id uint16) Block {
	if int(id) >= len(r.out.Blocks) {
		return Block{}
	}
	return r.out.Blocks[id]
}

// lasts reports whether a kind is counted by its condition.
func (r *reader) lasts(id uint16) bool {
	b := r.kind(id)
	return b.Lasts() > 0
}
