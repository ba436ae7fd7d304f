package routing

import (
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// leaderClaim is what a host of a shard has said of its leader. A single host may lie: one
// that does not lead could draw sessions to itself, where nobody replays what it does. So
// another leader counts when most of the hosts that are known name it.
type leaderClaim struct {
	by      machine.Peer
	leader  machine.Peer // zero: it knows none
	members []machine.Peer
	term    uint64
	at      machine.Time
}

const (
	// claimFresh is how long a claim counts, claimBefore how old it may be when the hosts
	// are asked because one named another leader.
	claimFresh  = 2 * time.Second
	claimBefore = 300 * time.Millisecond
	// claimWait is how long hosts that do not answer are waited for before most of those
	// that did count, claimDoubt how long while as many answer that nobody leads.
	claimWait  = 750 * time.Millisecond
	claimDoubt = 4 * time.Second
)

// OnLeaderReply learns where a shard is led, as one of its hosts says.
func (t *Routes) OnLeaderReply(f *peers.Remote, m *LeaderReply) {
	r := t.table[m.Shard]
	if r == nil || len(m.Members) > records.MaxHosts || !r.trusts(f.Peer) || t.convicted.Avoids(f.Peer.ID) {
		return
	}
	now := t.Env.Now()
	c := leaderClaim{by: f.Peer, leader: m.Leader, members: m.Members, term: m.Term, at: now}
	if c.leader.ID == t.Cfg.Self.ID {
		c.leader = machine.Peer{} // not any more
	}
	if r.claims == nil {
		r.claims = map[id.ID]leaderClaim{}
	}
	r.claims[f.Peer.ID] = c
	if t.convicted.Avoids(c.leader.ID) {
		delete(r.claims, f.Peer.ID) // whoever follows it is waited for
	}
	t.hint(r, m.Members)
	if c.leader != (machine.Peer{}) && c.leader.ID != r.leader.ID {
		t.poll(r, now)
	}
	t.decideLeader(r)
	if r.leader.ID == f.Peer.ID && c.leader.ID != f.Peer.ID && (c.leader == (machine.Peer{}) || m.Term < r.term) && !t.hosting.GroupOf(m.Shard).KnowsBetter(r.term) {
		t.forgetLeader(r)
	}
}

// hint notes nodes that a host named as hosts: they are asked, too.
func (t *Routes) hint(r *route, members []machine.Peer) {
	for _, p := range members {
		if !peers.Among(r.members, p.ID) && !peers.Among(r.hinted, p.ID) && len(r.hinted) < records.MaxHosts {
			r.hinted = append(r.hinted, p)
		}
	}
}

// poll asks all hosts who leads. While a leader is searched that is done anyway.
func (t *Routes) poll(r *route, now machine.Time) {
	if r.polled != 0 || r.leader == (machine.Peer{}) || now < r.nextPoll {
		return
	}
	r.polled, r.nextPoll = now, now.Add(peers.Beat)
	for who, c := range r.claims { // the order does not matter
		if now.Sub(c.at) > claimBefore {
			delete(r.claims, who)
		}
	}
	t.askHosts(r, machine.Peer{})
}

// continuePoll asks again, and decides without those who do not answer.
func (t *Routes) continuePoll(r *route) {
	switch {
	case r.polled == 0:
	case t.Env.Now().Sub(r.polled) > claimDoubt+claimFresh:
		r.polled = 0
	default:
		t.askHosts(r, machine.Peer{})
		t.decideLeader(r)
	}
}

// decideLeader takes the leader that most hosts name. Those that were convicted a moment ago
// have no vote: their word that nobody leads would keep sessions from the one who does.
func (t *Routes) decideLeader(r *route) {
	now := t.Env.Now()
	hosts := slices.DeleteFunc(slices.Clone(r.members), func(p machine.Peer) bool { return p.ID == t.Cfg.Self.ID || t.convicted.Avoids(p.ID) })
	waited := now.Sub(r.asking(now))
	v := r.votes(hosts, now)
	most := 2*v.votes > len(hosts)
	enough := most || (v.answers == len(hosts) || waited >= claimWait) && v.votes > v.next || waited >= claimDoubt
	if v.leader == (machine.Peer{}) && r.leader == (machine.Peer{}) && waited >= claimWait {
		v = r.votes(nil, now) // whoever was named as a host may be one
		enough = v.votes > v.next || waited >= claimDoubt
	}
	own, members := r.claims[v.leader.ID], []machine.Peer(nil)
	if most {
		members = own.members // otherwise those who did not name it stay hosts
	}
	switch {
	case v.leader == (machine.Peer{}) || !enough && v.leader.ID != r.leader.ID:
	case v.leader.ID == r.leader.ID && own.leader.ID != r.leader.ID:
		if enough {
			r.polled = 0
		}
	case v.leader.ID == r.leader.ID || !t.hosting.GroupOf(r.shard).KnowsBetter(max(v.term, r.term)):
		t.LeaderFound(r.shard, v.leader, members, v.term)
	}
}

// denied reports whether the leader that a claim names has itself said, since or when the
// same hosts were asked, that it does not lead. Others may not have heard that it gave
// way, and it knows best: as many of them as there are hosts would keep a route from the
// leader for ever.
func (r *route) denied(c leaderClaim) bool {
	own, ok := r.claims[c.leader.ID]
	return ok && own.leader.ID != c.leader.ID && own.at.Add(claimBefore) >= c.at
}

// asking is since when the hosts are asked.
func (r *route) asking(now machine.Time) machine.Time {
	switch {
	case r.leader == machine.Peer{}:
		return r.began
	case r.polled != 0:
		return r.polled
	}
	return now
}

// vote is what the hosts of a shard say of its leader.
type vote struct {
	leader  machine.Peer // that most name; zero: none
	votes   int          // of hosts that name it
	next    int          // of hosts that name the next one, or know no leader
	answers int
	term    uint64 // the lowest that was said of it
}

// votes counts what hosts have said lately; without hosts, what all have said who were
// asked. Of two leaders with as many votes the one that is used stays, else the one with
// the higher term counts.
func (r *route) votes(hosts []machine.Peer, now machine.Time) vote {
	var v vote
	by := map[id.ID]*vote{}
	for _, who := range id.Sorted(r.claims) {
		c := r.claims[who]
		if now.Sub(c.at) > claimFresh || len(hosts) > 0 && !peers.Among(hosts, who) {
			continue
		}
		v.answers++
		if c.leader == (machine.Peer{}) || r.denied(c) {
			v.next++
			continue
		}
		x := by[c.leader.ID]
		if x == nil {
			x = &vote{leader: c.leader, term: c.term}
			by[c.leader.ID] = x
		}
		x.votes++
		if x.term = min(x.term, c.term); who == c.leader.ID {
			x.leader = c.leader
		}
	}
	for _, of := range id.Sorted(by) {
		x := by[of]
		used := x.leader.ID == r.leader.ID
		if d := cmp.Compare(x.votes, v.votes); d > 0 || d == 0 && (used || v.leader.ID != r.leader.ID && x.term > v.term) {
			v.next = max(v.next, v.votes)
			v.leader, v.votes, v.term = x.leader, x.votes, x.term
		} else {
			v.next = max(v.next, x.votes)
		}
	}
	return v
}
