package copies

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// Merges takes what was done to a copy of a region that is led here. Who asks
// for it was chosen by the hosts to keep the copy, and has continued it while it did not
// reach them.
type Merges struct {
	part.Part
	signatures Signatures
	links      *peers.Links
	hosting    hostedGroups
	routes     usedLeaders
	sources    *MergeSources
	budgets    *peers.Budgets // changes that nodes may have merged

	asked map[uint64]mergeRequest
	tag   uint64
}

// hostedGroups are the groups of the shards that this node hosts (hosting).
type hostedGroups interface {
	// GroupOf returns the group of a replica, reading it if it is only on the disk; nil:
	// there is none. loadedGroup does not read.
	GroupOf(shards.Shard) *shardgroup.Group
	LoadedGroup(shards.Shard) *shardgroup.Group
	// Wake wakes the group of a shard, if this node hosts it.
	Wake(shards.Shard)
}

// usedLeaders knows who leads shards (routes).
type usedLeaders interface {
	// LeaderFor returns who leads a shard that is needed; zero: it is not known.
	LeaderFor(shards.Shard) machine.Peer
	// Search looks for the leader.
	Search(shards.Shard)
	// SendLeaderReply tells a node who leads.
	SendLeaderReply(to machine.Peer, p shards.Shard)
}

// NewMerges returns what merges changes into regions that are led here, and what asks other
// leaders to merge what was changed here.
func NewMerges(c part.Part, sourcesSeat part.Seat, s Signatures, l *peers.Links, store *Store, hosting hostedGroups, routes usedLeaders, terrain *terrain.Generator) (*Merges, *MergeSources) {
	g := &Merges{
		Part: c, budgets: peers.NewBudgets(c, l, mergePerSecond, MergeBurst), signatures: s, links: l, hosting: hosting, routes: routes, asked: map[uint64]mergeRequest{},
	}
	g.sources = newMergeSources(c, sourcesSeat, l, store, g, routes, terrain)
	return g, g.sources
}

// mergeRequest is one that the region has not answered.
type mergeRequest struct {
	from   machine.Peer
	shard  shards.Shard
	number uint32
	at     machine.Time
	made   func(inPlace int) // not nil: this node hears of it, and nobody else
}

const (
	maxMergeRequests = 64
	mergeTimeout     = 10 * time.Second
	// What one node may have merged: as much as several players build in a minute, and
	// then as fast as they build.
	MergeBurst     = 16 * MaxMergeChanges
	mergePerSecond = 16
)

// Receive takes changes. f is the node that sends them; nil: this one.
func (g *Merges) Receive(from machine.Peer, m *MergeChanges, f *peers.Remote) {
	h := g.hosting.GroupOf(m.Shard)
	switch {
	case m.Shard.Lobby || !m.Shard.InWorld() || len(m.Changes)+len(m.Players) == 0 || !allIn(m.Shard.Region, m.Changes):
		g.Counts.Dropped++
		return
	case h == nil || !h.Leading:
		g.hosting.Wake(m.Shard)
		g.routes.SendLeaderReply(from, m.Shard)
		return
	case g.isRest(h, m):
		return // it is asked again, when the greater group leads
	case !g.mayMerge(from, h, m):
		g.Counts.Dropped++
		g.answer(from, &MergeDone{Shard: m.Shard, Number: m.Number, Refused: true})
		return
	case len(g.asked) >= maxMergeRequests || f != nil && !g.Spends(f, m.cost()):
		return // it is asked again
	}
	g.tag++
	g.pass(mergeRequest{from: from, shard: m.Shard, number: m.Number}, m.Changes, m.Players)
}

// cost is what a message takes of its sender's budget: a player is written like a few
// dozen blocks.
func (m *MergeChanges) cost() int {
	return len(m.Changes) + MaxMergeChanges/MaxMergePlayers*len(m.Players)
}

// Spends takes changes from what a node may have merged; false: it has had too many.
func (g *Merges) Spends(f *peers.Remote, n int) bool { return g.budgets.Take(f, n) }

// Make has changes made for this node; made hears how many blocks are as they say.
func (g *Merges) Make(p shards.Shard, changes []world.BlockChange, made func(inPlace int)) {
	g.tag++
	g.pass(mergeRequest{shard: p, made: made}, changes, nil)
}

// pass gives changes to the region.
func (g *Merges) pass(q mergeRequest, changes []world.BlockChange, players [][]byte) {
	q.at = g.Env.Now()
	g.asked[g.tag] = q
	self := q.shard.Peer()
	g.Queue.Push(part.Call{To: self, From: self, Msg: &region.Merge{Tag: g.tag, Changes: changes, Players: players}})
}

// allIn reports whether changes are of a region.
func allIn(pos world.RegionPos, changes []world.BlockChange) bool {
	for _, c := range changes {
		if c.At.Region() != pos || c.At.Y < 0 || c.At.Y >= world.Height || !c.Was.Known() || !c.Now.Known() {
			return false
		}
	}
	return true
}

// isRest reports whether the group here gives way to that of which changes come, or is
// what is left of it.
func (g *Merges) isRest(h *shardgroup.Group, m *MergeChanges) bool {
	gen, _ := h.Raft.Term()
	return gen.Compare(m.Aside) <= 0
}

// mayMerge reports whether a host of the region has given a copy of it to a node.
func (g *Merges) mayMerge(from machine.Peer, h *shardgroup.Group, m *MergeChanges) bool {
	if !g.signatures.IsOn() {
		return true
	}
	st := h.Raft.Status()
	hosts := append(h.Members(), st.Former...)
	end := hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}
	return m.Gen.Number <= st.Gen.Number && g.signatures.SignedBy(hosts, from.ID, m.Shard, end, DecodeProof(m.Proof))
}

// OnMerged takes the region's answer.
func (g *Merges) OnMerged(m *region.Merged) {
	q, ok := g.asked[m.Tag]
	switch delete(g.asked, m.Tag); {
	case !ok || !m.OK:
	case q.made != nil:
		q.made(m.InPlace)
	default:
		g.answer(q.from, &MergeDone{Shard: q.shard, Number: q.number, InPlace: uint32(m.InPlace)})
	}
}

// answer answers who has asked, another node or this one.
func (g *Merges) answer(to machine.Peer, m *MergeDone) {
	if to.ID == g.Cfg.Self.ID {
		g.sources.OnAnswer(to, m)
		return
	}
	g.links.Send(to, m)
}

// Beat forgets what the region has not answered: it does not run any more.
func (g *Merges) Beat(now machine.Time) {
	for tag, q := range g.asked { // the order does not matter
		if now.Sub(q.at) >= mergeTimeout {
			delete(g.asked, tag)
		}
	}
}
