package node

import (
	"crypto/ed25519"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// operators are the nodes that take a player for an operator.
func (c *cluster) operators(who id.ID) (nodes []int) {
	for i := range c.nodes {
		if c.node(i).decisions.log.IsOperator(who) {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// TestHostileLobby: who leads the lobby's group makes nobody an operator, takes
// that from nobody and bans nobody; the founder still can.
func TestHostileLobby(t *testing.T) {
	c := changedCluster(t, 3, 4, func(_ int, n *Net) { n.Founder = nodePeer(0).ID })
	founder := c.enterFounder(0)
	eve := c.addGuest(1)
	c.until("Eve is in", func() bool { return eve.in })
	c.until("the founder is an operator everywhere", func() bool { return founder.operator && len(c.operators(founder.player())) == len(c.nodes) })

	liar := c.leaderOf(shards.Lobby)
	tellAll := func(m machine.Message) {
		c.nodes[liar].Call(func() {
			for i := range c.nodes {
				if i != liar {
					c.node(liar).net.links.Send(nodePeer(i), m)
				}
			}
		})
	}
	// The lobby orders it, vouches for it, and spreads statements that it can make.
	for _, home := range []*wanderer{eve, founder} {
		to := shards.Shard{Region: home.home}
		for _, o := range c.forgedOrders(home, founder) {
			tellAll(&routing.Routed{To: to, From: shards.Lobby, Msg: &region.Order{Player: home.player(), Signed: o}})
		}
	}
	evil := ed25519.NewKeyFromSeed([]byte("the key of whoever is evil, 32 B"))
	now := uint64(c.s.Now()) / uint64(time.Millisecond)
	var list [][]byte
	for i, s := range []*decision.Statement{
		{Topic: decision.Operator, On: true, Subject: eve.player()},
		{Topic: decision.Operator, Subject: founder.player()},
		{Topic: decision.Ban, On: true, Subject: founder.player()},
	} {
		s.World, s.Seq = id.Of([]byte("country")), now+uint64(i)
		s.Sign(evil)
		list = append(list, s.Append(nil))
		s.Issuer = founderPublic
		list = append(list, s.Append(nil))
	}
	tellAll(&Decisions{List: list})
	// Its own log says what it likes.
	c.nodes[liar].Call(func() {
		forged := decision.New(id.Of([]byte("country")), [32]byte(evil.Public().(ed25519.PublicKey)))
		d, err := decision.Decode(list[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := forged.Merge([]*decision.Statement{d}, time.Unix(0, int64(c.s.Now()))); err != nil {
			t.Fatal(err)
		}
		*c.node(liar).decisions.log = *forged
	})
	c.s.Run(time.Minute)
	for i := range c.nodes {
		if log := c.node(i).decisions.log; i != liar && (log.IsOperator(eve.player()) || !log.IsOperator(founder.player()) || log.Banned(founder.player(), "", time.Unix(0, int64(c.s.Now()))) != nil) {
			t.Errorf("node %d believes the liar", i)
		}
	}
	if led := c.leaderOf(shards.Shard{Region: eve.home}); led != liar && eve.operator {
		t.Errorf("Eve has become an operator on node %d", led)
	}
	if led := c.leaderOf(shards.Shard{Region: founder.home}); led != liar && !founder.operator {
		t.Errorf("the founder is no operator any more on node %d", led)
	}
	if c.leaderOf(shards.Shard{Region: eve.home}) == liar || c.leaderOf(shards.Shard{Region: founder.home}) == liar {
		t.Fatal("the liar leads where they are: take another seed")
	}
}

// TestDecisionsSpread: what is decided reaches all nodes, also one that was not
// there, survives a restart, and takes effect where the player is.
func TestDecisionsSpread(t *testing.T) {
	c := newCluster(t, 3, 3)
	c.s.Run(3 * time.Second)
	bo := c.addGuest(1)
	c.until("Bo is in", func() bool { return bo.in })
	decide := func(s *decision.Statement) {
		c.nodes[0].Call(func() {
			n := c.node(0)
			s.World, s.Seq = n.decisions.log.World(), n.decisions.log.Next(n.decisions.log.Root(), n.decisions.time())
			n.cfg.Sign(s)
			if err := n.decisions.take([]*decision.Statement{s}, nil); err != nil {
				t.Fatal(err)
			}
			n.drain()
		})
	}
	c.nodes[2].Crash()
	decide(&decision.Statement{Topic: decision.Operator, On: true, Subject: bo.player()})
	c.until("Bo is an operator", func() bool { return bo.operator })
	c.nodes[2].Restart()
	c.until("the node that was away knows it", func() bool { return len(c.operators(bo.player())) == 3 })
	decide(&decision.Statement{Topic: decision.Operator, Subject: bo.player()})
	c.until("Bo is none any more", func() bool { return !bo.operator && len(c.operators(bo.player())) == 0 })
	decide(&decision.Statement{Topic: decision.Ban, On: true, Subject: bo.player()})
	c.until("Bo is thrown out", func() bool { return slices.Contains(bo.refused, "banned") })
	c.nodes[1].Crash()
	c.nodes[1].Restart()
	c.s.Run(5 * time.Second)
	if c.node(1).decisions.log.Banned(bo.player(), "", time.Unix(0, int64(c.s.Now()))) == nil {
		t.Error("the ban was forgotten by a restart")
	}
}

// TestBannedIsKeptOut: a region lets nobody in who is banned, whatever the host of
// the lobby has vouched for.
func TestBannedIsKeptOut(t *testing.T) {
	c := newCluster(t, 3, 1)
	c.s.Run(time.Second)
	n := c.node(0)
	eve := id.Of([]byte("eve"))
	c.nodes[0].Call(func() {
		s := &decision.Statement{World: n.decisions.log.World(), Seq: 1 + uint64(c.s.Now())/1e6, Topic: decision.Ban, On: true, Subject: eve}
		n.cfg.Sign(s)
		if err := n.decisions.take([]*decision.Statement{s}, nil); err != nil {
			t.Fatal(err)
		}
		to := region.PeerOf(spawn.Region())
		if !n.decisions.bars(part.Call{To: to, From: machine.Peer{ID: id.ID{1}, Addr: n.net.tag}, Msg: &region.Enter{Player: eve}}) {
			t.Error("a banned player is let in")
		}
		if n.decisions.bars(part.Call{To: to, Msg: &region.Enter{Player: id.ID{9}}}) || n.decisions.bars(part.Call{To: region.Lobby, Msg: &lobby.Leave{}}) {
			t.Error("others are kept out")
		}
	})
}
