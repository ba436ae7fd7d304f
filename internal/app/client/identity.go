package client

import (
	"crypto/ed25519"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Identity is who a player is: the key that proves it, and the name.
type Identity struct {
	Name string
	Key  ed25519.PrivateKey
}

// NewIdentity makes a new key.
func NewIdentity(name string) (Identity, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return Identity{}, fmt.Errorf("player key: %w", err)
	}
	return Identity{name, key}, nil
}

// Public returns the public key.
func (i Identity) Public() ed25519.PublicKey { return i.Key.Public().(ed25519.PublicKey) }

// Player returns the player's id.
func (i Identity) Player() id.ID { return id.Of(i.Public()) }

// hello is the first message of the player's client.
func (i Identity) hello() *wire.Hello {
	return &wire.Hello{Version: wire.Version, Name: i.Name, Key: [32]byte(i.Public()), Client: program}
}

// Prove signs the challenge of a node that was dialled as host (identity.Audience), and
// the name.
func (i Identity) Prove(c *wire.Challenge, host string) *wire.Proof {
	text := identity.PassText(c.Nonce, c.World, identity.Audience(host), i.Name)
	return &wire.Proof{Signature: [64]byte(ed25519.Sign(i.Key, text))}
}
