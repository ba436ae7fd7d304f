package node

import (
	"crypto/ed25519"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var evilKey = ed25519.NewKeyFromSeed([]byte("the key of whoever is evil, 32 B"))

// order is an order about a player, signed.
func (c *cluster) order(o decision.Order, who id.ID, key ed25519.PrivateKey) []byte {
	o.World, o.Subject = id.Of([]byte("country")), who
	c.orders++
	o.Seq = uint64(c.s.Now())/uint64(time.Millisecond) + c.orders
	o.Sign(key)
	return o.Append(nil)
}

// forgedOrders are orders of each kind about a player, as the host of the lobby can
// make them: signed by itself, in an operator's name, and by nobody.
func (c *cluster) forgedOrders(who, operator *wanderer) (list [][]byte) {
	for _, o := range []decision.Order{
		{Kind: decision.Teleport, At: world.Vec{X: 20 << 12, Y: 90 << 12, Z: 20 << 12}}, {Kind: decision.Give, Text: "gold_ore", Count: 999},
		{Kind: decision.SetMode, Text: "spectator"}, {Kind: decision.Kick, Text: "go away"}, {Kind: decision.Spawn},
	} {
		list = append(list, c.forgeries(o, who, operator)...)
	}
	return list
}

// forgeries are an order about a player, forged in each of these ways.
func (c *cluster) forgeries(o decision.Order, who, operator *wanderer) [][]byte {
	own := c.order(o, who.player(), evilKey)
	name := slices.Clone(own)
	copy(name[21:], operator.key().Public().(ed25519.PublicKey))
	return [][]byte{own, name, decision.Unsigned(own)}
}

// TestForgedOrdersOfTheLobby: the host of the lobby commands nobody, cannot repeat
// what an operator has ordered, and kicks nobody in an operator's name.
func TestForgedOrdersOfTheLobby(t *testing.T) {
	c := changedCluster(t, 2, 4, func(_ int, n *Net) { n.Founder = nodePeer(0).ID })
	founder := c.enterFounder(0)
	at := 1 // Eve's node
	if c.leaderOf(shards.Lobby) == at {
		at = 2
	}
	eve := c.addGuest(at)
	c.until("Eve is in", func() bool { return eve.in })
	c.until("the founder is an operator everywhere", func() bool { return len(c.operators(founder.player())) == len(c.nodes) })
	liar, home := c.leaderOf(shards.Lobby), func() shards.Shard { return shards.Shard{Region: eve.home} } // she walks about
	if leader := c.leaderOf(home()); leader == liar || at == liar {
		t.Fatalf("node %d leads the lobby and node %d where Eve is: take another seed", liar, leader)
	}
	tells := func(to int, m machine.Message) {
		c.nodes[liar].Call(func() { c.node(liar).net.links.Send(nodePeer(to), m) })
	}
	order := func(signed []byte) {
		for i := range c.nodes {
			if i != liar {
				tells(i, &routing.Routed{To: home(), From: shards.Lobby, Msg: &region.Order{Player: eve.player(), Signed: signed}})
			}
		}
		c.s.Run(time.Second)
	}
	gold := func() int { return eve.items.Count(world.GoldOre) }

	for _, signed := range c.forgedOrders(eve, founder) {
		order(signed)
	}
	if pos := eve.pos.Block(); gold() != 0 || pos.X == 20 && pos.Z == 20 || !eve.in || eve.left || eve.mode != world.Creative {
		t.Errorf("forged orders were executed: %d, at %v, in %v", gold(), eve.pos.Block(), eve.in)
	}

	// What an operator has signed is executed, once.
	give := c.order(decision.Order{Kind: decision.Give, Text: "gold_ore", Count: 1}, eve.player(), founder.key())
	order(give)
	if gold() != 1 {
		t.Fatalf("an operator's order has no effect: %d", gold())
	}
	order(give)
	c.nodes[c.leaderOf(home())].Crash()
	c.until("another node leads", func() bool { l := c.leaderOf(home()); return l >= 0 && eve.in })
	c.s.Run(10 * time.Second)
	order(give)
	if gold() > 1 {
		t.Errorf("an order was executed %d times", gold())
	}

	// The liar can end Eve's session, but not in an operator's name.
	stranger := c.order(decision.Order{Kind: decision.Kick, Text: "go away"}, eve.player(), evilKey)
	tells(at, &ToSessions{[]id.ID{id.Of([]byte("session 1"))}, &lobby.Refused{Code: wire.Kicked, Text: "An operator has kicked you.", Order: stranger}})
	c.s.Run(time.Second)
	if slices.Contains(eve.refused, string(wire.Kicked)) || !slices.Contains(eve.refused, string(wire.Internal)) {
		t.Errorf("Eve hears %v", eve.refused)
	}
}

// TestKickIsShownOnce: a node shows a kick to its sessions that an operator has
// signed, and no second time.
func TestKickIsShownOnce(t *testing.T) {
	c := newCluster(t, 3, 1)
	c.s.Run(time.Second)
	d, bo := c.node(0).decisions, id.Of([]byte("bo"))
	c.nodes[0].Call(func() {
		operator := id.Of(evilKey.Public().(ed25519.PublicKey))
		s := &decision.Statement{World: d.log.World(), Seq: 1 + uint64(c.s.Now())/1e6, Topic: decision.Operator, On: true, Subject: operator}
		s.Sign(founderKey)
		if err := d.take([]*decision.Statement{s}, nil); err != nil {
			t.Fatal(err)
		}
		kick := &lobby.Refused{Code: wire.Kicked, Order: c.order(decision.Order{Kind: decision.Kick, Text: "go away"}, bo, evilKey)}
		mode := &lobby.Refused{Code: wire.Kicked, Order: c.order(decision.Order{Kind: decision.Spawn}, bo, evilKey)}
		code := func(m *lobby.Refused) wire.Code { return d.fromLobby(m).(*lobby.Refused).Code }
		if code(kick) != wire.Kicked || code(kick) != wire.Internal || code(mode) != wire.Internal || code(&lobby.Refused{Code: wire.Kicked}) != wire.Internal {
			t.Error("a kick is shown that nobody has ordered, or twice")
		}
		if full := (&lobby.Refused{Code: wire.Full}); d.fromLobby(full) != machine.Message(full) {
			t.Error("another refusal is changed")
		}
	})
}
