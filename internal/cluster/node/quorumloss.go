package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// GroupStatus serves two purposes. A replica whose group has lost its majority
// for good asks the survivors whether any of them leads before it continues
// with its own data. And a leader asks from time to time whether there is
// another group for its shard: the lesser of two gives way.

const (
	// memberLostAfter is how long a replica must have had no leader, and a
	// member must have been silent, before the group may continue without that
	// member.
	memberLostAfter = rememberFor
	// inquiryTimeout is how long it waits for answers, inquiryRetry when it
	// asks again.
	inquiryTimeout = 3 * time.Second
	inquiryRetry   = 20 * time.Second
	// leaderlessAfter is how long a replica must have had no leader before it
	// checks whether the shard continues elsewhere.
	leaderlessAfter = 5 * time.Second
)

// GroupStatus is what a node knows of the group of a shard.
type GroupStatus struct {
	Shard  Shard
	Reply  bool // the receiver is to say the same
	Member bool // the sender has a replica
	Led    bool // which leads, or knows who does
	Gen    group.Gen
	// The end of the replica's log: of two logs the one with the later end has
	// more.
	Term, Last uint64
	Members    []machine.Peer
}

// Datagram says that the message needs no link and may be lost.
func (*GroupStatus) Datagram() {}

// quorumLoss is the state of a replica without a leader.
type quorumLoss struct {
	next  machine.Time
	since machine.Time // it has had no leader; 0: it has one, or sleeps
	asked []machine.Peer
	begun machine.Time // of the inquiry; 0: none
	heard map[id.ID]*GroupStatus
	// withoutLog are nodes that answered that they have no replica: a member
	// among them has lost its disk, or part of it, for good.
	withoutLog map[id.ID]bool
}

// groupStatus is what this node says of a shard; nil: nothing yet.
func (w *network) groupStatus(p Shard) *GroupStatus {
	h := w.replica(p)
	if h == nil {
		return &GroupStatus{Shard: p}
	}
	st := h.raft.Status()
	if !st.Member {
		return nil // it is still being read
	}
	return &GroupStatus{
		Shard: p, Member: true, Led: h.leader() != machine.Peer{} && !st.Asleep,
		Gen: st.Gen, Term: st.LastTerm, Last: st.Last, Members: h.members(),
	}
}

// onGroupStatus takes what another node knows of a shard's group.
func (w *network) onGroupStatus(f *remoteNode, m *GroupStatus) {
	if !m.Shard.inWorld() || len(m.Members) > records.MaxHosts {
		w.n.counts.Dropped++
		return
	}
	if m.Reply {
		if s := w.groupStatus(m.Shard); s != nil {
			w.sendDatagram(f.peer, s)
		}
	}
	h := w.replicas[m.Shard] // as asking has found it
	if h == nil {
		return
	}
	h.compareGroups(f, m)
	if h.quorumLoss.since != 0 && !m.Reply {
		if h.quorumLoss.withoutLog == nil {
			h.quorumLoss.withoutLog = map[id.ID]bool{}
		}
		h.quorumLoss.withoutLog[f.peer.ID] = !m.Member
	}
	if h.quorumLoss.begun != 0 && among(h.quorumLoss.asked, f.peer.ID) {
		h.quorumLoss.heard[f.peer.ID] = m
	}
}

// nearestNodes are the nodes nearest to a shard's key, silent ones that were there a
// while ago included, without this node.
func (w *network) nearestNodes(p Shard) []machine.Peer {
	key := w.dir.key(p)
	all := append(w.recentNodes(), w.dir.kad.Table().Closest(key, nearby, w.n.env.Now(), nil)...)
	all = slices.DeleteFunc(all, func(q machine.Peer) bool { return q.ID == w.cfg.Self.ID })
	kademlia.SortNearest(key, all)
	all = slices.CompactFunc(all, func(a, b machine.Peer) bool { return a.ID == b.ID })
	return all[:min(len(all), nearby)]
}

// isPartitioned reports whether most of the nodes of the last hour are silent:
// then this node is more likely partitioned than they are all gone.
func (w *network) isPartitioned() bool {
	known, now := 1, w.n.env.Now()
	for _, s := range w.store.seen { // the order does not matter
		if now.Sub(s.at) < seenRecently {
			known++
		}
	}
	return 2*(len(w.recentNodes())+1) <= known
}

// allGone reports whether all hosts of a shard have been silent for so long
// that the shard is to be created anew. A node that has not been running for
// that long, or may be partitioned, cannot tell.
func (w *network) allGone(hosts []machine.Peer) bool {
	if len(hosts) == 0 || w.n.env.Now().Sub(w.store.started) < w.cfg.GoneAfter || w.isPartitioned() {
		return false
	}
	return !slices.ContainsFunc(hosts, func(p machine.Peer) bool {
		s, heard := w.store.seen[p.ID]
		return p.ID == w.cfg.Self.ID || heard && w.n.env.Now().Sub(s.at) < w.cfg.GoneAfter
	})
}

// checkQuorumLoss decides what to do with a replica whose group has no leader.
func (h *replica) checkQuorumLoss(now machine.Time) {
	g := &h.quorumLoss
	if now < g.next {
		return
	}
	g.next = now.Add(time.Second)
	if g.since != 0 && now.Sub(g.since) >= leaderlessAfter {
		h.searchOtherGroups(now)
	}
	st := h.raft.Status()
	self := slices.IndexFunc(st.Members, func(m group.MemberStatus) bool { return m.Peer.ID == h.w.cfg.Self.ID })
	switch {
	case st.Asleep || st.Leader != machine.Peer{} || self < 0 || !st.Members[self].Voter && !st.Members[self].Standby:
		*g = quorumLoss{next: g.next}
	case g.since == 0:
		g.since = now
	case g.begun != 0 && now.Sub(g.begun) >= inquiryTimeout:
		h.decideRecovery(&st, now)
		g.begun, g.asked, g.heard, g.next = 0, nil, nil, now.Add(inquiryRetry)
	case g.begun != 0 || !h.w.dir.joined || h.w.closing:
	case g.quorumLost(&st):
		h.askSurvivors(now)
	case now.Sub(g.since) < memberLostAfter:
	case st.Members[self].Standby && !h.w.allGone(h.voters()):
	case h.w.isPartitioned():
		h.w.contactSilent(h.shard)
		g.next = now.Add(inquiryRetry)
	default:
		h.askSurvivors(now)
	}
}

// quorumLost reports whether so many voters have lost their logs that the
// others cannot elect. That is certain, so there is no reason to wait.
func (g *quorumLoss) quorumLost(st *group.Status) bool {
	voters, without := 0, 0
	for _, m := range st.Members {
		if m.Voter {
			voters++
			if g.withoutLog[m.Peer.ID] {
				without++
			}
		}
	}
	return without > 0 && voters-without <= voters/2
}

// contactSilent asks nodes that have been silent for a while: some may have had
// no reason to send anything.
func (w *network) contactSilent(p Shard) {
	for _, who := range id.Sorted(w.store.seen) {
		if s := w.store.seen[who]; w.n.env.Now().Sub(s.at) >= rememberFor {
			w.sendDatagram(s.peer, &GroupStatus{Shard: p, Reply: true})
		}
	}
}

// askSurvivors asks the other members, and the nodes near the key, what they know.
func (h *replica) askSurvivors(now machine.Time) {
	g := &h.quorumLoss
	g.begun, g.heard, g.asked = now, map[id.ID]*GroupStatus{}, h.w.nearestNodes(h.shard)
	for _, m := range h.members() {
		if m.ID != h.w.cfg.Self.ID && !among(g.asked, m.ID) {
			g.asked = append(g.asked, m)
		}
	}
	for _, p := range g.asked {
		h.w.sendDatagram(p, &GroupStatus{Shard: h.shard, Reply: true, Member: true})
	}
}

// decideRecovery continues the group here if it has lost its majority for good:
// more than half of the nodes near the key must agree that nobody leads, and no
// other survivor may have a longer log.
func (h *replica) decideRecovery(st *group.Status, now machine.Time) {
	w, g := h.w, &h.quorumLoss
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
		if m.Peer.ID != w.cfg.Self.ID && g.heard[m.Peer.ID] == nil && now.Sub(w.store.seen[m.Peer.ID].at) >= memberLostAfter {
			dead++
		}
	}
	for who, s := range g.heard { // the order does not matter
		if s.Led || s.Member && h.prefersSurvivor(st, who, s) {
			return
		}
	}
	near, answered := 1, 1
	for _, p := range w.nearestNodes(h.shard) {
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
	lost := fmt.Sprintf("%d of the %d hosts of %s have been silent for more than %v", dead, voters, h.shard, memberLostAfter)
	if voters == 1 {
		lost = fmt.Sprintf("The node that hosted %s has been gone for more than %v", h.shard, w.cfg.GoneAfter)
	}
	if without > 0 {
		lost = fmt.Sprintf("Hosts of %s have lost what they had of it (%d of %d)", h.shard, without, voters)
	}
	if err := h.raft.Recover([]machine.Peer{w.cfg.Self}); err != nil {
		w.note(lost + "; going on without them failed, trying again: " + err.Error())
		return
	}
	w.note(lost + ": it goes on with what this node has. What only they had is lost; if they come back they put it aside.")
}

// prefersSurvivor reports whether another survivor should continue instead: one
// of a newer generation or with a longer log; of equal logs the lower id.
func (h *replica) prefersSurvivor(st *group.Status, who id.ID, s *GroupStatus) bool {
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
