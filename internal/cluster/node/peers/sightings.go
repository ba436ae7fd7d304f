package peers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Sightings is when each node was last heard from, and how long this node itself was
// away. From that follows whether silent nodes may return or are gone, and whether
// this node is more likely partitioned than they are.
type Sightings struct {
	env       machine.Env
	self      id.ID
	goneAfter time.Duration // Net.GoneAfter

	started  machine.Time
	nodes    map[id.ID]sighting
	Standing *Standing // since when nodes are known, also from before this one restarted

	// away is how long this node was off, or its machine suspended, when it last was,
	// and back when that ended.
	away  time.Duration
	back  machine.Time
	awake machine.Time // when it last ran
}

// sighting is when a node was last heard.
type sighting struct {
	peer machine.Peer
	at   machine.Time
	back machine.Time // when it was heard again after Net.GoneAfter; 0: it was never silent for so long
}

const (
	// RememberFor is how long a silent node counts as one that may return.
	RememberFor = hostpolicy.MemberLostAfter
	// seenRecently is how long it counts as a node of the last hour. After
	// Net.GoneAfter it is forgotten.
	seenRecently = time.Hour
	// maxHeard bounds the number of remembered nodes.
	maxHeard = 1 << 12
	// JustBack is how long after an absence it explains that a group has continued
	// without this node.
	JustBack = 2 * time.Minute
	// AliveEvery is how often it is noted that the node runs.
	AliveEvery = time.Minute
)

func NewSightings(c part.Part) *Sightings {
	return &Sightings{env: c.Env, self: c.Cfg.Self.ID, goneAfter: c.Cfg.GoneAfter, nodes: map[id.ID]sighting{}, Standing: newStanding(c)}
}

// Start is when the node starts.
func (s *Sightings) Start() { s.started = s.env.Now() }

// Record notes that a node has answered.
func (s *Sightings) Record(p machine.Peer) {
	s.Standing.meet(p.ID)
	v, known := s.nodes[p.ID]
	if !known && len(s.nodes) >= maxHeard {
		return
	}
	now, last := s.env.Now(), v.at
	if !known {
		last = s.started
	}
	if now.Sub(last) >= s.goneAfter {
		v.back = now
	}
	s.nodes[p.ID] = sighting{p, now, v.back}
}

// Forget is when a node stops in good order or is refused: its silence means nothing.
func (s *Sightings) Forget(node id.ID) { delete(s.nodes, node) }

// Peer returns a node at the address that it was last heard from.
func (s *Sightings) Peer(node id.ID) (machine.Peer, bool) {
	v, known := s.nodes[node]
	return v.peer, known
}

// Last is when a node was last heard; 0: not lately.
func (s *Sightings) Last(node id.ID) machine.Time { return s.nodes[node].at }

// HasReturned reports whether a node was heard again a moment ago after it had been
// silent for Net.GoneAfter.
func (s *Sightings) HasReturned(node id.ID) bool {
	back := s.nodes[node].back
	return back != 0 && s.env.Now().Sub(back) < JustBack
}

// Recent are the nodes that were heard within rememberFor, in order of their ids.
func (s *Sightings) Recent() (out []machine.Peer) {
	for _, who := range id.Sorted(s.nodes) {
		if s.IsRecent(who) {
			out = append(out, s.nodes[who].peer)
		}
	}
	return out
}

// IsRecent reports whether a node was heard within rememberFor.
func (s *Sightings) IsRecent(node id.ID) bool {
	v, known := s.nodes[node]
	return known && s.env.Now().Sub(v.at) < RememberFor
}

// Longest are so many of the nodes that were heard within rememberFor as have been known
// for the longest time.
func (s *Sightings) Longest(n int) []machine.Peer {
	out := s.Recent()
	slices.SortStableFunc(out, func(a, b machine.Peer) int { return cmp.Compare(s.Standing.KnownFor(b.ID), s.Standing.KnownFor(a.ID)) })
	return out[:min(n, len(out))]
}

// Silent are the nodes that have been silent for longer than rememberFor.
func (s *Sightings) Silent() (out []machine.Peer) {
	for _, who := range id.Sorted(s.nodes) {
		if v := s.nodes[who]; s.env.Now().Sub(v.at) >= RememberFor {
			out = append(out, v.peer)
		}
	}
	return out
}

// IsPartitioned reports whether most of the nodes of the last hour are silent: then
// this node is more likely partitioned than they are all gone.
func (s *Sightings) IsPartitioned() bool {
	known, now := 1, s.env.Now()
	for _, v := range s.nodes { // the order does not matter
		if now.Sub(v.at) < seenRecently {
			known++
		}
	}
	return 2*(len(s.Recent())+1) <= known
}

// AllGone reports whether all hosts of a shard have been silent for so long that the
// shard is to be created anew. A node that has not been running for that long, or may
// be partitioned, cannot tell.
func (s *Sightings) AllGone(hosts []machine.Peer) bool {
	if len(hosts) == 0 || s.env.Now().Sub(s.started) < s.goneAfter || s.IsPartitioned() {
		return false
	}
	return !slices.ContainsFunc(hosts, func(p machine.Peer) bool {
		v, heard := s.nodes[p.ID]
		return p.ID == s.self || heard && s.env.Now().Sub(v.at) < s.goneAfter
	})
}

// StayAwake notes that the node runs, and whether its machine was suspended.
func (s *Sightings) StayAwake(now machine.Time) {
	if gap := now.Sub(s.awake); s.awake != 0 && gap >= AliveEvery {
		s.away, s.back = gap, now
	}
	s.awake = now
}

// WasOff notes how long the node was off before it started: until the time that is on
// its disk. ran: it has run before; known: and has noted the time, which versions of
// long ago did not.
func (s *Sightings) WasOff(until machine.Time, ran, known bool) {
	s.back = s.started
	switch {
	case known:
		s.away = max(0, s.started.Sub(until))
	case ran:
		s.away = math.MaxInt64
	default:
		s.away = 0
	}
}

// Absence is how long this node was off or suspended when it last was.
func (s *Sightings) Absence() time.Duration { return s.away }

// WasSuspended reports whether the node was suspended while it ran, and has returned a
// moment ago.
func (s *Sightings) WasSuspended(now machine.Time) bool {
	return s.back > s.started && now.Sub(s.back) < JustBack
}

// Expire forgets nodes that were silent for too long.
func (s *Sightings) Expire(now machine.Time) {
	for who, v := range s.nodes { // the order does not matter
		if now.Sub(v.at) >= max(seenRecently, s.goneAfter) {
			delete(s.nodes, who)
		}
	}
}
