package node

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

// mergeSources sends to the leader of a region what was changed here while its hosts
// could not be reached: this node had continued it from a copy, and has given way since.
//
// It has the copy with which it began (origin) and what it had at the end (put aside).
// The blocks that differ are the changes. The leader makes them where the block is still
// what it was in the copy. It takes over players who were at home here at the end, unless
// it knows more of them: other regions have given them to this one.
type mergeSources struct {
	part.Part
	jobs    part.Jobs
	links   *peers.Links
	copies  *copies
	routes  *routes
	merges  *merges
	terrain *terrain.Generator

	list map[shards.Shard]*mergeSource
	next machine.Time
	tag  uint64
	then map[uint64]func(result any, err error)
}

// mergeSource is what is merged into a region.
type mergeSource struct {
	origin, aside savedCopy
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

func newMergeSources(c part.Part, p part.Seat, l *peers.Links, k *copies, r *routes, terrain *terrain.Generator) *mergeSources {
	s := &mergeSources{
		Part: c, jobs: p, links: l, copies: k, routes: r, terrain: terrain,
		list: map[shards.Shard]*mergeSource{}, then: map[uint64]func(any, error){},
	}
	p.Put(s)
	return s
}

// Start implements machine.Machine.
func (s *mergeSources) Start() {}

// OnMessage implements machine.Machine.
func (s *mergeSources) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (s *mergeSources) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (s *mergeSources) OnLink(machine.Peer, machine.LinkEvent) {}

// OnDone implements machine.Machine.
func (s *mergeSources) OnDone(tag uint64, result any, err error) {
	then := s.then[tag]
	delete(s.then, tag)
	then(result, err)
}

// do runs a job on the worker pool.
func (s *mergeSources) do(job machine.Job, then func(any, error)) {
	s.tag++
	s.then[s.tag] = then
	s.jobs.Do("", s.tag, job)
}

// beat looks for regions that were continued here and have given way, and goes on with
// those that were found.
func (s *mergeSources) beat(now machine.Time) {
	if now < s.next {
		return
	}
	s.next = now.Add(mergeEvery)
	for _, origin := range s.copies.list {
		if aside, ok := s.copies.asideSince(origin); ok && s.list[origin.shard] == nil && s.written(aside) {
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
func (s *mergeSources) written(aside savedCopy) bool {
	h := s.merges.hosting.replicas[aside.shard]
	return h == nil || h.group.Raft.Status().Gen != aside.Gen
}

// begin reads both states.
func (s *mergeSources) begin(origin, aside savedCopy) {
	x := &mergeSource{origin: origin, aside: aside, columns: map[world.ColumnPos]*world.Column{}}
	s.list[origin.shard] = x
	for i, c := range []savedCopy{origin, aside} {
		s.copies.read(c, func(kvs []machine.KV, err error) {
			if err != nil {
				s.end(x, fmt.Sprintf("What was built in %s without its hosts cannot be read: %v", origin.shard, err))
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
func (s *mergeSources) generate(x *mergeSource) {
	changed := region.ChangedColumns(x.origin.shard.Region, x.states[0], x.states[1])
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
				s.end(x, fmt.Sprintf("What was built in %s without its hosts cannot be merged: %v", x.origin.shard, err))
				return
			}
			x.columns[c] = col
			if len(x.columns) == x.wanted {
				s.do(difference{x.origin.shard.Region, x.states, x.columns}, func(result any, err error) { s.found(x, result, err) })
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
func (s *mergeSources) found(x *mergeSource, result any, err error) {
	changes, ok := result.([]world.BlockChange)
	switch {
	case !ok:
		s.end(x, fmt.Sprintf("What was built in %s without its hosts cannot be merged: %v", x.origin.shard, err))
	case len(changes)+len(x.players) == 0:
		s.end(x, "")
	default:
		x.states, x.columns, x.changes, x.ready = [2][]machine.KV{}, nil, changes, true
		s.send(x.origin.shard, x)
	}
}

// send sends the next changes to the leader.
func (s *mergeSources) send(p shards.Shard, x *mergeSource) {
	r := s.routes.of(p)
	if r.leader == (machine.Peer{}) {
		s.routes.searchLeader(r)
		return
	}
	x.at = s.Env.Now()
	o := &x.origin
	m := &MergeChanges{
		Shard: p, Gen: o.Gen, Term: o.Term, Index: o.Index, Proof: o.proof.encoded(), Number: x.number, Aside: x.aside.Gen,
		Changes: x.changes[x.sent:min(x.sent+MaxMergeChanges, len(x.changes))],
		Players: x.players[:min(MaxMergePlayers, len(x.players))],
	}
	if r.leader.ID == s.Cfg.Self.ID {
		s.merges.receive(s.Cfg.Self, m, nil)
		return
	}
	s.links.Send(r.leader, m)
}

// onAnswer takes the leader's answer.
func (s *mergeSources) onAnswer(from machine.Peer, m *MergeDone) {
	x := s.list[m.Shard]
	if x == nil || !x.ready || m.Number != x.number || s.routes.of(m.Shard).leader.ID != from.ID {
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
func (s *mergeSources) end(x *mergeSource, text string) {
	if text != "" {
		s.Note(text)
	}
	delete(s.list, x.origin.shard)
	s.copies.drop(x.origin)
}

// originSpace is the space in which the node that continues a shard from a copy keeps
// that copy, until what was changed since is merged.
func originSpace(p shards.Shard) string { return group.RetiredSpace(p.Space()) + ".origin" }

// isOrigin reports whether a copy is one that this node has continued a shard from.
func (s *savedCopy) isOrigin() bool { return s.Space == originSpace(s.shard) }

// hasOrigin reports whether this node has continued a shard from a copy, and what was
// changed since is not merged.
func (c *copies) hasOrigin(p shards.Shard) bool {
	return slices.ContainsFunc(c.list, func(s savedCopy) bool { return s.shard == p && s.isOrigin() })
}

// keepOrigin writes a copy that a shard is continued from to a space of its own.
func (c *copies) keepOrigin(s savedCopy, kvs []machine.KV, then func(error)) {
	s.Space, s.Retired, s.at = originSpace(s.shard), false, c.Env.Now()
	c.write(s, []machine.DiskWrite{{Space: s.Space, DeletePrefix: [][]byte{{}}, Put: kvs}}, then)
}

// asideSince returns what a replica that began with a copy had when it gave way; false:
// it has not.
func (c *copies) asideSince(origin savedCopy) (out savedCopy, ok bool) {
	if !origin.isOrigin() {
		return out, false
	}
	for _, s := range c.list {
		superseded := !s.Retired && !s.isOrigin() && !s.isKept()
		if s.shard == origin.shard && superseded && s.at >= origin.at && (!ok || s.at > out.at) {
			out, ok = s, true
		}
	}
	return out, ok
}
