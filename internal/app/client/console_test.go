package client

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// TestConsoleOfALobbyThatMoves: what a console has said and the lobby has not sent back is
// said to the next node that leads it; a command is not, and the console is told so.
func TestConsoleOfALobbyThatMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{}
		loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { f.env = env; return f }})
		t.Cleanup(func() { _ = loop.Stop() })
		who, err := NewIdentity("Ops")
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewNode(Config{Node: loop}).Console(who)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		lobbySays := func(m machine.Message) {
			t.Helper()
			if err := loop.Call(context.Background(), func() { f.env.Send(f.peer, m) }); err != nil {
				t.Fatal(err)
			}
		}
		says := func(line string) {
			t.Helper()
			if err := c.Say(line); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		next := func(event, line string) {
			t.Helper()
			e, err := c.Next(t.Context())
			if err != nil || e.Event != event || !strings.Contains(e.Line, line) {
				t.Fatalf("the console is told %+v, %v, want %q: %q", e, err, event, line)
			}
			synctest.Wait()
		}
		says("/save")
		f.hears(t)
		in := func() {
			t.Helper()
			lobbySays(&lobby.Players{Full: true, List: []lobby.PlayerInfo{{Player: who.Player(), Name: "Ann", Present: true}}})
		}
		in()
		next("here", "Ann is here.")
		says("one")
		says("two")
		f.hears(t, "/save", "one", "two")
		lobbySays(&lobby.Chat{Kind: wire.ChatWorld, From: "Ann", Text: "two"}) // somebody else
		next("chat", "<Ann> two")
		lobbySays(&lobby.Chat{Kind: wire.ChatSystem, Text: decision.Console + " one"})
		next("news", "one")
		lobbySays(&lobby.NewHost{})
		synctest.Wait()
		in()
		next("error", "/save")
		f.hears(t, "two")
		lobbySays(&lobby.Chat{Kind: wire.ChatSystem, Text: decision.Console + " two"})
		next("news", "two")
		says("/list")
		lobbySays(&lobby.Chat{Kind: wire.ChatSystem, Text: "Nobody is here."})
		next("news", "Nobody is here.")
		f.hears(t, "/list")
		lobbySays(&lobby.NewHost{})
		lobbySays(&lobby.Chat{Kind: wire.ChatSystem, Text: "A new day begins."})
		next("news", "A new day begins.")
		f.hears(t)
	})
}
