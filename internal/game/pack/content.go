package pack

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// Content is everything that the packs of a world define, in one. Frozen.
type Content struct {
	Packs   []Manifest
	Blocks  []Block
	Recipes []Recipe
	Mobs    []Mob

	Pictures map[string]*Texture          // that packs bring, by the name of the texture
	Texts    map[string]map[string]string // by language, and by the name of a block, item or mob
}

// Manifest is a pack's pack.json.
type Manifest struct {
	Name, Title string
	Content     []string // the content files, in the order in which ids are given
}

// Format is the version of packs that this program reads.
const Format = 1

// manifestFile is where a pack says what it is.
const manifestFile = "pack.json"

// reader adds a pack to what is there.
type reader struct {
	files    Files
	out      Content
	ids      map[string]uint16
	drops    []unresolved // for each block of the pack
	naming   []named
	splits   []unresolved    // for each mob of the pack
	below    map[string]bool // textures of the packs below
	first    int             // of its blocks
	firstMob int
	report
}

// Add returns the content with a pack's added. The error is Problems.
func (c *Content) Add(files Files) (*Content, error) {
	r := &reader{files: files, ids: map[string]uint16{}, below: map[string]bool{}}
	r.begin(c)
	m, ok := r.manifest()
	if !ok {
		return nil, r.err()
	}
	parsed := map[string]*object{}
	for _, name := range m.Content {
		if o, ok := r.parse(name, "content"); ok {
			parsed[name] = o
			r.each(o, "blocks", r.block)
			r.each(o, "items", r.thing)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, texts := isTexts(name)
		if strings.HasSuffix(name, ".json") && validPath(name) && name != manifestFile && !texts && !slices.Contains(m.Content, name) {
			r.add(name, 0, "%s does not list this file under content", manifestFile)
		}
	}
	r.resolve()
	r.resolveNames()
	for _, name := range m.Content {
		if o := parsed[name]; o != nil {
			r.each(o, "recipes", r.recipe)
			r.each(o, "mobs", r.mob)
			o.finish()
		}
	}
	r.resolveSplits()
	r.textures()
	r.texts()
	if err := r.err(); err != nil {
		return nil, err
	}
	r.out.Packs = append(r.out.Packs, m)
	return &r.out, nil
}

// begin copies what is there. Behind the base pack ids are left free.
func (r *reader) begin(c *Content) {
	r.out = Content{
		Packs: slices.Clip(c.Packs), Blocks: slices.Clip(c.Blocks), Recipes: slices.Clip(c.Recipes), Mobs: slices.Clip(c.Mobs),
		Pictures: map[string]*Texture{}, Texts: map[string]map[string]string{},
	}
	maps.Copy(r.out.Pictures, c.Pictures)
	maps.Copy(r.out.Texts, c.Texts)
	for i := range c.Blocks {
		if name := c.Blocks[i].Name; name != "" {
			r.ids[name] = uint16(i)
		}
	}
	for _, name := range c.Textures() {
		r.below[name] = true
	}
	if len(c.Packs) > MaxPacks {
		r.add(manifestFile, 0, "a world has at most %d packs besides the base pack", MaxPacks)
	}
	if len(c.Packs) > 0 {
		r.out.Blocks = append(r.out.Blocks, make([]Block, max(0, FirstBlock-len(c.Blocks)))...)
		r.out.Mobs = append(r.out.Mobs, make([]Mob, max(0, FirstMob-len(c.Mobs)))...)
	}
	r.first, r.firstMob = len(r.out.Blocks), len(r.out.Mobs)
}

// parse reads a file that holds an object.
func (r *reader) parse(name, what string) (*object, bool) {
	b, ok := r.files[name]
	if !ok {
		r.add(name, 0, "there is no such file in the pack")
		return nil, false
	}
	v, err := parse(b)
	if at := (*errAt)(nil); errors.As(err, &at) {
		r.add(name, at.line, "%s", at.text)
		return nil, false
	}
	return objectOf(name, what, v, &r.report)
}

func (r *reader) manifest() (m Manifest, ok bool) {
	o, ok := r.parse(manifestFile, "pack")
	if !ok {
		return m, false
	}
	for _, name := range []string{"format", "name", "content"} {
		o.need(name)
	}
	if n := o.number("format", 0, 1<<31, Format); n != Format {
		o.fail(o.field("format").line, "format is %d; this program reads %d", n, Format)
		return m, false
	}
	m.Name = o.name("name")
	m.Title = o.title(m.Name)
	if f := o.get("content", kindList); f != nil {
		for _, e := range f.list {
			name, _ := e.scalar.(string)
			switch {
			case e.kind != kindString || !validPath(name) || name == manifestFile:
				o.fail(e.line, "content: %v is no name of a content file", e.scalar)
			case slices.Contains(m.Content, name):
				o.fail(e.line, "content: %s is there twice", name)
			default:
				m.Content = append(m.Content, name)
			}
		}
	}
	if slices.ContainsFunc(r.out.Packs, func(p Manifest) bool { return p.Name == m.Name }) {
		o.fail(o.line, "there is another pack with the name %s", m.Name)
	}
	o.finish()
	return m, len(r.problems) == 0
}

// each reads the entries of a list.
func (r *reader) each(o *object, list string, read func(file string, v value)) {
	if f := o.get(list, kindList); f != nil {
		for _, v := range f.list {
			if r.full() {
				return
			}
			read(o.file, v)
		}
	}
}

// addBlock gives a block its id.
func (r *reader) addBlock(b Block, drop unresolved, o *object) {
	switch other, there := r.ids[b.Name]; {
	case b.Name == "":
		return // reported
	case there:
		where := "in this pack"
		if int(other) < r.first {
			where = "in a pack below this one"
		}
		o.fail(o.line, "another block %s has the name", where)
		return
	case len(r.out.Blocks) == MaxBlocks:
		o.fail(o.line, "more than %d blocks", MaxBlocks)
		return
	case (len(r.out.Blocks) == 0) != (b.Class == Air):
		o.fail(o.line, "the first block of the first pack is air, and there is only one")
		return
	}
	r.ids[b.Name] = uint16(len(r.out.Blocks))
	r.out.Blocks = append(r.out.Blocks, b)
	r.drops = append(r.drops, drop)
}

// resolve finds what the pack's blocks leave by name.
func (r *reader) resolve() {
	for i, d := range r.drops {
		if d.name == "" {
			continue // nothing is left
		}
		id, ok := r.ids[d.name]
		switch {
		case !ok:
			r.add(d.file, d.line, "%s: %s: there is no block %q", d.what, d.field, d.name)
		case !r.out.Blocks[id].Item:
			r.add(d.file, d.line, "%s: %s: %s cannot be carried", d.what, d.field, d.name)
		}
		r.out.Blocks[r.first+i].Leaves = id
	}
}

// Find returns the id of a block by its name.
func (c *Content) Find(name string) (id uint16, ok bool) {
	i := slices.IndexFunc(c.Blocks, func(b Block) bool { return b.Name == name })
	return uint16(max(i, 0)), i >= 0
}

// Textures lists the textures that blocks name, without repetition, sorted.
func (c *Content) Textures() []string {
	var all []string
	for i := range c.Blocks {
		if b := &c.Blocks[i]; b.Class != Air {
			all = append(all, b.Top, b.Side, b.Bottom)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
