package storage

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Batch is a player's actions of one interval: after t_{Of-1} and until t_Of, in
// order. Frozen.
type Batch struct {
	Player  *Player
	Of      int64
	Actions []*Action
	// Signature is the player's, of all of that; nil: these are actions that somebody
	// has of it, and the player may have done more, or less, or nothing. Who makes and
	// checks it is the driver's business (Config.SignBatch, Config.CheckBatch).
	Signature []byte
	hash      uint64 // of the actions' hashes
	bytes     int    // size, once the cache has it; 0: to be counted
	sum       Digest // of the actions; zero: nobody has wanted it yet
}

// digest is that of a batch's actions, by which replays of them are found again: of
// all that the rules are given of them.
func (b *Batch) digest() Digest {
	if b.sum == (Digest{}) {
		text := append([]byte(nil), b.Player.ID[:]...)
		for _, a := range b.Actions {
			text = binary.BigEndian.AppendUint64(text, a.Seq)
			text = binary.BigEndian.AppendUint64(text, uint64(a.At))
			text = binary.AppendUvarint(text, uint64(len(a.Body)))
			text = append(text, a.Body...)
		}
		b.sum = id.Of(text)
	}
	return b.sum
}

// sizeBatch is the head of a batch on the wire: how many actions follow.
const sizeBatch = 2

func (b *Batch) size() int {
	if b.bytes > 0 {
		return b.bytes
	}
	size := sizeBatch
	for _, a := range b.Actions {
		size += a.Size
	}
	if b.Signature != nil {
		size += sizePlayerSignature
	}
	return size
}

// Signed is the batch with its player's signature; without one, if that is empty.
func (b *Batch) Signed(signature []byte) *Batch {
	out := *b
	if out.Signature, out.bytes = nil, 0; len(signature) > 0 {
		out.Signature = signature
	}
	out.hash, out.bytes = hashBatch(&out), out.size()
	return &out
}

// sameBatch reports whether two batches hold the same actions: what was signed
// is compared.
func sameBatch(a, b *Batch) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || len(a.Actions) != len(b.Actions) {
		return false
	}
	return slices.EqualFunc(a.Actions, b.Actions, sameAction)
}

func sameAction(a, b *Action) bool {
	return a == b || a.Player.ID == b.Player.ID && a.Seq == b.Seq && a.At == b.At &&
		string(a.Body) == string(b.Body) && string(a.Signature) == string(b.Signature)
}

// container is the action container (thesis 5.3.3): actions of the players whose
// homes lie in the node's cell. They are static data, and forgotten when no
// update needs them any more.
type container struct {
	players map[id.ID]*playerLog
	order   []*playerLog // the same; no map is iterated
}

type playerLog struct {
	player *Player
	stacks []intervalLog // a few, ascending
	known  storers       // by certificates that the player has sent
}

type intervalLog struct {
	of      int64
	actions []*Action
	batch   *Batch // of actions; nil: to be made

	// In the hardened protocol:
	sealed   bool         // batch is what the player has signed
	cert     *Certificate // of batch; nil: not certified
	heard    *Batch       // what others have of the player, if nothing came
	receipts []*Receipt   // for batch or heard
	other    *Batch       // that the player has signed too: it has proven its fault
}

func (c *container) playerLog(p *Player) *playerLog {
	s := c.players[p.ID]
	if s == nil {
		if c.players == nil {
			c.players = map[id.ID]*playerLog{}
		}
		s = &playerLog{player: p}
		c.players[p.ID] = s
		c.order = append(c.order, s)
	}
	return s
}

// add adds an action in its place; one that is there already is not added.
func (c *container) add(of int64, a *Action) {
	st := c.playerLog(a.Player).intervalLog(of)
	i := len(st.actions)
	for i > 0 && a.Before(st.actions[i-1]) {
		i--
	}
	if i > 0 && sameAction(st.actions[i-1], a) {
		return
	}
	st.actions = slices.Insert(st.actions, i, a)
	st.batch = nil
}

func (s *playerLog) intervalLog(of int64) *intervalLog {
	i := len(s.stacks)
	for i > 0 && s.stacks[i-1].of >= of {
		i--
	}
	if i == len(s.stacks) || s.stacks[i].of != of {
		s.stacks = slices.Insert(s.stacks, i, intervalLog{of: of})
	}
	return &s.stacks[i]
}

// stored returns a player's actions of an interval, none perhaps.
func (c *container) stored(p *Player, of int64, m *ReplayCache) *Batch {
	if _, st := c.find(p.ID, of); st != nil {
		return st.frozen(p, m)
	}
	return m.batch(&Batch{Player: p, Of: of})
}

// find returns what is stored of a player, and of an interval; nil: nothing.
func (c *container) find(player id.ID, of int64) (*playerLog, *intervalLog) {
	s := c.players[player]
	if s == nil {
		return nil, nil
	}
	for i := range s.stacks {
		if st := &s.stacks[i]; st.of == of {
			return s, st
		}
	}
	return s, nil
}

func (st *intervalLog) frozen(p *Player, m *ReplayCache) *Batch {
	if st.batch == nil {
		st.batch = m.batch(&Batch{Player: p, Of: st.of, Actions: slices.Clone(st.actions)})
	}
	return st.batch
}

// merge adds actions that another node holds.
func (c *container) merge(b *Batch) {
	for _, a := range b.Actions {
		c.add(b.Of, a)
	}
}

// take returns the batches of the players that want is true for; with remove
// they are not kept.
func (c *container) take(m *ReplayCache, remove bool, want func(*Player) bool) (out []*Batch) {
	keep := c.order[:0]
	for _, s := range c.order {
		if !want(s.player) {
			keep = append(keep, s)
			continue
		}
		for i := range s.stacks {
			out = append(out, s.stacks[i].frozen(s.player, m))
		}
		if remove {
			delete(c.players, s.player.ID)
		} else {
			keep = append(keep, s)
		}
	}
	clear(c.order[len(keep):])
	c.order = keep
	return out
}

// forget drops actions of intervals before one.
func (c *container) forget(before int64) {
	keep := c.order[:0]
	for _, s := range c.order {
		s.stacks = slices.DeleteFunc(s.stacks, func(st intervalLog) bool { return st.of < before })
		if len(s.stacks) == 0 {
			delete(c.players, s.player.ID)
			continue
		}
		keep = append(keep, s)
	}
	clear(c.order[len(keep):])
	c.order = keep
}

// timing is the update cycle (thesis 5.3.5).
type timing struct {
	t0       machine.Time
	lmax     time.Duration
	deviates time.Duration // t_d
}

// interval is I = 5·l_max.
func (t timing) interval() time.Duration { return 5 * t.lmax }

// update is t_i.
func (t timing) update(i int64) machine.Time { return t.t0.Add(time.Duration(i) * t.interval()) }

// actions is t^a_i = t_i + l_max, later by the deviation of clocks: all actions
// until t_i are stored.
func (t timing) actions(i int64) machine.Time { return t.update(i).Add(t.lmax + t.deviates) }

// state is t^s_i = t_i + 3·l_max, later by the deviation: everybody has the
// state of t_i.
func (t timing) state(i int64) machine.Time { return t.update(i).Add(3*t.lmax + t.deviates) }

// of is the update that an action belongs to: t_{of-1} < at <= t_of.
func (t timing) of(at machine.Time) int64 {
	d := int64(at.Sub(t.t0))
	n := int64(t.interval())
	if d <= 0 {
		return 0
	}
	return (d + n - 1) / n
}

// accepts reports whether an interval is one of those that actions are stored of now:
// the one before, whose update is being made, that of the present, and the next, for
// clocks differ. Of others nobody can make a node keep anything.
func (t timing) accepts(of int64, now machine.Time) bool {
	d := of - t.of(now)
	return d >= -1 && d <= 1
}

// begunBefore reports whether an interval had begun at a time.
func (t timing) begunBefore(of int64, at machine.Time) bool { return at > t.update(of-1) }

// late reports whether an action comes too late to be stored: who asks for the
// actions of its interval may have asked already.
func (t timing) late(a *Action, now machine.Time) bool { return now > t.actions(t.of(a.At)) }
