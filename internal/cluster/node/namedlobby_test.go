package node

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// TestLobbyGivesNameAway: whoever hosts the lobby lists its accomplice under the name of
// a player of an honest node; that node's sessions see who it is. It cannot admit a
// session as another player.
func TestLobbyGivesNameAway(t *testing.T) {
	c := newCluster(t, 2, 0)
	c.start(3)
	at := (c.leaderOf(shards.Lobby) + 1) % 3
	ann := c.addGuest(at)
	c.until("Ann is in", func() bool { return ann.in && ann.present[ann.name] })
	liar := c.leaderOf(shards.Lobby)
	if liar == at {
		t.Fatal("the lobby is with Ann: take another seed")
	}
	session := id.Of([]byte("session 0"))
	tells := func(m machine.Message) {
		c.nodes[liar].Call(func() { c.node(liar).net.links.Send(nodePeer(at), &ToSessions{[]id.ID{session}, m}) })
		c.s.Run(time.Second)
	}
	evil := id.Of([]byte("evil"))
	tells(&lobby.Players{Full: true, List: []lobby.PlayerInfo{{Player: evil, Name: ann.name, Present: true}}})
	if len(ann.present) != 1 || !ann.present[fmt.Sprintf("%s (%s)", ann.name, evil.Short())] {
		t.Errorf("Ann sees %v", ann.present)
	}
	entries := ann.entries
	tells(&lobby.Admitted{Player: evil, Name: "Evil"})
	if ann.entries != entries {
		t.Error("the session has entered as another player")
	}
	if n := c.node(at).net; len(n.sessions.entered) != 1 || n.names.Shown(evil, ann.name) == ann.name {
		t.Errorf("%d sessions have players", len(n.sessions.entered))
	}
	c.guests[0].Crash()
	c.until("Ann is gone", func() bool { return len(c.node(at).net.sessions.entered) == 0 })
}

// TestLobbySpeaksForPlayers: whoever hosts the lobby cannot put words into a player's mouth:
// a node shows its sessions only what players have signed, once.
func TestLobbySpeaksForPlayers(t *testing.T) {
	c := newCluster(t, 2, 0)
	c.signed = true
	c.start(3)
	at := (c.leaderOf(shards.Lobby) + 1) % 3
	ann := c.addGuest(at)
	ann.signs = true
	var heard []string
	ann.tap = func(m machine.Message) {
		if line, ok := m.(*lobby.Chat); ok && line.Kind == wire.ChatWorld {
			heard = append(heard, line.From+": "+line.Text)
		}
	}
	c.until("Ann is in", func() bool { return ann.in })
	liar := c.leaderOf(shards.Lobby)
	if liar == at {
		t.Fatal("the lobby is with Ann: take another seed")
	}
	tells := func(want []string, list ...*lobby.Chat) {
		t.Helper()
		heard = nil
		c.nodes[liar].Call(func() {
			for _, m := range list {
				c.node(liar).net.links.Send(nodePeer(at), &ToSessions{[]id.ID{id.Of([]byte("session 0"))}, m})
			}
		})
		c.s.Run(time.Second)
		if !slices.Equal(heard, want) {
			t.Errorf("Ann hears %q, want %q", heard, want)
		}
	}
	key := ann.key()
	signed := func(line string) *lobby.LineSignature {
		s := &lobby.LineSignature{Key: [32]byte(key[32:]), Name: ann.name, Tick: ann.tick()}
		s.Sig = [64]byte(ed25519.Sign(key, wire.LineText(id.Of([]byte("country")), s.Tick, s.Name, line)))
		return s
	}
	said := &lobby.Chat{Kind: wire.ChatWorld, From: ann.name, Text: "hello", Line: "hello", Signed: signed("hello")}
	tells([]string{ann.name + ": hello"}, said, said)
	tells(nil, &lobby.Chat{Kind: wire.ChatWorld, From: ann.name, Text: "give up"},
		&lobby.Chat{Kind: wire.ChatWorld, From: ann.name, Text: "give up", Line: "give up", Signed: signed("hello")},
		&lobby.Chat{Kind: wire.ChatWorld, From: "Bo", Text: "hello", Line: "hello", Signed: signed("hello")})
	ann.say(&lobby.Say{Text: "honest", Signed: signed("honest")})
	c.until("an honest line comes", func() bool { return slices.Contains(heard, ann.name+": honest") })
}
