package routing

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// SendLeaderReply answers who asks for a shard.
func (t *Routes) SendLeaderReply(to machine.Peer, p shards.Shard) {
	out := &LeaderReply{Shard: p}
	g, r := t.hosting.GroupOf(p), t.table[p]
	if g != nil {
		out.Leader, out.Members, out.Term = g.Leader(), g.Members(), g.Term()
	}
	if r != nil && r.leader != t.Cfg.Self && (g == nil || r.leader != (machine.Peer{}) && !g.KnowsBetter(r.term)) {
		out.Leader, out.Members, out.Term = r.leader, r.members, r.term
	}
	t.links.SendDatagram(to, out)
}

func (t *Routes) OnLeaderQuery(f *peers.Remote, m *LeaderQuery) {
	t.hosting.Wake(m.Shard)
	t.SendLeaderReply(f.Peer, m.Shard)
}

// looked takes what the directory says of a shard.
func (t *Routes) looked(p shards.Shard, res kademlia.Result) {
	r := t.table[p]
	if r == nil || r.leader != (machine.Peer{}) {
		return
	}
	r.lookupPending = false
	if res.Record != nil {
		hosts, err := records.DecodeHosts(res.Record.Payload)
		if err == nil && hosts.Term >= r.term {
			r.members = hosts.Members
			for _, m := range hosts.Members {
				if m.ID != t.Cfg.Self.ID {
					t.links.SendDatagram(m, &LeaderQuery{p})
				}
			}
			t.Speakers.accept(p)
		}
		if silent, _ := t.hostsSilent(r); err == nil && t.dir.HasJoined() && (t.seen.AllGone(hosts.Members) || silent && r.tries > askedBefore) {
			t.generate(r, res.Closest, hosts.Members)
		}
		return
	}
	if !t.dir.HasJoined() {
		return
	}
	t.generate(r, res.Closest, nil)
}

// generate asks the first node in the order of hosts to find hosts for a shard that nobody hosts
// (dissertation, algorithm 3); the next one if that
// one has not answered. silent are hosts that it had.
func (t *Routes) generate(r *route, closest, silent []machine.Peer) {
	near := t.dir.InOrder(r.shard, append(slices.Clone(closest), t.Cfg.Self))
	near = slices.DeleteFunc(near, func(p machine.Peer) bool { return p.ID != t.Cfg.Self.ID && peers.Among(silent, p.ID) })
	if honest := slices.DeleteFunc(slices.Clone(near), func(p machine.Peer) bool { return t.convicted.Has(p.ID) }); len(honest) > 0 {
		near = honest
	}
	to := near[(r.tries/8)%len(near)]
	if to == t.Cfg.Self {
		t.creation.Coordinate(r.shard, silent)
		return
	}
	r.asked = to.ID
	t.links.SendDatagram(to, &Generate{r.shard})
}

// GroupKnows puts the leader that the replica here knows into the route.
func (t *Routes) GroupKnows(g *shardgroup.Group) {
	r := t.table[g.Shard]
	if leader := g.Leader(); r != nil && g.KnowsBetter(r.term) && t.links.Reachable(leader) {
		t.LeaderFound(g.Shard, leader, g.Members(), g.Term())
	}
}

// LeadLost is when the shard does not run here any more. Nodes that need a group that
// hibernates wake it.
func (t *Routes) LeadLost(p shards.Shard, hibernates bool) {
	r := t.table[p]
	if r == nil {
		return
	}
	if r.leader == t.Cfg.Self {
		r.leader = machine.Peer{}
	}
	if !hibernates && r.leader == (machine.Peer{}) && len(r.sessions) > 0 {
		t.forgetLeader(r)
	}
}

// LeftGroup is when this node is no member of a shard's group any more.
func (t *Routes) LeftGroup(p shards.Shard) {
	if r := t.table[p]; r != nil {
		r.members = slices.DeleteFunc(slices.Clone(r.members), func(m machine.Peer) bool { return m == t.Cfg.Self })
	}
}

// Yielded is when the group here has given way to another one with these hosts.
func (t *Routes) Yielded(p shards.Shard, hosts []machine.Peer) {
	if r := t.table[p]; r != nil {
		r.members, r.term, r.leader = hosts, 0, machine.Peer{}
		t.forgetLeader(r)
	}
}

// HostsFound is when a shard turns out to have hosts: one of them leads it.
func (t *Routes) HostsFound(p shards.Shard, hosts []machine.Peer) {
	r := t.of(p)
	r.members = hosts
	t.searchLeader(r)
}

// SetHosts notes who is to host a shard.
func (t *Routes) SetHosts(p shards.Shard, hosts []machine.Peer) { t.of(p).members = hosts }

// NoRoom is when nobody has room for a shard.
func (t *Routes) NoRoom(p shards.Shard) { t.of(p).noRoom = t.Env.Now() }

// Trusts reports whether a node may say where a shard is led.
func (t *Routes) Trusts(p shards.Shard, who machine.Peer) bool {
	r := t.table[p]
	return r != nil && r.trusts(who)
}

// LeaderFor returns who leads a shard that is needed; zero: it is not known.
func (t *Routes) LeaderFor(p shards.Shard) machine.Peer { return t.of(p).leader }

// Search looks for the leader of a shard.
func (t *Routes) Search(p shards.Shard) { t.searchLeader(t.of(p)) }

// LeaderOf returns who leads a shard, as far as it is known; zero: not known.
func (t *Routes) LeaderOf(p shards.Shard) machine.Peer {
	if r := t.table[p]; r != nil {
		return r.leader
	}
	return machine.Peer{}
}
