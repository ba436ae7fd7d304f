package routing

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// forgetLeader forgets who leads a shard and looks for it. If the leader fell silent before,
// its fellows were asked since (checkSilentLeader): they are not asked as often again.
func (t *Routes) forgetLeader(r *route) {
	r.leader, r.lost, r.told = machine.Peer{}, t.Env.Now(), t.Env.Now()
	r.searching, r.idleChecks = false, 0
	r.claims, r.polled = nil, 0
	asked := 0
	if r.silenceChecks > 0 {
		r.lost, asked, r.silenceChecks = r.silentSince, min(r.silenceChecks, askedBefore), 0
	}
	t.beginSearch(r, asked)
}

// searchLeader begins to look for a shard's leader, unless it is being looked for.
func (t *Routes) searchLeader(r *route) {
	if !r.searching {
		t.beginSearch(r, 0)
	}
}

// beginSearch looks for a shard's leader; its hosts were asked so many times.
func (t *Routes) beginSearch(r *route, asked int) {
	r.searching, r.began, r.tries, r.lookupPending = true, t.Env.Now(), asked, false
	r.told = r.began // what waits from now on is not given up as if it had waited since the last search
	t.searchStep(r)
}

// searchStep does the next step of looking for a leader: the members that are known,
// then the directory, again and again.
func (t *Routes) searchStep(r *route) {
	r.next = t.Env.Now().Add(askEvery << min(r.tries/4, 2))
	r.tries++
	t.hosting.Wake(r.shard)
	if r.searching {
		t.decideLeader(r)
	}
	if !r.searching {
		return
	}
	t.askHosts(r, machine.Peer{})
	if r.tries%8 == 5 { // they may have moved: an answer shows the current address
		for _, p := range r.members {
			t.dir.Locate(p.ID)
		}
	}
	if r.tries%8 == 0 {
		r.term = 0 // whoever led with it may have given way to another group
	}
	if len(r.members) == 0 || r.tries%4 == 0 || r.tries == askedBefore+1 {
		t.lookUp(r)
	}
}

// lookUp asks the directory for the hosts of a shard whose leader is looked for.
func (t *Routes) lookUp(r *route) {
	if !r.lookupPending {
		r.lookupPending, r.lookedUp = true, t.Env.Now()
		t.dir.Find(r.shard, func(res kademlia.Result) { t.looked(r.shard, res) })
	}
}

// Continue repeats searches that have found nothing, and tells waiting
// sessions the reason.
func (t *Routes) Continue() {
	now := t.Env.Now()
	for _, r := range t.sorted() {
		switch {
		case r.leader != machine.Peer{}:
			if len(r.sessions) == 0 && now.Sub(r.used) > routeLifetime && r.leader != t.Cfg.Self {
				t.Remove(r.shard)
			} else {
				t.continuePoll(r)
				t.checkSilentLeader(r, now)
				t.repeatWatches(r, now)
			}
		case !r.searching || len(r.sessions) == 0 && len(r.queue) == 0 && t.Speakers.waiting(r.shard) == 0:
			r.searching = false
			if now.Sub(r.used) > routeLifetime {
				t.Remove(r.shard)
			}
		case now >= r.next:
			t.searchStep(r)
		}
		if r.searching && now.Sub(r.told) >= tellEvery {
			t.dropPending(r)
		}
		if r.searching && now.Sub(r.lost) >= explainAfter && now >= r.nextExplain {
			r.nextExplain = now.Add(tellEvery)
			t.explain(r)
		}
	}
}

// checkSilentLeader asks the other members for the leader when the leader that
// players here use has fallen silent: its machine may be dead, which the link
// notices only after seconds. It also asks while a node that speaks for the
// shard is unverified. A newly elected leader answers with a higher term.
//
// The silence of a leader that always says little is no sign. Whether its machine is
// dead the link tells, and who gives the lead away tells those who used it; only if
// that is lost it matters to ask: less and less often while nothing changes.
func (t *Routes) checkSilentLeader(r *route, now machine.Time) {
	f := t.links.ByID(r.leader.ID)
	silent := f != nil && len(r.sessions) > 0 && f.IsSilent(now) && t.hosting.LoadedGroup(r.shard) == nil
	if !silent && t.Speakers.waiting(r.shard) == 0 {
		r.silenceChecks = 0
		return
	}
	if silent && t.Speakers.waiting(r.shard) == 0 && f.IsUp() && f.IsQuiet() {
		if now >= r.nextIdleCheck {
			r.nextIdleCheck = now.Add(min(peers.SilentAtMost<<r.idleChecks, calmAtMost))
			r.idleChecks = min(r.idleChecks+1, 4)
			t.askHosts(r, r.leader)
		}
		return
	}
	if now < r.next && r.silenceChecks > 0 {
		return
	}
	if r.silenceChecks == 0 {
		r.silentSince = now
	}
	r.next = now.Add(peers.Beat << min(r.silenceChecks/4, 3))
	r.silenceChecks++
	if silent {
		t.askHosts(r, r.leader)
	} else {
		t.askHosts(r, machine.Peer{})
	}
}

// askHosts asks the nodes that are known to host a shard who leads it.
func (t *Routes) askHosts(r *route, except machine.Peer) {
	hosts := slices.Clone(r.members)
	for _, p := range append(slices.Clone(r.hinted), r.leader) {
		if p != (machine.Peer{}) && !peers.Among(hosts, p.ID) {
			hosts = append(hosts, p)
		}
	}
	for _, p := range hosts {
		if p.ID != except.ID && p.ID != t.Cfg.Self.ID {
			t.links.SendDatagram(p, &LeaderQuery{r.shard})
		}
	}
}

// Remove forgets the route to a shard, which nobody uses.
func (t *Routes) Remove(p shards.Shard) {
	t.Speakers.drop(p)
	delete(t.table, p)
}

// dropPending gives up what shards wanted of a shard that has no host at the moment.
func (t *Routes) dropPending(r *route) {
	r.told = t.Env.Now()
	t.Counts.Dropped += uint64(len(r.queue) + t.Speakers.waiting(r.shard))
	r.queue = nil
	t.Speakers.drop(r.shard)
}

// Avoid looks for other leaders of the shards that a node leads which was convicted.
func (t *Routes) Avoid(who id.ID) {
	for _, r := range t.sorted() {
		if r.leader.ID == who && who != t.Cfg.Self.ID {
			t.forgetLeader(r)
		}
	}
}

// HostsWith are the nodes that lead or host a shard together with another one.
func (t *Routes) HostsWith(who id.ID) (hosts []machine.Peer) {
	for _, r := range t.sorted() {
		if r.leader.ID == who || peers.Among(r.members, who) {
			for _, p := range append(slices.Clone(r.members), r.leader) {
				if p != (machine.Peer{}) {
					hosts = append(hosts, p)
				}
			}
		}
	}
	return hosts
}

// Each calls do for the shards that are used here, in order, with who leads and hosts each,
// and whether sessions here watch it.
func (t *Routes) Each(do func(p shards.Shard, leader machine.Peer, members []machine.Peer, watched bool)) {
	for _, r := range t.sorted() {
		do(r.shard, r.leader, r.members, len(r.watch) > 0)
	}
}

// LeaderFound is when it is known who leads a shard.
func (t *Routes) LeaderFound(p shards.Shard, leader machine.Peer, members []machine.Peer, term uint64) {
	r := t.table[p]
	if r == nil || t.convicted.Avoids(leader.ID) {
		return
	}
	r.term = term
	if len(members) > 0 {
		r.members, r.hinted = members, nil
	} else if len(r.members) == 0 {
		r.members = []machine.Peer{leader}
	}
	if t.Speakers.waiting(r.shard) > 0 {
		defer t.Speakers.accept(r.shard)
	}
	r.polled = 0
	if r.leader.ID == leader.ID {
		r.leader = leader
		return
	}
	again := r.ledBefore
	r.leader, r.ledBefore, r.searching, r.idleChecks = leader, true, false, 0
	for _, s := range id.Sorted(r.sessions) {
		if r.shard.Lobby {
			t.sessions.ToSession(s, &lobby.NewHost{})
		} else {
			t.sessions.CaughtUp(s, r.shard.Region)
			t.sessions.ToSession(s, &region.NewHost{Region: r.shard.Region})
		}
	}
	if again {
		t.events.NewHost(r.shard)
	}
	queue := r.queue
	r.queue = nil
	for _, u := range queue {
		t.Queue.Push(u)
	}
}

// LinkDown is when the link to a node has ended: the leaders of its shards are searched.
func (t *Routes) LinkDown(f *peers.Remote) {
	for _, r := range t.sorted() {
		if r.leader.ID == f.Peer.ID {
			t.forgetLeader(r)
		}
	}
}
