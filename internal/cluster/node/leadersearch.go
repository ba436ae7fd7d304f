package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// forgetLeader forgets who leads a shard and looks for it.
func (w *network) forgetLeader(r *route) {
	r.leader, r.lost, r.told = machine.Peer{}, w.n.env.Now(), w.n.env.Now()
	r.searching, r.idleChecks = false, 0
	w.searchLeader(r)
}

// reachable reports whether a node can be sent to, as far as is known.
func (w *network) reachable(p machine.Peer) bool {
	f := w.remotes[p.ID]
	return p == w.cfg.Self || f == nil || f.state != linkNone || w.n.env.Now() >= f.retry
}

// searchLeader begins to look for a shard's leader, unless it is being looked for.
func (w *network) searchLeader(r *route) {
	if !r.searching {
		r.searching, r.tries, r.lookupPending = true, 0, false
		w.searchStep(r)
	}
}

// searchStep does the next step of looking for a leader: the members that are known,
// then the directory, again and again.
func (w *network) searchStep(r *route) {
	r.next = w.n.env.Now().Add(askEvery << min(r.tries/4, 2))
	r.tries++
	if h := w.replica(r.shard); h != nil {
		h.wakeGroup()
	}
	if !r.searching {
		return
	}
	for _, p := range r.members {
		if p.ID != w.cfg.Self.ID {
			w.sendDatagram(p, &LeaderQuery{r.shard})
		}
	}
	if r.tries%8 == 5 { // they may have moved: an answer shows the current address
		for _, p := range r.members {
			w.dir.lookup(p.ID, func(kademlia.Result) {})
		}
	}
	if r.tries%8 == 0 {
		r.term = 0 // whoever led with it may have given way to another group
	}
	if (len(r.members) == 0 || r.tries%4 == 0) && !r.lookupPending {
		r.lookupPending = true
		w.dir.find(r.shard)
	}
}

// continueSearches repeats searches that have found nothing, and tells waiting
// sessions the reason.
func (w *network) continueSearches() {
	now := w.n.env.Now()
	for _, r := range w.sortedRoutes() {
		switch {
		case r.leader != machine.Peer{}:
			if len(r.sessions) == 0 && now.Sub(r.used) > routeLifetime && r.leader != w.cfg.Self {
				r.takeUnverified()
				delete(w.routes, r.shard)
			} else {
				w.checkSilentLeader(r, now)
				w.repeatWatches(r, now)
			}
		case !r.searching || len(r.sessions) == 0 && len(r.queue) == 0 && len(r.unverified) == 0:
			r.searching = false
			if now.Sub(r.used) > routeLifetime {
				r.takeUnverified()
				delete(w.routes, r.shard)
			}
		case now >= r.next:
			w.searchStep(r)
		}
		if r.searching && now.Sub(r.told) >= tellEvery {
			w.dropPending(r)
		}
		if r.searching && now.Sub(r.lost) >= explainAfter && now >= r.nextExplain {
			r.nextExplain = now.Add(tellEvery)
			w.explain(r)
		}
	}
}

// repeatWatches says again what sessions here watch of a region elsewhere. One that
// knows it does nothing; for one that does not they begin anew.
func (w *network) repeatWatches(r *route, now machine.Time) {
	f := w.remotes[r.leader.ID]
	if len(r.watch) == 0 || f == nil || f.state != linkUp || now < r.rewatch {
		return
	}
	if r.rewatch != 0 {
		for _, s := range id.Sorted(r.watch) {
			w.fromSessionAgain(r, s, r.watch[s])
		}
	}
	r.rewatch = now.Add(rewatchEvery)
}

// checkSilentLeader asks the other members for the leader when the leader that
// players here use has fallen silent: its machine may be dead, which the link
// notices only after seconds. It also asks while a node that speaks for the
// shard is unverified. A newly elected leader answers with a higher term.
//
// The silence of a leader that always says little is no sign. Whether its machine is
// dead the link tells, and who gives the lead away tells those who used it; only if
// that is lost it matters to ask: less and less often while nothing changes.
func (w *network) checkSilentLeader(r *route, now machine.Time) {
	f := w.remotes[r.leader.ID]
	silent := f != nil && len(r.sessions) > 0 && f.isSilent(now) && w.replicas[r.shard] == nil
	if !silent && len(r.unverified) == 0 {
		r.silenceChecks = 0
		return
	}
	if silent && len(r.unverified) == 0 && f.state == linkUp && f.isQuiet() {
		if now >= r.nextIdleCheck {
			r.nextIdleCheck = now.Add(min(silentAtMost<<r.idleChecks, calmAtMost))
			r.idleChecks = min(r.idleChecks+1, 4)
			w.askHosts(r, r.leader)
		}
		return
	}
	if now < r.next && r.silenceChecks > 0 {
		return
	}
	r.next = now.Add(beat << min(r.silenceChecks/4, 3))
	r.silenceChecks++
	if silent {
		w.askHosts(r, r.leader)
	} else {
		w.askHosts(r, machine.Peer{})
	}
}

// askHosts asks the nodes that are known to host a shard who leads it.
func (w *network) askHosts(r *route, except machine.Peer) {
	hosts := r.members
	if !among(hosts, r.leader.ID) {
		hosts = append(slices.Clone(hosts), r.leader)
	}
	for _, p := range hosts {
		if p.ID != except.ID && p.ID != w.cfg.Self.ID {
			w.sendDatagram(p, &LeaderQuery{r.shard})
		}
	}
}

// dropPending gives up what shards wanted of a shard that has no host at the moment.
func (w *network) dropPending(r *route) {
	r.told = w.n.env.Now()
	w.n.counts.Dropped += uint64(len(r.queue) + len(r.unverified))
	r.queue = nil
	r.takeUnverified()
}

// leaderFound is when it is known who leads a shard.
func (w *network) leaderFound(r *route, leader machine.Peer, members []machine.Peer, term uint64) {
	r.term = term
	if len(members) > 0 {
		r.members = members
	}
	if len(r.unverified) > 0 {
		defer w.acceptVerified(r)
	}
	if r.leader.ID == leader.ID {
		r.leader = leader
		return
	}
	again := r.ledBefore
	r.leader, r.ledBefore, r.searching, r.idleChecks = leader, true, false, 0
	for _, s := range id.Sorted(r.sessions) {
		if r.shard.Lobby {
			w.toSession(s, &lobby.NewHost{})
		} else {
			w.caughtUp(s, r.shard.Region)
			w.toSession(s, &region.NewHost{Region: r.shard.Region})
		}
	}
	if again {
		w.announceNewHost(r.shard)
	}
	queue := r.queue
	r.queue = nil
	for _, u := range queue {
		w.n.push(u)
	}
}
