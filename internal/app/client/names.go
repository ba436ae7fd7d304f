package client

import (
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// maxNames bounds the names that a node remembers.
const maxNames = 1 << 13

// names are the players that this node has seen, by name: the first who used one.
// The host of the lobby resolves the names in commands; it could put an accomplice
// in the place of somebody who has been here all the time.
type names struct {
	mu sync.Mutex
	of map[string]id.ID
}

func (n *names) see(list []lobby.PlayerInfo) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range list {
		fold := wire.FoldName(p.Name)
		if _, known := n.of[fold]; !known && p.Present && len(n.of) < maxNames {
			n.of[fold] = p.Player
		}
	}
}

// contradicts reports a player who is not whom this node has seen under a name.
func (n *names) contradicts(name string, who id.ID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	known, ok := n.of[wire.FoldName(name)]
	return ok && known != who
}

// onPropose brings a decision or an order to the client, which signs it if the player has
// asked for it.
func (s *Session) onPropose(m *lobby.Propose, to Sink) {
	name, subject, err := decision.About(m.Statement)
	if err != nil {
		return
	}
	if !subject.IsZero() && s.node.names.contradicts(name, subject) {
		s.add(to, &wire.Chat{Kind: wire.ChatError, Text: "Nothing was signed: the host of the lobby means another player than the one whom this node has seen as " + name +
			". If " + name + " has a new key, restart this node and try again."})
		return
	}
	s.add(to, &wire.Sign{Statement: m.Statement})
}
