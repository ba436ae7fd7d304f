package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/records"
)

// What nodes tell each other of the group that they know of a part (Standing)
// serves two ends. A replica whose group has lost its majority for good asks
// the others who are left, and whether anybody leads, before it goes on with
// what it has. And a leader asks from time to time whether there is another
// group of its part: the lesser of two gives way.

const (
	// lostAfter is how long a replica must have been without a leader, and a
	// member not heard of by this node, until the group may go on without it.
	lostAfter = remember
	// inquiry is how long answers are waited for, inquireAgain when to ask anew.
	inquiry      = 3 * time.Second
	inquireAgain = 20 * time.Second
	// forsaken is how long a replica has had no leader when it looks whether the
	// part goes on elsewhere.
	forsaken = 5 * time.Second
)

// Standing is what a node knows of the group of a part.
type Standing struct {
	Part   Part
	Ask    bool // the receiver is to say the same
	Member bool // the sender has a replica
	Led    bool // which leads, or knows who does
	Gen    group.Gen
	// The end of the replica's log: of two the one that is farther has more.
	Term, Last uint64
	Members    []machine.Peer
}

// Datagram says that the message needs no link and may be lost.
func (*Standing) Datagram() {}

// plight is what a replica without a leader does about it.
type plight struct {
	next  machine.Time
	since machine.Time // it has had no leader; 0: it has one, or sleeps
	asked []machine.Peer
	begun machine.Time // of the inquiry; 0: none
	heard map[id.ID]*Standing
	// without are nodes that have said that they have no replica: a member among
	// them has lost its disk, or a part of it, and will not have it again.
	without map[id.ID]bool
}

// standing is what this node says of a part; nil: nothing yet.
func (w *network) standing(p Part) *Standing {
	h := w.hosted(p)
	if h == nil {
		return &Standing{Part: p}
	}
	st := h.rep.Status()
	if !st.Member {
		return nil // it is still being read
	}
	return &Standing{
		Part: p, Member: true, Led: h.leader() != machine.Peer{} && !st.Asleep,
		Gen: st.Gen, Term: st.LastTerm, Last: st.Last, Members: h.members(),
	}
}

// onStanding takes what another node knows of a part's group.
func (w *network) onStanding(f *farNode, m *Standing) {
	if !m.Part.inWorld() || len(m.Members) > records.MaxHosts {
		w.n.counts.Dropped++
		return
	}
	if m.Ask {
		if s := w.standing(m.Part); s != nil {
			w.tell(f.peer, s)
		}
	}
	h := w.hosts[m.Part] // as asking has found it
	if h == nil {
		return
	}
	h.meet(f, m)
	if h.plight.since != 0 && !m.Ask {
		if h.plight.without == nil {
			h.plight.without = map[id.ID]bool{}
		}
		h.plight.without[f.peer.ID] = !m.Member
	}
	if h.plight.begun != 0 && slices.ContainsFunc(h.plight.asked, func(p machine.Peer) bool { return p.ID == f.peer.ID }) {
		h.plight.heard[f.peer.ID] = m
	}
}

// around are the nodes nearest to a part's key, silent ones that were there a
// while ago included, without this node.
func (w *network) around(p Part) []machine.Peer {
	key := w.dir.key(p)
	all := append(w.remembered(), w.dir.kad.Table().Closest(key, nearby, w.n.env.Now(), nil)...)
	all = slices.DeleteFunc(all, func(q machine.Peer) bool { return q.ID == w.cfg.Self.ID })
	kademlia.SortNearest(key, all)
	all = slices.CompactFunc(all, func(a, b machine.Peer) bool { return a.ID == b.ID })
	return all[:min(len(all), nearby)]
}

// cutOff reports whether most of the nodes that were there in the last hour are
// silent: it is likelier then that this node has been cut off from them than
// that they have all gone.
func (w *network) cutOff() bool {
	known, now := 1, w.n.env.Now()
	for _, s := range w.memory.heard { // the order does not matter
		if now.Sub(s.at) < lately {
			known++
		}
	}
	return 2*(len(w.remembered())+1) <= known
}

// allGone reports whether none of a part's hosts has been heard of for so long
// that the part is to begin anew. A node that has not been here itself for that
// long does not know, nor one that may have been cut off.
func (w *network) allGone(hosts []machine.Peer) bool {
	if len(hosts) == 0 || w.n.env.Now().Sub(w.memory.begun) < w.cfg.GoneAfter || w.cutOff() {
		return false
	}
	return !slices.ContainsFunc(hosts, func(p machine.Peer) bool {
		s, heard := w.memory.heard[p.ID]
		return p.ID == w.cfg.Self.ID || heard && w.n.env.Now().Sub(s.at) < w.cfg.GoneAfter
	})
}

// mourn looks after a replica whose group has no leader.
func (h *hosted) mourn(now machine.Time) {
	g := &h.plight
	if now < g.next {
		return
	}
	g.next = now.Add(time.Second)
	if g.since != 0 && now.Sub(g.since) >= forsaken {
		h.lookForRivals(now)
	}
	st := h.rep.Status()
	self := slices.IndexFunc(st.Members, func(m group.MemberStatus) bool { return m.Peer.ID == h.w.cfg.Self.ID })
	switch {
	case st.Asleep || st.Leader != machine.Peer{} || self < 0 || !st.Members[self].Voter && !st.Members[self].Spare:
		*g = plight{next: g.next}
	case g.since == 0:
		g.since = now
	case g.begun != 0 && now.Sub(g.begun) >= inquiry:
		h.judgeLoss(&st, now)
		g.begun, g.asked, g.heard, g.next = 0, nil, nil, now.Add(inquireAgain)
	case g.begun != 0 || !h.w.dir.joined || h.w.closing:
	case g.lost(&st):
		h.inquire(now)
	case now.Sub(g.since) < lostAfter:
	case st.Members[self].Spare && !h.w.allGone(h.voters()):
	case h.w.cutOff():
		h.w.callSilent(h.part)
		g.next = now.Add(inquireAgain)
	default:
		h.inquire(now)
	}
}

// lost reports whether so many voters have lost what they had that the others
// cannot elect: that is certain, and nothing need be waited for.
func (g *plight) lost(st *group.Status) bool {
	voters, without := 0, 0
	for _, m := range st.Members {
		if m.Voter {
			voters++
			if g.without[m.Peer.ID] {
				without++
			}
		}
	}
	return without > 0 && voters-without <= voters/2
}

// callSilent asks nodes that have not been heard of for a while: some may only
// have had no reason to say anything.
func (w *network) callSilent(p Part) {
	for _, who := range id.Sorted(w.memory.heard) {
		if s := w.memory.heard[who]; w.n.env.Now().Sub(s.at) >= remember {
			w.tell(s.peer, &Standing{Part: p, Ask: true})
		}
	}
}

// inquire asks the other members, and the nodes near the key, what they know.
func (h *hosted) inquire(now machine.Time) {
	g := &h.plight
	g.begun, g.heard, g.asked = now, map[id.ID]*Standing{}, h.w.around(h.part)
	for _, m := range h.members() {
		if m.ID != h.w.cfg.Self.ID && !slices.ContainsFunc(g.asked, func(p machine.Peer) bool { return p.ID == m.ID }) {
			g.asked = append(g.asked, m)
		}
	}
	for _, p := range g.asked {
		h.w.tell(p, &Standing{Part: h.part, Ask: true, Member: true})
	}
}

// judgeLoss decides whether the group has lost its majority for good and goes
// on here: if more than half of the nodes near the key agree that nobody leads,
// and no other survivor has more.
func (h *hosted) judgeLoss(st *group.Status, now machine.Time) {
	w, g := h.w, &h.plight
	voters, dead, without := 0, 0, 0
	for _, m := range st.Members {
		if !m.Voter {
			continue
		}
		voters++
		if s := g.heard[m.Peer.ID]; s != nil && !s.Member {
			dead++
			without++
		}
		if m.Peer.ID != w.cfg.Self.ID && g.heard[m.Peer.ID] == nil && now.Sub(w.memory.heard[m.Peer.ID].at) >= lostAfter {
			dead++
		}
	}
	for who, s := range g.heard { // the order does not matter
		if s.Led || s.Member && h.yieldsTo(st, who, s) {
			return
		}
	}
	near, answered := 1, 1
	for _, p := range w.around(h.part) {
		if g.heard[p.ID] != nil {
			answered++
		}
		if !w.allGone([]machine.Peer{p}) {
			near++
		}
	}
	if voters-dead > voters/2 || 2*answered <= near {
		return // the others could elect, or this node hears too few
	}
	lost := fmt.Sprintf("%d of the %d hosts of %s have been silent for more than %v", dead, voters, h.part, lostAfter)
	if voters == 1 {
		lost = fmt.Sprintf("The node that hosted %s has been gone for more than %v", h.part, w.cfg.GoneAfter)
	}
	if without > 0 {
		lost = fmt.Sprintf("Hosts of %s have lost what they had of it (%d of %d)", h.part, without, voters)
	}
	if err := h.rep.Recover([]machine.Peer{w.cfg.Self}); err != nil {
		w.note(lost + "; going on without them failed, trying again: " + err.Error())
		return
	}
	w.note(lost + ": it goes on with what this node has. What only they had is lost; if they come back they put it aside.")
}

// yieldsTo reports whether another survivor should rather go on: one of a newer
// generation, with a longer log, or of two with the same log the lower id.
func (h *hosted) yieldsTo(st *group.Status, who id.ID, s *Standing) bool {
	switch c := s.Gen.Compare(st.Gen); {
	case c != 0:
		return c > 0
	case s.Term != st.LastTerm:
		return s.Term > st.LastTerm
	case s.Last != st.Last:
		return s.Last > st.Last
	}
	self := h.w.cfg.Self.ID
	return slices.Compare(who[:], self[:]) < 0
}
