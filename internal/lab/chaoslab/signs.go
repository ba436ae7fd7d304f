package chaoslab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// Each editor has a sign at the market and writes on it while things go wrong: what it was
// told is written must be there at the end, at every client and on all disks.

// ownSign is the sign of an editor, and what may be written on it.
type ownSign struct {
	at world.Pos
	known[string]
	wrote int
}

// writes writes something new on the editor's sign.
func (e *editor) writes(g *nodelab.Guest) {
	s := &e.sign
	s.wrote++
	text := fmt.Sprintf("%s was\nhere %d times", e.who.Name, s.wrote)
	answered := s.ask(text)
	r := g.Answer(wire.Act{Kind: wire.Write, X: s.at.X, Y: s.at.Y, Z: s.at.Z, Text: text})
	answered(r != nil, r != nil && r.OK)
	if r != nil && r.OK {
		e.chaos.tally.texts.Add(1)
	}
}

// readMarket waits until a client sees all doors as they may be, and on all signs what may
// be written there. What is written on a sign comes after the column.
func (c *chaos) readMarket(who string, g *nodelab.Guest) error {
	if err := goTo(c.t.Context, g, c.market, []*chaosSpot{{at: c.chest}}); err != nil {
		return err
	}
	for _, e := range c.editors[:c.traders] {
		err := g.Until(c.t.Context, "the sign of "+e.who.Name, func() bool { return e.sign.allows(g.SignText(e.sign.at), c.lostAt(e.sign.at)) })
		if err != nil {
			c.wrong.add("%.1f s: %s reads %q on the sign of %s, not one of %q", time.Since(c.begun).Seconds(), who, g.SignText(e.sign.at), e.who.Name, slices.Sorted(maps.Keys(e.sign.may)))
		}
	}
	c.readDoors(who, g)
	return nil
}

// checkSigns compares what is written on the disks.
func (c *chaos) checkSigns(replicas map[string][]replica) error {
	written := map[world.Pos]string{}
	for _, space := range slices.Sorted(maps.Keys(replicas)) {
		if !strings.HasPrefix(space, "r.") {
			continue
		}
		texts, err := region.StoredTexts(replicas[space][0].kvs)
		if err != nil {
			return fmt.Errorf("%s: %w", space, err)
		}
		maps.Copy(written, texts)
	}
	for _, e := range c.editors[:c.traders] {
		if text := written[e.sign.at]; !e.sign.allows(text, c.lostAt(e.sign.at)) {
			c.wrong.add("on the disks the sign of %s says %q, not one of %q", e.who.Name, text, slices.Sorted(maps.Keys(e.sign.may)))
		}
	}
	return nil
}
