package accountability

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// ShownChecking compares what regions of other nodes show to sessions here with what
// their leaders sign. A leader that signs that it has shown something else is convicted.
// One that signs nothing, or not what it has sent, can only be reported to the members
// of the region's group, and its players are shown the region again; if this node is such a
// member, it suspects the leader.
type ShownChecking struct {
	part.Part
	keys      *LogKeys // nil: nothing is compared
	links     *peers.Links
	routes    shownRoutes
	sessions  shownSessions
	groups    followingGroups
	convicted *Convictions
	auditors  *auditDraw

	list map[world.RegionPos]*checkedRegion
}

// shownSessions are the sessions that are shown regions (gatewaySessions).
type shownSessions interface {
	HasSession(id.ID) bool
	ToSession(session id.ID, m machine.Message) bool
}

// shownRoutes is what is known of the shards that sessions here use (routes).
type shownRoutes interface {
	// Watchers are the sessions here that watch a shard, in order, with what they watch.
	Watchers(shards.Shard) []regionlog.Known
	// Each calls do for the shards that are used here, in order, with who leads and hosts
	// each, and whether sessions here watch it.
	Each(do func(p shards.Shard, leader machine.Peer, members []machine.Peer, watched bool))
	// Rewatch lets a region send a session everything that it watches again.
	Rewatch(session id.ID, at world.RegionPos)
}

// NewShownChecking returns what compares what sessions here are shown.
func NewShownChecking(c part.Part, keys *LogKeys, l *peers.Links, seen *peers.Sightings, routes shownRoutes, sessions shownSessions, groups followingGroups, auditing *Auditing) *ShownChecking {
	return &ShownChecking{
		Part: c, keys: keys, links: l, routes: routes, sessions: sessions, groups: groups, convicted: auditing.convicted, list: map[world.RegionPos]*checkedRegion{},
		auditors: &auditDraw{Part: c, seen: seen, links: l, auditing: auditing},
	}
}

// Stop has this node compare nothing any more.
func (k *ShownChecking) Stop() { k.keys = nil }

// View is what sessions here were shown of a region; nil: nothing is compared.
func (k *ShownChecking) View(pos world.RegionPos) *regionlog.View {
	if x := k.list[pos]; x != nil {
		return x.view
	}
	return nil
}

// checkedRegion is what is shown of a region, by one node.
type checkedRegion struct {
	by        id.ID
	view      *regionlog.View
	since     machine.Time // when that one began to show it
	heard     machine.Time // when it last signed something
	next      machine.Time // before then no statement is verified
	repaired  machine.Time
	completed machine.Time // when sessions that were left out were shown the region again
	reported  machine.Time
	signed    *regionlog.Checkpoint // the newest that it has signed
	audit     machine.Time          // when an auditor is drawn next
	bad       int                   // statements in a row that do not agree with what was shown
}

const (
	// unsignedAfter is how long a leader may show a region and sign nothing.
	unsignedAfter = 10 * time.Second
	reportEvery   = 5 * time.Second
	repairEvery   = 5 * time.Second
	// minShown is the shortest time between two statements about a region that are
	// verified.
	minShown = 300 * time.Millisecond
)

// of returns what a node shows of a region.
func (k *ShownChecking) of(f *peers.Remote, pos world.RegionPos) *checkedRegion {
	x := k.list[pos]
	if x == nil || x.by != f.Peer.ID {
		now := k.Env.Now()
		x = &checkedRegion{by: f.Peer.ID, view: regionlog.NewView(pos), since: now, heard: now, audit: k.auditors.next(now)}
		k.list[pos] = x
	}
	return x
}

// isOn reports whether anything is compared here.
func (k *ShownChecking) isOn() bool { return k.keys != nil }

// Frame takes a frame that sessions here are shown.
func (k *ShownChecking) Frame(f *peers.Remote, pos world.RegionPos, tick uint64, to []id.ID, cells []byte) {
	if k.isOn() {
		k.of(f, pos).view.Frame(tick, to, k.here(to), cells)
	}
}

// Columns takes columns that sessions here are shown.
func (k *ShownChecking) Columns(f *peers.Remote, to []id.ID, m machine.Message) {
	if c, ok := m.(*region.Columns); ok && k.isOn() {
		k.of(f, c.Region).view.Columns(c.Tick, to, k.here(to), columnsOf(c))
	}
}

// here are those sessions of a list that there are.
func (k *ShownChecking) here(list []id.ID) []id.ID {
	gone := func(session id.ID) bool { return !k.sessions.HasSession(session) }
	if !slices.ContainsFunc(list, gone) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), gone)
}

// Ask takes what a session here says to a region: columns that it watches no more come whole
// when it watches them again.
func (k *ShownChecking) Ask(session id.ID, to world.RegionPos, m machine.Message) {
	if w, ok := m.(*region.Watch); ok && k.list[to] != nil {
		k.list[to].view.Unwatch(session, w.Columns())
	}
}

// LinkDown forgets what a node has shown: it begins another chain.
func (k *ShownChecking) LinkDown(f *peers.Remote) {
	for pos, x := range k.list {
		if x.by == f.Peer.ID {
			delete(k.list, pos)
		}
	}
}

// OnShown takes what the leader of a region has signed.
func (k *ShownChecking) OnShown(f *peers.Remote, m *Shown) {
	x, now := k.list[m.Region], k.Env.Now()
	if x == nil || x.by != f.Peer.ID || !k.isOn() || now < x.next {
		return
	}
	x.next = now.Add(minShown)
	s, err := regionlog.DecodeShown(m.Statement, x.view.Hashes())
	if err != nil || s.To != k.Cfg.Self.ID || s.Checkpoint.World != k.Cfg.World || s.Checkpoint.Region != m.Region ||
		k.keys.Node(s.Checkpoint.Key) != f.Peer.ID || !s.Verify() {
		k.Counts.ShownUnsigned++
		return
	}
	x.heard, x.signed = now, s.Checkpoint
	first := x.view.Hashes() == nil
	watched := k.routes.Watchers(shards.Shard{Region: m.Region})
	j := x.view.Compare(s, watched)
	k.Counts.ColumnsCompared += uint64(j.Compared)
	k.leftOut(x, m.Region, j.LeftOut)
	unsigned := j.Unsigned && !first && s.Number != 0
	switch {
	case j.Proof != nil:
		k.prove(j.Proof)
	case len(j.Sessions) == 0 && !unsigned:
		x.bad = 0
		return
	}
	k.Counts.ShownUnsigned++
	x.bad++
	if len(watched) == 0 || x.bad < 2 || now.Sub(x.repaired) < repairEvery && x.repaired != 0 {
		return
	}
	x.repaired = now
	whom := j.Sessions
	if unsigned {
		whom = nil
		for _, w := range watched {
			whom = append(whom, w.Session)
		}
	}
	k.showAnew(whom, m.Region, x.bad > 5)
	if x.bad > 5 {
		k.Note(fmt.Sprintf("Node %s shows players here %s otherwise than it signs, and does not sign what it shows: nothing is proven by that.", f.Peer.ID.Short(), where(shards.Shard{Region: m.Region})))
		if l := k.groups.Follows(m.Region); l != nil {
			l.onUnsigned(f.Peer.ID)
		}
	}
}

// leftOut has sessions that a leader leaves out shown the region again, and tells their
// players. Nobody suspects the leader for that: a session may have asked for nothing.
func (k *ShownChecking) leftOut(x *checkedRegion, at world.RegionPos, sessions []id.ID) {
	if now := k.Env.Now(); len(sessions) > 0 && (x.completed == 0 || now.Sub(x.completed) >= repairEvery) {
		x.completed = now
		k.Counts.ShownUnsigned++
		k.showAnew(sessions, at, true)
	}
}

// showAnew has sessions shown a region again.
func (k *ShownChecking) showAnew(sessions []id.ID, at world.RegionPos, tell bool) {
	for _, session := range sessions {
		k.routes.Rewatch(session, at)
		if tell {
			k.sessions.ToSession(session, &region.Notice{Region: at, Code: "unsigned", Text: "The host of this region does not sign what it shows. What you see here may be false."})
		}
	}
}

// prove convicts by a proof that is checked from its bytes first, as anybody else would.
func (k *ShownChecking) prove(p *regionlog.Display) {
	again, err := regionlog.DecodeDisplay(p.Append(nil))
	if err != nil {
		return
	}
	if found, err := again.Check(); err == nil {
		k.convicted.add(again, found)
	}
}

// Beat draws auditors, tells the members of groups that their leaders are at work, more often
// if these sign nothing of what they show, and forgets regions that nobody here watches.
func (k *ShownChecking) Beat(now machine.Time) {
	k.routes.Each(func(p shards.Shard, leader machine.Peer, members []machine.Peer, watched bool) {
		x := k.list[p.Region]
		if x == nil || p.Lobby {
			return
		}
		f := k.links.ByID(x.by)
		if !watched {
			delete(k.list, p.Region)
			return
		}
		if x.signed != nil && now >= x.audit && now.Sub(x.heard) < unsignedAfter && f != nil {
			x.audit = k.auditors.next(now)
			k.auditors.draw(f.Peer, members, x.signed)
			k.tellMembers(p, members, x)
		}
		if now.Sub(x.heard) < unsignedAfter || now.Sub(x.reported) < reportEvery || x.by != leader.ID {
			return
		}
		x.reported = now
		k.tellMembers(p, members, x)
	})
}

// tellMembers tells the other members of a region's group that its leader shows it to sessions
// here: those who do not get its log suspect the leader.
func (k *ShownChecking) tellMembers(p shards.Shard, members []machine.Peer, x *checkedRegion) {
	for _, m := range members {
		if m.ID != x.by && m.ID != k.Cfg.Self.ID {
			k.links.Send(m, &ShownHere{p.Region})
		}
	}
}
