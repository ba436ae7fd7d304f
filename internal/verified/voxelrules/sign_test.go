package voxelrules

import (
	"crypto/ed25519"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// An action counts as its player has signed it, in the world that it was signed
// for, and nothing of it can be changed.
func TestActionsAreSigned(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = 1
	other := ed25519.NewKeyFromSeed(seed)
	here, there := id.Of([]byte("here")), id.Of([]byte("there"))
	action := func() *state.Action {
		a := &state.Action{Player: &state.Player{ID: id.Of(key.Public().(ed25519.PublicKey))}, Seq: 3, At: 5, Body: []byte("dig")}
		SignAction(here, key, a)
		return a
	}
	if a := action(); !CheckAction(here, a) || CheckAction(there, a) {
		t.Error("an action counts in its own world, and in no other")
	}
	for name, change := range map[string]func(*state.Action){
		"number":              func(a *state.Action) { a.Seq++ },
		"time":                func(a *state.Action) { a.At++ },
		"body":                func(a *state.Action) { a.Body = []byte("build") },
		"player":              func(a *state.Action) { a.Player = &state.Player{ID: here} },
		"no signature":        func(a *state.Action) { a.Signature = nil },
		"somebody else's key": func(a *state.Action) { SignAction(here, other, a) },
	} {
		a := action()
		if change(a); CheckAction(here, a) {
			t.Errorf("an action whose %s was changed counts", name)
		}
	}
}
