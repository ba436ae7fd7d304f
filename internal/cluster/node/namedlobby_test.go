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
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
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
	c := newCluster(t, 3, 0)
	c.signed = true
	c.start(3)
	at := (c.leaderOf(shards.Lobby) + 1) % 3
	ann := c.addGuest(at)
	ann.signs = true
	var heard []string
	ann.tap = func(m machine.Message) {
		switch m := m.(type) {
		case *lobby.Chat:
			if m.Kind == wire.ChatWorld {
				heard = append(heard, m.From+": "+m.Text)
			}
		case *region.Heard:
			heard = append(heard, m.Name+" near: "+m.Text)
		}
	}
	c.until("Ann is in", func() bool { return ann.in })
	liar := c.leaderOf(shards.Lobby)
	if liar == at {
		t.Fatal("the lobby is with Ann: take another seed")
	}
	by := liar
	tells := func(want []string, list ...machine.Message) {
		t.Helper()
		heard = nil
		c.nodes[by].Call(func() {
			for _, m := range list {
				c.node(by).net.links.Send(nodePeer(at), &ToSessions{[]id.ID{id.Of([]byte("session 0"))}, m})
			}
		})
		c.s.Run(time.Second)
		if !slices.Equal(heard, want) {
			t.Errorf("Ann hears %q, want %q", heard, want)
		}
	}
	key := ann.key()
	signed := func(typed string) *line.Signature {
		s := &line.Signature{Key: [32]byte(key[32:]), Name: ann.name, Tick: ann.tick()}
		s.Sig = [64]byte(ed25519.Sign(key, wire.LineText(id.Of([]byte("country")), s.Tick, s.Name, typed)))
		return s
	}
	chat := &lobby.Chat{Kind: wire.ChatWorld, From: ann.name, Text: "hello", Line: "hello", Signed: signed("hello")}
	tells([]string{ann.name + ": hello"}, chat, chat)
	tells(nil, &lobby.Chat{Kind: wire.ChatWorld, From: ann.name, Text: "give up"},
		&lobby.Chat{Kind: wire.ChatWorld, From: ann.name, Text: "give up", Line: "give up", Signed: signed("hello")},
		&lobby.Chat{Kind: wire.ChatWorld, From: "Bo", Text: "hello", Line: "hello", Signed: signed("hello")})
	ann.say(&lobby.Say{Text: "honest", Signed: signed("honest")})
	c.until("an honest line comes", func() bool { return slices.Contains(heard, ann.name+": honest") })

	by = c.leaderOf(shards.Shard{Region: ann.home})
	if by == at {
		t.Fatal("Ann's region is with Ann: take another seed")
	}
	c.s.Run(time.Second)
	near := func(name, text, typed string, s *line.Signature) *region.Heard {
		return &region.Heard{Region: ann.home, From: ann.player(), Name: name, Text: text, Line: typed, Signed: s}
	}
	said := near(ann.name, "psst", "/near psst", signed("/near psst"))
	tells([]string{ann.name + " near: psst"}, said, said)
	c.s.Run(time.Second) // another tick
	other := near(ann.name, "hello", "/near hello", signed("/near hello"))
	other.From = id.Of([]byte("evil"))
	tells(nil, near(ann.name, "give up", "/near give up", nil),
		near(ann.name, "give up", "/near psst", signed("/near psst")),
		near("Bo", "hello", "/near hello", signed("/near hello")),
		near(ann.name, "hello", "hello", signed("hello")), other)
	ann.say(&lobby.Say{Text: "/near honest", Signed: signed("/near honest")})
	c.until("an honest line comes", func() bool { return slices.Contains(heard, ann.name+" near: honest") })
}
