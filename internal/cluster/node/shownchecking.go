package node

import (
	"fmt"
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

// shownChecking compares what regions of other nodes show to sessions here with what
// their leaders sign. A leader that signs that it has shown something else is convicted.
// One that signs nothing, or not what it has sent, can only be reported to the members
// of the region's group, and its players are shown the region again.
type shownChecking struct {
	part.Part
	keys     *LogKeys // nil: nothing is compared
	links    *peers.Links
	routes   *routes
	sessions shownSessions
	convict  func(regionlog.Evidence, *regionlog.Finding)
	auditors *auditDraw

	list map[world.RegionPos]*checkedRegion
}

// shownSessions are the sessions that are shown regions (gatewaySessions).
type shownSessions interface {
	toSession(session id.ID, m machine.Message) bool
	rewatch(session id.ID, at world.RegionPos)
}

// checkedRegion is what is shown of a region, by one node.
type checkedRegion struct {
	by       id.ID
	view     *regionlog.View
	since    machine.Time // when that one began to show it
	heard    machine.Time // when it last signed something
	next     machine.Time // before then no statement is verified
	repaired machine.Time
	reported machine.Time
	signed   *regionlog.Checkpoint // the newest that it has signed
	audit    machine.Time          // when an auditor is drawn next
	bad      int                   // statements in a row that do not agree with what was shown
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
func (k *shownChecking) of(f *peers.Remote, pos world.RegionPos) *checkedRegion {
	x := k.list[pos]
	if x == nil || x.by != f.Peer.ID {
		now := k.Env.Now()
		x = &checkedRegion{by: f.Peer.ID, view: regionlog.NewView(pos), since: now, heard: now, audit: k.auditors.next(now)}
		k.list[pos] = x
	}
	return x
}

// isOn reports whether anything is compared here.
func (k *shownChecking) isOn() bool { return k.keys != nil }

// frame takes a frame that sessions here are shown.
func (k *shownChecking) frame(f *peers.Remote, m *ToWatchers) {
	if k.isOn() {
		k.of(f, m.Region).view.Frame(m.Tick, m.Cells)
	}
}

// columns takes columns that sessions here are shown.
func (k *shownChecking) columns(f *peers.Remote, m machine.Message) {
	if c, ok := m.(*region.Columns); ok && k.isOn() {
		k.of(f, c.Region).view.Columns(c.Tick, columnsOf(c))
	}
}

// LinkDown forgets what a node has shown: it begins another chain.
func (k *shownChecking) linkDown(f *peers.Remote) {
	for pos, x := range k.list {
		if x.by == f.Peer.ID {
			delete(k.list, pos)
		}
	}
}

// onShown takes what the leader of a region has signed.
func (k *shownChecking) onShown(f *peers.Remote, m *Shown) {
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
	j := x.view.Compare(s)
	k.Counts.ColumnsCompared += uint64(j.Compared)
	switch {
	case j.Proof != nil:
		k.prove(j.Proof)
	case j.Differs == 0 && (!j.Unsigned || first || s.Number == 0):
		x.bad = 0
		return
	}
	k.Counts.ShownUnsigned++
	x.bad++
	r := k.routes.known(shards.Shard{Region: m.Region})
	if r == nil || x.bad < 2 || now.Sub(x.repaired) < repairEvery && x.repaired != 0 {
		return
	}
	x.repaired = now
	for _, session := range id.Sorted(r.watch) {
		k.sessions.rewatch(session, m.Region)
	}
	if x.bad > 5 {
		k.Note(fmt.Sprintf("Node %s shows players here %s otherwise than it signs, and does not sign what it shows: nothing is proven by that.", f.Peer.ID.Short(), where(m.Region)))
		notice := &region.Notice{Region: m.Region, Code: "unsigned", Text: "The host of this region does not sign what it shows. What you see here may be false."}
		for _, session := range id.Sorted(r.watch) {
			k.sessions.toSession(session, notice)
		}
	}
}

// prove convicts by a proof that is checked from its bytes first, as anybody else would.
func (k *shownChecking) prove(p *regionlog.Display) {
	again, err := regionlog.DecodeDisplay(p.Append(nil))
	if err != nil {
		return
	}
	if found, err := again.Check(); err == nil {
		k.convict(again, found)
	}
}

// beat reports leaders that sign nothing of what they show, and forgets regions that
// nobody here watches.
func (k *shownChecking) beat(now machine.Time) {
	for _, r := range k.routes.sorted() {
		x := k.list[r.shard.Region]
		if x == nil || r.shard.Lobby {
			continue
		}
		f := k.links.ByID(x.by)
		if len(r.watch) == 0 {
			delete(k.list, r.shard.Region)
			continue
		}
		if x.signed != nil && now >= x.audit && now.Sub(x.heard) < unsignedAfter && f != nil {
			x.audit = k.auditors.next(now)
			k.auditors.draw(f.Peer, r.members, x.signed)
		}
		if now.Sub(x.heard) < unsignedAfter || now.Sub(x.reported) < reportEvery || x.by != r.leader.ID {
			continue
		}
		x.reported = now
		for _, p := range r.members {
			if p.ID != x.by && p.ID != k.Cfg.Self.ID {
				k.links.Send(p, &Unsigned{r.shard.Region})
			}
		}
	}
}
