package actions

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// container is the action container (thesis 5.3.3): actions of the players whose
// homes lie in the node's cell. They are static data, and forgotten when no
// update needs them any more.
type container struct {
	players map[id.ID]*playerLog
	order   []*playerLog // the same; no map is iterated
}

type playerLog struct {
	player *state.Player
	stacks []intervalLog // a few, ascending
	known  storers       // by certificates that the player has sent
}

type intervalLog struct {
	of      int64
	actions []*state.Action
	batch   *state.Batch // of actions; nil: to be made

	// In the hardened protocol:
	sealed   bool                  // batch is what the player has signed
	cert     *messages.Certificate // of batch; nil: not certified
	heard    *state.Batch          // what others have of the player, if nothing came
	receipts []*messages.Receipt   // for batch or heard
	other    *state.Batch          // that the player has signed too: it has proven its fault
}

func (c *container) playerLog(p *state.Player) *playerLog {
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
func (c *container) add(of int64, a *state.Action) {
	st := c.playerLog(a.Player).intervalLog(of)
	i := len(st.actions)
	for i > 0 && a.Before(st.actions[i-1]) {
		i--
	}
	if i > 0 && state.SameAction(st.actions[i-1], a) {
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
func (c *container) stored(p *state.Player, of int64, m *state.ReplayCache) *state.Batch {
	if _, st := c.find(p.ID, of); st != nil {
		return st.frozen(p, m)
	}
	return m.Batch(&state.Batch{Player: p, Of: of})
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

func (st *intervalLog) frozen(p *state.Player, m *state.ReplayCache) *state.Batch {
	if st.batch == nil {
		st.batch = m.Batch(&state.Batch{Player: p, Of: st.of, Actions: slices.Clone(st.actions)})
	}
	return st.batch
}

// merge adds actions that another node holds.
func (c *container) merge(b *state.Batch) {
	for _, a := range b.Actions {
		c.add(b.Of, a)
	}
}

// take returns the batches of the players that want is true for; with remove
// they are not kept.
func (c *container) take(m *state.ReplayCache, remove bool, want func(*state.Player) bool) (out []*state.Batch) {
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
