package client

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
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

// Prove signs a challenge.
func (i Identity) Prove(c *wire.Challenge) *wire.Proof {
	return &wire.Proof{Signature: [64]byte(ed25519.Sign(i.Key, proofText(c)))}
}

// Verify reports whether p answers c with the given public key.
func Verify(key [32]byte, c *wire.Challenge, p *wire.Proof) bool {
	return !smallOrder(key) && ed25519.Verify(key[:], proofText(c), p.Signature[:])
}

func proofText(c *wire.Challenge) []byte {
	b := append([]byte(wire.ProofContext), c.Nonce[:]...)
	return append(b, c.World[:]...)
}

// smallOrder reports keys that are points of an order of at most 8: nobody has
// made them, and anybody can sign for them with some luck. The encodings are
// those of libsodium's ge25519_has_small_order, without the sign.
func smallOrder(key [32]byte) bool {
	key[31] &= 0x7f
	for _, k := range smallOrders {
		if hex.EncodeToString(key[:]) == k {
			return true
		}
	}
	return false
}

var smallOrders = [...]string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}
