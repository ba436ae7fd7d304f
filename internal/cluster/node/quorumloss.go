package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

const (
	// inquiryTimeout is how long a replica without a leader waits for answers,
	// inquiryRetry when it asks again.
	inquiryTimeout = 3 * time.Second
	inquiryRetry   = 20 * time.Second
	// replaceRetry is when a replica asks again whether it may go on without a convicted
	// leader.
	replaceRetry = 2 * time.Second
	// leaderlessAfter is how long a replica must have had no leader before it
	// checks whether the shard continues elsewhere.
	leaderlessAfter = 5 * time.Second
)

// quorumLoss decides what to do with a replica whose group has no leader. Whether it
// continues without the others is a matter of package hostpolicy.
type quorumLoss struct {
	part.Part
	group       *shardgroup.Group
	convicted   *accountability.Convictions // have no vote
	links       *peers.Links
	dir         *directory.Directory
	seen        *peers.Sightings
	restoration interface { // of a shard that this node is the last host of
		beginAlone(p shards.Shard, rival records.Hosts, own lastHost)
	}

	next  machine.Time
	since machine.Time // it has had no leader; 0: it has one, or sleeps
	asked []machine.Peer
	begun machine.Time // of the inquiry; 0: none
	heard map[id.ID]*shardgroup.GroupStatus
	// withoutLog are nodes that answered that they have no replica: a member
	// among them has lost its disk, or part of it, for good.
	withoutLog map[id.ID]bool
	objected   machine.Time // when others first objected to a recovery; 0: nobody has
}

// leaderlessFor is how long the group has had no leader; 0: it has one, or hibernates.
func (g *quorumLoss) leaderlessFor(now machine.Time) time.Duration {
	if g.since == 0 {
		return 0
	}
	return now.Sub(g.since)
}

// hear notes what another node knows of the group.
func (g *quorumLoss) hear(f *peers.Remote, m *shardgroup.GroupStatus) {
	if g.since != 0 && !m.Reply {
		if g.withoutLog == nil {
			g.withoutLog = map[id.ID]bool{}
		}
		g.withoutLog[f.Peer.ID] = !m.Member
	}
	if g.begun != 0 && peers.Among(g.asked, f.Peer.ID) && !g.convicted.Has(f.Peer.ID) {
		g.heard[f.Peer.ID] = m
	}
}

// isDue reports, once a second, that the replica is to be checked.
func (g *quorumLoss) isDue(now machine.Time) bool {
	if now < g.next {
		return false
	}
	g.next = now.Add(time.Second)
	return true
}

// check asks the others, or continues without them.
func (g *quorumLoss) check(now machine.Time) {
	st := g.group.Raft.Status()
	self := slices.IndexFunc(st.Members, func(m group.MemberStatus) bool { return m.Peer.ID == g.Cfg.Self.ID })
	switch {
	case st.Asleep || g.hasLeader(&st) || self < 0 || !st.Members[self].Voter && !st.Members[self].Standby:
		g.reset()
	case g.since == 0:
		g.since = now
	case g.begun != 0 && now.Sub(g.begun) >= inquiryTimeout:
		g.next = now.Add(inquiryRetry)
		if g.hasConvicted() {
			g.replace(&st, now)
		} else {
			g.decide(&st, now)
		}
		g.endInquiry()
	case g.begun != 0 || !g.dir.HasJoined() || g.IsLeaving():
	case g.isLost(&st):
		g.askSurvivors(now)
	case g.hasConvicted() && st.Members[self].Voter:
		if g.leaderlessFor(now) >= hostpolicy.ReplaceLeaderAfter-inquiryTimeout {
			g.askSurvivors(now)
		}
	case g.isLastOf(&st, now):
		g.continueAlone(now)
	case g.leaderlessFor(now) < hostpolicy.MemberLostAfter:
	case st.Members[self].Standby && !g.seen.AllGone(g.group.Voters()):
	case g.seen.IsPartitioned():
		g.contactSilent()
		g.next = now.Add(inquiryRetry)
	default:
		g.askSurvivors(now)
	}
}

// hasLeader reports whether somebody leads, as far as this replica knows. Raft's leader
// does not lead once its lease has expired.
func (g *quorumLoss) hasLeader(st *group.Status) bool {
	return st.Leader != machine.Peer{} && (st.Leader.ID != g.Cfg.Self.ID || g.group.Leading)
}

// reset forgets what was found out without a leader: there is one.
func (g *quorumLoss) reset() {
	g.since, g.withoutLog, g.objected = 0, nil, 0
	g.endInquiry()
}

func (g *quorumLoss) endInquiry() { g.begun, g.asked, g.heard = 0, nil, nil }

// isLost reports whether so many voters have lost their logs that the others cannot
// elect. That is certain, so there is no reason to wait.
func (g *quorumLoss) isLost(st *group.Status) bool {
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

// isLastOf reports whether the other voters have been silent for so long that this replica
// may continue in a group of its own, if nearly all other nodes are there and hear none of
// them either (restoration).
func (g *quorumLoss) isLastOf(st *group.Status, now machine.Time) bool {
	others := 0
	for _, m := range st.Members {
		switch {
		case m.Peer.ID == g.Cfg.Self.ID && !m.Voter:
			return false
		case m.Peer.ID == g.Cfg.Self.ID || !m.Voter:
		case now.Sub(g.seen.Last(m.Peer.ID)) < hostpolicy.LastHostAfter:
			return false
		default:
			others++
		}
	}
	leaderless := g.leaderlessFor(now)
	return others > 1 && leaderless >= hostpolicy.LastHostAfter && leaderless < hostpolicy.MemberLostAfter
}

// continueAlone asks the others whether this replica may continue alone. What it has then
// is put aside, and a new group begins with it. The directory's record that is kept here
// is its own: others may have got a newer one while this node was cut off, which does not
// replace it here as long as this node, which it names, is there.
func (g *quorumLoss) continueAlone(now machine.Time) {
	g.next = now.Add(lastHostRetry)
	g.dir.FindElsewhere(g.group.Shard, func(r kademlia.Result) {
		st := g.group.Raft.Status()
		rival := records.Hosts{Term: g.group.Term(), Members: g.group.Members()}
		own := lastHost{since: g.since, end: shardgroup.EndOf(&st)}
		if r.Record != nil {
			if found, err := records.DecodeHosts(r.Record.Payload); err == nil {
				rival.Term = max(rival.Term, found.Term)
				if !sameNodes(found.Members, rival.Members) {
					own.successors = found.Members
				}
			}
		}
		own.resign = func() (log []machine.DiskWrite, ok bool) {
			if g.since != 0 && !g.group.Gone {
				log, ok = g.group.Raft.Resign() // if it cannot now: asked again
			}
			return log, ok
		}
		g.restoration.beginAlone(g.group.Shard, rival, own)
	})
}

// lastHostRetry is when the last host asks again whether it may continue alone.
const lastHostRetry = 5 * time.Second

// contactSilent asks nodes that have been silent for a while: some may have had no
// reason to send anything.
func (g *quorumLoss) contactSilent() {
	for _, p := range g.seen.Silent() {
		g.links.SendDatagram(p, &shardgroup.GroupStatus{Shard: g.group.Shard, Reply: true})
	}
}

// askSurvivors asks the other members, and the nodes near the key, what they know.
func (g *quorumLoss) askSurvivors(now machine.Time) {
	g.begun, g.heard = now, map[id.ID]*shardgroup.GroupStatus{}
	g.asked = peers.AppendOthers(g.honestNear(), g.Cfg.Self.ID, g.group.Members()...)
	for _, p := range g.asked {
		g.links.SendDatagram(p, &shardgroup.GroupStatus{Shard: g.group.Shard, Reply: true, Member: true})
	}
}

// decide continues the group here if it has lost its majority for good.
func (g *quorumLoss) decide(st *group.Status, now machine.Time) {
	var survivors []hostpolicy.Survivor
	for who, s := range g.heard { // the order does not matter
		survivors = append(survivors, hostpolicy.Survivor{
			ID: who, Led: s.Led, Member: s.Member, Waits: waits(st, who), Log: s.End(),
		})
	}
	own := shardgroup.EndOf(st)
	q, without := g.count(st, now)
	if g.objected == 0 && hostpolicy.Objections(g.Cfg.Self.ID, own, survivors) > 0 {
		g.objected = now
	}
	objected := time.Duration(0)
	if g.objected != 0 {
		objected = now.Sub(g.objected)
	}
	if !hostpolicy.MayContinue(g.Cfg.Self.ID, own, survivors, q, objected) {
		return
	}
	lost := g.describe(q, without)
	if err := g.group.Raft.Recover([]machine.Peer{g.Cfg.Self}); err != nil {
		g.Note(lost + "; going on without them failed, trying again: " + err.Error())
		return
	}
	g.Note(lost + ": it goes on with what this node has, its state of " + part.Clock(g.since) + ". What only they had is lost; if they come back they put it aside.")
}

// waits reports whether a member has no vote and is to get one: it does not continue by
// itself (check).
func waits(st *group.Status, who id.ID) bool {
	return slices.ContainsFunc(st.Members, func(m group.MemberStatus) bool { return m.Peer.ID == who && !m.Voter && !m.Standby })
}

// count counts the voters that cannot elect, and the nodes near the key that have
// answered. without is how many of the voters have lost their logs.
func (g *quorumLoss) count(st *group.Status, now machine.Time) (q hostpolicy.Quorum, without int) {
	for _, m := range st.Members {
		if !m.Voter {
			continue
		}
		q.Voters++
		s, who := g.heard[m.Peer.ID], m.Peer.ID
		switch {
		case s != nil && !s.Member:
			q.Dead++
			without++
		case s == nil && who != g.Cfg.Self.ID && now.Sub(g.seen.Last(who)) >= hostpolicy.MemberLostAfter:
			q.Dead++
		}
	}
	q.Near, q.Answered = g.near()
	return q, without
}

// near counts the nodes near the key that are not gone, and those that have answered, with
// this one.
func (g *quorumLoss) near() (near, answered int) {
	near, answered = 1, 1
	for _, p := range g.honestNear() {
		if g.heard[p.ID] != nil {
			answered++
		}
		if !g.seen.AllGone([]machine.Peer{p}) {
			near++
		}
	}
	return near, answered
}

// honestNear are the nodes nearest to the key that were not convicted.
func (g *quorumLoss) honestNear() []machine.Peer {
	near := g.dir.NearestNodes(g.group.Shard, hostpolicy.Nearby+g.convicted.Count())
	near = slices.DeleteFunc(near, func(p machine.Peer) bool { return g.convicted.Has(p.ID) })
	return near[:min(len(near), hostpolicy.Nearby)]
}

// describe tells people what was lost.
func (g *quorumLoss) describe(q hostpolicy.Quorum, without int) string {
	p := g.group.Shard
	switch {
	case without > 0:
		return fmt.Sprintf("Hosts of %s have lost what they had of it (%d of %d)", p, without, q.Voters)
	case q.Voters == 1:
		return fmt.Sprintf("The node that hosted %s has been gone for more than %v", p, g.Cfg.GoneAfter)
	}
	return fmt.Sprintf("%d of the %d hosts of %s have been silent for more than %v", q.Dead, q.Voters, p, hostpolicy.MemberLostAfter)
}
