package region

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHomes: a player comes back to where it has stood, as often as operators allow, also
// after a crash; nobody else orders it, and no place that it names itself counts.
func TestHomes(t *testing.T) {
	b := newBed(t)
	c, key := keyed(b)
	at := func() world.Pos {
		_, h := b.homeOf(c.player)
		return h.p.Body.Pos.Block()
	}
	order := func(o decision.Order, key ed25519.PrivateKey) {
		b.wants(here, b.signedOrder(c.player, o, key))
		b.run(200 * time.Millisecond)
	}
	stand := func(x, z float64) world.Pos {
		order(decision.Order{Kind: decision.Teleport, At: metres(x, flatTop+1, z)}, operatorKey)
		return at()
	}
	first := stand(20.5, 20.5)
	order(decision.Order{Kind: decision.SetHome, Text: "home"}, key)
	stand(40.5, 20.5)
	b.says(operatorKey, decision.Statement{Topic: decision.Setting, On: true, Name: decision.SetHomes, Text: "1"})
	order(decision.Order{Kind: decision.SetHome, Text: "other"}, key) // one too many
	_, h := b.homeOf(c.player)
	if len(h.p.Homes) != 1 {
		t.Errorf("homes: %v", h.p.Homes)
	}
	for what, o := range map[string]decision.Order{
		"a name that it has not": {Kind: decision.ToHome, Text: "other"},
		"a place of its own":     {Kind: decision.ToHome, Text: "home", At: metres(1, 90, 1)},
		"a warp that is none":    {Kind: decision.ToWarp, Text: "home"},
		"its own teleport":       {Kind: decision.Teleport, At: metres(1, 90, 1)},
	} {
		was := at()
		if order(o, key); at() != was {
			t.Errorf("%s brings it to %v", what, at())
		}
	}
	was := at()
	if order(decision.Order{Kind: decision.ToHome, Text: "home"}, operatorKey); at() != was {
		t.Error("somebody else brings it home")
	}
	b.crash()
	c.enter()
	b.run(2 * time.Second)
	if order(decision.Order{Kind: decision.ToHome, Text: "home"}, key); at() != first {
		t.Errorf("home is at %v, want %v", at(), first)
	}
	order(decision.Order{Kind: decision.DelHome, Text: "home"}, key)
	was = stand(40.5, 20.5)
	if order(decision.Order{Kind: decision.ToHome, Text: "home"}, key); at() != was {
		t.Error("a home that is forgotten")
	}
}

// TestWarpsAndSpawn: operators name places and move the spawn; players come there, and back
// to life there.
func TestWarpsAndSpawn(t *testing.T) {
	b := newBed(t)
	c, key := keyed(b)
	near := func(what string, want world.Pos) {
		t.Helper()
		_, h := b.homeOf(c.player)
		if at := h.p.Body.Pos.Block(); at.X != want.X || at.Z != want.Z {
			t.Errorf("%s: at %v, want %v", what, at, want)
		}
	}
	market, spawn := world.Pos{X: 30, Y: flatTop + 1, Z: 31}, world.Pos{X: 90, Y: flatTop + 1, Z: 20}
	b.says(operatorKey, decision.Statement{Topic: decision.Warp, On: true, Name: "market", Text: decision.PlaceText(market)})
	b.says(operatorKey, decision.Statement{Topic: decision.Setting, On: true, Name: decision.SetSpawn, Text: decision.PlaceText(spawn)})
	b.wants(here, b.signedOrder(c.player, decision.Order{Kind: decision.ToWarp, Text: "market"}, key))
	b.run(200 * time.Millisecond)
	near("the market", market)
	b.wants(here, b.signedOrder(c.player, decision.Order{Kind: decision.Spawn}, key))
	b.run(200 * time.Millisecond)
	near("the spawn", spawn)
	b.crash()
	c.enter()
	b.run(2 * time.Second)
	if at := b.region(here).r.area.Spawn(); at != spawn {
		t.Errorf("after a crash the spawn is at %v", at)
	}
	b.says(operatorKey, decision.Statement{Topic: decision.Setting, Name: decision.SetSpawn})
	if at := b.region(here).r.area.Spawn(); at != b.cfg(here).Rules.Spawn {
		t.Errorf("the spawn that was taken back is at %v", at)
	}
}

// TestFireIsASetting: operators forbid fire and allow it again, also over a crash.
func TestFireIsASetting(t *testing.T) {
	b := newBed(t)
	c := b.client("ada")
	c.enter()
	b.run(time.Second)
	fire := func() bool { return b.region(here).r.area.Fire() }
	if !fire() {
		t.Error("fire does not spread in a new world")
	}
	b.says(operatorKey, decision.Statement{Topic: decision.Setting, On: true, Name: decision.SetFire, Text: "0"})
	if fire() {
		t.Error("fire spreads though an operator has forbidden it")
	}
	b.crash()
	c.enter()
	b.run(2 * time.Second)
	if fire() {
		t.Error("fire spreads after a crash")
	}
	b.says(operatorKey, decision.Statement{Topic: decision.Setting, Name: decision.SetFire})
	if !fire() {
		t.Error("fire does not spread again")
	}
}
