package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// objections are what nodes say against the restoration of shards: that they have a
// replica. Anybody can say so, and the hosts that would prove it are silent. So it depends
// on who says it for how long it counts (hostpolicy.Objection, decision 180).
type objections struct {
	part.Part
	since map[shards.Shard]*objected
}

// objected is when nodes first objected to one shard's restoration. Who stops for a moment
// does not begin anew.
type objected struct {
	backed, bare machine.Time // 0: nobody has
	at           machine.Time // of the last time
}

const (
	maxObjected = 256
	// objectedFor is for how long it is known that somebody has objected.
	objectedFor = 5 * time.Minute
)

// hold reports whether those that were heard keep a shard from being restored.
func (o *objections) hold(p shards.Shard, q *lossInquiry) bool {
	now, hosts := o.Env.Now(), 0
	var backed, bare bool
	for _, n := range q.asked {
		m := q.heard[n.ID]
		switch {
		case m == nil:
		case q.own != nil && m.Heard:
			return true
		case !m.Member: // whoever has none cannot know who leads
		case peers.Among(q.rival.Members, n.ID):
			hosts, backed = hosts+1, true
		case q.backs(m):
			backed = true
		default:
			bare = true
		}
	}
	if !backed && !bare {
		return false
	}
	s := o.since[p]
	if s == nil {
		if len(o.since) >= maxObjected {
			return true
		}
		s = &objected{}
		o.since[p] = s
	}
	s.at = now
	x := hostpolicy.Objection{Most: 2*hosts > len(q.rival.Members)}
	if backed {
		x.Backed = since(&s.backed, now)
	}
	if bare {
		x.Bare = since(&s.bare, now)
	}
	return x.Holds()
}

// since is for how long something has been so, which is so now; more than 0.
func since(first *machine.Time, now machine.Time) time.Duration {
	if *first == 0 {
		*first = now
	}
	return max(1, now.Sub(*first))
}

// backs reports whether most members that a claim names make it.
func (q *lossInquiry) backs(claim *shardgroup.GroupStatus) bool {
	n := 0
	for _, p := range claim.Members {
		if m := q.heard[p.ID]; m != nil && m.Member && m.Gen == claim.Gen {
			n++
		}
	}
	return 2*n > len(claim.Members)
}

// beat forgets objections to what nobody asks about any more.
func (o *objections) beat(now machine.Time) {
	for p, s := range o.since { // the order does not matter
		if now.Sub(s.at) >= objectedFor {
			delete(o.since, p)
		}
	}
}
