package identity

import (
	"crypto/ed25519"
	"errors"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// TestPass: a pass is good for one player, one gateway node, one world and
// half a day.
func TestPass(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	pub := key.Public().(ed25519.PublicKey)
	player, gateway, world, other := id.Of(pub), id.Of([]byte("stone")), id.Of([]byte("world")), id.Of([]byte("other"))
	const at = int64(1_700_000_000)
	pass := Pass{Key: [32]byte(pub), Nonce: PassNonce(gateway, at, [4]byte{1, 2, 3, 4}), Audience: Audience("stone.example:4747")}
	pass.Sig = [64]byte(ed25519.Sign(key, PassText(pass.Nonce, world, pass.Audience)))
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
		now                    int64
		good                   bool
	}{
		{"as given", pass, player, gateway, world, at, true},
		{"hours later", pass, player, gateway, world, later(11 * time.Hour), true},
		{"clocks differ", pass, player, gateway, world, later(-5 * time.Minute), true},
		{"a day later", pass, player, gateway, world, later(24 * time.Hour), false},
		{"from the future", pass, player, gateway, world, later(-time.Hour), false},
		{"another player", pass, other, gateway, world, at, false},
		{"another node shows it", pass, player, other, world, at, false},
		{"another node wrote itself in", moved, player, other, world, at, false},
		{"another world", pass, player, gateway, other, at, false},
		{"another audience", relayed, player, gateway, world, at, false},
		{"forged", forged, player, gateway, world, at, false},
		{"a key of small order", Pass{Nonce: pass.Nonce, Audience: pass.Audience, Sig: pass.Sig}, id.Of(make([]byte, 32)), gateway, world, at, false},
		{"a time that overflows", Pass{Key: pass.Key, Nonce: PassNonce(gateway, -1<<63, [4]byte{}), Audience: pass.Audience, Sig: pass.Sig}, player, gateway, world, at, false},
	} {
		err := c.pass.Check(c.player, c.gateway, c.world, c.now)
		if (err == nil) != c.good {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && !errors.Is(err, ErrPass) && !errors.Is(err, ErrKey) {
			t.Errorf("%s: an unexplained error: %v", c.name, err)
		}
	}
}
