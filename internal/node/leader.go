package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
)

// lose forgets who leads a part and looks for it.
func (w *network) lose(r *route) {
	r.leader, r.lost, r.told = machine.Peer{}, w.n.env.Now(), w.n.env.Now()
	r.seeking, r.calm = false, 0
	w.seek(r)
}

// reachable reports whether a node can be sent to, as far as is known.
func (w *network) reachable(p machine.Peer) bool {
	f := w.far[p.ID]
	return p == w.cfg.Self || f == nil || f.state != linkNone || w.n.env.Now() >= f.retry
}

// seek begins to look for a part's leader, unless it is being looked for.
func (w *network) seek(r *route) {
	if !r.seeking {
		r.seeking, r.tries, r.finding = true, 0, false
		w.ask(r)
	}
}

// ask does the next step of looking for a leader: the members that are known,
// then the directory, again and again.
func (w *network) ask(r *route) {
	r.next = w.n.env.Now().Add(askEvery << min(r.tries/4, 2))
	r.tries++
	if h := w.hosted(r.part); h != nil {
		h.rouse()
	}
	if !r.seeking {
		return
	}
	for _, p := range r.members {
		if p.ID != w.cfg.Self.ID {
			w.tell(p, &Who{r.part})
		}
	}
	if r.tries%8 == 5 { // they may have moved: who answers is heard from where it is
		for _, p := range r.members {
			w.dir.lookup(p.ID, func(kademlia.Result) {})
		}
	}
	if r.tries%8 == 0 {
		r.term = 0 // whoever led with it may have given way to another group
	}
	if (len(r.members) == 0 || r.tries%4 == 0) && !r.finding {
		r.finding = true
		w.dir.find(r.part)
	}
}

// seekAll asks again for what has not been found, and tells who waits.
func (w *network) seekAll() {
	now := w.n.env.Now()
	for _, r := range w.sortedRoutes() {
		switch {
		case r.leader != machine.Peer{}:
			if len(r.sessions) == 0 && now.Sub(r.used) > forget && r.leader != w.cfg.Self {
				r.takeDoubted()
				delete(w.routes, r.part)
			} else {
				w.suspect(r, now)
				w.watchOn(r, now)
			}
		case !r.seeking || len(r.sessions) == 0 && len(r.queue) == 0 && len(r.doubted) == 0:
			r.seeking = false
			if now.Sub(r.used) > forget {
				r.takeDoubted()
				delete(w.routes, r.part)
			}
		case now >= r.next:
			w.ask(r)
		}
		if r.seeking && now.Sub(r.told) >= tellEvery {
			w.unreachable(r)
		}
		if r.seeking && now.Sub(r.lost) >= explainAfter && now >= r.explain {
			r.explain = now.Add(tellEvery)
			w.explain(r)
		}
	}
}

// watchOn says again what sessions here watch of a region elsewhere. One that
// knows it does nothing; for one that does not they begin anew.
func (w *network) watchOn(r *route, now machine.Time) {
	f := w.far[r.leader.ID]
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

// suspect asks who leads a part now whose leader has fallen silent although
// players here are with it: its machine may be dead, which the link knows only
// seconds later; or while somebody is doubted who speaks for the part. Whoever
// has been elected says so with a higher term.
//
// The silence of a leader that always says little is no sign. Whether its machine is
// dead the link tells, and who gives the lead away tells those who used it; only if
// that is lost it matters to ask: less and less often while nothing changes.
func (w *network) suspect(r *route, now machine.Time) {
	f := w.far[r.leader.ID]
	silent := f != nil && len(r.sessions) > 0 && f.silent(now) && w.hosts[r.part] == nil
	if !silent && len(r.doubted) == 0 {
		r.wary = 0
		return
	}
	if silent && len(r.doubted) == 0 && f.state == linkUp && f.seldom() {
		if now >= r.calmNext {
			r.calmNext = now.Add(min(silentAtMost<<r.calm, calmAtMost))
			r.calm = min(r.calm+1, 4)
			w.askHosts(r, r.leader)
		}
		return
	}
	if now < r.next && r.wary > 0 {
		return
	}
	r.next = now.Add(beat << min(r.wary/4, 3))
	r.wary++
	if silent {
		w.askHosts(r, r.leader)
	} else {
		w.askHosts(r, machine.Peer{})
	}
}

// askHosts asks the nodes that are known to host a part who leads it.
func (w *network) askHosts(r *route, except machine.Peer) {
	hosts := r.members
	if !slices.ContainsFunc(hosts, func(p machine.Peer) bool { return p.ID == r.leader.ID }) {
		hosts = append(slices.Clone(hosts), r.leader)
	}
	for _, p := range hosts {
		if p.ID != except.ID && p.ID != w.cfg.Self.ID {
			w.tell(p, &Who{r.part})
		}
	}
}

// unreachable gives up what parts wanted of a part that has no host at the moment.
func (w *network) unreachable(r *route) {
	r.told = w.n.env.Now()
	w.n.counts.Dropped += uint64(len(r.queue) + len(r.doubted))
	r.queue = nil
	r.takeDoubted()
}

// found is when it is known who leads a part.
func (w *network) found(r *route, leader machine.Peer, members []machine.Peer, term uint64) {
	r.term = term
	if len(members) > 0 {
		r.members = members
	}
	if len(r.doubted) > 0 {
		defer w.trust(r)
	}
	if r.leader.ID == leader.ID {
		r.leader = leader
		return
	}
	again := r.before
	r.leader, r.before, r.seeking, r.calm = leader, true, false, 0
	for _, s := range id.Sorted(r.sessions) {
		if r.part.Hall {
			w.toLocal(s, &hall.NewHost{})
		} else {
			w.onTime(s, r.part.Region)
			w.toLocal(s, &region.NewHost{Region: r.part.Region})
		}
	}
	if again {
		w.tellParts(r.part)
	}
	queue := r.queue
	r.queue = nil
	for _, u := range queue {
		w.n.push(u)
	}
}
