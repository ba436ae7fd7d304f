package identity

import (
	"crypto/ed25519"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Gate decides who may take part in a world as a node. It is frozen: a newer
// list of revocations makes a new gate (Renew).
type Gate struct {
	genesis Genesis
	world   id.ID
	revoked *Revocations
}

// NewGate returns the gate of a world.
func NewGate(g Genesis) (*Gate, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	return &Gate{genesis: g, world: g.World()}, nil
}

// World is the world's id.
func (g *Gate) World() id.ID { return g.world }

// Verified reports whether the world has an authority.
func (g *Gate) Verified() bool { return g.genesis.Verified() }

// Revoked is the list that is in force; nil: none yet.
func (g *Gate) Revoked() *Revocations { return g.revoked }

// Admit says why the holder of a key is not let in: proof is its encoded
// certificate in a world with an authority and is not looked at in an open one.
// That the key is the other end's own is for the transport to see to.
func (g *Gate) Admit(pub ed25519.PublicKey, proof []byte, now machine.Time) error {
	if err := CheckKey(pub); err != nil {
		return err
	}
	if !g.genesis.Verified() {
		return CheckPuzzle(id.Of(pub), int(g.genesis.Difficulty))
	}
	if len(proof) == 0 {
		return fmt.Errorf("%w: %s showed none", ErrCertificate, id.Of(pub).Short())
	}
	c, err := DecodeCertificate(proof)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCertificate, err)
	}
	return g.Check(id.Of(pub), c, now)
}

// Check verifies that a certificate is the authority's, a node's own and in
// force.
func (g *Gate) Check(of id.ID, c *Certificate, now machine.Time) error {
	switch {
	case !g.genesis.Verified():
		return fmt.Errorf("%w: the world has no authority", ErrCertificate)
	case c == nil:
		return fmt.Errorf("%w: %s showed none", ErrCertificate, of.Short())
	case c.World != g.world:
		return fmt.Errorf("%w: number %d is for the world %s", ErrCertificate, c.Serial, c.World.Short())
	case c.ID() != of:
		return fmt.Errorf("%w: number %d is %s's, not %s's", ErrCertificate, c.Serial, c.ID().Short(), of.Short())
	case g.revoked.Has(c.Serial):
		return fmt.Errorf("%w: number %d", ErrRevoked, c.Serial)
	}
	if err := c.inForce(now); err != nil {
		return err
	}
	if err := CheckKey(c.Key[:]); err != nil {
		return fmt.Errorf("%w: %w", ErrCertificate, err)
	}
	if !ed25519.Verify(g.genesis.Authority[:], c.signed(), c.Signature[:]) {
		return fmt.Errorf("%w: number %d is not signed by the authority", ErrCertificate, c.Serial)
	}
	return nil
}

// Verify returns Check as a job for a machine, such as the overlay.
func (g *Gate) Verify(of id.ID, c *Certificate, now machine.Time) machine.Work {
	return verify{g, of, c, now}
}

type verify struct {
	gate *Gate
	of   id.ID
	c    *Certificate
	now  machine.Time
}

// Run implements machine.Work.
func (v verify) Run() (any, error) { return nil, v.gate.Check(v.of, v.c, v.now) }

// Renew returns the gate with a list of revocations, if that is the authority's
// and newer than the one in force; otherwise the gate as it is, and why.
func (g *Gate) Renew(r *Revocations) (*Gate, error) {
	switch {
	case !g.genesis.Verified():
		return g, fmt.Errorf("%w: the world has no authority", ErrRevocations)
	case r == nil || r.World != g.world:
		return g, fmt.Errorf("%w: they are for another world", ErrRevocations)
	case g.revoked != nil && r.Version <= g.revoked.Version:
		return g, fmt.Errorf("%w: version %d is not newer than %d", ErrRevocations, r.Version, g.revoked.Version)
	case !ed25519.Verify(g.genesis.Authority[:], r.signed(), r.Signature[:]):
		return g, fmt.Errorf("%w: version %d is not signed by the authority", ErrRevocations, r.Version)
	}
	return &Gate{genesis: g.genesis, world: g.world, revoked: r}, nil
}
