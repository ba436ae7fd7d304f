package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// lobbyLiar is a cluster whose players are at a node that follows the lobby's log, and does
// not lead it.
type lobbyLiar struct {
	*cluster
	ann, bo    *wanderer
	at, leader int
	proofs     []regionlog.Evidence
}

func newLobbyLiar(t *testing.T, seed uint64) *lobbyLiar {
	w := &lobbyLiar{cluster: newCluster(t, seed, 0)}
	w.change = func(i int, n *Net) {
		n.Log = logKeys(i, func(p regionlog.Evidence) { w.proofs = append(w.proofs, p) })
	}
	w.start(5)
	follows := func(i int) bool {
		h := w.node(i).net.hosting.replicas[shards.Lobby]
		return h != nil && h.followed.IsFollowing()
	}
	first := w.addGuest(0)
	w.until("somebody is in", func() bool { return first.in })
	w.at = -1
	w.until("the lobby is followed by two members", func() bool {
		n := 0
		for i := range w.nodes {
			if follows(i) {
				n++
				w.at = i
			}
		}
		return n == 2
	})
	w.ann, w.bo = w.addGuest(w.at), w.addGuest(w.at)
	w.until("both are in", func() bool { return w.ann.in && w.bo.in })
	w.s.Run(10 * time.Second)
	if w.leader = w.leaderOf(shards.Lobby); w.leader == w.at || w.convicted(w.leader) > 0 || !follows(w.at) {
		t.Fatal("the lobby has moved, or its host is convicted: take another seed")
	}
	return w
}

// lies lets the leader of the lobby do something to the register.
func (w *lobbyLiar) lies(do func(g *regionlog.Register, now int64)) {
	w.nodes[w.leader].Call(func() {
		do(runner{w.node(w.leader)}.Register(), int64(w.s.Now())/int64(time.Second))
	})
}

// replaced waits until another leads the lobby and players are listed as before.
func (w *lobbyLiar) replaced(liar int) {
	w.Helper()
	w.until("another leads the lobby", func() bool {
		l := w.leaderOf(shards.Lobby)
		return l >= 0 && l != liar
	})
	w.until("the players go on", func() bool { return w.ann.in && w.bo.in && w.ann.present[w.ann.name] && w.ann.present[w.bo.name] })
	for i := range w.nodes {
		if n := w.convicted(i); i != liar && n > 0 {
			w.Errorf("node %d, which is honest, is convicted by %d", i, n)
		}
	}
}

// TestLongLyingLobby: a host of the lobby that gives the name of a player to another, or
// takes it away, is convicted by the members that replay its log, and another leads.
func TestLongLyingLobby(t *testing.T) {
	simtest.Long(t)
	evil := id.Of([]byte("evil"))
	for k, lie := range []struct {
		name string
		tell func(w *lobbyLiar) func(*regionlog.Register, int64)
	}{
		{"binds a name to another key", func(w *lobbyLiar) func(*regionlog.Register, int64) {
			return func(g *regionlog.Register, now int64) { g.Give(now, evil, w.ann.name, nil) }
		}},
		{"takes the name of who is here", func(w *lobbyLiar) func(*regionlog.Register, int64) {
			return func(g *regionlog.Register, now int64) { g.Take(now, w.ann.player(), false) }
		}},
	} {
		t.Run(lie.name, func(t *testing.T) {
			w := newLobbyLiar(t, uint64(k+1))
			liar, began := w.leader, w.s.Now()
			w.lies(lie.tell(w))
			w.until("the liar is convicted", func() bool { return w.convicted(liar) >= 2 })
			t.Logf("convicted after %v", w.s.Now().Sub(began))
			if d := w.s.Now().Sub(began); d > 2500*time.Millisecond {
				t.Errorf("convicted after %v", d)
			}
			w.replaced(liar)
			t.Logf("replaced after %v", w.s.Now().Sub(began))
			if found, err := w.proofs[0].Check(); err != nil || !strings.Contains(found.String(), w.ann.name) {
				t.Errorf("%v, %v", found, err)
			}
			if !slices.ContainsFunc(w.notes, func(s string) bool { return strings.Contains(s, "led the lobby and has signed a state") }) {
				t.Errorf("notes %q", w.notes)
			}
		})
	}
}

// TestLongLobbySaysOtherNames: a host of the lobby whose log is honest, and who shows players
// under other names than its log gives them, or begins its log anew with another owner of a
// name, is suspected, and another leads.
func TestLongLobbySaysOtherNames(t *testing.T) {
	simtest.Long(t)
	evil := id.Of([]byte("evil"))
	t.Run("shows another name", func(t *testing.T) {
		w := newLobbyLiar(t, 1)
		liar := w.leader
		w.lies(func(*regionlog.Register, int64) {
			m := &lobby.Players{List: []lobby.PlayerInfo{{Player: w.bo.player(), Entity: 2, Name: "Somebody", Present: true}}}
			w.node(liar).net.links.Send(nodePeer(w.at), &ToSessions{[]id.ID{id.Of([]byte("session 0"))}, m})
		})
		w.until("it is suspected", func() bool { return w.node(w.at).Stats().NamesFalse > 0 })
		if w.convicted(liar) > 0 {
			t.Error("what nobody has signed convicts somebody")
		}
	})
	t.Run("begins anew", func(t *testing.T) {
		w := newLobbyLiar(t, 2)
		liar, began := w.leader, w.s.Now()
		w.lies(func(g *regionlog.Register, _ int64) {
			g.Put(w.ann.player(), "", 0, 0)
			g.Put(evil, w.ann.name, 0, 0)
		})
		w.until("another leads the lobby", func() bool {
			l := w.leaderOf(shards.Lobby)
			return l >= 0 && l != liar
		})
		t.Logf("replaced after %v", w.s.Now().Sub(began))
		if n := w.node(w.at).Stats().NamesFalse; n == 0 {
			t.Error("nobody has noticed")
		}
	})
	t.Run("withholds its log", func(t *testing.T) {
		w := newLobbyLiar(t, 3)
		liar, began := w.leader, w.s.Now()
		links := w.node(liar).net.links
		for i := range w.nodes {
			links.Env = noLogEnv{links.Env, nodePeer(i).ID}
		}
		w.until("another leads the lobby", func() bool {
			l := w.leaderOf(shards.Lobby)
			return l >= 0 && l != liar
		})
		if d := w.s.Now().Sub(began); d < accountability.WithheldAfter/2 || d > 3*accountability.WithheldAfter {
			t.Errorf("another leads after %v", d)
		}
		if n := w.convicted(liar); n > 0 {
			t.Errorf("convicted by %d, and nothing is proven", n)
		}
	})
}
