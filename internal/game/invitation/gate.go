package invitation

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Gate decides who is admitted to a world. It is frozen: a newer list makes a new
// gate (Renew).
type Gate struct {
	world   id.ID
	founder [32]byte
	invited bool    // hosting and visiting need an invitation
	access  *Access // the list in force; nil: none yet
}

// NewGate returns the gate of a world with that founder. If it is not invited,
// everybody is admitted who was not removed.
func NewGate(world id.ID, founder [32]byte, invited bool) *Gate {
	return &Gate{world: world, founder: founder, invited: invited}
}

// Access is the list in force; nil: none yet.
func (g *Gate) Access() *Access { return g.access }

// Invited reports whether an invitation is needed.
func (g *Gate) Invited() bool { return g.invited }

// AdmitNode says why the node with a key may not host the world: proof is its
// admission. It returns the statement that the node was admitted by; nil: none
// was needed. That the key is the other end's own is for the transport to verify.
func (g *Gate) AdmitNode(pub ed25519.PublicKey, proof []byte, now machine.Time) (*Statement, error) {
	who := id.Of(pub)
	switch {
	case string(pub) == string(g.founder[:]):
		return nil, nil
	case g.Removed(who):
		return nil, fmt.Errorf("%w: %s", ErrRemoved, who.Short())
	case !g.invited:
		return nil, nil
	}
	if g.access != nil && has(g.access.Kept, who) {
		s, _ := decodeAdmission(proof, node, g.world, who) // only to say by which
		return s, nil
	}
	return g.admit(node, who, proof, now)
}

// AdmitPlayer says why a player may not enter the world; proof is the player's
// admission.
func (g *Gate) AdmitPlayer(who id.ID, proof []byte, now machine.Time) error {
	if !g.invited {
		return nil
	}
	_, err := g.admit(player, who, proof, now)
	return err
}

func (g *Gate) admit(as subject, who id.ID, proof []byte, now machine.Time) (*Statement, error) {
	s, err := decodeAdmission(proof, as, g.world, who)
	if err != nil {
		return nil, err
	}
	return s, g.check(s, as.needs(), now)
}

// Check says why an invitation permits none of some things now; none: why it is not valid.
func (g *Gate) Check(i *Invitation, needs Permissions, now machine.Time) error {
	return g.check(&i.Statement, needs, now)
}

// CheckVisit says why nobody may visit the world by the invitation of an admission now.
// Whose admission it is, AdmitPlayer verifies.
func (g *Gate) CheckVisit(proof []byte, now machine.Time) error {
	s, err := StatementOf(proof)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvitation, err)
	}
	return g.check(s, Enter, now)
}

func (g *Gate) check(s *Statement, needs Permissions, now machine.Time) error {
	name := s.ID().Short()
	switch {
	case s.World != g.world:
		return fmt.Errorf("%w: %s is for another world", ErrInvitation, name)
	case !s.SignedBy(g.founder):
		return fmt.Errorf("%w: %s was not signed by the founder of this world", ErrInvitation, name)
	case g.access != nil && has(g.access.Revoked, s.ID()):
		return fmt.Errorf("%w: %s was revoked", ErrInvitation, name)
	case s.Over(now):
		return fmt.Errorf("%w: %s ended at %s", ErrInvitation, name, time.Unix(s.Until, 0).UTC().Format(time.RFC3339))
	case needs != 0 && s.Permits&needs == 0:
		return fmt.Errorf("%w: %s permits to %s, not to %s", ErrInvitation, name, s.Permits, needs.either())
	}
	return nil
}

// Removed reports whether a node was removed.
func (g *Gate) Removed(who id.ID) bool {
	return g.access != nil && who != id.Of(g.founder[:]) && g.access.HasRemoved(who)
}

// Admitted reports whether a node that showed a statement is still admitted.
func (g *Gate) Admitted(who id.ID, s *Statement, now machine.Time) bool {
	switch {
	case g.Removed(who):
		return false
	case !g.invited || s == nil || g.access != nil && has(g.access.Kept, who):
		return true
	}
	return g.check(s, Host, now) == nil
}

// Renew returns the gate with a list, if that is the founder's and newer than the
// one in force; otherwise the gate as it is, and why.
func (g *Gate) Renew(a *Access) (*Gate, error) {
	switch {
	case a == nil || a.World != g.world:
		return g, fmt.Errorf("access list: it is for another world")
	case g.access != nil && a.Version <= g.access.Version:
		return g, fmt.Errorf("access list: version %d is not newer than %d", a.Version, g.access.Version)
	case !a.SignedBy(g.founder):
		return g, fmt.Errorf("access list: version %d is not signed by the founder", a.Version)
	}
	out := *g
	out.access = a
	return &out, nil
}
