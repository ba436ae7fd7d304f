package node

import (
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
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
	opened  machine.Time // when a replica of an earlier run was read from the disk; 0: it is of this run

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
	if w.dormant[p] {
		h.opened = w.n.env.Now()
	}
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
		if !w.mayInvite(f, p) {
			return
		}
		h = w.open(p)
	}
	h.rep.OnMessage(f.peer, m)
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
