package lobby

import (
	"fmt"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/closest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// shapeArgs is what stands behind the command of a shape.
const shapeArgs = "<block> | <x> <y> <z> <x> <y> <z> <block>"

// buildCommands change many blocks at once. Regions do it (package region), as far as the
// builder's role and others' land allow.
func buildCommands() []*command {
	shape := func(name, help string) *command {
		return &command{name: name, args: shapeArgs, help: help + ", between two corners, or those of /pos1 and /pos2.", needs: decision.MayEdit, run: shaped(name)}
	}
	copies := func(name, help string) *command {
		c := shape(name, help)
		c.args = "[x] [y] [z] [x] [y] [z]"
		return c
	}
	replace := shape(decision.Replace, "Puts blocks in the place of those of a kind")
	replace.args = "<block> <block> | <x> <y> <z> <x> <y> <z> <block> <block>"
	return []*command{
		{name: "pos1", args: "[x] [y] [z]", help: "Makes the block where you stand, or another one, a corner for /fill and the like.", needs: decision.MayEdit, run: corner(0)},
		{name: "pos2", args: "[x] [y] [z]", help: "Makes the block where you stand, or another one, the other corner.", needs: decision.MayEdit, run: corner(1)},
		shape(decision.Fill, "Fills a box"), replace, shape(decision.Walls, "Builds the sides of a box"),
		shape(decision.Hollow, "Builds the sides, floor and ceiling of a box"), shape(decision.Line, "Builds a line"),
		copies(decision.Copy, "Copies the blocks"), copies(decision.Cut, "Copies the blocks and takes them away"),
		{name: "paste", args: "[x] [y] [z]", help: "Puts what you have copied where it is as far from you as when you copied it, or with its lowest north-western corner at a place.", needs: decision.MayEdit, run: (*call).paste},
		{name: "rotate", args: "[90|180|270]", help: "Turns what you have copied, clockwise.", needs: decision.MayEdit, run: (*call).rotate},
		{name: "mirror", args: "<x|y|z>", help: "Mirrors what you have copied: east and west, top and bottom, north and south.", needs: decision.MayEdit, run: (*call).mirror},
		{name: "undo", help: "Takes back what you have built last by a command.", needs: decision.MayEdit, run: (*call).undoBuilt},
		{name: "redo", help: "Builds again what /undo has taken back.", needs: decision.MayEdit, run: (*call).redoBuilt},
	}
}

// corner is /pos1 or /pos2.
func corner(i int) func(*call) error {
	return func(c *call) error {
		return c.blockNamed(func(p world.Pos, _ bool) {
			c.from.corners[i] = &p
			c.builders.keep(c.from)
			text := ""
			if a, b := c.from.corners[0], c.from.corners[1]; a != nil && b != nil {
				z := world.ZoneBetween(*a, *b)
				text = fmt.Sprintf(" The box is %d × %d × %d blocks.", z.Max.X-z.Min.X+1, z.Max.Y-z.Min.Y+1, z.Max.Z-z.Min.Z+1)
			}
			c.reply("Corner %d is at %s.%s", i+1, p, text)
		})
	}
}

// blockNamed calls then with the block that was typed, or with that where the player stands.
func (c *call) blockNamed(then func(at world.Pos, typed bool)) error {
	switch at, ok := decision.Place(c.rest(0)); {
	case len(c.args) == 3 && ok:
		then(at, true)
	case len(c.args) == 3:
		return userErrorf("There is no such place in the world.")
	case len(c.args) > 0:
		return errUsage
	default:
		c.locate(c.from, func(at world.Vec) { then(at.Block(), false) })
	}
	return nil
}

// shaped is /fill and the like.
func shaped(shape string) func(*call) error {
	return func(c *call) error {
		var words []string
		for _, w := range c.args {
			words = append(words, strings.ToLower(w.Text))
		}
		blocks := decision.BlocksOf(shape)
		switch len(words) {
		case blocks:
			a, b := c.from.corners[0], c.from.corners[1]
			if a == nil || b == nil {
				return userErrorf("Name two corners, or stand there and type /pos1 and /pos2.")
			}
			words = append(strings.Fields(decision.PlaceText(*a)+" "+decision.PlaceText(*b)), words...)
		case 6 + blocks:
		default:
			return errUsage
		}
		if shape == decision.Copy || shape == decision.Cut {
			return c.copyBox(shape, words)
		}
		return c.build(shape, words, nil)
	}
}

// build orders a shape, unless that would not be done; what is copied, or pasted, goes with it.
func (c *call) build(shape string, words []string, with *copied) error {
	for _, name := range words[6:] {
		if _, ok := world.BlockByName(name); !ok {
			return userErrorf("There is no block %q.%s", name, closest.Question(name, "", itemNames()))
		}
	}
	text := append([]string{shape}, words...)
	b, err := decision.ParseBuilding(text)
	if err != nil {
		return userErrorf("That cannot be built: %s.", strings.TrimPrefix(err.Error(), decision.ErrFormat.Error()+": "))
	}
	most := c.cfg.Decisions.Number(decision.SetBuild)
	switch n := b.Count(); {
	case c.earns():
		return userErrorf("Nothing is built by commands in this world: it would not last, for the other nodes keep count of what players have dug.")
	case n > most && c.from.role < decision.RoleOperator:
		return userErrorf("Builders change up to %d blocks at once; these are %d.", most, n)
	}
	if shape != decision.Copy {
		c.from.built = append(c.from.built, decision.Undo{Box: b.Box(), Since: c.unix() - 1})
		c.from.built = c.from.built[max(0, len(c.from.built)-maxBuilt):]
		c.from.redo = nil
		c.builders.keep(c.from)
	}
	c.orderBox(&undone{kind: decision.Build, shape: shape, box: b.Box(), with: with}, decision.Order{Kind: decision.Build, Text: strings.Join(text, " ")})
	return nil
}

func (c *call) undoBuilt() error {
	return c.again(decision.Rollback, &c.from.built, &c.from.redo, "You have built nothing by a command lately.")
}

func (c *call) redoBuilt() error {
	return c.again(decision.Restore, &c.from.redo, &c.from.built, "Nothing was taken back.")
}

// again takes the last of a list back or makes it again, and puts it on another list.
func (c *call) again(kind decision.OrderKind, from, to *[]decision.Undo, none string) error {
	n := len(*from)
	if len(c.args) > 0 {
		return errUsage
	}
	if n == 0 {
		return userError(none)
	}
	u := (*from)[n-1]
	*from = slices.Clone((*from)[:n-1])
	*to = append(*to, u)
	c.builders.keep(c.from)
	c.orderUndo(decision.Order{Kind: kind, Subject: c.from.id, Name: c.from.rec.Name}, u)
	return nil
}
