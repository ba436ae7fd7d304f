package voxelrules

import (
	"crypto/ed25519"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// An action counts as its player has signed it, in the world that it was signed
// for, and nothing of it can be changed.
func TestActionsAreSigned(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = 1
	other := ed25519.NewKeyFromSeed(seed)
	here, there := id.Of([]byte("here")), id.Of([]byte("there"))
	action := func() *storage.Action {
		a := &storage.Action{Player: &storage.Player{ID: id.Of(key.Public().(ed25519.PublicKey))}, Seq: 3, At: 5, Body: []byte("dig")}
		SignAction(here, key, a)
		return a
	}
	if a := action(); !CheckAction(here, a) || CheckAction(there, a) {
		t.Error("an action counts in its own world, and in no other")
	}
	for name, change := range map[string]func(*storage.Action){
		"number":              func(a *storage.Action) { a.Seq++ },
		"time":                func(a *storage.Action) { a.At++ },
		"body":                func(a *storage.Action) { a.Body = []byte("build") },
		"player":              func(a *storage.Action) { a.Player = &storage.Player{ID: here} },
		"no signature":        func(a *storage.Action) { a.Signature = nil },
		"somebody else's key": func(a *storage.Action) { SignAction(here, other, a) },
	} {
		a := action()
		if change(a); CheckAction(here, a) {
			t.Errorf("an action whose %s was changed counts", name)
		}
	}
}
