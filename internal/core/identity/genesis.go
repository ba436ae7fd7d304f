package identity

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Genesis is what a world's founder decided about who may take part in it.
type Genesis struct {
	// Salt makes the world's id its own.
	Salt [32]byte
	// Difficulty is the puzzle that a node's id must solve if there is no
	// authority; 0: none.
	Difficulty uint8
	// Authority is the public key that signs certificates; zero: an open world.
	Authority [32]byte
	// Zones is r, the number of zones of the overlay that the authority gives
	// places in: a square from 4 to 64. 0 in an open world, which has none.
	Zones uint8
}

const (
	genesisContext = "voxelpopuli genesis 1\n"
	// GenesisSize is the length of a Genesis in bytes.
	GenesisSize = 1 + 32 + 1 + 32 + 1
)

// World is the id of the world that begins so.
func (g *Genesis) World() id.ID { return id.Of(append([]byte(genesisContext), g.Append(nil)...)) }

// Verified reports whether an authority admits nodes to the world.
func (g *Genesis) Verified() bool { return g.Authority != [32]byte{} }

// Append adds the canonical encoding to b.
func (g *Genesis) Append(b []byte) []byte {
	b = append(b, version)
	b = append(b, g.Salt[:]...)
	b = append(b, g.Difficulty)
	b = append(b, g.Authority[:]...)
	return append(b, g.Zones)
}

// DecodeGenesis reads what Append wrote.
func DecodeGenesis(b []byte) (*Genesis, error) {
	if len(b) != GenesisSize || b[0] != version {
		return nil, fmt.Errorf("genesis: %w: %d bytes", ErrFormat, len(b))
	}
	g := &Genesis{Salt: [32]byte(b[1:33]), Difficulty: b[33], Authority: [32]byte(b[34:66]), Zones: b[66]}
	return g, g.Check()
}

// Check says what is wrong with a genesis.
func (g *Genesis) Check() error {
	if g.Difficulty > MaxDifficulty {
		return fmt.Errorf("genesis: %w: a puzzle of %d bits, at most %d are allowed", ErrFormat, g.Difficulty, MaxDifficulty)
	}
	if !g.Verified() {
		if g.Zones != 0 {
			return fmt.Errorf("genesis: %w: zones without an authority", ErrFormat)
		}
		return nil
	}
	if !square(int(g.Zones)) {
		return fmt.Errorf("genesis: %w: %d zones: want 4, 9, 16, 25, 36, 49 or 64", ErrFormat, g.Zones)
	}
	if err := CheckKey(ed25519.PublicKey(g.Authority[:])); err != nil {
		return fmt.Errorf("genesis: the authority: %w", err)
	}
	return nil
}

func square(n int) bool {
	for i := 2; i <= 8; i++ {
		if i*i == n {
			return true
		}
	}
	return false
}

// MarshalText makes a Genesis the hexadecimal digits of its encoding in JSON.
func (g Genesis) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, g.Append(nil)), nil }

// UnmarshalText reads what MarshalText has written.
func (g *Genesis) UnmarshalText(b []byte) error {
	raw, err := hex.DecodeString(string(b))
	if err != nil {
		return fmt.Errorf("genesis: %w: %w", ErrFormat, err)
	}
	got, err := DecodeGenesis(raw)
	if err == nil {
		*g = *got
	}
	return err
}
