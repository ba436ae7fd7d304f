package region

import (
	"crypto/ed25519"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var (
	bedWorld    = id.Of([]byte("bed"))
	operatorKey = ed25519.NewKeyFromSeed([]byte("the key of an operator, 32 bytes"))
)

// protect lets only operators build in boxes of a region, as the rules of a world do
// around its spawn.
func (b *bed) protect(pos world.RegionPos, boxes ...world.Zone) {
	b.tampered = true // boxes exist in tests only: the log does not have them
	b.region(pos).r.area.SetZones(boxes)
}

// signedOrder is an order about a player, issued now.
func (b *bed) signedOrder(player id.ID, o decision.Order, key ed25519.PrivateKey) *Order {
	b.lastSeq = max(b.lastSeq+1, uint64(b.now)/uint64(time.Millisecond))
	if o.World.IsZero() {
		o.World = bedWorld
	}
	if o.Seq == 0 {
		o.Seq = b.lastSeq
	}
	o.Subject = player
	o.Sign(key)
	return &Order{Player: player, Signed: o.Append(nil)}
}

// ordered is an order about a player that an operator has signed.
func (b *bed) ordered(player id.ID, o decision.Order) *Order {
	return b.signedOrder(player, o, operatorKey)
}

// order is any order.
func (z *fuzzer) order(c *client) *Order {
	g := z.g
	o := decision.Order{
		Kind: decision.OrderKind(g.Intn(7)), Seq: uint64(z.number()), At: z.vec(), Count: uint16(z.number()),
		Text: []string{"", "stone", "creative", "x"}[g.Intn(4)],
	}
	if g.OneIn(2) {
		o.Seq = 0
	}
	m := z.b.ordered(c.player, o)
	if g.OneIn(4) {
		m.Signed = m.Signed[:g.Intn(len(m.Signed))]
	}
	return m
}

// TestForgedOrders: the host of the lobby commands nobody without the signature of
// somebody who is an operator.
func TestForgedOrders(t *testing.T) {
	evil := ed25519.NewKeyFromSeed([]byte("the key of whoever is evil, 32 B"))
	for what, forge := range map[string]func(b *bed, c *client, o decision.Order) *Order{
		"nobody has signed it": func(b *bed, c *client, o decision.Order) *Order {
			m := b.ordered(c.player, o)
			clear(m.Signed[len(m.Signed)-ed25519.SignatureSize:])
			return m
		},
		"signed by somebody else": func(b *bed, c *client, o decision.Order) *Order { return b.signedOrder(c.player, o, evil) },
		"of somebody else, in an operator's name": func(b *bed, c *client, o decision.Order) *Order {
			m := b.signedOrder(c.player, o, evil)
			copy(m.Signed[21:], operatorKey.Public().(ed25519.PublicKey))
			return m
		},
		"of a former operator": func(b *bed, c *client, o decision.Order) *Order {
			clear(b.operators)
			return b.ordered(c.player, o)
		},
		"about somebody else": func(b *bed, c *client, o decision.Order) *Order {
			return &Order{Player: c.player, Signed: b.ordered(id.Of([]byte("somebody else")), o).Signed}
		},
		"of another world": func(b *bed, c *client, o decision.Order) *Order {
			o.World = id.Of([]byte("another world"))
			return b.ordered(c.player, o)
		},
		"of yesterday": func(b *bed, c *client, o decision.Order) *Order {
			o.Seq = uint64(b.now.Add(-decision.OrderWindow-time.Second)) / 1e6
			return b.ordered(c.player, o)
		},
		"of tomorrow": func(b *bed, c *client, o decision.Order) *Order {
			o.Seq = uint64(b.now.Add(decision.OrderWindow+time.Second)) / 1e6
			return b.ordered(c.player, o)
		},
		"changed": func(b *bed, c *client, o decision.Order) *Order {
			m := b.ordered(c.player, o)
			m.Signed[107]++ // the count, or what is called so
			return m
		},
	} {
		t.Run(what, func(t *testing.T) {
			b := newBed(t)
			c := b.client("ada").enter()
			b.run(time.Second)
			r, h := b.homeOf(c.player)
			was, mode := h.p.Body.Pos, h.p.Mode
			for _, o := range []decision.Order{
				{Kind: decision.SetMode, Text: "spectator"}, {Kind: decision.Give, Text: "gold_ore", Count: 999},
				{Kind: decision.Teleport, At: metres(20, 90, 20)}, {Kind: decision.Kick, Text: "go away"}, {Kind: decision.Spawn},
			} {
				refused := r.stats.Refused
				b.deliver(here, Lobby, forge(b, c, o))
				b.run(200 * time.Millisecond)
				if r.stats.Refused != refused+1 {
					t.Errorf("kind %d was not refused", o.Kind)
				}
			}
			if _, now := b.homeOf(c.player); now != h || h.p.Mode != mode || h.p.Body.Pos != was || h.p.Items.Count(world.GoldOre) != 0 {
				t.Errorf("it has an effect: %+v", now)
			}
		})
	}
}

// TestOrdersOfOperators: what an operator has signed is done, and players may order
// themselves to the spawn.
func TestOrdersOfOperators(t *testing.T) {
	b := newBed(t)
	c, key := keyed(b)
	_, h := b.homeOf(c.player)
	for _, o := range []decision.Order{
		{Kind: decision.SetMode, Text: "survival"}, {Kind: decision.Give, Text: "gold_ore", Count: 70}, {Kind: decision.Teleport, At: metres(20.5, flatTop+1, 20.5)},
	} {
		b.wants(here, b.ordered(c.player, o))
		b.run(200 * time.Millisecond)
	}
	if at := h.p.Body.Pos.Block(); h.p.Mode != world.Survival || h.p.Items.Count(world.GoldOre) != 70 || at.X != 20 || at.Z != 20 {
		t.Errorf("%v at %v", h.p.Mode, at)
	}
	b.wants(here, b.signedOrder(c.player, decision.Order{Kind: decision.Spawn}, key))
	b.run(200 * time.Millisecond)
	if at := h.p.Body.Pos.Block(); at.X != 64 || at.Z != 64 {
		t.Errorf("not at the spawn, but at %v", at)
	}
	b.wants(here, b.ordered(c.player, decision.Order{Kind: decision.Kick}))
	b.run(time.Second)
	kicked := slices.ContainsFunc(c.other, func(m machine.Message) bool {
		l, ok := m.(*Left)
		return ok && l.Reason == LeftKicked
	})
	if r, _ := b.homeOf(c.player); r != nil || !kicked {
		t.Error("not kicked")
	}
}

// TestRepeatedOrders: an order is executed once, also when another machine leads the
// region since, when the player has gone to another region and come back, or has
// left the world and entered again.
func TestRepeatedOrders(t *testing.T) {
	for _, how := range []string{"at once", "the region is read again", "in another region", "there and back", "has left and come back", "many others since"} {
		t.Run(how, func(t *testing.T) {
			b := newBed(t)
			c := atBorder(b, "ada")
			give := decision.Order{Kind: decision.Give, Text: "gold_ore", Count: 1}
			m := b.ordered(c.player, give)
			b.deliver(here, Lobby, m)
			b.run(time.Second)
			gold := func() int {
				_, h := b.homeOf(c.player)
				return h.p.Items.Count(world.GoldOre)
			}
			if gold() != 1 {
				t.Fatalf("%d were given", gold())
			}
			want, at := 1, here
			goTo := func(x float64, pos world.RegionPos) {
				b.teleport(c, metres(x, flatTop+1, 64.5))
				b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == pos })
				at = pos
			}
			switch how {
			case "the region is read again":
				b.run(saveEvery)
				b.crash()
				b.region(here)
				c.enter()
				b.run(time.Second)
			case "in another region":
				goTo(132, there)
			case "there and back":
				goTo(132, there)
				goTo(124, here)
			case "has left and come back":
				c.send(here, &Leave{c.player})
				b.run(time.Second)
				c.enter()
				b.run(time.Second)
			case "many others since":
				for range 40 {
					b.deliver(here, Lobby, b.ordered(c.player, give))
					b.run(50 * time.Millisecond)
				}
				want = 41
			}
			b.run(time.Second)
			refused := b.region(at).r.stats.Refused
			b.deliver(at, Lobby, m)
			b.run(time.Second)
			if got := b.region(at).r.stats.Refused; gold() != want || got != refused+1 {
				t.Errorf("%d are there, want %d; %d were refused", gold(), want, got-refused)
			}
		})
	}
}

// TestDecidedIsLocal: only the node itself says that its log has changed.
func TestDecidedIsLocal(t *testing.T) {
	b := newBed(t)
	b.run(time.Second)
	r := b.region(here).r
	refused := r.stats.Refused
	for _, from := range []machine.Peer{PeerOf(there), {ID: id.ID{1}}} {
		b.deliver(here, from, &Decided{})
	}
	b.run(time.Second)
	if r.stats.Refused != refused+2 {
		t.Error("others say it, too")
	}
}
