// Package accountability checks what the hosts of regions do, and keeps the evidence
// against those that lie (decisions 77, 83, 95, 123 and 140): leaders send the logs of
// their regions, followers replay them and compare them with what is written, gateways
// compare what players are shown with what leaders sign, and nodes that are drawn by lot
// audit leaders of regions that others host.
//
// Source: PeerReview (Haeberlen, Kouznetsov and Druschel 2007); docs/protocols/hosting.md.
//
// Invariants: nobody is convicted but by evidence that this node has checked from its
// bytes; what is no proof makes this node suspect a leader for a while, and nothing else.
//
// Where to start: Convictions (convictions.go); LogSending, LogFollowing with its
// roleChecking and copyChecking, ShownSigning, ShownChecking, Auditing and PieceSending
// each have state of their own. messages.go has what nodes tell each other.
package accountability

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// LogKeys is what regions' logs are signed with, and where proofs go.
type LogKeys struct {
	Key  [32]byte // public: this node's
	Sign func(text []byte) [64]byte
	Node func(key [32]byte) id.ID // whose key it is
	// Convicted is the evidence from before that holds.
	Convicted []regionlog.Evidence
	// Proven is called with evidence against a node, in a handler; nil: nobody hears.
	Proven func(regionlog.Evidence)
}

// Convictions are the nodes against which this one has evidence that it has checked. It
// follows none of them in any group, and takes none as a member. Messages of shards and
// sessions go on: others, who have no evidence, may let such a node lead.
type Convictions struct {
	part.Part
	keys   *LogKeys // nil: nothing is checked
	spread evidenceSpread
	Routes convictedRoutes

	list map[id.ID][]byte                 // the evidence, encoded; nil: too large to be sent
	at   map[id.ID]machine.Time           // when, of those that were convicted since this node started
	led  map[world.RegionPos]machine.Time // when who led it was convicted
	self bool                             // this node was: others take it into no group
}

// evidenceSpread tells others whom this node has convicted (EvidenceSpreading).
type evidenceSpread interface{ offer(who id.ID) }

// convictedRoutes looks for other leaders of what a convicted node leads (routes).
type convictedRoutes interface{ Avoid(who id.ID) }

const (
	maxConvicted = 256
	// avoidFor is how long nobody here uses a shard where a node leads it that was convicted
	// a moment ago: what that acknowledges may be lost when another leads. It is longer than
	// the honest hosts take (hostpolicy.MayReplace). Later the shard is used again, for there
	// may be no other host.
	avoidFor = time.Minute
	// toldFor is how long players of a region are told that its host was replaced.
	toldFor = time.Minute
)

// NewConvictions begins with the evidence from before this node started.
func NewConvictions(c part.Part, keys *LogKeys) *Convictions {
	m := &Convictions{Part: c, keys: keys, list: map[id.ID][]byte{}, at: map[id.ID]machine.Time{}, led: map[world.RegionPos]machine.Time{}}
	if keys != nil {
		m.recall(keys.Convicted)
	}
	return m
}

// Has reports whether a node was convicted.
func (c *Convictions) Has(who id.ID) bool {
	_, ok := c.list[who]
	return ok
}

// Avoids reports whether a node is not to be used as a leader.
func (c *Convictions) Avoids(who id.ID) bool {
	at, ok := c.at[who]
	return ok && c.Env.Now().Sub(at) < avoidFor
}

// All are the convicted nodes, in order of their ids.
func (c *Convictions) All() []id.ID { return id.Sorted(c.list) }

// Count is how many there are.
func (c *Convictions) Count() int { return len(c.list) }

// IsSelf reports whether this node was convicted: others take it into no group.
func (c *Convictions) IsSelf() bool { return c.self }

// recall takes evidence from before this node started.
func (c *Convictions) recall(all []regionlog.Evidence) {
	for _, e := range all {
		if who, _ := c.accused(e); !c.Has(who) && len(c.list) < maxConvicted {
			c.list[who] = packed(e)
		}
	}
}

func (c *Convictions) accused(e regionlog.Evidence) (id.ID, *regionlog.Checkpoint) {
	_, to := e.Span()
	return c.keys.Node(to.Key), to
}

// packed is evidence as others are sent it.
func packed(e regionlog.Evidence) []byte {
	if b := regionlog.AppendEvidence(nil, e); len(b) <= regionlog.MaxEvidence {
		return b
	}
	return nil
}

// shardOf is what a checkpoint is about.
func shardOf(c *regionlog.Checkpoint) shards.Shard {
	return shards.Shard{Lobby: c.Lobby, Region: c.Region}
}

// add takes evidence that was checked.
func (c *Convictions) add(e regionlog.Evidence, found *regionlog.Finding) {
	who, to := c.accused(e)
	if who == c.Cfg.Self.ID && !c.self {
		c.self = true
		c.Note(fmt.Sprintf("Others can prove that this node, when it led %s, did not follow the rules: %s. They host nothing with it any more.", where(shardOf(to)), found))
	}
	if who == c.Cfg.Self.ID || c.Has(who) || len(c.list) >= maxConvicted {
		return
	}
	c.list[who] = packed(e)
	c.at[who] = c.Env.Now()
	if !to.Lobby {
		c.led[to.Region] = c.Env.Now()
	}
	what := "has signed a state of it that does not follow from what happened there"
	if found.Shown {
		what = "has shown players other blocks than it has signed"
	}
	c.Note(fmt.Sprintf("Node %s led %s and %s: %s. This node has checked the proof and follows that node no more.", who.Short(), where(shardOf(to)), what, found))
	if c.keys.Proven != nil {
		c.keys.Proven(e)
	}
	c.spread.offer(who)
	c.Routes.Avoid(who)
}

// ReplacedLately reports whether the host of a region was convicted a moment ago.
func (c *Convictions) ReplacedLately(pos world.RegionPos) bool {
	at, ok := c.led[pos]
	return ok && c.Env.Now().Sub(at) < toldFor
}
