// Package names keeps which player has signed which name, and shows a player with its id to
// whom the lobby of another node gives the name of somebody else (decision 67).
package names

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Names is which player has which name, as far as this node has seen the player's
// signature for it (identity.PassText): of its own sessions, and of all that entered
// while the lobby was here. The host of the lobby gives names. If it gives such a name,
// or one that looks like it, to another player, that player is shown with its id
// (decision 67).
type Names struct {
	env    machine.Env
	list   map[id.ID]*namedPlayer
	owners map[string]id.ID // players by the looks of their names
	looks  map[string]looks // that were made: lists name the same players again and again
	told   *lobby.Players   // by the lobby here, which sends one to many
}

// namedPlayer is a player who has signed a name.
type namedPlayer struct {
	claim       string       // the name that it has signed last
	looks       looks        // of the name that it has signed and was given; zero: of none
	first, last machine.Time // when it was given that name; last: or has signed
}

// looks are what names are compared by: wire.Skeleton and wire.FoldName. Capitals of Greek
// and Cyrillic may look like other letters than their small ones, so that a name and the
// same one in capitals can have different skeletons.
type looks [2]string

const (
	// maxPlayerNames bounds the players that are remembered: first those are forgotten
	// who were given no name, then those of long ago.
	maxPlayerNames = 1 << 13
	// A name that was hardly used is free again after a day, as in the lobby.
	nameUsed   = 5 * time.Minute
	nameUnused = 24 * time.Hour
)

func New(env machine.Env) *Names {
	return &Names{env: env, list: map[id.ID]*namedPlayer{}, owners: map[string]id.ID{}, looks: map[string]looks{}}
}

// Claim notes the name that a player has signed to enter. Whether it gets the name is
// for the lobby to say.
func (n *Names) Claim(e *lobby.Enter) {
	name, err := wire.CleanName(e.Name)
	if err != nil {
		return
	}
	p := n.list[e.Player]
	if p == nil {
		n.makeRoom()
		p = &namedPlayer{}
		n.list[e.Player] = p
	}
	p.claim, p.last = name, n.env.Now()
}

// given notes that the lobby calls a player so, if the player has signed that. Only the
// lobby of this node may give the name of one player to another.
func (n *Names) given(player id.ID, name string, here bool) {
	p := n.list[player]
	if p == nil || p.claim != name || !here && n.contradicts(player, name) {
		return
	}
	if looks := n.looksOf(name); p.looks != looks {
		n.release(p)
		for _, look := range looks {
			if owner := n.list[n.owners[look]]; owner != nil {
				n.release(owner)
			}
			n.owners[look] = player
		}
		p.looks, p.first = looks, n.env.Now()
	}
	p.last = n.env.Now()
}

func (n *Names) release(p *namedPlayer) {
	for _, look := range p.looks {
		delete(n.owners, look)
	}
	p.looks = looks{}
}

// contradicts reports that a name is another player's.
func (n *Names) contradicts(player id.ID, name string) bool {
	for _, look := range n.looksOf(name) {
		owner, ok := n.owners[look]
		if !ok || owner == player {
			continue
		}
		if p := n.list[owner]; p.last.Sub(p.first) >= nameUsed || n.env.Now().Sub(p.last) < nameUnused {
			return true
		}
	}
	return false
}

func (n *Names) looksOf(name string) looks {
	of, ok := n.looks[name]
	if !ok {
		if len(n.looks) >= maxPlayerNames {
			clear(n.looks)
		}
		of = looks{wire.Skeleton(name), "=" + wire.FoldName(name)}
		n.looks[name] = of
	}
	return of
}

// makeRoom forgets some players if there are too many.
func (n *Names) makeRoom() {
	if len(n.list) < maxPlayerNames {
		return
	}
	all := id.Sorted(n.list)
	named := func(who id.ID) int { return min(len(n.list[who].looks[0]), 1) }
	slices.SortStableFunc(all, func(a, b id.ID) int {
		return cmp.Or(cmp.Compare(named(a), named(b)), cmp.Compare(n.list[a].last, n.list[b].last))
	})
	for _, who := range all[:maxPlayerNames/8] {
		if p := n.list[who]; p.looks != (looks{}) {
			n.release(p)
		}
		delete(n.list, who)
	}
}

// Shown is how a player is shown whom the lobby of another node calls so.
func (n *Names) Shown(player id.ID, name string) string {
	if n.contradicts(player, name) {
		return withID(player, name)
	}
	return name
}

func withID(player id.ID, name string) string { return fmt.Sprintf("%s (%s)", name, player.Short()) }

// FromLobbyHere hears what the lobby of this node says to a session.
func (n *Names) FromLobbyHere(m machine.Message) {
	switch m := m.(type) {
	case *lobby.Admitted:
		n.given(m.Player, m.Name, true)
	case *lobby.Players:
		if m == n.told {
			return
		}
		n.told = m
		for i := range m.List {
			if p := &m.List[i]; p.Present {
				n.given(p.Player, p.Name, true)
			}
		}
	}
}

// FromLobbyElsewhere is what a session here hears of what another node says in the
// lobby's name.
func (n *Names) FromLobbyElsewhere(m machine.Message) machine.Message {
	switch m := m.(type) {
	case *lobby.Admitted:
		n.given(m.Player, m.Name, false)
		if p := n.list[m.Player]; n.contradicts(m.Player, m.Name) || p != nil && p.claim != m.Name {
			other := *m
			other.Name = withID(m.Player, m.Name)
			return &other
		}
	case *lobby.Players:
		return n.players(m)
	case *lobby.Propose:
		name, subject, err := decision.About(m.Statement)
		if err == nil && !subject.IsZero() && n.contradicts(subject, name) {
			return &lobby.Chat{Kind: wire.ChatError, Text: "Nothing was signed: the host of the lobby means another player than the one who has signed the name " + name + "."}
		}
	}
	return m
}

// players is a list as it is shown here.
func (n *Names) players(m *lobby.Players) *lobby.Players {
	out := m
	for i := range m.List {
		p := &m.List[i]
		if p.Present {
			n.given(p.Player, p.Name, false)
		}
		name := n.Shown(p.Player, p.Name)
		if name == p.Name {
			continue
		}
		if out == m {
			out = &lobby.Players{Full: m.Full, List: slices.Clone(m.List)}
		}
		out.List[i].Name = name
	}
	return out
}
