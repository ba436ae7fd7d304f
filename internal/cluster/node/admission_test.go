package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// impostor is a country in which a guest plays at a node that leads neither
// the lobby nor the guest's home, and another node wants to play the guest.
type impostor struct {
	*cluster
	guest   *wanderer
	liar    int
	entries int // of the guest, before the liar speaks
}

// newImpostor makes one; passes says whether nodes look at passes: the liar has
// none.
func newImpostor(t *testing.T, passes bool) *impostor {
	c := newCluster(t, 2, 0)
	i := &impostor{cluster: c}
	c.change = func(_ int, n *Net) {
		n.CheckPass = func(_ *identity.Pass, player id.ID, _ string, gateway id.ID) error {
			if passes && i.liar > 0 && player == i.guest.player() && gateway == nodePeer(i.liar).ID {
				return identity.ErrPass
			}
			return nil
		}
	}
	for n := range 4 {
		c.addNode(n)
	}
	c.s.Run(3 * time.Second)
	i.guest = c.addGuest(0)
	c.until("the guest is in", func() bool { return i.guest.in })
	c.s.Run(10 * time.Second)
	for n := range c.nodes {
		if n != c.leaderOf(shards.Lobby) && n != c.leaderOf(shards.Shard{Region: i.guest.home}) && n != 0 {
			i.liar = n
		}
	}
	if i.liar == 0 {
		t.Fatal("every node leads something of the guest's")
	}
	i.entries = i.guest.entries
	return i
}

// say brings a message in the name of a session of the liar to a shard.
func (i *impostor) say(to shards.Shard, m machine.Message) {
	l := i.node(i.liar)
	i.nodes[i.liar].Call(func() {
		l.net.links.Send(nodePeer(i.leaderOf(to)), &routing.Routed{To: to, Session: id.Of([]byte("false")), Msg: m})
	})
	i.s.Run(8 * time.Second)
}

// unharmed fails if the guest has lost anything to the liar.
func (i *impostor) unharmed() {
	i.Helper()
	if !i.guest.in || i.guest.refused != nil {
		i.Errorf("the guest was thrown out: in %v, %v", i.guest.in, i.guest.refused)
	}
	if i.guest.entries != i.entries {
		i.Errorf("the guest had to enter again: the liar has played it")
	}
	i.checkPresence()
}

// TestNoPass: a node cannot let a player into the world who has not given it a
// pass.
func TestNoPass(t *testing.T) {
	i := newImpostor(t, true)
	i.say(shards.Lobby, &lobby.Enter{Player: i.guest.player(), Name: i.guest.name})
	i.unharmed()
}

// TestNotAdmitted: a region lets no session of another node in that the lobby
// has not admitted as that player, whatever the node says of it.
func TestNotAdmitted(t *testing.T) {
	i := newImpostor(t, false)
	king := &region.Enter{Player: i.guest.player(), Name: "king", Operator: true}
	i.say(shards.Shard{Region: i.guest.home}, king)
	i.say(shards.Lobby, &lobby.Enter{Player: id.Of([]byte("somebody")), Name: "somebody"})
	i.say(shards.Shard{Region: i.guest.home}, king)
	i.unharmed()
}

// TestHostileVouch: the host of the lobby, with an accomplice, brings nobody in as another
// player: regions want to see what the player has signed.
func TestHostileVouch(t *testing.T) {
	i := newImpostor(t, true)
	home, lobbyAt := shards.Shard{Region: i.guest.home}, i.leaderOf(shards.Lobby)
	at := i.leaderOf(home)
	if lobbyAt == at {
		t.Fatal("the lobby's leader leads where the guest is: take another seed")
	}
	session := machine.Peer{ID: id.Of([]byte("false")), Addr: peers.TagOf(nodePeer(i.liar).ID)}
	for range 3 {
		i.nodes[i.liar].Call(func() {
			enter := &region.Enter{Player: i.guest.player(), Name: i.guest.name, Signed: i.guest.name}
			i.node(i.liar).net.links.Send(nodePeer(at), &routing.Routed{To: home, Session: session.ID, Msg: enter})
		})
		for range 10 {
			i.s.Run(10 * time.Millisecond)
			i.nodes[lobbyAt].Call(func() {
				vouched := &lobby.Vouched{Region: home.Region, Session: session, Player: i.guest.player(), OK: true, Entity: 9, Name: i.guest.name}
				i.node(lobbyAt).net.links.Send(nodePeer(at), &routing.Routed{To: home, From: shards.Lobby, Msg: vouched})
			})
		}
		i.s.Run(3 * time.Second)
	}
	i.unharmed()
}

// rush is a country to which guests come at nodes that do not lead the lobby.
func rush(t *testing.T, each int) (c *cluster, lobbyAt int, guests []*wanderer) {
	c = newClusterOn(t, 3, 4, wide())
	c.s.Run(3 * time.Second)
	first := c.addGuest(0)
	c.until("the first guest is in", func() bool { return first.in })
	c.s.Run(10 * time.Second)
	lobbyAt = c.leaderOf(shards.Lobby)
	for n := range c.nodes {
		for range each {
			if n != lobbyAt {
				guests = append(guests, c.addGuest(n))
			}
		}
	}
	return c, lobbyAt, guests
}

// letIn fails if somebody does not get in, or is refused.
func (c *cluster) letIn(guests []*wanderer) {
	c.Helper()
	c.until("all are in", func() bool {
		for _, g := range guests {
			if !g.takes && len(g.refused) == 0 {
				return false
			}
		}
		return true
	})
	for _, g := range guests {
		if len(g.refused) > 0 {
			c.Errorf("%s was refused: %v", g.name, g.refused)
		}
	}
}

// TestSlowLobby: a lobby that takes longer over each answer than anybody should have to
// wait turns nobody away. A rush of players at other nodes comes in in the end.
func TestSlowLobby(t *testing.T) {
	c, lobbyAt, guests := rush(t, 5)
	c.slow = func(of int, m machine.Message) time.Duration {
		if r, ok := m.(*routing.Routed); ok && of == lobbyAt && r.From.Lobby {
			return 8 * time.Second
		}
		return 0
	}
	c.letIn(guests)
}

// TestLobbyForgotSession: the lobby has lost a player with the link to its node, and the
// player's home asks it who that is. It is let in once the lobby knows again, and not
// taken for somebody else meanwhile.
func TestLobbyForgotSession(t *testing.T) {
	c, _, guests := rush(t, 5)
	c.letIn(guests)
	for _, g := range guests {
		g.quiet = true
	}
	c.s.Run(40 * time.Second) // shards move to the nodes that are nearest
	lobbyAt := c.leaderOf(shards.Lobby)
	for i, g := range guests {
		gateway, home := c.indexOf(g.node), c.leaderOf(shards.Shard{Region: g.home})
		if gateway == home || home == lobbyAt || gateway == lobbyAt {
			continue
		}
		cut := []machine.Peer{nodePeer(gateway), nodePeer(lobbyAt)}
		c.s.Cut(func(a, b machine.Peer) bool { return a != b && slices.Contains(cut, a) && slices.Contains(cut, b) })
		c.until("the link to fail", func() bool {
			return c.node(lobbyAt).net.links.Remotes[cut[0].ID].State != peers.Up && c.node(gateway).net.links.Remotes[cut[1].ID].State != peers.Up
		})
		c.guests[i+1].Call(func() {
			g.enter(&lobby.Admitted{Player: g.player(), Entity: 7, Name: g.name})
		})
		c.s.Run(time.Second)
		if g.takes || len(c.node(home).net.admission.vouching) == 0 {
			t.Fatal("its home does not ask the lobby")
		}
		c.s.Run(12 * time.Second)
		c.s.Cut(nil)
		c.letIn(guests)
		return
	}
	t.Fatal("all guests are at home where they play, or where the lobby is")
}
