package peers

import (
	"encoding/binary"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Standing is since when this node has known others, also from before it restarted: who
// is a newcomer gets no majority of a shard's hosts (hostpolicy.Members). Keys are cheap,
// time is not.
type Standing struct {
	env   machine.Env
	self  id.ID
	nodes map[id.ID]acquaintance // this node too: since when it has been in the world

	saved machine.Time // when the list was last written
}

// acquaintance is when a node was heard first and last.
type acquaintance struct{ first, last machine.Time }

const (
	// StandingKey is the list in the node's own space: for each node its id and two times in
	// nanoseconds since 1970, 8 bytes each, big-endian.
	StandingKey = "standing"
	// standingFor is how long a node that is silent keeps its standing.
	standingFor = 30 * 24 * time.Hour
	// maxStanding bounds the list. If it is full, further nodes stay newcomers.
	maxStanding = 1 << 12
	// saveStanding is how often the list is written; first after a node has been known
	// for long enough to count.
	saveStanding = time.Hour
)

func newStanding(c part.Part) *Standing {
	return &Standing{env: c.Env, self: c.Cfg.Self.ID, nodes: map[id.ID]acquaintance{}}
}

// meet notes that a node has answered, or that this one runs.
func (s *Standing) meet(who id.ID) {
	a, known := s.nodes[who]
	now := s.env.Now()
	if !known {
		if len(s.nodes) >= maxStanding {
			return
		}
		a.first = now
	}
	a.last = now
	s.nodes[who] = a
}

// KnownFor is how long ago a node was first heard; 0: it was not, or not for long.
func (s *Standing) KnownFor(who id.ID) time.Duration {
	if a, known := s.nodes[who]; known {
		return s.env.Now().Sub(a.first)
	}
	return 0
}

// IsNewcomer reports whether a node is a newcomer to this one.
func (s *Standing) IsNewcomer(who id.ID) bool {
	return hostpolicy.Newcomer(s.KnownFor(who), s.KnownFor(s.self))
}

// Load takes what is on the disk. Nodes that were heard before that was read keep the
// earlier time.
func (s *Standing) Load(kvs []machine.KV) {
	for _, kv := range kvs {
		if string(kv.Key) != StandingKey {
			continue
		}
		for who, a := range decodeStanding(kv.Value) { // the order does not matter
			if now, heard := s.nodes[who]; heard {
				a.last = now.last
			}
			if s.env.Now().Sub(a.last) < standingFor {
				s.nodes[who] = a
			}
		}
	}
	s.saved = s.env.Now()
	s.meet(s.self)
}

// IsDue forgets nodes that were silent for too long, and reports, once an hour, that the
// list is to be written.
func (s *Standing) IsDue(now machine.Time) bool {
	if now.Sub(s.saved) < saveStanding {
		return false
	}
	s.saved = now
	s.meet(s.self)
	for who, a := range s.nodes { // the order does not matter
		if now.Sub(a.last) >= standingFor {
			delete(s.nodes, who)
		}
	}
	return true
}

func (s *Standing) Encode() (out []byte) {
	for _, who := range id.Sorted(s.nodes) {
		a := s.nodes[who]
		out = binary.BigEndian.AppendUint64(append(out, who[:]...), uint64(a.first))
		out = binary.BigEndian.AppendUint64(out, uint64(a.last))
	}
	return out
}

// decodeStanding reads a list; of one that is damaged what comes before that.
func decodeStanding(b []byte) map[id.ID]acquaintance {
	out := map[id.ID]acquaintance{}
	for r := bin.NewReader(b); r.Len() >= id.Size+16 && len(out) < maxStanding; {
		who := id.ID(r.Take(id.Size))
		a := acquaintance{machine.Time(binary.BigEndian.Uint64(r.Take(8))), machine.Time(binary.BigEndian.Uint64(r.Take(8)))}
		if a.first <= a.last {
			out[who] = a
		}
	}
	return out
}
