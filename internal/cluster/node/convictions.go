package node

import (
	"fmt"
	"time"

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
	// Convicted are the nodes against which there are proofs from before.
	Convicted []id.ID
	// Proven is called with a proof against a node, in a handler; nil: nobody hears.
	Proven func(*regionlog.Proof)
}

// convictions are the nodes against which this one has a proof that it has made itself by
// replay. It follows none of them in any group, and takes none as a member. Messages of
// shards and sessions go on: others, who have no proof, may let such a node lead.
type convictions struct {
	component

	list map[id.ID]machine.Time
	led  map[world.RegionPos]machine.Time // when who led it was convicted
}

const (
	maxConvicted = 1024
	// toldFor is how long players of a region are told that its host was replaced.
	toldFor = time.Minute
)

// has reports whether a node was convicted.
func (c *convictions) has(who id.ID) bool {
	_, ok := c.list[who]
	return ok
}

// recall notes nodes that were convicted before this one started.
func (c *convictions) recall(who []id.ID) {
	for _, node := range who[:min(len(who), maxConvicted)] {
		c.list[node] = c.env.Now()
	}
}

// add takes a proof that was checked.
func (c *convictions) add(p *regionlog.Proof, found *regionlog.Finding) {
	who := c.cfg.Log.Node(p.To.Key)
	if who == c.cfg.Self.ID || c.has(who) || len(c.list) >= maxConvicted {
		return
	}
	c.list[who] = c.env.Now()
	c.led[p.To.Region] = c.env.Now()
	c.note(fmt.Sprintf("Node %s led %s and has signed a state of it that does not follow from what happened there: %s. This node has replayed it and follows that node no more.",
		who.Short(), where(p.To.Region), found))
	if c.cfg.Log.Proven != nil {
		c.cfg.Log.Proven(p)
	}
}

// replacedLately reports whether the host of a region was convicted a moment ago.
func (c *convictions) replacedLately(pos world.RegionPos) bool {
	at, ok := c.led[pos]
	return ok && c.env.Now().Sub(at) < toldFor
}
