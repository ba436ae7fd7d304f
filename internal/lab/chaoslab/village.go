package chaoslab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// The land around the spawn is claimed. A player who owns none of it tries all the time to
// change it, through one node after another: nothing there ever changes. Another one, the
// builder, is rolled back now and then while things go wrong, and as a whole at the end:
// then what it has built is gone, on the disks of all hosts.
const (
	vandalName  = "Vandal"
	builderName = "Builder"
	// plotRadius is how far the land goes, guardedRadius how far those who come in reach
	// for certain.
	plotRadius    = 16
	guardedRadius = 4
)

// village is what claims and rollbacks are tried at.
type village struct {
	guarded []*chaosSpot // what nobody may change
	vandal  *editor
	builder *editor
	tries   int // of the vandal, that were refused
	takes   int // rollbacks that were ordered while things went wrong
}

// settleVillage claims the land and lets both come in, before anything goes wrong.
func (c *chaos) settleVillage(keeper speaker, home world.Pos) error {
	spawn := c.land.Gen.Spawn()
	v := &c.village
	for x := int32(-guardedRadius); x <= guardedRadius; x++ {
		for z := int32(-guardedRadius); z <= guardedRadius; z++ {
			at := spawn.Add(x, 0, z)
			y, ok := c.top(at)
			if at.Y = y; !ok || nodelab.Abs(y-spawn.Y) > 3 {
				continue
			}
			ground := c.land.Column(at.Column()).At(int(at.X&(world.ChunkSize-1)), int(y), int(at.Z&(world.ChunkSize-1)))
			may := knownTo(ground)
			if ground == world.Dirt || ground == world.Grass { // they become each other by themselves
				may = knownTo(world.Dirt, world.Grass)
			}
			v.guarded = append(v.guarded, &chaosSpot{at: at, known: may})
		}
	}
	who, err := client.NewIdentity(vandalName)
	if err != nil || len(v.guarded) == 0 {
		return errors.Join(err, fmt.Errorf("%d places at the spawn are land", len(v.guarded)))
	}
	v.vandal = &editor{chaos: c, who: who, home: spawn, spots: v.guarded, rand: rng.New(c.t.Seed, 0x7a4d)}
	if who, err = client.NewIdentity(builderName); err != nil {
		return err
	}
	v.builder = &editor{chaos: c, who: who, home: home, spots: c.spots(home), rand: rng.New(c.t.Seed, 0xb111)}
	if err := c.promote(keeper, who); err != nil {
		return err
	}
	return v.vandal.isRefused(keeper, fmt.Sprintf("/claim village %d 0 %d %d %d %d",
		spawn.X-plotRadius, spawn.Z-plotRadius, spawn.X+plotRadius, world.Height-1, spawn.Z+plotRadius))
}

// isRefused lets somebody claim the land until the vandal cannot change it.
func (e *editor) isRefused(keeper speaker, claim string) error {
	g, err := nodelab.JoinAs(e.chaos.t.Context, e.chaos.nodes[0].config.Gateway, e.who, calmTime)
	if err != nil {
		return err
	}
	defer g.Close()
	asked := time.Time{}
	return g.Until(e.chaos.t.Context, "the land to be claimed", func() bool {
		if time.Since(asked) > 3*time.Second {
			asked = time.Now()
			_ = keeper.Say(claim)
			return false
		}
		s := e.nearest(g)
		r := g.Answer(e.trespass(s))
		if r != nil && r.OK { // it was too early: what is there now is not known
			e.spots = slices.DeleteFunc(e.spots, func(o *chaosSpot) bool { return o == s })
			e.chaos.village.guarded = e.spots
		}
		return r != nil && r.Code == wire.Claimed
	})
}

// nearest is the place that is nearest to where somebody stands.
func (e *editor) nearest(g *nodelab.Guest) *chaosSpot {
	at := g.Body().Pos.Block()
	far := func(s *chaosSpot) int32 { return max(nodelab.Abs(s.at.X-at.X), nodelab.Abs(s.at.Z-at.Z)) }
	return slices.MinFunc(e.spots, func(a, b *chaosSpot) int { return cmp.Compare(far(a), far(b)) })
}

// trespass is an act that would change the land.
func (e *editor) trespass(s *chaosSpot) wire.Act {
	if e.rand.OneIn(3) {
		return wire.Act{Kind: wire.Place, X: s.at.X, Y: s.at.Y, Z: s.at.Z, Face: uint8(world.FaceUp)}
	}
	return wire.Act{Kind: wire.Dig, X: s.at.X, Y: s.at.Y, Z: s.at.Z, Face: uint8(world.FaceUp)}
}

// trespasses lets the vandal try until ctx ends.
func (e *editor) trespasses(ctx context.Context) {
	c := e.chaos
	for ctx.Err() == nil {
		g, err := nodelab.JoinAs(ctx, c.door(&e.rand), e.who, loadTime)
		unanswered := false
		for i := 0; err == nil && i < 40 && ctx.Err() == nil; i++ {
			s := e.spots[e.rand.Intn(len(e.spots))]
			if !e.rand.OneIn(10) { // mostly what it reaches for certain
				s = e.nearest(g)
			}
			if r := g.Answer(e.trespass(s)); r != nil && r.OK {
				c.wrong.add("%s has changed %v on land of another", e.who.Name, s.at)
			} else if r != nil && r.Code == wire.Claimed {
				c.village.tries++
			} else if r == nil {
				unanswered = true
			}
			lab.Sleep(ctx, editEvery)
			_, err = g.Step(world.Input{})
		}
		if g != nil && !unanswered { // else its own copy is ahead of the world; all is read at the end
			c.look(e.who.Name, g, e.spots)
		}
		if g != nil {
			g.Close()
		}
		lab.Sleep(ctx, 500*time.Millisecond)
	}
}

// rollback is the order that takes back all that the builder has done.
func (e *editor) rollback() string {
	lo, hi := e.home.Add(-8, -8, -8), e.home.Add(8, 8, 8)
	return fmt.Sprintf("/rollback %s 1d %v %v", e.who.Name, lo, hi)
}

// builds lets the builder build until ctx ends, and take everything back now and then. What
// then is where is not known before the end.
func (e *editor) builds(ctx context.Context) {
	for _, s := range e.spots {
		for _, b := range chaosBlocks {
			s.may[b] = true
		}
	}
	for ctx.Err() == nil {
		g, err := nodelab.JoinAs(ctx, e.chaos.door(&e.rand), e.who, loadTime)
		if err == nil {
			err = goTo(ctx, g, e.home, e.spots)
		}
		for i, b := range chaosBlocks {
			if err == nil {
				err = e.pick(ctx, g, i, b)
			}
		}
		for i := 0; err == nil && i < 40 && ctx.Err() == nil; i++ {
			if err = e.change(g); err == nil {
				lab.Sleep(ctx, editEvery)
				_, err = g.Step(world.Input{})
			}
		}
		if g != nil {
			if err == nil && g.Say(e.rollback()) == nil {
				e.chaos.village.takes++
				lab.Sleep(ctx, 2*time.Second)
			}
			g.Close()
		}
		lab.Sleep(ctx, 500*time.Millisecond)
	}
}

// change changes one of the builder's places.
func (e *editor) change(g *nodelab.Guest) error {
	s := e.spots[e.rand.Intn(len(e.spots))]
	act := wire.Act{Kind: wire.Place, X: s.at.X, Y: s.at.Y - 1, Z: s.at.Z, Face: uint8(world.FaceUp), A: uint64(e.rand.Intn(len(chaosBlocks)))}
	if now, ok := g.Blocks().Block(s.at); ok && now != world.Air {
		act = wire.Act{Kind: wire.Dig, X: s.at.X, Y: s.at.Y, Z: s.at.Z, Face: uint8(world.FaceUp)}
	}
	g.Answer(act)
	select {
	case <-g.Ended:
		return nodelab.ErrEnded
	default:
		return nil
	}
}

// takeBack rolls the builder back as a whole: from then on nothing of it may be there, nor
// anything new on the land.
func (c *chaos) takeBack() error {
	e := c.village.builder
	g, err := nodelab.JoinAs(c.t.Context, c.nodes[0].config.Gateway, c.reader, calmTime)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := goTo(c.t.Context, g, e.home, e.spots); err != nil {
		return err
	}
	asked := time.Time{}
	err = g.Until(c.t.Context, "what the builder has built to be taken back", func() bool {
		if time.Since(asked) > 5*time.Second {
			asked = time.Now()
			_ = g.Say(e.rollback())
		}
		return !slices.ContainsFunc(e.spots, func(s *chaosSpot) bool {
			b, ok := g.Blocks().Block(s.at)
			return !ok || b != world.Air && len(c.lostAt(s.at)) == 0
		})
	})
	if err != nil {
		c.wrong.add("a rollback: %v", err)
	}
	for _, s := range e.spots {
		if len(c.lostAt(s.at)) == 0 { // else who has built what may be lost, or be merged without it
			s.may = map[world.Block]bool{world.Air: true}
		}
	}
	c.burner.spots = append(c.burner.spots, c.burner.ground...)
	c.editors = append(c.editors, e, c.village.vandal)
	return nil
}
