package chaoslab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// The editors share a chest and a furnace. Each begins with tokens, ores which the furnace
// makes ingots of, moves them in and out and lets some fall where all editors come to
// stand, while things go wrong: at the end there are as many as there were, on the disks
// of all hosts together.

const (
	token       = world.IronOre
	smelted     = world.IronIngot
	fuel        = world.CoalOre
	tokensEach  = 64
	fuelEach    = 40
	movesAtOnce = 12
)

// openMarket places the chest and the furnace and gives the editors their tokens, before
// anything goes wrong.
func (c *chaos) openMarket() (err error) {
	at := c.dry(c.land.Gen.Spawn().Region().Column(0).Origin().Add(60, 0, 60), apart)
	c.market = at
	free := c.spots(at)
	c.traders = len(c.editors)
	for _, e := range c.editors {
		if free, err = e.prepare(c.t.Context, free); err != nil {
			return fmt.Errorf("%s before the storm: %w", e.who.Name, err)
		}
	}
	return nil
}

// prepare gives an editor its tokens, its sign and its door; the first one places the
// containers. It returns which of the places are still free.
func (e *editor) prepare(ctx context.Context, free []*chaosSpot) ([]*chaosSpot, error) {
	c := e.chaos
	g, err := nodelab.JoinAs(ctx, c.nodes[0].config.Gateway, e.who, calmTime)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if err := goTo(ctx, g, c.market, free); err != nil {
		return nil, err
	}
	places := map[world.Block]*world.Pos{world.OakSign: &e.sign.at, world.OakDoor: &e.door.at}
	if e == c.editors[0] {
		places[world.Chest], places[world.Furnace] = &c.chest, &c.furnace
	}
	for _, b := range slices.Sorted(maps.Keys(places)) {
		if *places[b], free, err = e.puts(ctx, g, b, free); err != nil {
			return nil, err
		}
	}
	e.sign.known, e.door.known = knownTo(""), knownTo(doorClosed)
	return free, errors.Join(e.isGiven(ctx, g, token, tokensEach), e.isGiven(ctx, g, fuel, fuelEach))
}

// puts places a block at the first place where nothing is in its way, as an animal or a
// branch is, and returns the places that are left.
func (e *editor) puts(ctx context.Context, g *nodelab.Guest, b world.Block, free []*chaosSpot) (at world.Pos, left []*chaosSpot, err error) {
	if err := e.pick(ctx, g, 0, b); err != nil {
		return at, nil, err
	}
	err = fmt.Errorf("no room for a %v at %v", b, e.chaos.market)
	for i, s := range free {
		below := s.at.Next(world.FaceDown)
		r := g.Answer(wire.Act{Kind: wire.Place, X: below.X, Y: below.Y, Z: below.Z, Face: uint8(world.FaceUp)})
		if r == nil {
			return at, nil, fmt.Errorf("no answer whether a %v is at %v", b, s.at)
		} else if r.OK {
			return s.at, slices.Delete(slices.Clone(free), i, i+1), nil
		}
		err = fmt.Errorf("a %v cannot be placed at %v: %+v", b, s.at, r)
	}
	return at, nil, err
}

// isGiven gives an editor n of a block.
func (e *editor) isGiven(ctx context.Context, g *nodelab.Guest, b world.Block, n int) error {
	if err := g.Say(fmt.Sprintf("/give %s %v %d", e.who.Name, b, n)); err != nil {
		return err
	}
	return g.Until(ctx, fmt.Sprint("to have ", b), func() bool { return carries(g, b) == n })
}

func carries(g *nodelab.Guest, b world.Block) (n int) {
	for i := range world.Slots {
		if s := g.Slot(i); world.Block(s.Block) == b {
			n += int(s.Count)
		}
	}
	return n
}

// trade moves tokens into a container and out of it.
func (e *editor) trade(ctx context.Context, g *nodelab.Guest) error {
	c := e.chaos
	if err := goTo(ctx, g, c.market, []*chaosSpot{{at: c.chest}, {at: c.furnace}}); err != nil {
		return err
	}
	at := c.chest
	if e.rand.OneIn(2) {
		at = c.furnace
	}
	act := func(kind wire.ActKind, a uint64, b uint32) *wire.ActResult {
		return g.Answer(wire.Act{Kind: kind, X: at.X, Y: at.Y, Z: at.Z, A: a, B: b})
	}
	for range movesAtOnce {
		if ctx.Err() != nil {
			return nil
		}
		switch e.rand.Intn(5) {
		case 0:
			e.writes(g)
		case 2:
			e.turns(g)
		case 1:
			if err := e.lets(g); err != nil {
				return err
			}
		}
		if r := act(wire.Open, 0, 0); r == nil {
			break
		}
		from := e.tokenSlot(g, at)
		if from < 0 {
			break
		}
		count := uint32(e.rand.Intn(20)) // 0: all
		r := act(wire.Store, uint64(from), world.AnySlot|count<<8)
		if r != nil && r.OK {
			c.tally.moves.Add(1)
		}
		lab.Sleep(ctx, editEvery/3)
		if _, err := g.Step(world.Input{}); err != nil {
			return err
		}
	}
	select {
	case <-g.Ended:
		return nodelab.ErrEnded
	default:
		return nil
	}
}

// lets lets some of what it carries fall to its feet. Whoever comes to the market picks it
// up, long before it is gone.
func (e *editor) lets(g *nodelab.Guest) error {
	if _, err := g.Step(world.Input{Pitch: -1 << 14}); err != nil {
		return err
	}
	slot := e.tokenSlot(g, world.Pos{})
	if slot < 0 {
		return nil
	}
	if r := g.Answer(wire.Act{Kind: wire.Drop, A: uint64(slot), B: uint32(1 + e.rand.Intn(20))}); r != nil && r.OK {
		e.chaos.tally.drops.Add(1)
	}
	return nil
}

// tokenSlot is a slot with tokens or fuel, of the editor or of the container at a place;
// -1: there is none.
func (e *editor) tokenSlot(g *nodelab.Guest, at world.Pos) int {
	var all []int
	for i := range world.Slots {
		switch s := g.Slot(i); world.Block(s.Block) {
		case token, smelted, fuel:
			if s.Count > 0 {
				all = append(all, i)
			}
		}
	}
	if in := g.Container(); in.Pos() == at {
		for _, s := range in.Slots {
			all = append(all, world.ContainerSlots+int(s.Slot))
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[e.rand.Intn(len(all))]
}

// countTokens counts the tokens in the stores of all hosts. What is on its way over a
// border is in one of two stores.
func (c *chaos) countTokens(replicas map[string][]replica) error {
	sum, leaving, carried := 0, 0, map[id.ID]region.StoredPlayer{}
	for _, space := range slices.Sorted(maps.Keys(replicas)) {
		if !strings.HasPrefix(space, "r.") { // the lobby's
			continue
		}
		lying, asked, players, err := region.StoredItems(replicas[space][0].kvs, token, smelted)
		if err != nil {
			return fmt.Errorf("%s: %w", space, err)
		}
		sum += lying
		leaving += asked
		for who, p := range players { // the order does not matter
			if old, ok := carried[who]; !ok || p.Epoch > old.Epoch {
				carried[who] = p
			}
		}
	}
	for _, p := range carried { // the order does not matter
		sum += p.Count
	}
	j, err := c.readJournals()
	if err != nil {
		return err
	}
	gone := j.gone(replicas)
	c.counts["tokens"], c.counts["expired_tokens"] = sum, gone
	if want := tokensEach*c.traders - gone; (sum > want || sum+leaving < want) && !c.tradedDuringLoss() {
		c.wrong.add("%d tokens are on the disks and up to %d on their way, there were %d, and %d have lain on the ground for too long: %v", sum, leaving, want+gone, gone, carried)
		for _, text := range j.oddities() {
			c.logf("does not add up: %s", text)
		}
	}
	if c.tally.moves.Load() == 0 {
		return errors.New("nobody has moved anything into the chest or the furnace")
	}
	return nil
}

// tradedDuringLoss reports whether an editor was on its way with what it carries while a
// region lost something, as a node has said: of what it took out of the chest then, either
// region may know.
func (c *chaos) tradedDuringLoss() bool {
	for _, e := range c.editors[:c.traders] {
		for _, s := range e.away {
			for _, lost := range c.lost { // the order does not matter
				if slices.ContainsFunc(lost, func(l loss) bool { return !s.from.After(l.to) && (s.to.IsZero() || !s.to.Before(l.from)) }) {
					return true
				}
			}
		}
	}
	return false
}
