package copies

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
func (s *Saved) isDated() bool {
	return strings.HasPrefix(s.Space, group.RetiredSpace(s.Shard.Space())+".at.")
}

// date keeps the state that a spare copy has now, if none was kept for hours.
func (c *Store) date(s Saved, kvs []machine.KV) {
	now := c.Env.Now()
	for _, o := range c.list {
		if o.Shard == s.Shard && o.isDated() && (now.Sub(o.At) < dateEvery || o.Proof.Digest() == s.Proof.Digest() && s.Proof != (Proof{})) {
			return
		}
	}
	s.Space, s.At, s.Bytes, s.words = datedSpace(s.Shard, now), now, 0, [maxWords]keptWord{}
	for _, kv := range kvs {
		s.Bytes += len(kv.Key) + len(kv.Value)
	}
	c.Write(s, []machine.DiskWrite{{Space: s.Space, DeletePrefix: [][]byte{{}}, Put: kvs}}, func(error) {})
}

// thinDated lets go of states of which an older one is about as old: of those whose age,
// in steps of dateEvery, has as many binary digits the oldest is kept, and the newest of all.
func (c *Store) thinDated(now machine.Time) {
	var dated []Saved
	for _, s := range c.list {
		if s.isDated() {
			dated = append(dated, s)
		}
	}
	slices.SortFunc(dated, func(a, b Saved) int {
		return cmp.Or(shards.Compare(a.Shard, b.Shard), cmp.Compare(a.At, b.At)) // the oldest first
	})
	steps := func(s Saved) int { return bits.Len64(uint64(max(0, now.Sub(s.At)) / dateEvery)) }
	for i, s := range dated {
		older := i > 0 && dated[i-1].Shard == s.Shard
		newer := i+1 < len(dated) && dated[i+1].Shard == s.Shard
		if older && newer && steps(dated[i-1]) == steps(s) {
			c.Drop(s)
		}
	}
}
