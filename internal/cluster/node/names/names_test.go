package names

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// clockOnly is a machine's environment of which only the clock is used.
type clockOnly struct {
	machine.Env
	now machine.Time
}

func (c *clockOnly) Now() machine.Time { return c.now }

// nameStage is a node that hears from two lobbies: its own and a liar's.
type nameStage struct {
	*Names
	clock *clockOnly
}

func newNameStage() nameStage {
	c := &clockOnly{now: 1}
	return nameStage{New(c), c}
}

func player(name string) id.ID { return id.Of([]byte(name)) }

// admits lets a player sign a name and the lobby of another node give it.
func (s nameStage) admits(key, name string) string {
	s.Claim(&lobby.Enter{Player: player(key), Name: name})
	clean, _ := wire.CleanName(name)
	return s.FromLobbyElsewhere(&lobby.Admitted{Player: player(key), Name: clean}).(*lobby.Admitted).Name
}

// lists is how a player is shown whom the lobby of another node calls so.
func (s nameStage) lists(key, name string) string {
	m := &lobby.Players{List: []lobby.PlayerInfo{{Player: player("x"), Name: "Xavier", Present: true}, {Player: player(key), Name: name, Present: true}}}
	got := s.FromLobbyElsewhere(m).(*lobby.Players)
	if m.List[1].Name != name || got.List[0] != m.List[0] {
		panic("the lobby's own message was changed")
	}
	return got.List[1].Name
}

// TestNameOfAnother: a name that a player has signed, or one that looks like it, is
// shown with the id when the lobby's host gives it to another key.
func TestNameOfAnother(t *testing.T) {
	s := newNameStage()
	marked := func(key, name string) string { return fmt.Sprintf("%s (%s)", name, player(key).Short()) }
	expect := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: shown as %q, want %q", what, got, want)
		}
	}
	expect("a name that nobody has signed here", s.lists("eve", "Ann"), "Ann")
	expect("a first claim", s.admits("ann", " Ann"), "Ann")
	expect("her again", s.lists("ann", "Ann"), "Ann")
	for _, name := range []string{"Ann", "ANN", "Аnn", "Αnn", "Ánn", "ᴀnn"} {
		expect("another's", s.lists("eve", name), marked("eve", name))
	}
	expect("a Greek claim", s.admits("alexis", "Αλέξης"), "Αλέξης")
	expect("another's in capitals", s.lists("eve", "ΑΛΈΞΗΣ"), marked("eve", "ΑΛΈΞΗΣ"))
	expect("another who has signed it", s.admits("eve", "Ann"), marked("eve", "Ann"))
	expect("another name than she has signed", s.FromLobbyElsewhere(&lobby.Admitted{Player: player("ann"), Name: "Bo"}).(*lobby.Admitted).Name, marked("ann", "Bo"))
	expect("of a session elsewhere", s.Shown(player("eve"), "Ann"), marked("eve", "Ann"))

	propose := func(key string) machine.Message {
		o := decision.Order{Kind: decision.Teleport, Seq: 1, Subject: player(key), Name: "ann"}
		return s.FromLobbyElsewhere(&lobby.Propose{Statement: o.Append(nil)})
	}
	if m, ok := propose("eve").(*lobby.Chat); !ok || m.Kind != wire.ChatError {
		t.Error("an order about another player would be signed")
	}
	if _, ok := propose("ann").(*lobby.Propose); !ok {
		t.Error("an order about the right player is not signed")
	}

	// Who takes another name frees the one before.
	s.clock.now = machine.Time(time.Hour)
	expect("a new name", s.admits("ann", "Anouk"), "Anouk")
	expect("the name before", s.admits("eve", "Ann"), "Ann")
	expect("the name before, at her return", s.admits("ann", "Ann"), marked("ann", "Ann"))
}

// TestNameGivenHere: the lobby of this node gives names as it likes, also those of
// players who have signed them elsewhere.
func TestNameGivenHere(t *testing.T) {
	s := newNameStage()
	s.admits("ann", "Ann")
	s.Claim(&lobby.Enter{Player: player("bo"), Name: "Ann"})
	s.FromLobbyHere(&lobby.Players{List: []lobby.PlayerInfo{{Player: player("bo"), Name: "Ann", Present: true}}})
	if got := s.lists("bo", "Ann"); got != "Ann" {
		t.Errorf("shown as %q", got)
	}
	if got := s.lists("ann", "Ann"); got == "Ann" {
		t.Error("two players have one name")
	}
}

// TestNameHardlyUsed: a name that was used for moments is free after a day.
func TestNameHardlyUsed(t *testing.T) {
	for _, c := range []struct {
		used time.Duration
		free bool
	}{{time.Minute, true}, {10 * time.Minute, false}} {
		s := newNameStage()
		s.admits("ann", "Ann")
		s.clock.now = s.clock.now.Add(c.used)
		s.lists("ann", "Ann")
		s.clock.now = s.clock.now.Add(23 * time.Hour)
		if s.lists("eve", "Ann") == "Ann" {
			t.Errorf("used for %s: free within a day", c.used)
		}
		s.clock.now = s.clock.now.Add(2 * time.Hour)
		if got := s.admits("eve", "Ann") == "Ann"; got != c.free {
			t.Errorf("used for %s: free after a day: %t", c.used, got)
		}
	}
}

// TestNamesAreBounded: a flood of keys that claim names takes none away that was given.
func TestNamesAreBounded(t *testing.T) {
	s := newNameStage()
	s.admits("ann", "Ann")
	for i := range maxPlayerNames + maxPlayerNames/4 {
		s.clock.now++
		s.Claim(&lobby.Enter{Player: player(fmt.Sprint(i)), Name: fmt.Sprint("N", i)})
		s.looksOf(fmt.Sprint("L", i))
	}
	if len(s.list) > maxPlayerNames || len(s.owners) > 2*maxPlayerNames || len(s.looks) > maxPlayerNames {
		t.Errorf("%d players, %d names, %d skeletons", len(s.list), len(s.owners), len(s.looks))
	}
	if s.lists("eve", "Ann") == "Ann" {
		t.Error("a name is forgotten")
	}
	for i := range maxPlayerNames {
		s.clock.now++
		s.admits(fmt.Sprint(i), fmt.Sprint("N", i))
	}
	if len(s.list) > maxPlayerNames || len(s.owners) > 2*len(s.list) || s.lists("eve", "Ann") != "Ann" {
		t.Errorf("%d players, %d names", len(s.list), len(s.owners))
	}
}
