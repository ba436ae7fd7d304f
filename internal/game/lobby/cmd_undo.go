package lobby

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// undoArgs is what stands behind /rollback and /restore.
const undoArgs = "<player or *> <30m|12h|7d> <count> [preview] | <player or *> <30m|12h|7d> <x> <y> <z> <x> <y> <z> [preview] | <player or *> <30m|12h|7d> <land> [preview]"

// undoCommands are about who changed which block, and take it back. Regions check who may:
// operators, and owners on their own land.
func undoCommands() []*command {
	return []*command{
		{name: "inspect", args: "<count> | <x> <y> <z> <x> <y> <z>", help: "Lists who has changed blocks so near to you last, or in the box between two corners.", needs: decision.MayModerate, run: (*call).inspect},
		{name: "rollback", args: undoArgs, help: "Takes back what a player (* for everybody) has changed in that time, so near to you, in a box, or on your land of a name; preview only counts.", needs: decision.MayClaim, run: undo(decision.Rollback)},
		{name: "restore", args: undoArgs, help: "Makes again what /rollback has taken back.", needs: decision.MayClaim, run: undo(decision.Restore)},
	}
}

// maxUndoRadius bounds how far around a player history is looked at.
const maxUndoRadius = (decision.MaxUndoSide - 1) / 2

// undoTimeout is how long regions may take, which may have to wake.
const undoTimeout = 30 * time.Second

// undone is an order about history whose regions have not all answered.
type undone struct {
	call  *call
	kind  decision.OrderKind
	only  bool   // a preview
	shape string // of Build
	box   world.Zone
	with  *copied // what is copied, or pasted; nil: nothing
	left  map[world.RegionPos]bool
	count int
	wrong int // regions that refused
	edits []world.PastEdit

	signed []byte
	of     id.ID // whose edits; zero: everybody's
	owed   map[world.Block]uint32
	parts  []settled
}

func (c *call) inspect() error {
	if z, ok := c.corners(0); ok && len(c.args) == 6 {
		return c.orderBetween(decision.Order{Kind: decision.Inspect}, decision.Undo{Box: z})
	}
	radius, err := strconv.Atoi(c.arg(0))
	if err != nil || len(c.args) != 1 || radius < 0 || radius > maxUndoRadius {
		return errUsage
	}
	c.around(radius, func(z world.Zone) {
		c.orderUndo(decision.Order{Kind: decision.Inspect}, decision.Undo{Box: z})
	})
	return nil
}

// corners is the box between the corners that stand from an argument on.
func (c *call) corners(from int) (world.Zone, bool) {
	if len(c.args) < from+6 {
		return world.Zone{}, false
	}
	var words []string
	for _, w := range c.args[from : from+6] {
		words = append(words, w.Text)
	}
	return decision.Corners(words)
}

// around calls then with the box around the player who typed.
func (c *call) around(radius int, then func(world.Zone)) {
	c.locate(c.from, func(at world.Vec) {
		p, r := at.Block(), int32(radius)
		then(world.Zone{
			Min: world.Pos{X: max(p.X-r, 1-world.Limit), Y: max(p.Y-r, 0), Z: max(p.Z-r, 1-world.Limit)},
			Max: world.Pos{X: min(p.X+r, world.Limit-1), Y: min(p.Y+r, world.Height-1), Z: min(p.Z+r, world.Limit-1)},
		})
	})
}

// undo is /rollback or /restore.
func undo(kind decision.OrderKind) func(*call) error {
	return func(c *call) error {
		n, preview := len(c.args), c.arg(len(c.args)-1) == "preview"
		if preview {
			n--
		}
		if n != 3 && n != 8 {
			return errUsage
		}
		o := decision.Order{Kind: kind}
		if c.arg(0) != "*" {
			var err error
			if o.Subject, o.Name, err = c.builder(c.arg(0)); err != nil {
				return err
			}
		}
		d, ok := span(c.arg(1))
		if !ok {
			return errUsage
		}
		u := decision.Undo{Since: c.unix() - int64(d/time.Second), Preview: preview}
		if z, ok := c.corners(2); ok && n == 8 {
			if c.from.role < decision.RoleOperator {
				return errElsewhere
			}
			u.Box = z
			return c.orderBetween(o, u)
		}
		if s := c.cfg.Decisions.Current(decision.Land, c.from.id, c.arg(2)); s != nil && s.On {
			u.Box, _, _ = s.Box()
			c.orderUndo(o, u)
			return nil
		}
		radius, err := strconv.Atoi(c.arg(2))
		switch {
		case err != nil || radius < 0 || radius > maxUndoRadius:
			return userErrorf("Say how far around you: 0 to %d blocks; or name land of yours.", maxUndoRadius)
		case c.from.role < decision.RoleOperator:
			return errElsewhere
		}
		c.around(radius, func(z world.Zone) {
			u.Box = z
			c.orderUndo(o, u)
		})
		return nil
	}
}

// errElsewhere is for who is no operator.
var errElsewhere = userError("Name land of yours: only operators do that elsewhere.")

// orderBetween is orderUndo for a box whose corners were typed.
func (c *call) orderBetween(o decision.Order, u decision.Undo) error {
	o.Text = u.String()
	if _, err := o.Undo(); err != nil {
		return userErrorf("The box lies in the world and has sides of up to %d blocks.", decision.MaxUndoSide)
	}
	c.orderUndo(o, u)
	return nil
}

// orderUndo orders something about the history of a box.
func (c *call) orderUndo(o decision.Order, u decision.Undo) {
	o.Text = u.String()
	c.orderBox(&undone{kind: o.Kind, box: u.Box, only: u.Preview, of: o.Subject}, o)
}

// orderBox asks the player to sign an order about a box, and brings it to the regions that
// the box lies in.
func (c *call) orderBox(w *undone, o decision.Order) {
	c.lastOrder = max(c.lastOrder+1, uint64(c.Lobby.time().UnixMilli()))
	o.World, o.Seq = c.cfg.Decisions.World(), c.lastOrder
	c.Lobby.ask(c.from, o.Append(nil), func(signed []byte) {
		tag := c.tag()
		w.call, w.signed, w.owed, w.left = c, signed, map[world.Block]uint32{}, map[world.RegionPos]bool{}
		c.undos.orders[tag] = w
		lo, hi := w.box.Min.Region(), w.box.Max.Region()
		for x := lo.X; x <= hi.X; x++ {
			for z := lo.Z; z <= hi.Z; z++ {
				at := world.RegionPos{X: x, Z: z}
				w.left[at] = true
				c.toRegion(&Undo{Region: at, Tag: tag, Signed: signed, Blocks: w.pasted(at)})
			}
		}
		c.env.SetTimer(c.env.Now().Add(undoTimeout), machine.Timer{Kind: timerUndo, Arg: tag})
		if o.Kind != decision.Inspect && o.Kind != decision.Build && !w.only {
			c.audit(signed)
		}
	})
}

// undos are the orders about history, and the settlements that follow them, whose regions
// have not all answered, by tag.
type undos struct {
	orders  map[uint64]*undone
	settles map[uint64]func(*Undone) // with nil: the time is over
}

// hear takes a region's answer.
func (u *undos) hear(m *Undone) {
	if hear := u.settles[m.Tag]; hear != nil {
		hear(m)
		return
	}
	w := u.orders[m.Tag]
	if w == nil || !w.left[m.Region] {
		return
	}
	delete(w.left, m.Region)
	w.count += int(m.Count)
	w.edits = append(w.edits, m.Edits...)
	for _, o := range m.Owed {
		w.owed[o.Block] += o.Count
	}
	if len(m.Looted)+len(m.Put) > 0 {
		w.parts = append(w.parts, settled{m.Region, m.Looted, m.Put})
	}
	if !m.OK || !w.takeCopy(m) {
		w.wrong++
	}
	if len(w.left) == 0 {
		u.end(m.Tag)
	}
}

// end ends what has a tag, when all regions have answered or the time is over.
func (u *undos) end(tag uint64) {
	if w := u.orders[tag]; w != nil {
		delete(u.orders, tag)
		w.end()
	} else if hear := u.settles[tag]; hear != nil {
		hear(nil)
	}
}

// end says what has come of an order.
func (w *undone) end() {
	switch what := plural(w.count, "block"); {
	case w.kind == decision.Inspect:
		w.call.reply("%s", w.pastEdits())
	case w.only:
		if _, looted := w.owes(); looted > 0 {
			what += fmt.Sprintf(" and up to %s that were taken out of chests", plural(looted, "item"))
		}
		w.call.reply("%s would be changed.", what)
	case w.shape == decision.Copy || w.shape == decision.Cut:
		w.keepCopy()
	default:
		w.call.reply("%s changed.", what)
	}
	w.settle()
	if w.wrong > 0 {
		w.call.fail("%s refused or could not save it.", plural(w.wrong, "region"))
	}
	if len(w.left) > 0 {
		w.call.fail("%s did not answer in %v.", plural(len(w.left), "region"), undoTimeout)
	}
}

// pastEdits lists edits, the newest first.
func (w *undone) pastEdits() string {
	if len(w.edits) == 0 {
		return "Nobody has changed anything there."
	}
	slices.SortStableFunc(w.edits, func(a, b world.PastEdit) int { return int(b.Tick) - int(a.Tick) })
	var lines []string
	for _, e := range w.edits[:min(len(w.edits), shownLines)] {
		at := w.call.cfg.Epoch.Add(time.Duration(e.Tick) * tickLength)
		did := fmt.Sprintf("%s became %s", blockName(e.Was), blockName(e.Now))
		if e.Moved > 0 {
			did = fmt.Sprintf("%d × %s put into the chest", e.Moved, blockName(e.Now))
		} else if e.Moved < 0 {
			did = fmt.Sprintf("%d × %s taken out of the chest", -e.Moved, blockName(e.Now))
		}
		line := fmt.Sprintf("%s %s: %s, %s", time.Unix(0, int64(at)).UTC().Format("2006-01-02 15:04:05"), w.call.names.of(e.By), e.At, did)
		if e.Undo {
			line += " (rollback)"
		}
		lines = append(lines, line)
	}
	return clip(fmt.Sprintf("%s:\n%s", plural(w.count, "edit"), strings.Join(lines, "\n")))
}

// builder finds who may have built: a player who has been here, or the console of a node.
func (c *call) builder(name string) (who id.ID, named string, err error) {
	p, err := c.playerKnown(name)
	if err == nil {
		return p.id, p.rec.Name, nil
	}
	if all := c.cfg.Decisions.Consoles(); len(all) > 0 && strings.EqualFold(name, decision.Console) {
		return all[0], decision.Console, nil
	}
	return id.ID{}, "", err
}

func blockName(b world.Block) string {
	if !b.Known() {
		return "something"
	}
	return world.Info(b).Name
}
