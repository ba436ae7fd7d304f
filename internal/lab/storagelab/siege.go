package storagelab

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// siegeRun is one simulation of the storage with attackers, as a value. Of the
// nodes that start, the last ones are malicious: two runs with one more or less
// of them are the same but for what that one does (thesis 6.4.4).
type siegeRun struct {
	storageRun
	Malicious int
	Ways      string // how they attack; mixtures with / between them take turns
	// Coming: the malicious nodes leave again and again, and come back.
	Coming bool
	// ToEnd goes on when objects have been tampered with; otherwise the run has
	// shown what it can show.
	ToEnd bool
}

func (o siegeRun) Name() string {
	s := fmt.Sprintf("siege-%s-m%d-%s", o.Ways, o.Malicious, o.storageRun.Name())
	if o.Coming { // the turns are too long for a file's name
		h := fnv.New32a()
		h.Write([]byte(o.Ways))
		s = fmt.Sprintf("siege-turns%08x-coming-m%d-%s", h.Sum32(), o.Malicious, o.storageRun.Name())
	}
	if o.ToEnd {
		s += "-whole"
	}
	return s
}

// siegeResult is what a run has shown.
type siegeResult struct {
	// Nodes are the honest ones that hold replicas that were tampered with, and
	// Objects those of which most replicas are: when the run ended.
	Nodes, Objects int
	// Own of these lack only what their players' own nodes have not signed: no attacker had
	// a hand in them.
	Own int
	// First is the update after which there were such objects; 0: never. Seen is
	// the update after which an honest node held any such replica.
	First, Seen int64
	// Unsure is how many honest nodes were not sure of some cell at once, Lost how
	// many objects no honest one knew of: the most after any update.
	Unsure, Lost int
	Live         int
	Queries      [messages.Kinds]int // of honest nodes
	Tried        [messages.Kinds]int // of these, those attackers had a hand in
	Tampered     [messages.Kinds]int // and those that found what is not true
	Guessed      [messages.Kinds]int // of these, those that took nothing false for known
	Dropped      int                 // actions
	siegeVerdict
	// Left and Back are how often malicious nodes have left, and have come back.
	Left, Back int
	// Updates is how many were looked at.
	Updates int64
	Failed  int
	Events  uint64
	Trace   string
}

// siege is a network with attackers in it.
type siege struct {
	*storageNet
	settings siegeRun
	gang     *attack.Gang
	taint    *attack.Taint
	zones    [][]*storageNode
	known    map[int64]*state.Snapshot
	result   siegeResult
	judge    siegeJudge
	turns    []attack.Ways
	away     map[*storageNode]bool // members that leave, or have left
	massJoin bool                  // who starts now is a member
	finished bool
}

func newSiege(o siegeRun) (*siege, error) {
	turns, err := o.turns()
	if err != nil {
		return nil, err
	}
	ways := turns[0]
	net := o.storageRun
	if ways.Join { // the members come later, see massJoin
		net.Nodes -= o.Malicious
	}
	s := &siege{storageNet: newStorageNet(net), settings: o, turns: turns, away: map[*storageNode]bool{}, known: map[int64]*state.Snapshot{}, judge: newSiegeJudge()}
	taint := attack.NewTaint(s.rules, storageInterval)
	s.rules, s.acted, s.probe.signed, s.taint = taint, taint.Acted, taint.Signed, taint
	s.zones = make([][]*storageNode, s.space.Zones())
	s.gang = attack.New(ways, o.Protocol, s.space, s)
	s.behave = func(k int, node *storageNode) storage.Behaviour {
		zone := s.space.Zone(node.self.Pos)
		s.zones[zone] = append(s.zones[zone], node)
		if member := k >= o.Nodes-o.Malicious && k < o.Nodes; ways.Join && !s.massJoin || !ways.Join && !member {
			return nil
		}
		s.gang.Join(node.self.ID)
		return s.gang
	}
	s.within = func(node *storageNode, env machine.Env) machine.Env { return s.gang.Env(node.self, env) }
	s.storageNet.disowned = s.disowned
	s.gang.CheatFrom = cheatFrom
	if slices.ContainsFunc(turns, func(w attack.Ways) bool { return w.Places }) {
		s.chooseStands()
	}
	s.follow()
	s.probe.right = nil
	s.probe.heard = s.heard
	return s, nil
}

// heard counts what honest nodes ask for and what they find.
func (s *siege) heard(r storage.Report) {
	if s.gang.Has(r.By.Self().ID) {
		return
	}
	s.result.Queries[r.Kind]++
	s.judge.hear(&r, s.truth)
	if r.Votes > 0 && !s.truth.right(&r) {
		s.result.Tampered[r.Kind]++
		s.result.Guessed[r.Kind] += lab.Indicator(s.onlyGuesses(&r))
	}
}

// onlyGuesses reports whether a retrieval is wrong about such cells alone of which the node
// itself says that it is not sure.
func (s *siege) onlyGuesses(r *storage.Report) bool {
	truth := s.truth.at[r.Of]
	return r.Seen != nil && truth != nil && !r.Seen.Contradicts(truth, s.rules.World())
}

// At implements attack.Knowledge: what is true, and who was woken.
func (s *siege) At(of int64) *state.Snapshot {
	if s.known[of] != nil || s.truth.at[of] == nil {
		return s.known[of]
	}
	all := *s.truth.at[of]
	for _, o := range s.woken[of] {
		all.Activated = append(all.Activated, s.rules.Activate(o.Player, o.Pos, o))
	}
	slices.SortFunc(all.Activated, state.ByID)
	s.known[of] = &all
	delete(s.known, of-8)
	return &all
}

// Static implements attack.Knowledge.
func (s *siege) Static() (out []*state.Object) {
	for _, o := range s.truth.objects {
		if o.Static {
			out = append(out, o)
		}
	}
	return out
}

// Zone implements attack.Knowledge.
func (s *siege) Zone(zone int) (out []*storage.Node) {
	for _, node := range s.zones[zone] {
		if m := node.machine(); m != nil {
			out = append(out, m)
		}
	}
	return out
}

// Update implements attack.Knowledge.
func (s *siege) Update(of int64) machine.Time { return s.update(of) }

// Awake implements attack.Knowledge.
func (s *siege) Awake(o *state.Object) *state.Object { return s.rules.Activate(o.Player, o.Pos, o) }

// After implements attack.Knowledge.
func (s *siege) After(n *storage.Node, wait time.Duration, f func()) {
	s.sim.At(s.sim.Now().Add(wait), func() {
		for _, node := range s.zones[s.space.Zone(n.Self().Pos)] {
			if node.machine() == n {
				node.Call(f)
				return
			}
		}
	})
}

// Do simulates the attack until objects have been tampered with, or to the end.
func (o siegeRun) Do(ctx context.Context) (siegeResult, error) {
	s, err := newSiege(o)
	if err != nil {
		return siegeResult{}, err
	}
	return s.Do(ctx)
}

func (s *siege) Do(ctx context.Context) (siegeResult, error) {
	o := s.settings
	inner, stop := context.WithCancel(ctx)
	defer stop()
	for of := int64(1); of <= int64(o.updates()); of++ {
		s.sim.At(s.stored(of), func() {
			if s.finished {
				return
			}
			s.inspect(of)
			if of == int64(o.updates()) || s.result.harmed() && !o.ToEnd {
				s.finished = true
				stop()
			}
		})
	}
	s.scheduleAttacks()
	if _, err := s.storageNet.do(inner, func() {}); err != nil && !s.finished {
		return siegeResult{}, err
	}
	r := &s.result
	r.Live, r.Failed, r.Tried, r.Dropped = len(s.live()), s.probe.failed, s.gang.Tried, s.gang.Dropped
	r.Events, r.Trace = s.sim.Events(), fmt.Sprintf("%016x", s.sim.Trace())
	return *r, nil
}

// stored is when everybody has the world of t_of.
func (s *siege) stored(of int64) machine.Time {
	return s.update(of).Add(3*storage.DefaultLMax + storage.DefaultLMax/4)
}
