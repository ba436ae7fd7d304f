package voxelrules

import (
	"crypto/ed25519"
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

const actionContext = "voxelpopuli action 1\n"

// signed is what a player signs: for one world, who it is, the number and time
// of the action, and what it does.
func signed(world id.ID, a *state.Action) []byte {
	b := append([]byte(actionContext), world[:]...)
	b = append(b, a.Player.ID[:]...)
	b = binary.BigEndian.AppendUint64(b, a.Seq)
	b = binary.BigEndian.AppendUint64(b, uint64(a.At))
	return append(b, a.Body...)
}

// SignAction signs an action with its player's key. The signature has the public
// key before it, of which the player's id is made.
func SignAction(world id.ID, key ed25519.PrivateKey, a *state.Action) {
	pub := key.Public().(ed25519.PublicKey)
	a.Signature = append(append([]byte(nil), pub...), ed25519.Sign(key, signed(world, a))...)
}

// CheckAction reports whether an action is signed by its player for a world.
func CheckAction(world id.ID, a *state.Action) bool {
	if len(a.Signature) != ed25519.PublicKeySize+ed25519.SignatureSize {
		return false
	}
	pub := ed25519.PublicKey(a.Signature[:ed25519.PublicKeySize])
	return id.Of(pub) == a.Player.ID && ed25519.Verify(pub, signed(world, a), a.Signature[ed25519.PublicKeySize:])
}
