package pack

import (
	"fmt"
	"slices"
)

// Names are the names of what the packs of a world besides the base pack define, in the
// order of their ids: those of blocks and items from FirstBlock, those of mobs from
// FirstMob. A world keeps them, so that an id means the same for as long as it exists.
type Names struct{ Blocks, Mobs []string }

// Names returns the names in the order of the content's ids.
func (c *Content) Names() (n Names) {
	for i := FirstBlock; i < len(c.Blocks); i++ {
		n.Blocks = append(n.Blocks, c.Blocks[i].Name)
	}
	for i := FirstMob; i < len(c.Mobs); i++ {
		n.Mobs = append(n.Mobs, c.Mobs[i].Name)
	}
	return n
}

// Arrange returns the content with the ids that a world gave to names before, and what is
// new behind these. It is an error if something has no place any more: a name that is gone, or
// blocks that belong together and would be torn apart.
func (c *Content) Arrange(before Names) (*Content, error) {
	after := c.Names()
	blocks, err := places(before.Blocks, after.Blocks, "block or item")
	if err != nil {
		return nil, err
	}
	mobs, err := places(before.Mobs, after.Mobs, "mob")
	if err != nil {
		return nil, err
	}
	out := *c
	out.Blocks, out.Mobs, out.Recipes = slices.Clone(c.Blocks), slices.Clone(c.Mobs), slices.Clone(c.Recipes)
	move := func(id uint16) uint16 {
		if id < FirstBlock {
			return id
		}
		return FirstBlock + uint16(blocks[id-FirstBlock])
	}
	for i := FirstBlock; i < len(c.Blocks); i++ {
		b := c.Blocks[i]
		if b.follows() && move(uint16(i)) != move(uint16(i-1))+1 {
			return nil, Problems{{File: "the packs", Text: fmt.Sprintf("%s was a block of its own in this world, and is now a part of another one: give that one another name", b.Name)}}
		}
		b.move(move)
		out.Blocks[move(uint16(i))] = b
	}
	for i := FirstMob; i < len(c.Mobs); i++ {
		m := c.Mobs[i]
		m.move(move, func(kind uint8) uint8 {
			if kind <= FirstMob {
				return kind
			}
			return uint8(FirstMob + mobs[kind-1-FirstMob] + 1)
		})
		out.Mobs[FirstMob+mobs[i-FirstMob]] = m
	}
	for i := range out.Recipes {
		out.Recipes[i].Makes.Kind = move(out.Recipes[i].Makes.Kind)
		out.Recipes[i].Of = moveStacks(out.Recipes[i].Of, move)
	}
	return &out, nil
}

// places returns for each name of after its place: that of before, or behind these.
func places(before, after []string, what string) ([]int, error) {
	out, next := make([]int, len(after)), len(before)
	for i, name := range after {
		if out[i] = slices.Index(before, name); out[i] < 0 {
			out[i], next = next, next+1
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			return nil, Problems{{File: "the packs", Text: fmt.Sprintf("the world has the %s %s, which none of these packs has any more: it would be lost. Keep it in the pack", what, name)}}
		}
	}
	return out, nil
}

// follows reports whether a block is found by its place behind another one.
func (b *Block) follows() bool {
	return b.Door > 0 || b.Bed > 0 || b.Facing > 0 || b.Smelts == Lit
}

// move changes all ids that a block names.
func (b *Block) move(to func(uint16) uint16) {
	for _, id := range []*uint16{
		&b.Leaves, &b.Upper, &b.Tills, &b.Loot.Into, &b.Holds.Fluid, &b.Holds.Empty,
		&b.Grows.Into, &b.Grows.Log, &b.Grows.Leaves, &b.Tool.Shoots,
	} {
		*id = to(*id)
	}
	b.Loot.Of = moveStacks(b.Loot.Of, to)
}

func (m *Mob) move(to func(uint16) uint16, toMob func(uint8) uint8) {
	m.Hunts.Shoots, m.Splits.Into = to(m.Hunts.Shoots), toMob(m.Splits.Into)
	m.Drops = moveStacks(m.Drops, to)
	for _, ids := range []*[]uint16{&m.Eats, &m.Spawns.On} {
		*ids = slices.Clone(*ids)
		for i, id := range *ids {
			(*ids)[i] = to(id)
		}
	}
}

func moveStacks(all []Stack, to func(uint16) uint16) []Stack {
	all = slices.Clone(all)
	for i := range all {
		all[i].Kind = to(all[i].Kind)
	}
	return all
}

// Replaces says why a world that has had other packs cannot go on with this content: what
// lies in it would mean something else. Ids of names are the same in both.
func (c *Content) Replaces(old *Content) error {
	var r report
	for i := FirstBlock; i < len(old.Blocks); i++ {
		was, is := &old.Blocks[i], &c.Blocks[i]
		switch {
		case was.Class != is.Class:
			r.add("the packs", 0, "%s was of the class %v in this world and is of the class %v now: give it another name", was.Name, was.Class, is.Class)
		case was.Stores > is.Stores:
			r.add("the packs", 0, "%s has stored %d stacks in this world and would store %d: what lies in the others would be lost", was.Name, was.Stores, is.Stores)
		case was.Item && !is.Item:
			r.add("the packs", 0, "%s has been carried in this world and cannot be any more", was.Name)
		case (was.Lasts() > 0) != (is.Lasts() > 0):
			r.add("the packs", 0, "%s is counted by its condition now and was not, or the other way round: give it another name", was.Name)
		}
	}
	return r.err()
}
