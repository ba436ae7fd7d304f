package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestFalseLeader: a host that does not lead a region says that it does, in a high term and
// with accomplices as the only hosts. Sessions stay with the leader, whom the other hosts
// name; when it gives the lead to the third host they follow.
func TestFalseLeader(t *testing.T) {
	for seed, members := range []string{"itself", "accomplices", "the true ones"} {
		t.Run(members, func(t *testing.T) {
			c := newCluster(t, uint64(seed+5), 7)
			c.s.Run(3 * time.Second)
			g := c.addGuest(0)
			c.until("the guest is in", func() bool { return g.in })
			c.s.Run(20 * time.Second)
			leader, _ := c.liarFor(g)
			home := shards.Shard{Region: g.home}
			liar, third := -1, -1
			for _, i := range c.hostsOf(home) {
				switch {
				case i == leader:
				case i != 0 && liar < 0:
					liar = i
				default:
					third = i
				}
			}
			lie := &LeaderReply{Shard: home, Leader: nodePeer(liar), Term: 1 << 50}
			switch members {
			case "itself":
				lie.Members = []machine.Peer{nodePeer(liar)}
			case "accomplices":
				lie.Members = []machine.Peer{nodePeer(liar), nodePeer(90), nodePeer(91)}
			default:
				for _, i := range c.hostsOf(home) {
					lie.Members = append(lie.Members, nodePeer(i))
				}
			}
			c.slow = func(of int, m machine.Message) time.Duration {
				if x, ok := m.(*LeaderReply); ok && of == liar && x.Shard == home && x != lie {
					return time.Hour
				}
				return 0
			}
			drawn := false
			until := c.s.Now().Add(30 * time.Second)
			var say func()
			say = func() {
				if c.s.Now() > until {
					return
				}
				c.nodes[liar].Call(func() { c.node(liar).net.links.SendDatagram(nodePeer(0), lie) })
				c.s.At(c.s.Now().Add(100*time.Millisecond), say)
				r := c.node(0).net.routes.table[home]
				drawn = drawn || r != nil && r.leader == nodePeer(liar) && c.leaderOf(home) != liar
			}
			say()
			g.acted = 0
			c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
			until = c.s.Now().Add(30 * time.Second)
			say()
			c.nodes[leader].Call(func() { c.node(leader).net.hosting.replicas[home].group.Raft.Transfer(nodePeer(third).ID) })
			c.until("the third host leads", func() bool { return c.leaderOf(home) == third })
			c.until("node 0 knows", func() bool { return c.node(0).net.routes.table[home].leader == nodePeer(third) })
			if drawn {
				t.Error("drawn to the liar")
			}
		})
	}
}

// justConvicted is a node that was convicted a moment ago.
type justConvicted id.ID

func (c justConvicted) Has(who id.ID) bool    { return who == id.ID(c) }
func (c justConvicted) Avoids(who id.ID) bool { return who == id.ID(c) }

// TestConvictedHostHasNoVote: of three hosts one was convicted and says that nobody leads, and
// one is silent. The third is taken as the leader without more than the wait for the silent.
func TestConvictedHostHasNoVote(t *testing.T) {
	c := newCluster(t, 1, 4)
	c.s.Run(3 * time.Second)
	p := shards.Shard{Region: world.RegionPos{X: 40, Z: 40}}
	convicted, third := nodePeer(90), nodePeer(92)
	var r *route
	c.nodes[0].Call(func() {
		w := c.node(0).net
		w.routes.convicted = justConvicted(convicted.ID)
		r = w.routes.of(p)
		r.members = []machine.Peer{convicted, nodePeer(91), third}
		r.sessions[id.Of([]byte("session"))] = true
		w.routes.searchLeader(r)
		w.routes.onLeaderReply(&peers.Remote{Peer: convicted}, &LeaderReply{Shard: p, Members: []machine.Peer{convicted}, Term: 1})
		w.routes.onLeaderReply(&peers.Remote{Peer: third}, &LeaderReply{Shard: p, Leader: third, Members: []machine.Peer{third}, Term: 2})
	})
	c.s.Run(claimWait + 2*peers.Beat + askEvery)
	if r.leader != third {
		t.Errorf("the leader is %v", r.leader)
	}
}

// TestNewSearchHasTime: what waits for a leader is not given up because the search before has
// found none.
func TestNewSearchHasTime(t *testing.T) {
	c := newCluster(t, 1, 4)
	c.s.Run(3 * time.Second)
	p := shards.Shard{Region: world.RegionPos{X: 40, Z: 40}}
	var r *route
	c.nodes[0].Call(func() {
		w := c.node(0).net
		r = w.routes.of(p)
		r.members = []machine.Peer{nodePeer(90), nodePeer(91), nodePeer(92)}
		r.told = w.routes.Env.Now().Add(-2 * tellEvery)
		r.queue = append(r.queue, part.Call{To: p.Peer(), From: region.Lobby})
		w.routes.searchLeader(r)
	})
	c.s.Run(claimWait + 2*peers.Beat)
	if len(r.queue) != 1 {
		t.Error("given up")
	}
}

// TestDeniedLeader: a host that has given way says that another leads, and one that has not
// heard of it still names it, in a higher term. The other leads.
func TestDeniedLeader(t *testing.T) {
	at := machine.Time(singleNodeStart)
	former, late, leader := nodePeer(1), nodePeer(2), nodePeer(3)
	claims := func(formerSays machine.Time) *route {
		return &route{claims: map[id.ID]leaderClaim{
			former.ID: {by: former, leader: leader, term: 5, at: formerSays},
			late.ID:   {by: late, leader: former, term: 9, at: at},
		}}
	}
	hosts := []machine.Peer{former, late}
	if v := claims(at).votes(hosts, at); v.leader != leader || v.next != 1 {
		t.Errorf("%v has %d votes, %d others", v.leader, v.votes, v.next)
	}
	// What it said a while before the other named it, it may have said before it led.
	if v := claims(at.Add(-time.Second)).votes(hosts, at); v.leader != former {
		t.Errorf("%v has %d votes, %d others", v.leader, v.votes, v.next)
	}
}
