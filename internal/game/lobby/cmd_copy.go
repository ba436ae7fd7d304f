package lobby

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// copyBox is /copy and /cut.
func (c *call) copyBox(shape string, words []string) error {
	b, err := decision.ParseBuilding(append([]string{shape}, words...))
	if err != nil {
		return userErrorf("That cannot be copied: %v.", err)
	}
	take := func(from world.Pos) {
		at := b.Box().Min
		with := &copied{clipboard.Of(b.Box()), at.Add(-from.X, -from.Y, -from.Z)}
		if err := c.build(shape, words, with); err != nil {
			c.fail("%v", err)
		}
	}
	if c.from.console {
		take(b.Box().Min)
	} else {
		c.locate(c.from, func(at world.Vec) { take(at.Block()) })
	}
	return nil
}

// takeCopy takes what a region has copied.
func (w *undone) takeCopy(m *Undone) bool {
	if w.shape != decision.Copy && w.shape != decision.Cut {
		return true
	}
	part := w.part(m.Region)
	blocks, err := clipboard.Decode(m.Blocks, clipboard.Volume(part))
	return err == nil && w.with.box.Put(w.box.Min, part, blocks)
}

// part is what of the box lies in a region.
func (w *undone) part(of world.RegionPos) world.Zone { return w.box.Common(of.Bounds()) }

// pasted is what a region has to paste.
func (w *undone) pasted(of world.RegionPos) []byte {
	if w.shape != decision.Paste {
		return nil
	}
	return clipboard.Encode(w.with.box.Cut(w.box.Min, w.part(of)))
}

// keepCopy keeps what all regions have copied.
func (w *undone) keepCopy() {
	w.call.builders.copies(w.call.from, w.with)
	verb := "copied"
	if w.shape == decision.Cut {
		verb = "cut"
	}
	w.call.reply("%s %s: /paste puts them beside you as they are now.", plural(w.with.box.Count(), "block"), verb)
}

// onClip takes blocks that a builder has brought along for copied ones, or gives out what it
// has copied.
func (h *Lobby) onClip(from machine.Peer, m *Clip) {
	p := h.sessions[from]
	if p == nil || !p.here || p.console {
		return
	}
	size := [3]int{int(m.Size[0]), int(m.Size[1]), int(m.Size[2])}
	box, err := clipboard.DecodeBox(size, m.Blocks)
	most := h.cfg.Decisions.Number(decision.SetBuild)
	switch {
	case !p.quiet.allow(h.env.Now(), SayEvery, SayBurst):
		h.tell(p, wire.ChatError, "Too fast. Wait a moment.")
	case !p.role.May(decision.MayEdit):
		h.tell(p, wire.ChatError, "Only %ss paste schematics.", decision.MayEdit.Needs())
	case len(m.Blocks) == 0 && p.copied == nil:
		h.tell(p, wire.ChatError, "%s", errNothingCopied)
	case len(m.Blocks) == 0:
		b := p.copied.box
		h.env.Send(from, &Clip{Size: [3]uint32{uint32(b.X), uint32(b.Y), uint32(b.Z)}, Blocks: clipboard.Encode(b.Blocks)})
	case err != nil:
		h.tell(p, wire.ChatError, "A schematic has up to %d blocks here.", clipboard.MaxBlocks)
	case len(box.Blocks) > most && p.role < decision.RoleOperator:
		h.tell(p, wire.ChatError, "Builders change up to %d blocks at once; these are %d.", most, len(box.Blocks))
	default:
		h.builders.copies(p, &copied{box, world.Pos{X: 1, Z: 1}})
		h.tell(p, wire.ChatSystem, "%s of a schematic are copied: /paste puts them beside you.", plural(box.Count(), "block"))
	}
}

// errNothingCopied is for who has copied nothing, or so long ago that it is forgotten.
var errNothingCopied = userError("You have copied nothing lately: type /copy or /cut.")

func (c *call) paste() error {
	k := c.from.copied
	if k == nil {
		return errNothingCopied
	}
	return c.blockNamed(func(at world.Pos, typed bool) {
		if !typed {
			at = at.Add(k.at.X, k.at.Y, k.at.Z)
		}
		to := at.Add(int32(k.box.X-1), int32(k.box.Y-1), int32(k.box.Z-1))
		words := strings.Fields(decision.PlaceText(at) + " " + decision.PlaceText(to))
		if err := c.build(decision.Paste, words, k); err != nil {
			c.fail("%v", err)
		}
	})
}

func (c *call) rotate() error {
	degrees, err := strconv.Atoi(cmp.Or(c.arg(0), "90"))
	switch {
	case len(c.args) > 1 || err != nil || degrees%90 != 0:
		return errUsage
	case c.from.copied == nil:
		return errNothingCopied
	}
	k := *c.from.copied
	for range ((degrees/90)%4 + 4) % 4 {
		// What lies at (x, z) from the builder lies at (−z, x) afterwards.
		k.at.X, k.at.Z = -(k.at.Z + int32(k.box.Z) - 1), k.at.X
		k.box = k.box.Right()
	}
	return c.changed(k)
}

func (c *call) mirror() error {
	axis := strings.ToLower(c.arg(0))
	switch {
	case len(c.args) != 1 || axis != "x" && axis != "y" && axis != "z":
		return errUsage
	case c.from.copied == nil:
		return errNothingCopied
	}
	k := *c.from.copied
	k.box = k.box.Mirror(axis[0])
	switch axis {
	case "x":
		k.at.X = -(k.at.X + int32(k.box.X) - 1)
	case "z":
		k.at.Z = -(k.at.Z + int32(k.box.Z) - 1)
	}
	return c.changed(k)
}

// changed takes a copy in the place of the one before.
func (c *call) changed(k copied) error {
	c.builders.copies(c.from, &k)
	c.reply("What you have copied is %d × %d × %d blocks now.", k.box.X, k.box.Y, k.box.Z)
	return nil
}
