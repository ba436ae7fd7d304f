package invitation

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"io"
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

const (
	secretSize    = 16
	secretContext = "voxelpopuli invitation secret 1\n"
	// MaxAddrs is how many addresses an invitation names.
	MaxAddrs = 8
)

// Invitation is what one person gives to another: whoever has it may do what the
// statement permits. It is a secret.
type Invitation struct {
	Statement
	Secret [secretSize]byte // the private key is derived from it
	Addrs  []netip.AddrPort // of nodes of the world
}

// Terms are what a founder chooses for an invitation, as in Statement.
type Terms struct {
	Permits Permissions
	Until   int64
	Uses    uint16
}

// New makes an invitation that a founder signs.
func New(random io.Reader, founder ed25519.PrivateKey, world id.ID, t Terms) (*Invitation, error) {
	i := &Invitation{Statement: Statement{World: world, Permits: t.Permits, Until: t.Until, Uses: t.Uses}}
	if err := i.check(); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(random, i.Secret[:]); err != nil {
		return nil, fmt.Errorf("making an invitation: %w", err)
	}
	copy(i.Key[:], i.private().Public().(ed25519.PublicKey))
	i.sign(founder)
	return i, nil
}

// private is the invitation's private key.
func (i *Invitation) private() ed25519.PrivateKey {
	seed := sha256.Sum256(append([]byte(secretContext), i.Secret[:]...))
	return ed25519.NewKeyFromSeed(seed[:])
}

// At is the same invitation with other addresses.
func (i *Invitation) At(addrs []netip.AddrPort) *Invitation {
	out := *i
	out.Addrs = addrs[:min(len(addrs), MaxAddrs)]
	return &out
}

// AdmitNode proves that the node with a key is invited.
func (i *Invitation) AdmitNode(pub ed25519.PublicKey) []byte { return i.admit(node, id.Of(pub)) }

// AdmitPlayer proves that a player is invited.
func (i *Invitation) AdmitPlayer(who id.ID) []byte { return i.admit(player, who) }

func (i *Invitation) admit(as subject, who id.ID) []byte {
	sig := ed25519.Sign(i.private(), admissionText(as, i.World, who))
	return append(i.Statement.append(nil), sig...)
}
