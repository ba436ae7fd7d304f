package node

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A spare copy follows what the leader writes, also if that is destruction. So who keeps
// one keeps states of recent days beside it: one every few hours, fewer the older they are.

const (
	dateEvery   = 6 * time.Hour
	maxDatedAge = 8 * 24 * time.Hour
)

// datedSpace is the space of the state of a shard at a time.
func datedSpace(p shards.Shard, at machine.Time) string {
	return fmt.Sprintf("%s.at.%d", group.RetiredSpace(p.Space()), at)
}

// isDated reports whether a copy is the state of its shard at a time.
func (s *savedCopy) isDated() bool {
	return strings.HasPrefix(s.Space, group.RetiredSpace(s.shard.Space())+".at.")
}

// date keeps the state that a spare copy has now, if none was kept for hours.
func (c *copies) date(s savedCopy, kvs []machine.KV) {
	now := c.Env.Now()
	for _, o := range c.list {
		if o.shard == s.shard && o.isDated() && (now.Sub(o.at) < dateEvery || o.proof.digest() == s.proof.digest() && s.proof != (copyProof{})) {
			return
		}
	}
	s.Space, s.at, s.Bytes, s.words = datedSpace(s.shard, now), now, 0, [maxWords]keptWord{}
	for _, kv := range kvs {
		s.Bytes += len(kv.Key) + len(kv.Value)
	}
	c.write(s, []machine.DiskWrite{{Space: s.Space, DeletePrefix: [][]byte{{}}, Put: kvs}}, func(error) {})
}

// thinDated lets go of states of which an older one is about as old: of those whose age,
// in steps of dateEvery, has as many binary digits the oldest is kept, and the newest of all.
func (c *copies) thinDated(now machine.Time) {
	var dated []savedCopy
	for _, s := range c.list {
		if s.isDated() {
			dated = append(dated, s)
		}
	}
	slices.SortFunc(dated, func(a, b savedCopy) int {
		return cmp.Or(shards.Compare(a.shard, b.shard), cmp.Compare(a.at, b.at)) // the oldest first
	})
	steps := func(s savedCopy) int { return bits.Len64(uint64(max(0, now.Sub(s.at)) / dateEvery)) }
	for i, s := range dated {
		older := i > 0 && dated[i-1].shard == s.shard
		newer := i+1 < len(dated) && dated[i+1].shard == s.shard
		if older && newer && steps(dated[i-1]) == steps(s) {
			c.drop(s)
		}
	}
}
