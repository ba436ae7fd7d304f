package storagelab

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// storageTruth is the sequential replay of all that players do: the whole world
// in one step for each update, beside the simulation.
type storageTruth struct {
	net     *storageNet
	objects []*state.Object // at the last update, ascending by ID
	at      map[int64]*state.Snapshot
	acts    map[int64]map[*state.Player][]*state.Action // by the update they belong to
	used    int                                         // of net.actions
	seen    storageStates
}

// storageStates are nodes' states at all updates.
type storageStates struct {
	All    int
	Wrong  int // take something for known that is not true
	Unsure int // have cells of which the node knows that it does not know them
}

// follow lets the truth keep up with the simulation.
func (n *storageNet) follow() *storageTruth {
	t := &storageTruth{
		net: n, objects: n.initial(), at: map[int64]*state.Snapshot{},
		acts: map[int64]map[*state.Player][]*state.Action{},
	}
	t.at[0] = state.NewSnapshot(0, t.objects, n.rules.World())
	for of := int64(1); of <= int64(n.run.updates()); of++ {
		n.sim.At(n.update(of).Add(1), func() { t.step(of) })
		n.sim.At(n.update(of).Add(storageMade), func() { t.compare(of) })
	}
	n.truth, n.probe.right = t, t.right
	return t
}

func (t *storageTruth) step(of int64) {
	n := t.net
	slices.SortStableFunc(n.actions[t.used:], func(a, b *state.Action) int { return int(a.At - b.At) })
	actions := slices.Clone(n.actions[t.used:])
	if i := slices.IndexFunc(actions, func(a *state.Action) bool { return a.At > n.update(of) }); i >= 0 {
		actions = actions[:i] // the rest is stamped by a clock that is ahead
	}
	t.used += len(actions)
	slices.SortFunc(actions, func(a, b *state.Action) int {
		switch {
		case a.Before(b):
			return -1
		case b.Before(a):
			return 1
		}
		return 0
	})
	t.acts[of] = map[*state.Player][]*state.Action{}
	for _, a := range actions {
		t.acts[of][a.Player] = append(t.acts[of][a.Player], a)
	}
	woken := map[state.ObjectID]bool{}
	for _, o := range n.woken[of-1] {
		woken[o.ID] = true
	}
	var moving, out []*state.Object
	for _, o := range t.objects {
		switch {
		case woken[o.ID]:
			moving = append(moving, n.rules.Activate(o.Player, o.Pos, o))
		case o.Static:
			out = append(out, o)
		default:
			moving = append(moving, o)
		}
	}
	side := n.rules.World().Side
	out = append(out, n.rules.Replay(&state.Step{
		From: n.update(of - 1), To: n.update(of), Objects: moving, Actions: actions,
		Target: geom.Rect{Max: geom.Point{X: side, Y: side}},
	})...)
	slices.SortFunc(out, state.ByID)
	t.objects = out
	t.at[of] = state.NewSnapshot(of, out, n.rules.World())
	t.forget(of - 8)
}

// storageMade is how long after t_i everybody has made the update that can: at t^s, and
// no clock is so far behind.
const storageMade = 3*storage.DefaultLMax + time.Second/2

// compare looks at all states of an update.
func (t *storageTruth) compare(of int64) {
	for _, o := range t.net.live() {
		if s := o.machine().State(); s != nil && s.Of == of {
			t.seen.All++
			t.seen.Unsure += lab.Indicator(s.UnsureCells() > 0)
			t.seen.Wrong += lab.Indicator(s.Contradicts(t.at[of], t.net.rules.World()))
		}
	}
}

// forget lets go of what nobody asks for any more: a run may last for days.
func (t *storageTruth) forget(of int64) {
	delete(t.at, of)
	delete(t.acts, of)
	delete(t.net.woken, of)
	old := 0
	for old < t.used && t.net.actions[old].At <= t.net.update(of) {
		old++
	}
	t.net.actions, t.used = slices.Delete(t.net.actions, 0, old), t.used-old
}

// right reports whether a retrieval has found what is true; of static data it is
// enough that it has found something.
func (t *storageTruth) right(r *storage.Report) bool {
	switch r.Kind {
	case messages.ForActions:
		want := t.acts[r.Of][r.Player]
		return len(r.Batches) == 1 && slices.Equal(r.Batches[0].Actions, want)
	case messages.ForUpdate, messages.ForLook:
		truth := t.at[r.Of]
		return r.Seen != nil && truth != nil && r.Seen.Agrees(truth, &r.Area, t.net.rules.World())
	}
	return r.Votes > 0
}

// storageState is what is stored when a run is over (tables 6.13 to 6.16).
type storageState struct {
	Objects, Replicas, Bytes int // actions too
	NPCs, NPCReplicas        int
	Actions                  int
	Lost                     int // objects of the world without a replica
	Missing                  int // without one in some zone in which there are nodes
	Wrong                    int // nodes with an incorrect state
	Nodes                    int
	States                   storageStates
}

// look counts what the live nodes store.
func (n *storageNet) look() *storageState {
	s := &storageState{States: n.truth.seen}
	shape := n.rules.World()
	truth := n.truth.at[int64(n.run.updates())]
	held := map[state.ObjectID]uint32{} // zones
	inhabited := uint32(0)              // those with nodes
	type action struct {
		p   *state.Player
		seq uint64
	}
	actions := map[action]bool{}
	for _, o := range n.live() {
		m, bytes := o.machine(), 0
		zone := n.space.Zone(o.self.Pos)
		inhabited |= 1 << zone
		count := func(x *state.Object) {
			held[x.ID] |= 1 << zone
			s.Replicas++
			bytes += x.Size
			if x.Player == nil {
				s.NPCReplicas++
			}
		}
		if state := m.State(); state != nil {
			for _, x := range state.Objects(&state.Cover, shape, nil) {
				count(x)
			}
			if state.Of != int64(n.run.updates()) || !state.Agrees(truth, &state.Cover, shape) {
				s.Wrong++
			}
		} else {
			s.Wrong++
		}
		for _, x := range m.Static() {
			count(x)
		}
		for _, b := range m.Actions() {
			for _, a := range b.Actions {
				s.Replicas++
				bytes += a.Size
				actions[action{a.Player, a.Seq}] = true
			}
		}
		s.Nodes++
		s.Bytes += bytes
	}
	s.Actions = len(actions)
	s.Objects = len(held) + len(actions)
	for _, o := range n.truth.objects {
		switch zones := held[o.ID]; {
		case zones == 0:
			s.Lost++
			fallthrough
		case zones != inhabited:
			s.Missing++
		}
		if o.Player == nil && held[o.ID] != 0 {
			s.NPCs++
		}
	}
	return s
}
