package copies

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// MergeSources sends to the leader of a region what was changed here while its hosts
// could not be reached: this node had continued it from a copy, and has given way since.
//
// It has the copy with which it began (origin) and what it had at the end (put aside).
// The blocks that differ are the changes. The leader makes them where the block is still
// what it was in the copy. It takes over players who were at home here at the end, unless
// it knows more of them: other regions have given them to this one.
type MergeSources struct {
	part.Part
	jobs    part.Jobs
	links   *peers.Links
	copies  *Store
	routes  usedLeaders
	merges  *Merges
	terrain *terrain.Generator

	list map[shards.Shard]*mergeSource
	next machine.Time
	tag  uint64
	then map[uint64]func(result any, err error)
}

// mergeSource is what is merged into a region.
type mergeSource struct {
	origin, aside Saved
	states        [2][]machine.KV // of them
	reads         int
	columns       map[world.ColumnPos]*world.Column // as the world was made
	wanted        int
	changes       []world.BlockChange
	players       [][]byte            // who came here meanwhile
	ready         bool                // they are known
	sent          int                 // of them, and answered
	overtaken     []world.BlockChange // those of which some are on blocks that others have changed
	kept          int                 // how many are
	number        uint32
	at            machine.Time // when the last ones were sent
}

const (
	mergeEvery = time.Second
	mergeAgain = 3 * time.Second
)

func newMergeSources(c part.Part, p part.Seat, l *peers.Links, k *Store, g *Merges, r usedLeaders, terrain *terrain.Generator) *MergeSources {
	s := &MergeSources{
		Part: c, jobs: p, links: l, copies: k, merges: g, routes: r, terrain: terrain,
		list: map[shards.Shard]*mergeSource{}, then: map[uint64]func(any, error){},
	}
	p.Put(s)
	return s
}

// Start implements machine.Machine.
func (s *MergeSources) Start() {}

// OnMessage implements machine.Machine.
func (s *MergeSources) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (s *MergeSources) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (s *MergeSources) OnLink(machine.Peer, machine.LinkEvent) {}

// OnDone implements machine.Machine.
func (s *MergeSources) OnDone(tag uint64, result any, err error) {
	then := s.then[tag]
	delete(s.then, tag)
	then(result, err)
}

// do runs a job on the worker pool.
func (s *MergeSources) do(job machine.Job, then func(any, error)) {
	s.tag++
	s.then[s.tag] = then
	s.jobs.Do("", s.tag, job)
}

// Beat looks for regions that were continued here and have given way, and goes on with
// those that were found.
func (s *MergeSources) Beat(now machine.Time) {
	if now < s.next {
		return
	}
	s.next = now.Add(mergeEvery)
	for _, origin := range s.copies.list {
		if aside, ok := s.copies.asideSince(origin); ok && s.list[origin.Shard] == nil && s.written(aside) {
			s.begin(origin, aside)
		}
	}
	for _, p := range shards.Sorted(s.list) {
		if x := s.list[p]; x.ready && now.Sub(x.at) >= mergeAgain {
			s.send(p, x)
		}
	}
}

// written reports whether a copy is on the disk: the replica that puts it aside has ended.
func (s *MergeSources) written(aside Saved) bool {
	h := s.merges.hosting.LoadedGroup(aside.Shard)
	return h == nil || h.Raft.Status().Gen != aside.Gen
}

// begin reads both states.
func (s *MergeSources) begin(origin, aside Saved) {
	x := &mergeSource{origin: origin, aside: aside, columns: map[world.ColumnPos]*world.Column{}}
	s.list[origin.Shard] = x
	for i, c := range []Saved{origin, aside} {
		s.copies.Read(c, func(kvs []machine.KV, err error) {
			if err != nil {
				s.end(x, fmt.Sprintf("What was built in %s without its hosts cannot be read: %v", origin.Shard, err))
				return
			}
			x.states[i] = kvs
			if x.reads++; x.reads == len(x.states) {
				s.generate(x)
			}
		})
	}
}

// generate makes the columns of which the states have changes alone.
func (s *MergeSources) generate(x *mergeSource) {
	changed := region.ChangedColumns(x.origin.Shard.Region, x.states[0], x.states[1])
	x.players = region.NewPlayers(x.states[0], x.states[1])
	x.wanted = len(changed)
	if x.wanted == 0 {
		s.found(x, []world.BlockChange(nil), nil)
		return
	}
	for _, c := range changed {
		s.do(region.Generate{Terrain: s.terrain, Column: c}, func(result any, err error) {
			col, ok := result.(*world.Column)
			if !ok {
				s.end(x, fmt.Sprintf("What was built in %s without its hosts cannot be merged: %v", x.origin.Shard, err))
				return
			}
			x.columns[c] = col
			if len(x.columns) == x.wanted {
				s.do(difference{x.origin.Shard.Region, x.states, x.columns}, func(result any, err error) { s.found(x, result, err) })
			}
		})
	}
}

// difference is the job that finds the blocks that differ.
type difference struct {
	pos    world.RegionPos
	states [2][]machine.KV
	made   map[world.ColumnPos]*world.Column
}

// Run implements machine.Work.
func (d difference) Run() (any, error) {
	return region.Difference(d.pos, d.states[0], d.states[1], func(c world.ColumnPos) *world.Column { return d.made[c].Clone() })
}

// found is when the changes are known.
func (s *MergeSources) found(x *mergeSource, result any, err error) {
	changes, ok := result.([]world.BlockChange)
	switch {
	case !ok:
		s.end(x, fmt.Sprintf("What was built in %s without its hosts cannot be merged: %v", x.origin.Shard, err))
	case len(changes)+len(x.players) == 0:
		s.end(x, "")
	default:
		x.states, x.columns, x.changes, x.ready = [2][]machine.KV{}, nil, changes, true
		s.send(x.origin.Shard, x)
	}
}

// send sends the next changes to the leader.
func (s *MergeSources) send(p shards.Shard, x *mergeSource) {
	leader := s.routes.LeaderFor(p)
	if leader == (machine.Peer{}) {
		s.routes.Search(p)
		return
	}
	x.at = s.Env.Now()
	o := &x.origin
	m := &MergeChanges{
		Shard: p, Gen: o.Gen, Term: o.Term, Index: o.Index, Proof: o.Proof.Encoded(), Number: x.number, Aside: x.aside.Gen,
		Changes: x.changes[x.sent:min(x.sent+MaxMergeChanges, len(x.changes))],
		Players: x.players[:min(MaxMergePlayers, len(x.players))],
	}
	if leader.ID == s.Cfg.Self.ID {
		s.merges.Receive(s.Cfg.Self, m, nil)
		return
	}
	s.links.Send(leader, m)
}

// OnAnswer takes the leader's answer.
func (s *MergeSources) OnAnswer(from machine.Peer, m *MergeDone) {
	x := s.list[m.Shard]
	if x == nil || !x.ready || m.Number != x.number || s.routes.LeaderFor(m.Shard).ID != from.ID {
		return
	}
	n := min(MaxMergeChanges, len(x.changes)-x.sent)
	if m.Refused {
		s.copies.keep(x.aside, append(x.overtaken, x.changes[x.sent:]...))
		s.end(x, fmt.Sprintf("%d changes of %s, which were made here without its hosts, were refused: they are put aside (voxelpopuli world merge).", len(x.changes)-x.sent, m.Shard))
		return
	}
	if left := n - int(m.InPlace); left > 0 {
		x.kept += left
		x.overtaken = append(x.overtaken, x.changes[x.sent:x.sent+n]...)
	}
	x.sent += n
	x.players = x.players[min(MaxMergePlayers, len(x.players)):]
	x.number++
	if x.sent < len(x.changes) || len(x.players) > 0 {
		s.send(m.Shard, x)
		return
	}
	if len(x.changes) == 0 {
		s.end(x, "")
		return
	}
	text := fmt.Sprintf("%d changes of %s, which were made here without its hosts, are in place", len(x.changes)-x.kept, m.Shard)
	if x.kept > 0 {
		s.copies.keep(x.aside, x.overtaken)
		text += fmt.Sprintf("; %d are put aside, since others have changed those blocks (voxelpopuli world merge)", x.kept)
	}
	s.end(x, text+".")
}

// end is when nothing is left to be merged.
func (s *MergeSources) end(x *mergeSource, text string) {
	if text != "" {
		s.Note(text)
	}
	delete(s.list, x.origin.Shard)
	s.copies.Drop(x.origin)
}

// originSpace is the space in which the node that continues a shard from a copy keeps
// that copy, until what was changed since is merged.
func originSpace(p shards.Shard) string { return group.RetiredSpace(p.Space()) + ".origin" }

// IsOrigin reports whether a copy is one that this node has continued a shard from.
func (s *Saved) IsOrigin() bool { return s.Space == originSpace(s.Shard) }

// HasOrigin reports whether this node has continued a shard from a copy, and what was
// changed since is not merged.
func (c *Store) HasOrigin(p shards.Shard) bool {
	return slices.ContainsFunc(c.list, func(s Saved) bool { return s.Shard == p && s.IsOrigin() })
}

// KeepOrigin writes a copy that a shard is continued from to a space of its own.
func (c *Store) KeepOrigin(s Saved, kvs []machine.KV, then func(error)) {
	s.Space, s.Retired, s.At = originSpace(s.Shard), false, c.Env.Now()
	c.Write(s, []machine.DiskWrite{{Space: s.Space, DeletePrefix: [][]byte{{}}, Put: kvs}}, then)
}

// asideSince returns what a replica that began with a copy had when it gave way; false:
// it has not.
func (c *Store) asideSince(origin Saved) (out Saved, ok bool) {
	if !origin.IsOrigin() {
		return out, false
	}
	for _, s := range c.list {
		superseded := !s.Retired && !s.IsOrigin() && !s.isKept()
		if s.Shard == origin.Shard && superseded && s.At >= origin.At && (!ok || s.At > out.At) {
			out, ok = s, true
		}
	}
	return out, ok
}
