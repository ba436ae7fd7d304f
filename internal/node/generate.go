package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/records"
)

// How a part gets its first hosts (dissertation, algorithm 3: GENERATE). The
// node nearest to the part's key coordinates: it asks the nodes nearest to the
// key whether they would host it, and names those who would. That only one group
// comes of it although two may believe to be the nearest is the directory's
// matter: the first of those who are named creates the part's record.

const (
	nearby       = 5 // nodes that are asked
	askedTime    = 1500 * time.Millisecond
	maxMaking    = 256
	answersAfter = 300 * time.Millisecond // a majority need not wait longer for the rest
)

// making is a search for the hosts of a part that this node coordinates.
type making struct {
	part    Part
	asked   []machine.Peer // nearest first
	answers map[id.ID]*Invited
	begun   machine.Time // 0: the nearest nodes are still looked for
}

// coordinate begins to find hosts for a part that has none.
func (w *network) coordinate(p Part) {
	if w.hosted(p) != nil || w.making[p] != nil || len(w.making) >= maxMaking || w.closing {
		return
	}
	mk := &making{part: p, answers: map[id.ID]*Invited{}}
	w.making[p] = mk
	w.dir.lookup(w.dir.key(p), func(r kademlia.Result) { w.askNearest(mk, r.Closest) })
}

// askNearest asks the nodes nearest to the key. Those that were there a while ago
// are asked too and count for the majority, even if the directory has given them
// up: a node that has been cut off from the others must not begin a world of its
// own.
func (w *network) askNearest(mk *making, closest []machine.Peer) {
	all := append(w.remembered(), closest...)
	all = append(all, w.cfg.Self)
	kademlia.SortNearest(w.dir.key(mk.part), all)
	all = slices.CompactFunc(all, func(a, b machine.Peer) bool { return a.ID == b.ID })
	mk.asked = all[:min(len(all), nearby)]
	mk.begun = w.n.env.Now()
	for _, p := range mk.asked {
		if p != w.cfg.Self {
			w.tell(p, &Invite{mk.part})
		} else if a := w.invited(mk.part); a != nil {
			mk.answers[p.ID] = a
		}
	}
	w.judge(mk)
}

// remembered are the nodes that were there a while ago.
func (w *network) remembered() (out []machine.Peer) {
	for _, who := range id.Sorted(w.memory.heard) {
		if s := w.memory.heard[who]; w.n.env.Now().Sub(s.at) < remember {
			out = append(out, s.peer)
		}
	}
	return out
}

// invited says whether this node would host a part; nil: it has a replica that is
// still being read, and must not speak as if it had none.
func (w *network) invited(p Part) *Invited {
	out := &Invited{Part: p, Room: w.room() && !w.damaged[p], Stored: w.stored[p], Runs: w.runs()}
	if h := w.hosted(p); h != nil {
		if !h.rep.Status().Member {
			return nil
		}
		out.Members = h.members()
	}
	return out
}

// onInvite answers.
func (w *network) onInvite(f *farNode, m *Invite) {
	if a := w.invited(m.Part); a != nil {
		w.tell(f.peer, a)
	}
}

// onInvited takes a node's answer.
func (w *network) onInvited(f *farNode, m *Invited) {
	if len(m.Members) > records.MaxHosts {
		w.n.counts.Dropped++
		return
	}
	f.invited, f.room, f.runs = f.heard, m.Room && !m.Stored, m.Runs
	mk := w.making[m.Part]
	if mk != nil && slices.ContainsFunc(mk.asked, func(p machine.Peer) bool { return p.ID == f.peer.ID }) {
		mk.answers[f.peer.ID] = m
		w.judge(mk)
	}
}

// judge ends a search that has its answers, or none in time.
func (w *network) judge(mk *making) {
	waited := w.n.env.Now().Sub(mk.begun)
	for _, p := range mk.asked {
		if a := mk.answers[p.ID]; a != nil && len(a.Members) > 0 { // it has hosts already
			delete(w.making, mk.part)
			r := w.route(mk.part)
			r.members = a.Members
			w.seek(r)
			return
		}
	}
	switch said := len(mk.answers); {
	case said == len(mk.asked) || 2*said > len(mk.asked) && waited >= answersAfter:
		delete(w.making, mk.part)
		w.appoint(mk)
	case waited >= askedTime:
		delete(w.making, mk.part) // whoever needs the part asks again
	}
}

// appoint chooses the hosts: who has the part already, then the nearest that
// have room.
func (w *network) appoint(mk *making) {
	var hosts []machine.Peer
	for _, want := range []func(*Invited) bool{
		func(a *Invited) bool { return a.Stored },
		func(a *Invited) bool { return a.Room && !a.Stored },
	} {
		for _, p := range mk.asked {
			if a := mk.answers[p.ID]; a != nil && want(a) {
				hosts = append(hosts, p)
			}
		}
	}
	if len(hosts) == 0 {
		w.route(mk.part).noRoom = w.n.env.Now()
		return
	}
	hosts = hosts[:odd(min(len(hosts), w.cfg.Replicas))]
	mk.lightestFirst(hosts)
	w.route(mk.part).members = hosts
	m := &Found{mk.part, hosts}
	if hosts[0] == w.cfg.Self {
		w.onFound(m)
	} else {
		w.tell(hosts[0], m)
	}
}

// lightestFirst puts the host first, which will lead, that leads the fewest
// parts; of two like that the nearer. Who has the part already stays first.
func (mk *making) lightestFirst(hosts []machine.Peer) {
	if len(hosts) == 0 || mk.answers[hosts[0].ID].Stored {
		return
	}
	best := 0
	for i, p := range hosts {
		if mk.answers[p.ID].Runs < mk.answers[hosts[best].ID].Runs {
			best = i
		}
	}
	hosts[0], hosts[best] = hosts[best], hosts[0]
}

// runs is how many parts are led here, or will be in a moment: those run here,
// or have just begun or ended to.
func (w *network) runs() uint32 {
	n := len(w.founding)
	for _, h := range w.hosts {
		if h.leading {
			n++
		}
	}
	return uint32(n)
}

// odd is the largest odd number up to n: a group of two is lost with either of
// its members.
func odd(n int) int { return n - 1 + n&1 }

// onFound makes a group of which this node is the first member, once the
// directory has its record: there can be one only.
func (w *network) onFound(m *Found) {
	if w.hosted(m.Part) != nil || !m.Part.inWorld() || len(m.Members) == 0 || len(m.Members) > records.MaxHosts ||
		m.Members[0].ID != w.cfg.Self.ID || !w.room() && !w.stored[m.Part] || w.damaged[m.Part] ||
		w.founding[m.Part] || len(w.founding) >= maxMaking || w.closing {
		return
	}
	w.founding[m.Part] = true
	w.dir.create(m.Part, m.Members, func(won bool, rival records.Hosts) {
		delete(w.founding, m.Part)
		gone := w.allGone(rival.Members)
		switch {
		case w.hosted(m.Part) != nil || w.closing:
		case won:
			delete(w.stored, m.Part)
			w.create(m.Part, 0, m.Members)
		case gone:
			w.note(fmt.Sprintf("All %d hosts of %s have been gone for more than %v: it begins anew, as the world was made. "+
				"If they come back they put aside what they have.", len(rival.Members), m.Part, w.cfg.GoneAfter))
			w.create(m.Part, max(1, generationOf(rival.Term)), m.Members)
		case len(rival.Members) > 0:
			w.route(m.Part).members = rival.Members
		}
	})
}

// onGenerate finds hosts for a part that another node needs.
func (w *network) onGenerate(f *farNode, m *Generate) {
	if !m.Part.inWorld() || !w.dir.joined {
		return
	}
	w.coordinate(m.Part)
	w.tellWhere(f.peer, m.Part)
}

// generateBeat ends what takes too long.
func (w *network) generateBeat() {
	for _, p := range sortedParts(w.making) {
		if mk := w.making[p]; mk.begun != 0 {
			w.judge(mk)
		}
	}
}
