package identity

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// PassContext begins the text that a player signs: followed by the nonce, the world's
// id, the audience and the name (docs/protocols/client.md, Proof).
const PassContext = "voxelpopuli client 2\n"

// PassLife is how long a pass is good: a player who plays on for longer proves
// the key again when the lobby next moves to another node.
const PassLife = 12 * time.Hour

// passSlack is how far the clocks of nodes may differ.
const passSlack = 10 * time.Minute

// Pass is a player's signed answer to the challenge of a node, its stepping
// gateway node. It lets that node speak for the player towards others, and only that
// node: its id and the time are in the nonce. The audience is the address that the
// player dialled. The gateway node accepts only its own addresses there: otherwise a
// hostile node could show the gateway node's challenge to a player who has dialled that
// node, and come in at the gateway node with the answer. The signature also covers the
// name that the player wants, which is not in the pass: it claims that name for the key.
type Pass struct {
	Key      [32]byte // the player's
	Nonce    [32]byte // PassNonce
	Audience [32]byte // Audience
	Sig      [64]byte
}

// Audience is what a signature contains of the address that a player dialled, which
// is the Host of an HTTP request: a name or an address, and a port unless it is the
// usual one.
func Audience(host string) [32]byte { return sha256.Sum256([]byte(strings.ToLower(host))) }

// PassNonce is the challenge of a gateway node at a time in Unix seconds. The
// salt is random.
func PassNonce(gateway id.ID, at int64, salt [4]byte) (n [32]byte) {
	copy(n[:], gateway[:])
	binary.BigEndian.PutUint64(n[id.Size:], uint64(at))
	copy(n[id.Size+8:], salt[:])
	return n
}

// PassText is what the player signs.
func PassText(nonce [32]byte, world id.ID, audience [32]byte, name string) []byte {
	return slices.Concat([]byte(PassContext), nonce[:], world[:], audience[:], []byte(name))
}

// Signs reports whether the player has signed a name, as it has typed it, for a world.
func (p *Pass) Signs(world id.ID, name string) bool {
	return CheckKey(p.Key[:]) == nil && ed25519.Verify(p.Key[:], PassText(p.Nonce, world, p.Audience, name), p.Sig[:])
}

// Check says why a pass does not let a gateway node speak for a player in a
// world under a name, as the player has typed it. now is in Unix seconds.
func (p *Pass) Check(player, gateway, world id.ID, name string, now int64) error {
	if err := CheckKey(p.Key[:]); err != nil {
		return err
	}
	at := time.Unix(int64(binary.BigEndian.Uint64(p.Nonce[id.Size:])), 0)
	age := time.Unix(now, 0).Sub(at)
	switch {
	case id.Of(p.Key[:]) != player:
		return fmt.Errorf("%w: it is another player's", ErrPass)
	case id.ID(p.Nonce[:id.Size]) != gateway:
		return fmt.Errorf("%w: it was given to another node", ErrPass)
	case age < -passSlack || age > PassLife+passSlack:
		return fmt.Errorf("%w: it is of %s", ErrPass, at.UTC().Format(time.RFC3339))
	case !ed25519.Verify(p.Key[:], PassText(p.Nonce, world, p.Audience, name), p.Sig[:]):
		return fmt.Errorf("%w: the signature is wrong", ErrPass)
	}
	return nil
}
