package node

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// Truth makes the nodes of a world with an authority keep it in the replicated
// storage (docs/protocols/storage.md "In real nodes"). All nodes of a world have
// the same Rules, Protocol, Begin and LMax.
type Truth struct {
	Rules    storage.Rules
	Protocol storage.Protocol
	Begin    machine.Time // t_0
	// LMax and Deviation are the storage's; 0: its defaults.
	LMax, Deviation time.Duration
	// Sign signs an answer with the node's key, Signed reports whether one bears
	// the signature that belongs to its key.
	Sign   func(*Answer) error
	Signed func(*Answer) bool
	// Report takes evidence; may be nil.
	Report func(*Contradiction)
	// Behaviour and Probe are for experiments; may be nil.
	Behaviour storage.Behaviour
	Probe     storage.Probe
}

// Contradiction is evidence that a node has stored something else than the
// world: what it says of a cell is not what nodes of more than half of the zones
// say. Everybody who has the answers can see it (Check).
type Contradiction struct {
	Of      int64
	X, Y    int32 // the cell's column and row
	Accused *Answer
	Others  []*Answer // that agree, each of another zone
}

// Check says what is wrong with a contradiction. signed and zone say whether an
// answer bears its node's signature and in which zone that node's certificate
// has its place.
func (c *Contradiction) Check(w storage.World, zones int, signed func(*Answer) bool, zone func(id.ID) (int, bool)) error {
	seen, digests := map[int]bool{}, map[storage.Digest]bool{}
	for i, a := range append([]*Answer{c.Accused}, c.Others...) {
		if a == nil || !signed(a) {
			return fmt.Errorf("evidence: answer %d is not signed by its node", i)
		}
		of, digest, ok := a.tells(c.X, c.Y, w)
		if !ok || of != c.Of {
			return fmt.Errorf("evidence: the answer of %s does not tell of the cell at that time", a.By().Short())
		}
		if i == 0 {
			digests[digest] = true
			continue
		}
		z, known := zone(a.By())
		if !known || seen[z] || a.By() == c.Accused.By() {
			return fmt.Errorf("evidence: the answer of %s does not count", a.By().Short())
		}
		if seen[z] = true; i > 1 && !digests[digest] || i == 1 && digests[digest] {
			return fmt.Errorf("evidence: the answer of %s does not contradict the accused together with the others", a.By().Short())
		}
		if i == 1 {
			digests = map[storage.Digest]bool{digest: true}
		}
	}
	if 2*len(c.Others) <= zones {
		return fmt.Errorf("evidence: %d of %d zones agree, which are not more than half", len(c.Others), zones)
	}
	return nil
}

// Answer is a storage.Result with the signature of who gives it.
type Answer struct {
	Key       [32]byte // Ed25519, of the node
	Signature [64]byte
	Result    machine.Message // *storage.Result
}

// By is the node that gives the answer.
func (a *Answer) By() id.ID { return id.Of(a.Key[:]) }

// tells reads what the answer says of a cell, and of which time.
func (a *Answer) tells(x, y int32, w storage.World) (of int64, d storage.Digest, ok bool) {
	r, ok := a.Result.(*storage.Result)
	if !ok || r.Seen == nil {
		return 0, d, false
	}
	d, ok = r.Seen.Tells(x, y, &r.Area, w)
	return r.Seen.Of, d, ok
}

// keeper is the storage of a node: it signs the node's answers, keeps those of
// others until the state is voted on, and compares them.
type keeper struct {
	Truth
	l     *layer
	node  *storage.Node
	heard []heard // answers of the update that is voted on
	stats TruthStats
	told  map[id.ID]machine.Time // when a node was accused to the people
}

// heard is an answer of another node.
type heard struct {
	answer *Answer
	zone   int
}

// maxAnswers bounds the answers that are kept for comparing.
const maxAnswers = 1 << 12

// TruthStats is what a node knows of the storage.
type TruthStats struct {
	Begin   machine.Time // t_0
	Every   time.Duration
	Of      int64 // the update that this node's state is of; -1: it has none
	Zone    int
	Zones   int
	Votes   int // zones that agreed on the last state it asked for
	Unknown int // cells of its part that nothing is known about
	Objects int // in its part
	Updates uint64
	Failed  uint64                 // updates that could not be made
	False   uint64                 // answers that contradict more than half of the zones
	Accused map[id.ID]machine.Time // who gave them, and when the last time
}

// newKeeper makes the storage beside the overlay's settings.
func newKeeper(l *layer, t *Truth, oc overlay.Config) *keeper {
	k := &keeper{Truth: *t, l: l, told: map[id.ID]machine.Time{}}
	lmax := t.LMax
	if lmax == 0 {
		lmax = storage.DefaultLMax
	}
	k.stats = TruthStats{Begin: t.Begin, Every: 5 * lmax, Of: -1, Zone: oc.Space.Zone(oc.Self.Pos), Zones: oc.Space.Zones(), Accused: map[id.ID]machine.Time{}}
	k.node = storage.New(storage.Config{
		Overlay: oc, Rules: t.Rules, Protocol: t.Protocol, Begin: t.Begin, LMax: t.LMax, Deviation: t.Deviation,
		Player:    &storage.Player{ID: oc.Self.ID, Home: storage.Home(oc.Space, t.Rules.World(), oc.Self.Pos)},
		Behaviour: t.Behaviour, Events: k, Probe: k,
	}, layerEnv{l})
	return k
}

// WithTruth gives a driver's function the node's storage; false: it has none. It
// is called like a handler.
func (n *Node) WithTruth(f func(*storage.Node)) bool {
	if n.net == nil || n.net.layer == nil || n.net.layer.keeper == nil {
		return false
	}
	f(n.net.layer.keeper.node)
	n.drain()
	return true
}

// truthStats reads it.
func (l *layer) truthStats() *TruthStats {
	if l == nil || l.keeper == nil {
		return nil
	}
	s := l.keeper.stats
	s.Accused = map[id.ID]machine.Time{}
	for who, at := range l.keeper.stats.Accused {
		s.Accused[who] = at
	}
	if state := l.keeper.node.State(); state != nil {
		s.Of, s.Unknown = state.Of, state.Doubts()
		s.Objects = len(state.Objects(&state.Cover, l.keeper.node.World(), nil))
	}
	return &s
}

// sign makes answers of the node evidence, on their way out.
func (k *keeper) sign(m machine.Message) machine.Message {
	u, ok := m.(*overlay.Unicast)
	if !ok || u.Origin.ID != k.l.w.cfg.Self.ID {
		return m
	}
	r, ok := u.Body.(*storage.Result)
	if !ok {
		return m
	}
	a := &Answer{Result: r}
	if err := k.Sign(a); err != nil {
		k.l.w.note("An answer cannot be signed: " + err.Error())
		return nil
	}
	out := *u
	out.Body = a
	return &out
}

// open takes the signature off an answer for this node; nil: it is refused. What
// is for others goes on as it is.
func (k *keeper) open(m machine.Message) machine.Message {
	u, ok := m.(*overlay.Unicast)
	if !ok || u.Dest != k.node.Self().Pos || u.Origin == nil {
		return m
	}
	switch body := u.Body.(type) {
	case *storage.Result:
		return nil // who gives it does not stand by it
	case *Answer:
		r, ok := body.Result.(*storage.Result)
		if !ok || body.By() != u.Origin.ID || r.Around == nil || r.Around.Self.ID != u.Origin.ID || !k.Signed(body) {
			return nil
		}
		if r.Seen != nil && len(k.heard) < maxAnswers {
			k.heard = append(k.heard, heard{body, k.stats.zone(k, u.Origin)})
		}
		out := *u
		out.Body = r
		return &out
	}
	return m
}

func (s *TruthStats) zone(k *keeper, c *overlay.Contact) int {
	return overlay.SpaceFor(k.l.w.cfg.Verified.Zones).Zone(c.Pos)
}

// Looked implements storage.Events: nobody looks here.
func (k *keeper) Looked(*storage.Snapshot, float64) {}

// Updated implements storage.Events: all answers about the state before have
// come.
func (k *keeper) Updated(s *storage.Snapshot) {
	k.stats.Updates++
	k.judge(s.Of - 1)
}

// Retrieved implements storage.Probe.
func (k *keeper) Retrieved(r storage.Report) {
	if r.Kind == storage.ForUpdate {
		k.stats.Votes = r.Votes
	}
	if k.Probe != nil {
		k.Probe.Retrieved(r)
	}
}

// Arrived implements storage.Probe.
func (k *keeper) Arrived(a storage.Arrival, hops int) {
	if k.Probe != nil {
		k.Probe.Arrived(a, hops)
	}
}

// Failed implements storage.Probe.
func (k *keeper) Failed(n *storage.Node, of int64) {
	k.stats.Failed++
	k.judge(of - 1)
	if k.Probe != nil {
		k.Probe.Failed(n, of)
	}
}

// judge compares the answers about an update, cell by cell. Who says otherwise
// than more than half of the zones is accused, once for an update.
func (k *keeper) judge(of int64) {
	world := k.Rules.World()
	list := slices.DeleteFunc(k.heard, func(h heard) bool { return h.answer.Result.(*storage.Result).Seen.Of != of })
	k.heard = nil
	slices.SortStableFunc(list, func(a, b heard) int {
		x, y := a.answer.By(), b.answer.By()
		return cmp.Or(cmp.Compare(a.zone, b.zone), slices.Compare(x[:], y[:]))
	})
	accused := map[id.ID]bool{}
	for _, at := range cells(list) {
		most := voices{}
		said := map[storage.Digest]*voices{}
		for _, h := range list {
			_, d, ok := h.answer.tells(at[0], at[1], world)
			if !ok {
				continue
			}
			v := said[d]
			if v == nil {
				v = &voices{digest: d}
				said[d] = v
			}
			if n := len(v.zones); n == 0 || v.zones[n-1] != h.zone {
				v.zones, v.answers = append(v.zones, h.zone), append(v.answers, h.answer)
			}
			if len(v.zones) > len(most.zones) {
				most = *v
			}
		}
		if len(said) < 2 || 2*len(most.zones) <= k.stats.Zones {
			continue
		}
		for _, h := range list {
			_, d, ok := h.answer.tells(at[0], at[1], world)
			if who := h.answer.By(); ok && d != most.digest && !accused[who] {
				accused[who] = true
				k.accuse(&Contradiction{Of: of, X: at[0], Y: at[1], Accused: h.answer, Others: most.answers})
			}
		}
	}
}

// voices are the answers that say the same of a cell, one of each zone.
type voices struct {
	digest  storage.Digest
	zones   []int
	answers []*Answer
}

// cells are the cells that any of the answers is about, row by row.
func cells(list []heard) (out [][2]int32) {
	for _, h := range list {
		s := h.answer.Result.(*storage.Result).Seen
		for y := s.Y; y < s.Y+s.H; y++ {
			for x := s.X; x < s.X+s.W; x++ {
				out = append(out, [2]int32{x, y})
			}
		}
	}
	slices.SortFunc(out, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) })
	return slices.Compact(out)
}

// accuse hands evidence on; the people hear of a node now and then.
func (k *keeper) accuse(c *Contradiction) {
	who, now := c.Accused.By(), k.l.w.n.env.Now()
	k.stats.False++
	k.stats.Accused[who] = now
	if k.Report != nil {
		k.Report(c)
	}
	if last, told := k.told[who]; !told || now.Sub(last) > noteEvery {
		k.told[who] = now
		k.l.w.note(fmt.Sprintf("Node %s says otherwise than %d of %d zones what the world is at update %d.", who.Short(), len(c.Others), k.stats.Zones, c.Of))
	}
}
