package client

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// TestLinesOfALobbyThatMoves: chat that the lobby has not sent back is said to the next
// node that leads it, once for each; a command is not, and the player is told so.
func TestLinesOfALobbyThatMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{columns: map[world.ColumnPos]*world.Column{}}
		s, got := playAt(t, f)
		lobbySays := func(m machine.Message) {
			s.node.cfg.Node.(*transport.Loop).Call(context.Background(), func() { f.env.Send(f.peer, m) })
			synctest.Wait()
		}
		types := func(text string) {
			if err := s.Handle(wire.Encode(&wire.Say{Text: text})); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		heard := func(want ...string) {
			t.Helper()
			f.hears(t, want...)
		}
		types("one")
		types("two")
		types("/give stone")
		heard("one", "two", "/give stone")
		lobbySays(&lobby.Chat{Kind: wire.ChatWorld, From: "A", Text: "one"})
		lobbySays(&lobby.Chat{Kind: wire.ChatWorld, From: "B", Text: "two"}) // somebody else
		chats := got.count(wire.TypeChat)
		lobbySays(&lobby.NewHost{})
		heard("two")
		if n := got.count(wire.TypeChat) - chats; n != 1 {
			t.Errorf("the player is told %d times of the command", n)
		}
		lobbySays(&lobby.NewHost{}) // that one was lost too
		heard("two")
		lobbySays(&lobby.Chat{Kind: wire.ChatWorld, From: "A", Text: "two"})
		types("/day")
		lobbySays(&lobby.Chat{Kind: wire.ChatSystem, Text: "It is day."})
		types("three")
		heard("/day", "three")
		time.Sleep(saidKept)
		chats = got.count(wire.TypeChat)
		lobbySays(&lobby.NewHost{})
		heard()
		if got.count(wire.TypeChat) != chats {
			t.Error("the player is told of a line that was answered")
		}
	})
}
