package world

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Container is what lies in a block that stores things, if anything does, or what is
// written on a sign. It is frozen: a change makes another one.
type Container struct {
	At    Pos
	Owner id.ID // who put something into it when it was empty: see AreaConfig.OwnItems; who has written
	Slots []Stack
	Fire         // of a furnace
	Text  string // of a sign, which has no slots
}

// containers are those of a region that are not empty.
type containers map[Pos]*Container

// Container returns what is in a container, nil if that is nothing.
func (cs containers) Container(at Pos) *Container { return cs[at] }

func (cs containers) put(at Pos, c *Container) {
	if c == nil {
		delete(cs, at)
	} else {
		cs[at] = c
	}
}

// Containers returns those that are not empty, sorted by place.
func (cs containers) Containers() []*Container {
	return slices.SortedFunc(maps.Values(cs), func(a, b *Container) int { return a.At.compare(b.At) })
}

// empty reports whether nothing has to be kept of a container.
func (c *Container) empty() bool {
	return c.Heat == 0 && c.Text == "" && !slices.ContainsFunc(c.Slots, func(s Stack) bool { return s.Count > 0 })
}

// AppendBinary appends the canonical bytes of a container.
func (c *Container) AppendBinary(dst []byte) []byte {
	w := writer{dst}
	w.uint(stateVersion)
	w.pos(c.At)
	w.b = append(w.b, c.Owner[:]...)
	w.uint(uint64(len(c.Slots)))
	w.stacks(c.Slots)
	if c.Heat > 0 {
		w.uint(c.Since)
		w.uint(uint64(c.Heat))
		w.uint(uint64(c.Work))
	}
	if c.Text != "" {
		w.string(c.Text)
	}
	return w.b
}

// DecodeContainer reads what AppendBinary wrote, all of it.
func DecodeContainer(b []byte) (*Container, error) {
	r := newReader(b)
	c := new(Container)
	r.version()
	c.At = r.pos("container")
	c.Owner = id.ID(r.take(id.Size, "owner"))
	c.Slots = make([]Stack, r.uint(pack.MaxStores, "slots"))
	r.stacks(c.Slots)
	if r.in.Len() > 0 && len(c.Slots) == 0 {
		if c.Text = r.string(MaxSignText, "text"); !ValidSignText(c.Text) {
			r.fail("text")
		}
	} else if r.in.Len() > 0 {
		c.Since = r.uint(1<<62, "fire")
		c.Heat, c.Work = uint16(r.uint(1<<16-1, "heat")), uint16(r.uint(1<<16-1, "work"))
		if c.Heat == 0 || len(c.Slots) != pack.FurnaceSlots {
			r.fail("fire")
		}
	}
	if c.empty() {
		r.fail("nothing in it")
	}
	if err := r.end("container"); err != nil {
		return nil, err
	}
	return c, nil
}
