package lobby

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
)

// hears does a line of a script and returns what was said to a session.
func (s *stage) hears(line string) string {
	s.out.Reset()
	s.act(line)
	return s.out.String()
}

// TestImpostors: nobody takes a name that looks like another's, or like somebody
// in charge; who has one from before keeps it.
func TestImpostors(t *testing.T) {
	s := newStage()
	s.disk["p/"+playerOf("old").String()] = `{"name":"Server","entity":7,"home":{"X":0,"Z":0},"epoch":1,"since":1}`
	s.disk["p/"+playerOf("mixed").String()] = `{"name":"Pаul","entity":8,"home":{"X":0,"Z":0},"epoch":1,"since":1}`
	s.start()
	s.act("local a ann Ilse")
	for _, name := range []string{"llse", "1lse", "İlse", "Ils\u0435", "ɪlse", "System", "Operat0r", "Paul", "Ils\u0301e"} {
		if said := s.hears("enter e eve " + name); !strings.Contains(said, "Refused") {
			t.Errorf("%q: %s", name, said)
		}
	}
	for key, name := range map[string]string{"old": "Server", "mixed": "Pаul", "ann": "llse"} { // ann: another look of the own name
		if said := s.hears("enter x" + key + " " + key + " " + name); !strings.Contains(said, "Admitted") {
			t.Errorf("%s as %q: %s", key, name, said)
		}
		s.act("leave x" + key)
	}
}

// TestNameFlood: new keys take no names away: those that were hardly used are few,
// and free again after a day. Who has played keeps the name.
func TestNameFlood(t *testing.T) {
	s := newStage()
	s.h.cfg.MaxPlayers = 100
	s.act("enter p player Player")
	s.wait(6 * time.Minute)
	s.act("leave p")
	s.quiet = true
	for i := range 1500 {
		s.act(fmt.Sprintf("enter f flood%d Flood%d", i, i))
		if i%2 == 0 { // some go on into the world
			s.act(fmt.Sprintf("arrived flood%d 0 0 1", i))
		}
		s.act("leave f")
	}
	s.quiet = false
	if n := s.h.register.Len(); n > regionlog.MaxUnused+2 {
		t.Errorf("%d names are taken", n)
	}
	if said := s.hears("enter b bo Flood0"); !strings.Contains(said, "Admitted") {
		t.Errorf("a name of the flood is taken for ever: %s", said)
	}
	s.act("leave b")
	if said := s.hears("enter b bo Flood1499"); !strings.Contains(said, "name-taken") {
		t.Errorf("a name from just now is free: %s", said)
	}
	s.wait(25 * time.Hour)
	if said := s.hears("enter b bo Flood1499"); !strings.Contains(said, "Admitted") {
		t.Errorf("a day later: %s", said)
	}
	s.act("leave b")
	s.start()
	if said := s.hears("enter e eve Player"); !strings.Contains(said, "name-taken") {
		t.Errorf("the name of somebody who has played is free: %s", said)
	}
	// Who comes back after the name went is at home where it was.
	if p := s.h.players[playerOf("flood0")]; p == nil || p.rec.Epoch != 1 || p.rec.Name != "" {
		t.Errorf("the record of who has lost a name: %+v", p)
	}
}

// TestWhitelistNamesKeys: an entry lets in the player it was made for, not whoever
// takes the name first.
func TestWhitelistNamesKeys(t *testing.T) {
	s := newStage()
	s.h.cfg.MaxPlayers = 10
	s.act("local a ann Ann")
	s.act("enter b bo Bo")
	s.act("leave b")
	s.wait(10 * time.Second)
	s.act("say a /whitelist on")
	s.act("say a /whitelist add Bo")
	if said := s.hears("say a /whitelist add Cy"); strings.Contains(said, "Propose") {
		t.Errorf("a name that nobody has is put on the list: %s", said)
	}
	if said := s.hears("enter e eve Cy"); !strings.Contains(said, playerOf("eve").String()) {
		t.Errorf("the refusal does not say the player id: %s", said)
	}
	s.act("say a /whitelist add Cy " + playerOf("cy").String())
	for line, admitted := range map[string]bool{
		"enter e eve Cy": false, "enter e eve Bo": false, "enter c cy Cy": true, "enter b bo Other": true,
	} {
		if said := s.hears(line); strings.Contains(said, "Admitted") != admitted {
			t.Errorf("%s: %s", line, said)
		}
	}
	s.wait(10 * time.Second)
	s.act("say a /whitelist remove Cy")
	s.act("leave c")
	if said := s.hears("enter c cy Cy"); strings.Contains(said, "Admitted") {
		t.Errorf("taken off the list: %s", said)
	}
}

// TestSignedBySomebodyElse: what is signed must be what was proposed, to who has
// asked, in time.
func TestSignedBySomebodyElse(t *testing.T) {
	answer := func(change func(*decision.Statement) (by string)) *stage {
		s := newStage()
		s.act("local a ann Ann")
		s.act("enter b bo Bo")
		s.deaf = true
		s.act("say a /op Bo")
		x := s.proposed("a")
		by := change(&x)
		x.Sign(keyOf(by))
		s.h.OnMessage(session("a"), &Signed{x.Append(nil)})
		s.sign()
		return s
	}
	for what, change := range map[string]func(*decision.Statement) string{
		"another key":    func(*decision.Statement) string { return "bo" },
		"another player": func(x *decision.Statement) string { x.Subject = playerOf("eve"); return "ann" },
		"another world":  func(x *decision.Statement) string { x.World[0]++; return "ann" },
		"another kind":   func(x *decision.Statement) string { x.Topic = decision.Ban; return "ann" },
	} {
		if s := answer(change); s.h.cfg.Decisions.IsOperator(playerOf("bo")) || len(s.h.cfg.Decisions.All()) != 1 {
			t.Errorf("%s: it counts", what)
		}
	}
	if s := answer(func(*decision.Statement) string { return "ann" }); !s.h.cfg.Decisions.IsOperator(playerOf("bo")) {
		t.Error("what was signed in good order does not count")
	}
	s := newStage()
	s.act("local a ann Ann")
	s.h.OnMessage(session("a"), &Signed{[]byte("nonsense")}) // nothing was proposed
	s.deaf = true
	s.act("say a /whitelist on")
	s.h.OnMessage(session("b"), &Signed{nil})
	s.h.OnMessage(machine.Peer{}, &Signed{nil})
	x := s.proposed("a")
	x.Sign(keyOf("ann"))
	s.wait(time.Minute)
	s.h.OnMessage(session("a"), &Signed{x.Append(nil)})
	if s.h.whitelisted() {
		t.Error("a signature that comes too late counts")
	}
}

// proposed is the decision that a session was asked to sign last.
func (s *stage) proposed(who string) decision.Statement {
	list := s.h.sessions[session(who)].proposals
	x, err := decision.Decode(list[len(list)-1].want)
	if err != nil {
		panic(err)
	}
	return *x
}

// TestOnlyKnown: who comes from where too many new players came from is let in only
// if the lobby knows it, and leaves nothing behind else.
func TestOnlyKnown(t *testing.T) {
	s := newStage()
	s.act("enter b bo Bo")
	s.act("leave b")
	for key, in := range map[string]bool{"bo": true, "eve": false} {
		s.h.OnMessage(session(key), &Enter{Player: playerOf(key), Name: key, Known: true})
		if p := s.h.players[playerOf(key)]; (p != nil && p.here) != in || (p != nil) != in || (s.h.names.holder(key) != nil) != in {
			t.Errorf("%s: in %v", key, p != nil && p.here)
		}
	}
}
