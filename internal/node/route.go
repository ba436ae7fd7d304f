package node

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/records"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
)

// route is what a node knows of where a part is led, and who here has business
// with it.
//
// What parts say to a part whose leader is not known waits. What sessions say
// does not: once the leader is found they are told, and enter and watch anew.
type route struct {
	part    Part
	leader  machine.Peer // zero: looked for; this node's own: led here
	members []machine.Peer
	term    uint64
	before  bool // it was led somewhere before

	sessions map[id.ID]bool          // of this node, that have business there
	watch    map[id.ID]*region.Watch // what they watch
	rewatch  machine.Time            // when that is said again
	queue    []upcall                // of parts here, while the leader is looked for
	doubted  []held                  // said in this part's name by nodes that may not lead it
	used     machine.Time
	lost     machine.Time // since when the leader is looked for
	seeking  bool
	next     machine.Time // when to ask again
	tries    int
	wary     int          // times that others were asked since the leader fell silent
	calm     int          // times that they were for nothing while it says little,
	calmNext machine.Time // and when to ask then again
	heardFor machine.Time // when to ask a host again that spoke for the part
	finding  bool         // the directory has been asked
	told     machine.Time
	asked    id.ID // the node that was asked to find hosts
}

// trusts reports whether a node may say where the part is led: a member of its
// group, or who was asked to make one.
func (r *route) trusts(p machine.Peer) bool {
	return r.leader.ID == p.ID || r.asked == p.ID || slices.ContainsFunc(r.members, func(m machine.Peer) bool { return m.ID == p.ID })
}

const (
	maxRoutes  = 1 << 14
	maxWaiting = 1024 // messages of parts that wait for a leader
	// askEvery is how often a leader is looked for at first; later it is four
	// times as long, so that nodes that cannot keep up are not asked to death.
	askEvery = 500 * time.Millisecond
	// silentAfter is how long a leader may at least say nothing to a node whose
	// players are with it, and silentAtMost how long one that speaks seldom may.
	silentAfter  = 500 * time.Millisecond
	silentAtMost = 2 * time.Second
	// calmAtMost is how often others are asked at least who leads a part whose
	// leader is there but says little.
	calmAtMost = 32 * time.Second
	// tellEvery is how often sessions are told that a part cannot be reached;
	// what waits for it then is dropped.
	tellEvery = 10 * time.Second
	// rewatchEvery is how often the leader is told what sessions here watch, for
	// it may have begun anew without this node's hearing of it.
	rewatchEvery = 10 * time.Second
	forget       = time.Minute // a route that nobody uses
)

func (w *network) route(p Part) *route {
	r := w.routes[p]
	if r == nil {
		now := w.n.env.Now()
		r = &route{part: p, sessions: map[id.ID]bool{}, watch: map[id.ID]*region.Watch{}, lost: now, told: now}
		w.routes[p] = r
	}
	r.used = w.n.env.Now()
	return r
}

// sortedRoutes are all routes in an order that does not come from a map.
func (w *network) sortedRoutes() []*route {
	return slices.SortedFunc(maps.Values(w.routes), func(a, b *route) int { return compareParts(a.part, b.part) })
}

func sortedParts[V any](m map[Part]V) []Part { return slices.SortedFunc(maps.Keys(m), compareParts) }

func compareParts(a, b Part) int {
	switch {
	case a.Hall != b.Hall:
		if a.Hall {
			return -1
		}
		return 1
	case a.Region.X != b.Region.X:
		return cmp.Compare(a.Region.X, b.Region.X)
	}
	return cmp.Compare(a.Region.Z, b.Region.Z)
}

// partOf is the part that a logical peer stands for.
func partOf(p machine.Peer) (Part, bool) {
	if p == region.Hall {
		return theHall, true
	}
	pos, ok := region.RegionOf(p)
	return Part{Region: pos}, ok
}

// String names a part to a person.
func (p Part) String() string {
	if p.Hall {
		return "the hall"
	}
	return p.Region.String()
}

// peer is the logical peer of a part.
func (p Part) peer() machine.Peer {
	if p.Hall {
		return region.Hall
	}
	return region.PeerOf(p.Region)
}

func (p Part) inWorld() bool { return p.Hall || inWorld(p.Region) }

// fromSession brings what a session of this node says to a part, wherever that
// is.
func (w *network) fromSession(session id.ID, to Part, m machine.Message) {
	if !to.inWorld() || w.routes[to] == nil && len(w.routes) >= maxRoutes {
		w.n.counts.Dropped++
		return
	}
	m = w.ofNode(w.cfg.Self.ID, m)
	r := w.route(to)
	r.sessions[session] = true
	r.noteWatch(session, m)
	if x := w.witness(); x != nil && !to.Hall {
		x.Asked(session, to.Region, m)
	}
	switch {
	case r.leader == w.cfg.Self:
		w.n.push(upcall{to: to.peer(), from: machine.Peer{ID: session, Addr: w.tag}, m: m})
	case r.leader != machine.Peer{}:
		w.send(r.leader, &Routed{To: to, Session: session, Msg: m})
	default:
		w.seek(r)
	}
}

// ofNode is what a session of a node says: only those of the founder's node can
// be the founder's own.
func (w *network) ofNode(node id.ID, m machine.Message) machine.Message {
	e, ok := m.(*hall.Enter)
	if !ok || !e.Local || node == w.cfg.Founder {
		return m
	}
	guest := *e
	guest.Local = false
	return &guest
}

// elsewhere brings a message of a part here to one that is not led here; it
// reports false if that one is led here.
func (w *network) elsewhere(u upcall) bool {
	to, _ := partOf(u.to)
	r := w.route(to)
	switch {
	case r.leader == w.cfg.Self:
		return false
	case u.link != 0 || !to.inWorld():
	case r.leader != machine.Peer{}:
		w.forward(r, u)
	case len(r.queue) >= maxWaiting:
		w.n.counts.Dropped++
	default:
		r.queue = append(r.queue, u)
		w.seek(r)
	}
	return true
}

// forward sends a part's message to the node that leads its receiver.
func (w *network) forward(r *route, u upcall) {
	from, ok := partOf(u.from)
	if !ok {
		w.n.counts.Dropped++
		return
	}
	out := &Routed{To: r.part, From: from, Msg: u.m}
	if session := sessionIn(u.m); session.Addr == w.tag {
		out.Stone = w.cfg.Self
	} else if f := w.tags[session.Addr]; f != nil {
		out.Stone = f.peer
	}
	w.send(r.leader, out)
}

// sessionIn is the session that a message names, zero if none.
func sessionIn(m machine.Message) machine.Peer {
	switch m := m.(type) {
	case *region.Handover:
		return m.Session
	case *region.Forward:
		return m.Session
	}
	return machine.Peer{}
}

// onRouted takes a message for a part that is led here.
func (w *network) onRouted(f *farNode, m *Routed) {
	h := w.hosted(m.To)
	switch {
	case h == nil:
		w.tellWhere(f.peer, m.To)
		return
	case !h.leading:
		if l := h.leader(); l == (machine.Peer{}) || h.rep.Sleeps() {
			h.hold(f, m)
		} else {
			w.tellWhere(f.peer, m.To)
		}
		return
	}
	if m.Msg == nil {
		return
	}
	h.users[f.peer] = true
	u := upcall{to: m.To.peer(), from: m.From.peer(), m: m.Msg}
	if !m.Session.IsZero() {
		if !f.sessions[m.Session] && len(f.sessions) >= maxFarSessions {
			w.n.counts.Dropped++
			return
		}
		f.sessions[m.Session] = true
		u.from = machine.Peer{ID: m.Session, Addr: tagOf(f.peer.ID)}
		if e, ok := m.Msg.(*hall.Enter); ok && !w.mayEnter(f, m.Session, e) {
			return
		}
		u.m = w.ofNode(f.peer.ID, m.Msg)
		if w.vouchFirst(m.To, u.from, u.m) {
			return
		}
	} else if _, ok := m.Msg.(*hall.Enter); ok || m.From == m.To || !m.From.inWorld() {
		w.n.counts.Dropped++ // what only sessions may say
		return
	} else if !w.speaksFor(f.peer, m.From) {
		w.doubt(f, m)
		return
	} else {
		w.heardFor(f.peer, m.From)
		if v, ok := m.Msg.(*hall.Vouched); ok {
			if m.From.Hall {
				w.onVouched(v)
			}
			return
		}
	}
	if !m.Stone.ID.IsZero() && m.Stone.ID != w.cfg.Self.ID {
		w.meet(m.Stone)
	}
	w.n.push(u)
}

// maxDoubted bounds what waits for an answer about who leads its sender.
const maxDoubted = 64

// speaksFor reports whether a node is known to be a host of a part: only those
// may speak in its name.
func (w *network) speaksFor(p machine.Peer, part Part) bool {
	is := func(m machine.Peer) bool { return m.ID == p.ID }
	if h := w.hosts[part]; h != nil && slices.ContainsFunc(h.members(), is) {
		return true
	}
	r := w.routes[part]
	return r != nil && (is(r.leader) || slices.ContainsFunc(r.members, is))
}

// heardFor asks a host that speaks for a part, and is not known to lead it,
// whether it does: an answer would go to who led it before.
func (w *network) heardFor(p machine.Peer, part Part) {
	r, now := w.routes[part], w.n.env.Now()
	if r == nil || r.leader == p || r.leader == w.cfg.Self || w.hosts[part].knows(r.term) || now < r.heardFor {
		return
	}
	r.heardFor = now.Add(beat)
	w.n.env.Send(p, &Who{part})
}

// doubt asks who hosts the part that a message is said to come from.
func (w *network) doubt(f *farNode, m *Routed) {
	if w.routes[m.From] == nil && len(w.routes) >= maxRoutes {
		w.n.counts.Dropped++
		return
	}
	r := w.route(m.From)
	switch {
	case r.leader == w.cfg.Self || len(r.doubted) >= maxDoubted:
		w.n.counts.Dropped++
		return
	case r.leader == machine.Peer{}:
		w.seek(r)
	default:
		w.askHosts(r, machine.Peer{}) // the leader that is known may be gone
	}
	r.doubted = append(r.doubted, held{f, m, w.n.env.Now()})
}

// trust takes in what was said in a part's name by those who host it. Who has
// just begun to may not be known yet to whom was asked first.
func (w *network) trust(r *route) {
	doubted := r.doubted
	r.doubted = nil
	for _, x := range doubted {
		switch {
		case w.speaksFor(x.from.peer, r.part):
			w.onRouted(x.from, x.m)
		case w.n.env.Now().Sub(x.at) < heldFor:
			r.doubted = append(r.doubted, x)
		default:
			w.n.counts.Dropped++
		}
	}
}

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
				delete(w.routes, r.part)
			} else {
				w.suspect(r, now)
				w.watchOn(r, now)
			}
		case !r.seeking || len(r.sessions) == 0 && len(r.queue) == 0 && len(r.doubted) == 0:
			r.seeking = false
			if now.Sub(r.used) > forget {
				delete(w.routes, r.part)
			}
		case now >= r.next:
			w.ask(r)
		}
		if r.seeking && now.Sub(r.told) >= tellEvery {
			w.unreachable(r)
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

// unreachable tells sessions that a part has no host at the moment, and gives
// up what parts wanted of it.
func (w *network) unreachable(r *route) {
	r.told = w.n.env.Now()
	w.n.counts.Dropped += uint64(len(r.queue) + len(r.doubted))
	r.queue, r.doubted = nil, nil
	for _, s := range id.Sorted(r.sessions) {
		if r.part.Hall {
			w.toLocal(s, &hall.Notice{Code: "unreachable", Text: "The node that keeps the list of players cannot be reached. Still trying."})
		} else {
			w.toLocal(s, &region.Notice{Region: r.part.Region, Code: "unreachable", Text: "The nodes that host this part of the world cannot be reached. Still trying."})
		}
	}
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

// tellParts tells the regions led here that another part has a new host: they
// say again what the one before knew.
func (w *network) tellParts(p Part) {
	for _, q := range w.n.awake {
		if q.hall || !p.Hall && !besides(q.pos.X-p.Region.X, q.pos.Z-p.Region.Z) {
			continue
		}
		w.n.push(upcall{to: q.peer, from: p.peer(), m: &region.NewHost{Region: p.Region}})
	}
}

func besides(dx, dz int32) bool {
	return max(dx, -dx, dz, -dz) == 1
}

// tellWhere answers who asks for a part.
func (w *network) tellWhere(to machine.Peer, p Part) {
	out := &Elsewhere{Part: p}
	h, r := w.hosted(p), w.routes[p]
	if h != nil {
		out.Leader, out.Members, out.Term = h.leader(), h.members(), h.term()
	}
	if r != nil && r.leader != w.cfg.Self && (h == nil || r.leader != (machine.Peer{}) && !h.knows(r.term)) {
		out.Leader, out.Members, out.Term = r.leader, r.members, r.term
	}
	w.tell(to, out)
}

func (w *network) onWho(f *farNode, m *Who) {
	if h := w.hosted(m.Part); h != nil {
		h.rouse()
	}
	w.tellWhere(f.peer, m.Part)
}

// onElsewhere learns where a part is led. What is older than what is known is
// not believed.
func (w *network) onElsewhere(f *farNode, m *Elsewhere) {
	r := w.routes[m.Part]
	if r == nil || len(m.Members) > records.MaxHosts || !r.trusts(f.peer) {
		return
	}
	knows := w.hosted(m.Part).knows(max(m.Term, r.term))
	if m.Term < r.term {
		if !knows && r.leader.ID == f.peer.ID && m.Leader.ID != f.peer.ID {
			w.lose(r) // it has left the group, and knows nothing of the part any more
		}
		return
	}
	switch m.Leader.ID {
	case id.ID{}:
		if len(m.Members) > 0 && !knows {
			r.members = m.Members
		}
		if r.leader.ID == f.peer.ID {
			w.lose(r)
		}
		return
	case w.cfg.Self.ID:
		return // not any more
	}
	if knows {
		return
	}
	if m.Term > r.term || r.leader == (machine.Peer{}) || r.leader.ID == f.peer.ID {
		w.found(r, m.Leader, m.Members, m.Term)
	}
}
