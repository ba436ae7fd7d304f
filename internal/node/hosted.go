package node

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// hosted is a part that this node keeps a replica of. While the replica leads
// its group the part itself runs here, for as long as somebody needs it.
type hosted struct {
	w       *network
	part    Part
	space   string
	p       *part // the replica, as one of the node's machines
	rep     *group.Replica
	leading bool
	gone    bool

	users   map[machine.Peer]bool // nodes that have sent something for it
	former  []machine.Peer        // those of when it was last led here
	waiting []held                // for the leader, who may soon be here
	quiet   machine.Time          // since when nobody needs the part
	record  record                // of the part, as this node has published it
	shape   shape
	reread  machine.Time // when to read the disk again, if the replica lost its way
	plight  plight       // while it has no leader
	rivals  rivals       // other groups of the part
	renewal machine.Time // when to look after the record; 0: not known yet
}

// held is a message that has come before it is known who leads.
type held struct {
	from *farNode
	m    *Routed
	at   machine.Time
}

const (
	maxHeld    = 512
	heldFor    = 2 * time.Second
	sleepAfter = 5 * time.Second // a group that nobody needs hibernates
	// rereadAfter is how long a replica is left alone that a member has led astray.
	rereadAfter = 10 * time.Second
)

// open makes this node's replica of a part, from the disk if it is there.
func (w *network) open(p Part) *hosted {
	h := &hosted{w: w, part: p, space: p.space(), users: map[machine.Peer]bool{}, quiet: w.n.env.Now()}
	w.hosts[p] = h
	delete(w.dormant, p)
	h.read()
	return h
}

// read begins with a replica that reads the disk.
func (h *hosted) read() {
	h.p = &part{node: h.w.n, name: group.OwnSpace(h.space)}
	h.rep = group.New(group.Config{Space: h.space, Self: h.w.cfg.Self}, groupEnv{h.p}, h)
	h.p.m = h.rep
	h.rep.Start()
}

// hosted returns this node's replica of a part, reading it if it is only on the
// disk; nil if there is none.
func (w *network) hosted(p Part) *hosted {
	if h := w.hosts[p]; h != nil {
		return h
	}
	if w.dormant[p] {
		return w.open(p)
	}
	return nil
}

// create makes a group for a part, of this node first, in the place of one of a
// generation that has gone.
func (w *network) create(p Part, after uint64, members []machine.Peer) {
	w.open(p).rep.CreateAfter(after, members)
}

// room reports whether this node would host another part.
func (w *network) room() bool {
	return len(w.hosts)+len(w.dormant) < w.cfg.MaxHosted && !w.closing && (w.cfg.Full == nil || !w.cfg.Full()) &&
		(w.cfg.MaxPlayers <= 0 || w.n.players() < w.cfg.MaxPlayers)
}

// space is the part's space on the disk.
func (p Part) space() string {
	if p.Hall {
		return "hall"
	}
	return region.Space(p.Region)
}

// partIn is the part whose space has a name; what comes from elsewhere is not
// believed to be one.
func partIn(space string) (Part, bool) {
	if space == theHall.space() {
		return theHall, true
	}
	f := strings.Split(space, ".")
	if len(f) != 3 || f[0] != "r" {
		return Part{}, false
	}
	x, errX := strconv.ParseInt(f[1], 10, 32)
	z, errZ := strconv.ParseInt(f[2], 10, 32)
	p := Part{}
	p.Region.X, p.Region.Z = int32(x), int32(z)
	return p, errX == nil && errZ == nil && p.inWorld() && p.space() == space
}

// takeStock sorts what is on the disk: replicas, and parts from when this node
// was the world's only one.
func (w *network) takeStock() {
	for _, space := range w.cfg.Stored {
		if p, ok := partIn(strings.TrimPrefix(space, group.OwnSpace(""))); ok && strings.HasPrefix(space, group.OwnSpace("")) {
			w.dormant[p] = true
		}
	}
	for _, space := range w.cfg.Stored {
		if p, ok := partIn(space); ok && !w.dormant[p] {
			w.stored[p] = true
		}
	}
}

// onGroup brings a message of a group's member to the replica here. A node
// becomes a member by the first message, if it has room.
func (w *network) onGroup(f *farNode, space string, m machine.Message) {
	p, ok := partIn(space)
	if !ok {
		w.n.counts.Dropped++
		return
	}
	h := w.hosted(p)
	if h == nil {
		gm, _ := m.(*group.Message)
		if gm == nil {
			return
		}
		if !gm.Invites() || gm.Gen.Compare(w.outdone[p]) < 0 || !w.room() || w.stored[p] || w.damaged[p] {
			if d := group.Decline(gm); d != nil {
				w.send(f.peer, d)
			}
			return
		}
		h = w.open(p)
	}
	h.rep.OnMessage(f.peer, m)
}

// later does something once the handler that runs has ended: events come while
// a part may be in the middle of something.
func (h *hosted) later(do func()) { h.w.n.push(upcall{do: do}) }

// OnLead implements group.Events: the part may run here.
func (h *hosted) OnLead() {
	h.later(func() {
		if h.gone {
			return
		}
		h.leading, h.quiet, h.shape.next, h.rivals.next = true, h.w.n.env.Now(), 0, 0
		h.w.leased = 0
		if h.part.Hall && h.w.n.hall == nil {
			h.w.n.startHall()
		}
		h.greetFormer()
		h.lookHere()
		h.release()
	})
}

// checkLeases ends what this node leads no longer; it reports whether there was
// such a part. A replica notices by itself, but not before it is its turn: after
// a machine was suspended, what came meanwhile may come first, and must not be
// answered from a past that the world has left behind.
func (w *network) checkLeases() (ended bool) {
	now := w.n.env.Now()
	if now < w.leased {
		return false
	}
	w.leased = now.Add(beat)
	for _, p := range sortedParts(w.hosts) {
		h := w.hosts[p]
		if !h.leading {
			continue
		}
		if until := h.rep.LeadsUntil(); until > now {
			w.leased = min(w.leased, until)
			continue
		}
		ended = true
		h.rep.CheckLease()
	}
	return ended
}

// OnFollow implements group.Events: the part, if it runs, has lost its say.
func (h *hosted) OnFollow(why error) {
	h.later(func() {
		if !h.leading {
			return
		}
		h.leading = false
		h.drop()
		r := h.w.routes[h.part]
		if r != nil && r.leader == h.w.cfg.Self {
			r.leader = machine.Peer{}
		}
		if errors.Is(why, group.ErrAsleep) {
			return // who needs it wakes it
		}
		if r != nil && r.leader == (machine.Peer{}) && len(r.sessions) > 0 {
			h.w.lose(r)
		}
		h.tellUsers()
	})
}

// drop ends the part that runs here.
func (h *hosted) drop() {
	n := h.w.n
	if h.part.Hall {
		if n.hall != nil {
			n.hall.gone = true
			n.hall = nil
		}
		return
	}
	if p := n.regions[h.part.Region]; p != nil {
		n.letGo(p)
	}
}

// OnChange implements group.Events: leader, members or their health.
func (h *hosted) OnChange() {
	h.later(func() {
		h.w.leased = 0 // other members, another majority
		if h.gone || h.leader() == (machine.Peer{}) {
			return
		}
		h.lookHere()
		h.release()
	})
}

// OnResult implements group.Events: the end of something that the part has
// asked for. A part that has lost its say is let go of, and need not hear what
// has become of its last writes: they may have been done.
func (h *hosted) OnResult(tag uint64, result any, err error) {
	h.later(func() {
		if errors.Is(err, group.ErrNotLeader) || errors.Is(err, group.ErrUnknown) {
			h.w.n.forgetJob(tag)
			return
		}
		h.w.n.done(tag, result, err)
	})
}

// OnGone implements group.Events: this node is not a member any more.
func (h *hosted) OnGone(why error) {
	h.OnFollow(why)
	h.later(func() {
		if errors.Is(why, group.ErrNonsense) {
			h.lostItsWay(why)
			return
		}
		h.gone = true
		switch {
		case errors.Is(why, group.ErrRemoved):
			h.rep.Erase(false)
		case errors.Is(why, group.ErrSuperseded):
			h.w.note("Another group of " + h.part.String() + " goes on, recovered without this node or begun before its own: what this node had is put aside.")
			h.gaveWay()
		default:
			h.w.damaged[h.part] = true
			h.w.note(h.part.String() + " cannot be hosted here: " + why.Error())
		}
		h.p.gone = true
		delete(h.w.hosts, h.part)
		if r := h.w.routes[h.part]; r != nil {
			r.members = slices.DeleteFunc(slices.Clone(r.members), func(p machine.Peer) bool { return p == h.w.cfg.Self })
		}
		h.release()
	})
}

// lostItsWay is when a member has said what makes no sense. The disk is as it
// was, and is read again, not at once: the member may go on so.
func (h *hosted) lostItsWay(why error) {
	h.p.gone = true // timers and jobs of that replica come to nobody
	if h.reread == 0 {
		h.w.note(h.part.String() + ": " + why.Error() + ". What is on the disk is read again.")
	}
	h.reread = h.w.n.env.Now().Add(rereadAfter)
}

// tellUsers tells the nodes that have used this replica where to go now.
func (h *hosted) tellUsers() {
	h.former = sortedPeers(h.users)
	for _, to := range h.former {
		h.w.tellWhere(to, h.part)
	}
	clear(h.users)
}

// greetFormer tells the sessions of nodes that have used the part when it was led
// here before that it begins anew. Who has not heard that it had ended would
// believe that all is as it was.
func (h *hosted) greetFormer() {
	var m machine.Message = &hall.NewHost{}
	if !h.part.Hall {
		m = &region.NewHost{Region: h.part.Region}
	}
	for _, to := range h.former {
		if f := h.w.far[to.ID]; f != nil && f.state == linkUp && len(f.sessions) > 0 {
			h.w.n.env.Send(f.peer, &ToSessions{id.Sorted(f.sessions), m})
		}
	}
	h.former = nil
}

func sortedPeers(m map[machine.Peer]bool) []machine.Peer {
	return slices.SortedFunc(maps.Keys(m), func(a, b machine.Peer) int {
		if c := slices.Compare(a.ID[:], b.ID[:]); c != 0 {
			return c
		}
		return slices.Compare(a.Addr[:], b.Addr[:])
	})
}

// leader is who leads the group, as far as this replica knows.
func (h *hosted) leader() machine.Peer {
	if h.leading {
		return h.w.cfg.Self
	}
	if p := h.rep.Leader(); p != h.w.cfg.Self {
		return p
	}
	return machine.Peer{}
}

// members are the voters of the group, and the other one of two.
func (h *hosted) members() []machine.Peer { return h.rep.Holders(nil) }

// term orders what is said about the part's leader: by generation, then term.
func (h *hosted) term() uint64 { return termOf(h.rep.Term()) }

func termOf(g group.Gen, term uint64) uint64 { return g.Number<<36 | term&(1<<36-1) }

// generationOf is the generation's number in a term.
func generationOf(term uint64) uint64 { return term >> 36 }

// knows reports whether the replica here knows better who leads than others did
// in a term. One that was left behind does not: its group has gone on without it
// while it could not hear that, and those that it remembers may be no members
// any more either.
func (h *hosted) knows(term uint64) bool {
	return h != nil && (h.leading || h.leader() != machine.Peer{} && h.term() >= term)
}

// rouse wakes a group that sleeps, or has no leader, because somebody needs it.
func (h *hosted) rouse() {
	if h.rep.Sleeps() || h.rep.Leader() == (machine.Peer{}) {
		h.rep.Wake()
	}
	h.lookHere()
}

// lookHere tells the route what the replica here knows of the leader.
func (h *hosted) lookHere() {
	r := h.w.routes[h.part]
	if leader := h.leader(); r != nil && h.knows(r.term) && h.w.reachable(leader) {
		h.w.found(r, leader, h.members(), h.term())
	}
}

// hold keeps a message until it is known who leads.
func (h *hosted) hold(f *farNode, m *Routed) {
	if len(h.waiting) >= maxHeld {
		h.w.n.counts.Dropped++
		return
	}
	h.waiting = append(h.waiting, held{f, m, h.w.n.env.Now()})
	h.rep.Wake()
}

// release deals with what has waited for a leader.
func (h *hosted) release() {
	waiting := h.waiting
	h.waiting = nil
	for _, x := range waiting {
		if h.leading {
			h.w.onRouted(x.from, x.m)
		} else {
			h.w.tellWhere(x.from.peer, h.part)
		}
	}
}

// beat looks after what has waited for too long, the group's sleep, its record
// and its members.
func (h *hosted) beat(now machine.Time) {
	if len(h.waiting) > 0 && now.Sub(h.waiting[0].at) > heldFor {
		h.release()
	}
	if h.p.gone && now >= h.reread {
		h.read()
	}
	if h.giveWay() {
		return
	}
	if !h.leading {
		h.mourn(now)
		h.renew(now)
		return
	}
	h.renewal = 0
	h.lookForRivals(now)
	if h.runs() {
		h.quiet = now
	}
	h.publish()
	h.reshape(now)
	if now.Sub(h.quiet) >= sleepAfter && !h.w.closing {
		h.rep.Hibernate()
	}
}

// runs reports whether the part itself runs here.
func (h *hosted) runs() bool {
	if h.part.Hall {
		return h.w.n.hall != nil
	}
	return h.w.n.regions[h.part.Region] != nil
}

// record is what this node has published of a part.
type record struct {
	term, version uint64
	members       []machine.Peer
}

// publish stores who hosts the part, if that is news.
func (h *hosted) publish() {
	h.w.holders = h.rep.Holders(h.w.holders[:0])
	members, term := h.w.holders, h.term()
	rec := &h.record
	if !h.w.dir.joined || len(members) == 0 || rec.term == term && slices.Equal(rec.members, members) {
		return
	}
	members = slices.Clone(members)
	if rec.term != term {
		rec.term, rec.version = term, 0
	}
	rec.members = members
	rec.version++
	h.w.dir.publish(h)
	for _, to := range sortedPeers(h.users) { // whom to ask when this node falls silent
		h.w.tellWhere(to, h.part)
	}
}

// groupEnv is what a replica sees of the node: links are the network's.
type groupEnv struct{ p *part }

func (e groupEnv) Now() machine.Time                         { return e.p.node.env.Now() }
func (e groupEnv) Rand() *rng.Rand                           { return e.p.node.env.Rand() }
func (e groupEnv) Send(to machine.Peer, m machine.Message)   { e.p.node.net.send(to, m) }
func (e groupEnv) SetTimer(at machine.Time, t machine.Timer) { partEnv(e).SetTimer(at, t) }
func (e groupEnv) Open(machine.Peer)                         {}
func (e groupEnv) Close(machine.Peer)                        {}
func (e groupEnv) Do(queue string, tag uint64, job machine.Job) {
	partEnv(e).Do(queue, tag, job)
}
