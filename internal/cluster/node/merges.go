package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

type (
	// MergeChanges asks the leader of a region to make changes that were made to a copy
	// of it, which is the state after the entry Index, and to take over players who came
	// there meanwhile. Proof is the signature with which a host gave the copy to the
	// sender.
	MergeChanges struct {
		Shard       shards.Shard
		Gen         group.Gen
		Term, Index uint64
		Proof       []byte
		Aside       group.Gen // the group that made them, which has given way
		Number      uint32
		Changes     []world.BlockChange
		Players     [][]byte // as regions store them
	}

	// MergeDone is the answer: how many of the blocks are as the changes made them.
	// Refused: the sender may not ask for it.
	MergeDone struct {
		Shard   shards.Shard
		Number  uint32
		InPlace uint32
		Refused bool
	}
)

// MaxMergeChanges and MaxMergePlayers are how many changes and players one MergeChanges
// has.
const (
	MaxMergeChanges = 1024
	MaxMergePlayers = 16
)

// merges takes what was done to a copy of a region that is led here. Who asks
// for it was chosen by the hosts to keep the copy, and has continued it while it did not
// reach them.
type merges struct {
	part.Part
	signatures copySignatures
	links      *peers.Links
	hosting    *hosting
	routes     *routes
	sources    *mergeSources
	budgets    *peers.Budgets // changes that nodes may have merged

	asked map[uint64]mergeRequest
	tag   uint64
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
	mergeBurst     = 16 * MaxMergeChanges
	mergePerSecond = 16
)

// receive takes changes. f is the node that sends them; nil: this one.
func (g *merges) receive(from machine.Peer, m *MergeChanges, f *peers.Remote) {
	h := g.hosting.replica(m.Shard)
	switch {
	case m.Shard.Lobby || !m.Shard.InWorld() || len(m.Changes)+len(m.Players) == 0 || !allIn(m.Shard.Region, m.Changes):
		g.Counts.Dropped++
		return
	case h == nil || !h.group.Leading:
		if h != nil {
			h.wake()
		}
		g.routes.sendLeaderReply(from, m.Shard)
		return
	case g.isRest(h, m):
		return // it is asked again, when the greater group leads
	case !g.mayMerge(from, h, m):
		g.Counts.Dropped++
		g.answer(from, &MergeDone{Shard: m.Shard, Number: m.Number, Refused: true})
		return
	case len(g.asked) >= maxMergeRequests || f != nil && !g.budgets.Take(f, m.cost()):
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

// make has changes made for this node; made hears how many blocks are as they say.
func (g *merges) make(p shards.Shard, changes []world.BlockChange, made func(inPlace int)) {
	g.tag++
	g.pass(mergeRequest{shard: p, made: made}, changes, nil)
}

// pass gives changes to the region.
func (g *merges) pass(q mergeRequest, changes []world.BlockChange, players [][]byte) {
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
func (g *merges) isRest(h *replica, m *MergeChanges) bool {
	gen, _ := h.group.Raft.Term()
	return gen.Compare(m.Aside) <= 0
}

// mayMerge reports whether a host of the region has given a copy of it to a node.
func (g *merges) mayMerge(from machine.Peer, h *replica, m *MergeChanges) bool {
	if !g.signatures.isOn() {
		return true
	}
	st := h.group.Raft.Status()
	hosts := append(h.group.Members(), st.Former...)
	end := hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}
	return m.Gen.Number <= st.Gen.Number && g.signatures.signedBy(hosts, from.ID, m.Shard, end, decodeCopyProof(m.Proof))
}

// onMerged takes the region's answer.
func (g *merges) onMerged(m *region.Merged) {
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
func (g *merges) answer(to machine.Peer, m *MergeDone) {
	if to.ID == g.Cfg.Self.ID {
		g.sources.onAnswer(to, m)
		return
	}
	g.links.Send(to, m)
}

// beat forgets what the region has not answered: it does not run any more.
func (g *merges) beat(now machine.Time) {
	for tag, q := range g.asked { // the order does not matter
		if now.Sub(q.at) >= mergeTimeout {
			delete(g.asked, tag)
		}
	}
}
