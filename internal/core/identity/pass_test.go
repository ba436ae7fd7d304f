package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// TestPass: a pass is good for one player under one name, one gateway node, one world
// and half a day.
func TestPass(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	pub := key.Public().(ed25519.PublicKey)
	player, gateway, world, other := id.Of(pub), id.Of([]byte("stone")), id.Of([]byte("world")), id.Of([]byte("other"))
	const at = int64(1_700_000_000)
	pass := Pass{Key: [32]byte(pub), Nonce: PassNonce(gateway, at, [4]byte{1, 2, 3, 4}), Audience: Audience("stone.example:4747")}
	pass.Sig = [64]byte(ed25519.Sign(key, PassText(pass.Nonce, world, pass.Audience, "Ann")))
	forged := pass
	forged.Sig[3] ^= 1
	relayed := pass
	relayed.Audience = Audience("other.example:4747")
	moved := pass
	moved.Nonce = PassNonce(other, at, [4]byte{})
	later := func(d time.Duration) int64 { return at + int64(d/time.Second) }
	for _, c := range []struct {
		name                   string
		pass                   Pass
		player, gateway, world id.ID
		claimed                string
		now                    int64
		good                   bool
	}{
		{"as given", pass, player, gateway, world, "Ann", at, true},
		{"hours later", pass, player, gateway, world, "Ann", later(11 * time.Hour), true},
		{"clocks differ", pass, player, gateway, world, "Ann", later(-5 * time.Minute), true},
		{"a day later", pass, player, gateway, world, "Ann", later(24 * time.Hour), false},
		{"from the future", pass, player, gateway, world, "Ann", later(-time.Hour), false},
		{"another player", pass, other, gateway, world, "Ann", at, false},
		{"another node shows it", pass, player, other, world, "Ann", at, false},
		{"another node wrote itself in", moved, player, other, world, "Ann", at, false},
		{"another world", pass, player, gateway, other, "Ann", at, false},
		{"another audience", relayed, player, gateway, world, "Ann", at, false},
		{"another name", pass, player, gateway, world, "Bob", at, false},
		{"the name in other letters", pass, player, gateway, world, "ann", at, false},
		{"no name", pass, player, gateway, world, "", at, false},
		{"forged", forged, player, gateway, world, "Ann", at, false},
		{"a key of small order", Pass{Nonce: pass.Nonce, Audience: pass.Audience, Sig: pass.Sig}, id.Of(make([]byte, 32)), gateway, world, "Ann", at, false},
		{"a time that overflows", Pass{Key: pass.Key, Nonce: PassNonce(gateway, -1<<63, [4]byte{}), Audience: pass.Audience, Sig: pass.Sig}, player, gateway, world, "Ann", at, false},
	} {
		err := c.pass.Check(c.player, c.gateway, c.world, c.claimed, c.now)
		if (err == nil) != c.good {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && !errors.Is(err, ErrPass) && !errors.Is(err, ErrKey) {
			t.Errorf("%s: an unexplained error: %v", c.name, err)
		}
	}
}

// TestPassText: clients in other languages sign the same bytes (web/test/codec.test.ts).
func TestPassText(t *testing.T) {
	text := PassText([32]byte(bytes.Repeat([]byte{7}, 32)), id.ID(bytes.Repeat([]byte{9}, id.Size)), Audience("Node.example:4747"), "Zoë")
	const want = "2e9cb590b8f2d80604d88682d6e1a67eb0e80ff178509e40d9901443cb4d5dd6"
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
		t.Errorf("got %s", got)
	}
}
