package chaoslab

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// chaosSpot is a place that one editor alone changes, with what may be there:
// what was acknowledged last, and what was asked for since without a clear
// answer.
type chaosSpot struct {
	at world.Pos
	known[world.Block]
	burns   bool       // if it is flammable
	against *chaosSpot // what blocks are placed against there; nil: the ground
	face    world.Face // of that
}

func (s *chaosSpot) String() string {
	return fmt.Sprintf("%v may be %v (%s)", s.at, slices.Sorted(maps.Keys(s.may)), s.story())
}

// chaosBlocks are what editors build with: cubes that stay as they are (dirt would become grass).
var chaosBlocks = []world.Block{
	world.Bricks, world.StoneBricks, world.OakPlanks, world.PinePlanks, world.BirchPlanks, world.Cobblestone, world.Stone, world.Sandstone,
}

// editor is a player who changes places around a home, joins through one node
// after another, and knows what was acknowledged.
type editor struct {
	chaos *chaos
	who   client.Identity
	home  world.Pos // of the feet
	spots []*chaosSpot
	rand  rng.Rand
	acks  atomic.Int64
	sign  ownSign
	door  ownDoor
	// ground is what lies under the spots of the burner.
	ground []*chaosSpot
	away   []span // when it was not at home, with what it carries
}

// span is a time between two moments; it has not ended if to is zero.
type span struct{ from, to time.Time }

// chaosTally counts what editors did.
type chaosTally struct {
	edits, acked, refused, unclear, moves, drops, texts, turns, burnt, joins, failedJoins atomic.Int64
}

const (
	editEvery = 300 * time.Millisecond
	loadTime  = 20 * time.Second
)

// run edits until ctx ends.
func (e *editor) run(ctx context.Context) {
	for ctx.Err() == nil {
		until, stop := context.WithTimeout(ctx, time.Duration(5+e.rand.Intn(30))*time.Second)
		err := e.session(until)
		stop()
		if err != nil && ctx.Err() == nil {
			e.chaos.logf("%s: %v", e.who.Name, err)
			lab.Sleep(ctx, 500*time.Millisecond)
		}
	}
}

// goTo teleports to a place, and waits until the spots around it are known.
func goTo(ctx context.Context, g *nodelab.Guest, home world.Pos, spots []*chaosSpot) error {
	asked := time.Time{}
	unknown := func(s *chaosSpot) bool { _, ok := g.Blocks().Block(s.at); return !ok }
	err := g.Until(ctx, fmt.Sprint("the land at ", home), func() bool {
		if p := g.Body().Pos.Block(); max(nodelab.Abs(p.X-home.X), nodelab.Abs(p.Z-home.Z)) > 1 {
			if time.Since(asked) > 3*time.Second { // it may be lost with a host
				asked = time.Now()
				_ = g.Say(fmt.Sprintf("/tp %d %d %d", home.X, home.Y, home.Z)) // an end is noticed elsewhere
			}
			return false
		}
		return !slices.ContainsFunc(spots, unknown)
	})
	if i := slices.IndexFunc(spots, unknown); err != nil && i >= 0 {
		err = fmt.Errorf("%w: it is at %v and does not know the block at %v", err, g.Body().Pos.Block(), spots[i].at)
	} else if err != nil {
		err = fmt.Errorf("%w: it is at %v", err, g.Body().Pos.Block())
	}
	return err
}

// session joins by some node and edits until ctx ends.
func (e *editor) session(ctx context.Context) error {
	tally := &e.chaos.tally
	tally.joins.Add(1)
	g, err := nodelab.JoinAs(ctx, e.chaos.door(&e.rand), e.who, loadTime)
	if err != nil {
		tally.failedJoins.Add(1)
		return err
	}
	defer g.Close()
	e.away = append(e.away, span{from: time.Now()})
	if e != e.chaos.burner && e.rand.Intn(2) == 0 {
		if err := e.trade(ctx, g); err != nil {
			return err
		}
	}
	if err := goTo(ctx, g, e.home, e.spots); err != nil {
		return err
	}
	e.away[len(e.away)-1].to = time.Now()
	e.chaos.look(e.who.Name, g, e.spots)
	for i, b := range chaosBlocks {
		if err := e.pick(ctx, g, i, b); err != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		if err := e.edit(ctx, g); err != nil {
			return err
		}
		lab.Sleep(ctx, editEvery)
		if _, err := g.Step(world.Input{}); err != nil {
			return err
		}
	}
	return nil
}

// pick takes a block into a slot.
func (e *editor) pick(ctx context.Context, g *nodelab.Guest, slot int, b world.Block) error {
	for ctx.Err() == nil {
		if r := g.Answer(wire.Act{Kind: wire.Pick, A: uint64(b), B: uint32(slot)}); r != nil && r.OK {
			return nil
		}
		select {
		case <-g.Ended:
			return nodelab.ErrEnded
		case <-time.After(editEvery):
		}
	}
	return ctx.Err()
}

// edit changes one of the spots.
func (e *editor) edit(ctx context.Context, g *nodelab.Guest) error {
	s := e.spots[e.rand.Intn(len(e.spots))]
	now, ok := g.Blocks().Block(s.at)
	if !ok {
		return nil // will come
	}
	if s.burnt(now) && !s.may[now] {
		e.chaos.tally.burnt.Add(1)
	}
	slot := e.rand.Intn(len(chaosBlocks))
	below := s.at.Add(0, -1, 0)
	act, to := wire.Act{Kind: wire.Place, X: below.X, Y: below.Y, Z: below.Z, Face: uint8(world.FaceUp), A: uint64(slot)}, chaosBlocks[slot]
	if s.against != nil {
		act.X, act.Y, act.Z, act.Face = s.against.at.X, s.against.at.Y, s.against.at.Z, uint8(s.face)
	}
	if now != world.Air {
		act, to = wire.Act{Kind: wire.Dig, X: s.at.X, Y: s.at.Y, Z: s.at.Z, Face: uint8(world.FaceUp)}, world.Air
	}
	tally := &e.chaos.tally
	tally.edits.Add(1)
	answered := s.ask(to)
	r := g.Answer(act)
	answered(r != nil, r != nil && r.OK)
	switch {
	case r == nil:
		tally.unclear.Add(1)
		select {
		case <-g.Ended:
			return nodelab.ErrEnded
		default:
			return nil
		}
	case r.OK:
		tally.acked.Add(1)
		e.acks.Add(1)
	default:
		tally.refused.Add(1)
	}
	return nil
}

// violations collects what must not be.
type violations struct {
	mu   sync.Mutex
	list []string
}

func (v *violations) add(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = append(v.list, fmt.Sprintf(format, args...))
}

// look compares what a client sees with what may be there.
func (c *chaos) look(who string, g *nodelab.Guest, spots []*chaosSpot) {
	for _, s := range spots {
		if b, ok := g.Blocks().Block(s.at); ok && !s.may[b] && !s.burnt(b) {
			c.see(sighting{time.Now(), who, s, b, s.String()})
		}
	}
}
