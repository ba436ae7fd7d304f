package chaoslab

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// A player builds around lava that lies in the ground. What is flammable may burn there, and
// nothing else: neither what it has built of stone nor the ground.

const (
	burnerName = "Burner"
	// fireApart is how far from the fire others build at least: it reaches eight blocks.
	fireApart = 24
)

// lightFire lets the burner come in and pour the lava, before anything goes wrong.
func (c *chaos) lightFire(keeper speaker) error {
	who, err := client.NewIdentity(burnerName)
	if err != nil {
		return err
	}
	c.taken = append(c.taken, c.land.Gen.Spawn()) // nothing burns on land of others
	home := c.dry(c.land.Gen.Spawn().Region().Column(0).Origin().Add(90, 0, 90), fireApart)
	e := &editor{chaos: c, who: who, home: home, rand: rng.New(c.t.Seed, 0xf14e), spots: c.spots(home)}
	c.burner = e
	if err := c.promote(keeper, who); err != nil {
		return err
	}
	g, err := nodelab.JoinAs(c.t.Context, c.nodes[0].config.Gateway, who, calmTime)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := goTo(c.t.Context, g, home, e.spots); err != nil {
		return err
	}
	for _, s := range e.spots {
		if err = e.lights(c.t.Context, g, s); err == nil {
			c.editors = append(c.editors, e)
			return nil
		}
	}
	return fmt.Errorf("no lava can be poured around %v: %w", home, err)
}

// lights pours lava below a place, which then has a wall beside it: a block placed against
// lava would take its place.
func (e *editor) lights(ctx context.Context, g *nodelab.Guest, s *chaosSpot) error {
	pit := s.at.Next(world.FaceDown)
	var wall *chaosSpot
	for f := world.FaceNorth; f <= world.FaceEast; f++ {
		if i := slices.IndexFunc(e.spots, func(o *chaosSpot) bool { return s.at == o.at.Next(f) }); i >= 0 {
			wall, s.face = e.spots[i], f
		}
	}
	if wall == nil {
		return errors.New("no place for a wall")
	}
	if err := e.pours(ctx, g, pit); err != nil {
		return err
	}
	if _, _, err := e.puts(ctx, g, world.Bricks, []*chaosSpot{wall}); err != nil {
		return err
	}
	s.against = wall
	e.ground = []*chaosSpot{{at: wall.at, known: knownTo(world.Bricks)}}
	e.spots = slices.DeleteFunc(e.spots, func(o *chaosSpot) bool { return o == wall })
	for _, o := range e.spots {
		o.burns = true
		ground := o.at.Next(world.FaceDown)
		if b, ok := g.Blocks().Block(ground); ok && ground != pit && world.Info(b).Flammable == 0 {
			may := knownTo(b)
			if b == world.Grass || b == world.Dirt { // they become each other by themselves
				may = knownTo(world.Dirt, world.Grass)
			}
			e.ground = append(e.ground, &chaosSpot{at: ground, known: may})
		}
	}
	return nil
}

// pours digs a pit and pours lava into it.
func (e *editor) pours(ctx context.Context, g *nodelab.Guest, at world.Pos) error {
	for f := world.FaceNorth; f <= world.FaceEast; f++ {
		if b, ok := g.Blocks().Block(at.Next(f)); !ok || !b.Solid() {
			return errors.New("the pit would have a hole")
		}
	}
	if r := g.Answer(wire.Act{Kind: wire.Dig, X: at.X, Y: at.Y, Z: at.Z, Face: uint8(world.FaceUp)}); r == nil || !r.OK {
		return fmt.Errorf("digging a pit at %v: %+v", at, r)
	}
	if err := e.pick(ctx, g, 0, world.LavaBucket); err != nil {
		return err
	}
	r := g.Answer(wire.Act{Kind: wire.Place, X: at.X, Y: at.Y - 1, Z: at.Z, Face: uint8(world.FaceUp)})
	if r == nil || !r.OK {
		return fmt.Errorf("pouring lava at %v: %+v", at, r)
	}
	return g.Until(ctx, "the lava", func() bool { b, ok := g.Blocks().Block(at); return ok && b.IsLava() })
}

// burnt reports whether a block may have become another one in a fire.
func (s *chaosSpot) burnt(b world.Block) bool {
	if !s.burns || b != world.Air && world.Info(b).Fire == 0 {
		return false
	}
	for was := range s.may { // the order does not matter
		if world.Info(was).Flammable > 0 {
			return true
		}
	}
	return false
}
