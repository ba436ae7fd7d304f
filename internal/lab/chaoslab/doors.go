package chaoslab

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// Each editor has a door at the market, which it opens and closes while things go wrong. Its
// halves are always alike, and as it was told that they are. When an answer fails to come,
// it breaks the door and places another one.

// What a door can be. Anything else is none of them.
const (
	doorOpen   = "open"
	doorClosed = "closed"
	doorGone   = "gone"
)

// ownDoor is the door of an editor, and what it may be.
type ownDoor struct {
	at world.Pos // of the lower half
	known[string]
}

// doorOf says what two blocks above each other are.
func doorOf(lower, upper world.Block) string {
	low, up := world.Info(lower), world.Info(upper)
	switch {
	case lower == world.Air && upper == world.Air:
		return doorGone
	case !lower.IsDoor() || !upper.IsDoor() || low.Door|pack.Upper != up.Door || low.Door&pack.Upper != 0:
		return fmt.Sprintf("%v below %v", lower, upper)
	case low.Door&pack.Open != 0:
		return doorOpen
	}
	return doorClosed
}

// seen is what a client sees of the door.
func (d *ownDoor) seen(g *nodelab.Guest) (is string, ok bool) {
	lower, low := g.Blocks().Block(d.at)
	upper, up := g.Blocks().Block(d.at.Next(world.FaceUp))
	return doorOf(lower, upper), low && up
}

// turns opens or closes the editor's door, breaks it, or places it.
func (e *editor) turns(g *nodelab.Guest) {
	d := &e.door
	act, to := wire.Act{Kind: wire.Open, X: d.at.X, Y: d.at.Y, Z: d.at.Z}, doorOpen
	switch {
	case len(d.may) > 1:
		act.Kind, act.Face, to = wire.Dig, uint8(world.FaceUp), doorGone
	case d.may[doorGone]:
		if r := g.Answer(wire.Act{Kind: wire.Pick, A: uint64(world.OakDoor), B: 0}); r == nil || !r.OK {
			return
		}
		act = wire.Act{Kind: wire.Place, X: d.at.X, Y: d.at.Y - 1, Z: d.at.Z, Face: uint8(world.FaceUp)}
		to = doorClosed
	case d.may[doorOpen]:
		to = doorClosed
	}
	answered := d.ask(to)
	r := g.Answer(act)
	answered(r != nil, r != nil && r.OK)
	if r != nil && r.OK {
		e.chaos.tally.turns.Add(1)
	}
}

// readDoors waits until a client sees all doors as they may be.
func (c *chaos) readDoors(who string, g *nodelab.Guest) {
	for _, e := range c.editors[:c.traders] {
		d := &e.door
		err := g.Until(c.t.Context, "the door of "+e.who.Name, func() bool {
			is, ok := d.seen(g)
			return ok && d.allows(is, c.lostAt(d.at))
		})
		if err != nil {
			is, _ := d.seen(g)
			c.wrong.add("%.1f s: %s sees the door of %s %s, not one of %q (%s)", time.Since(c.begun).Seconds(), who, e.who.Name, is, slices.Sorted(maps.Keys(d.may)), d.story())
		}
	}
}

// checkDoors compares the doors on the disks.
func (c *chaos) checkDoors(replicas map[string][]replica) error {
	for _, e := range c.editors[:c.traders] {
		d := &e.door
		at := d.at.Column()
		all := replicas[region.Space(at.Region())]
		if len(all) == 0 {
			c.wrong.add("the door of %s is in no store", e.who.Name)
			continue
		}
		col, err := region.Stored(at, all[0].kvs, c.land.Gen.Column)
		if err != nil {
			return err
		}
		x, y, z := int(d.at.X&(world.ChunkSize-1)), int(d.at.Y), int(d.at.Z&(world.ChunkSize-1))
		if is := doorOf(col.At(x, y, z), col.At(x, y+1, z)); !d.allows(is, c.lostAt(d.at)) {
			c.wrong.add("on the disks the door of %s is %s, not one of %q (%s)", e.who.Name, is, slices.Sorted(maps.Keys(d.may)), d.story())
		}
	}
	return nil
}
