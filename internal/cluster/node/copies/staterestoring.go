package copies

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// StateRestoring puts regions that are led here back to earlier states, and asks other
// leaders to do so for an operator at the founder's node.
//
// The blocks that differ from the state are changed as those of a merge are: where nobody
// touches them meanwhile, and without consequences. Players and what they carry stay.
type StateRestoring struct {
	part.Part
	links    *peers.Links
	hosting  hostedGroups
	routes   usedLeaders
	merges   *Merges
	copies   *Store
	fetching *Fetching
	jobs     *part.Runner
	terrain  *terrain.Generator

	signatures Signatures
	returned   map[id.ID]Proof // what hosts that came back alone had and is merged

	work   map[shards.Shard]*stateRestore // of regions that are led here
	orders map[uint32]*stateOrder         // of this node
	number uint32
}

// stateRestore is a region that is put back.
type stateRestore struct {
	asker         machine.Peer
	from          machine.Peer // a host that came back alone, with what it has signed;
	proof         Proof
	origin        *Saved // it is compared with that copy. nil: the founder's node has asked
	order         RestoreState
	begun         machine.Time
	target        []machine.KV
	now           []machine.KV
	made          map[world.ColumnPos]*world.Column
	changes       []world.BlockChange
	low, high     world.Pos // the box in which they are
	changed, kept uint32
}

// stateOrder is one that this node has given.
type stateOrder struct {
	m     RestoreState
	until machine.Time
	again machine.Time
	then  func(StateRestored)
}

const (
	restoreTime  = time.Minute
	restoreAgain = 3 * time.Second
	maxRestores  = 4
)

// NewStateRestoring returns what puts regions back to earlier states.
func NewStateRestoring(c part.Part, l *peers.Links, hosting hostedGroups, routes usedLeaders, m *Merges, store *Store, signatures Signatures, fetching *Fetching, jobs *part.Runner, terrain *terrain.Generator) *StateRestoring {
	return &StateRestoring{
		Part: c, links: l, hosting: hosting, routes: routes, merges: m, copies: store, fetching: fetching, jobs: jobs,
		terrain: terrain, signatures: signatures, returned: map[id.ID]Proof{}, work: map[shards.Shard]*stateRestore{}, orders: map[uint32]*stateOrder{},
	}
}

// Order asks the leader of a region to put it back.
func (s *StateRestoring) Order(state HeldState, show bool, then func(StateRestored)) {
	s.number++
	now := s.Env.Now()
	s.orders[s.number] = &stateOrder{
		m:     RestoreState{Shard: shards.Shard{Region: state.Region}, Number: s.number, Holder: state.Holder, State: state.SavedState, Show: show},
		until: now.Add(restoreTime), again: now, then: then,
	}
	s.Beat(now)
}

// Receive takes an order, of the founder's node or of this one.
func (s *StateRestoring) Receive(from machine.Peer, m *RestoreState) {
	h := s.hosting.GroupOf(m.Shard)
	switch x := s.work[m.Shard]; {
	case from.ID != s.Cfg.Founder && from.ID != s.Cfg.Self.ID || m.Shard.Lobby || !m.Shard.InWorld():
		s.Counts.Dropped++
	case h == nil || !h.Leading:
		s.hosting.Wake(m.Shard)
		s.routes.SendLeaderReply(from, m.Shard)
	case x != nil || len(s.work) >= maxRestores: // it is asked again
	default:
		x = &stateRestore{asker: from, order: *m, begun: s.Env.Now(), made: map[world.ColumnPos]*world.Column{}}
		s.work[m.Shard] = x
		s.fetch(x)
	}
}

// fetch gets the state that the region is put back to.
func (s *StateRestoring) fetch(x *stateRestore) {
	got := s.fetched(x)
	state := &x.order.State
	if x.order.Holder.ID != s.Cfg.Self.ID {
		want := Signed{End: hostpolicy.Log{Gen: state.Gen, Term: state.Term, Last: state.Index}, at: state.At}
		s.fetching.Begin(x.order.Holder, x.order.Shard, want, got)
		return
	}
	c, ok := s.copies.of(x.order.Shard, state.At)
	if !ok {
		got(nil, false)
		return
	}
	s.copies.Read(c, func(kvs []machine.KV, err error) { got(kvs, err == nil) })
}

// fetched returns what takes the state that was fetched.
func (s *StateRestoring) fetched(x *stateRestore) func(kvs []machine.KV, ok bool) {
	return func(kvs []machine.KV, ok bool) {
		if !ok {
			s.end(x, false)
			return
		}
		x.target = kvs
		s.readRegion(x)
	}
}

// readRegion reads the region as it is now, or the copy that it began with.
func (s *StateRestoring) readRegion(x *stateRestore) {
	if x.origin != nil {
		s.copies.Read(*x.origin, func(kvs []machine.KV, err error) {
			if x.now = kvs; err != nil {
				s.end(x, false)
				return
			}
			s.generate(x)
		})
		return
	}
	h := s.hosting.LoadedGroup(x.order.Shard)
	if h == nil || !h.Leading {
		s.end(x, false)
		return
	}
	h.Raft.ReadState(func(st group.State, err error) {
		if err != nil {
			s.end(x, false)
			return
		}
		x.now = st.Content
		s.generate(x)
	})
}

// generate makes the columns of which the states have changes alone, one after the other,
// and then finds the blocks that differ.
func (s *StateRestoring) generate(x *stateRestore) {
	pos := x.order.Shard.Region
	columns, find := []world.ColumnPos(nil), machine.Work(nil)
	if x.order.State.Changes {
		kept, ok := decodeKept(pos, x.target)
		if !ok {
			s.end(x, false)
			return
		}
		columns, find = columnsWith(kept), applied{x.now, kept, x.made}
	} else {
		columns, find = region.ChangedColumns(pos, x.now, x.target), difference{pos, [2][]machine.KV{x.now, x.target}, x.made}
	}
	for _, c := range columns {
		if x.made[c] != nil {
			continue
		}
		s.jobs.Do(region.Generate{Terrain: s.terrain, Column: c}, func(result any, _ error) {
			if x.made[c], _ = result.(*world.Column); x.made[c] == nil {
				s.end(x, false)
				return
			}
			s.generate(x)
		})
		return
	}
	s.jobs.Do(find, func(result any, err error) {
		changes, ok := result.([]world.BlockChange)
		if x.now, x.target, x.made = nil, nil, nil; err != nil || !ok {
			s.end(x, false)
			return
		}
		if x.changes = changes; len(changes) > 0 {
			x.low, x.high = boxOf(changes)
		}
		if x.order.Show {
			x.changed = uint32(len(changes))
			s.end(x, true)
			return
		}
		s.change(x)
	})
}

// boxOf returns two corners of the box in which changes are.
func boxOf(changes []world.BlockChange) (low, high world.Pos) {
	low, high = changes[0].At, changes[0].At
	for _, c := range changes {
		low = world.Pos{X: min(low.X, c.At.X), Y: min(low.Y, c.At.Y), Z: min(low.Z, c.At.Z)}
		high = world.Pos{X: max(high.X, c.At.X), Y: max(high.Y, c.At.Y), Z: max(high.Z, c.At.Z)}
	}
	return low, high
}

// change makes the next changes.
func (s *StateRestoring) change(x *stateRestore) {
	if s.work[x.order.Shard] != x {
		return
	}
	if len(x.changes) == 0 {
		s.end(x, true)
		return
	}
	some := x.changes[:min(len(x.changes), MaxMergeChanges)]
	s.merges.Make(x.order.Shard, some, func(inPlace int) {
		x.changes = x.changes[len(some):]
		x.changed += uint32(inPlace)
		x.kept += uint32(len(some) - inPlace)
		s.change(x)
	})
}

// end answers who has asked.
func (s *StateRestoring) end(x *stateRestore, ok bool) {
	if s.work[x.order.Shard] != x {
		return
	}
	delete(s.work, x.order.Shard)
	if x.origin != nil {
		s.endReturned(x, ok)
		return
	}
	if ok && !x.order.Show {
		s.Note(fmt.Sprintf("%s was put back to its state of %s by order of the founder's node: %d blocks; %d were changed meanwhile and stay.",
			x.order.Shard, part.Clock(x.order.State.At), x.changed, x.kept))
	}
	m := &StateRestored{Shard: x.order.Shard, Number: x.order.Number, Changed: x.changed, Kept: x.kept, Low: x.low, High: x.high, Failed: !ok}
	if x.asker.ID == s.Cfg.Self.ID {
		s.Hear(s.Cfg.Self, m)
		return
	}
	s.links.Send(x.asker, m)
}

// Hear takes the answer to an order of this node.
func (s *StateRestoring) Hear(from machine.Peer, m *StateRestored) {
	o := s.orders[m.Number]
	if o == nil || o.m.Shard != m.Shard || from.ID != s.routes.LeaderFor(m.Shard).ID {
		return
	}
	delete(s.orders, m.Number)
	o.then(*m)
}

// Beat repeats orders, and gives up what takes too long.
func (s *StateRestoring) Beat(now machine.Time) {
	for _, n := range slices.Sorted(maps.Keys(s.orders)) {
		o := s.orders[n]
		switch leader := s.routes.LeaderFor(o.m.Shard); {
		case now >= o.until:
			delete(s.orders, n)
			o.then(StateRestored{Shard: o.m.Shard, Number: n, Failed: true})
		case now < o.again:
		case leader == (machine.Peer{}):
			s.routes.Search(o.m.Shard)
		case leader.ID == s.Cfg.Self.ID:
			o.again = now.Add(restoreAgain)
			s.Receive(s.Cfg.Self, &o.m)
		default:
			o.again = now.Add(restoreAgain)
			s.links.Send(leader, &o.m)
		}
	}
	for _, p := range shards.Sorted(s.work) {
		if x := s.work[p]; now.Sub(x.begun) >= restoreTime {
			s.end(x, false)
		}
	}
}
