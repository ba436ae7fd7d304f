package keyring

import (
	"crypto/ed25519"
	"sync"
	"sync/atomic"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Verifier verifies the certificates of nodes of a world. Handshakes call it from their own
// goroutines; it takes newer revocations meanwhile.
type Verifier struct {
	gate atomic.Pointer[identity.Gate]
	now  func() machine.Time

	mu   sync.Mutex
	seen map[id.ID]*identity.Certificate // of nodes that were let in
}

// NewVerifier returns the verifier of a world; now is the node's clock.
func NewVerifier(g *identity.Gate, now func() machine.Time) *Verifier {
	v := &Verifier{now: now, seen: map[id.ID]*identity.Certificate{}}
	v.gate.Store(g)
	return v
}

// Admit says why the holder of a key is not let in; see identity.Gate.
func (v *Verifier) Admit(pub ed25519.PublicKey, proof []byte) error {
	g := v.gate.Load()
	err := g.Admit(pub, proof, v.now())
	if c, _ := identity.DecodeCertificate(proof); err == nil && c != nil && g.Verified() {
		v.mu.Lock()
		v.seen[id.Of(pub)] = c
		v.mu.Unlock()
	}
	return err
}

// Reissued takes the certificate that a node has now, if it is newer than the one
// that was seen; an error says why it does not count.
func (v *Verifier) Reissued(c *identity.Certificate) error {
	who := c.ID()
	if seen := v.Seen(who); seen != nil && c.Serial <= seen.Serial {
		return nil
	}
	if err := v.gate.Load().Check(who, c, v.now()); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen[who] = c
	return nil
}

// Seen is the newest certificate that a node has shown; nil: it never was.
func (v *Verifier) Seen(who id.ID) *identity.Certificate {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen[who]
}

// Bars reports whether a node that was let in is revoked now, or its certificate
// has ended. The authority takes all certificates of a node back at once.
func (v *Verifier) Bars(who id.ID) bool {
	c := v.Seen(who)
	return c != nil && (v.Revoked().Has(c.Serial) || c.Ended(v.now()))
}

// Verify is the overlay's port for certificates.
func (v *Verifier) Verify(of id.ID, c *identity.Certificate) machine.Job {
	return v.gate.Load().Verify(of, c, v.now())
}

// Renew takes a list of revocations; an error says why not.
func (v *Verifier) Renew(r *identity.Revocations) error {
	for {
		old := v.gate.Load()
		fresh, err := old.Renew(r)
		if err != nil {
			return err
		}
		if v.gate.CompareAndSwap(old, fresh) {
			return nil
		}
	}
}

// Revoked is the list in force, to be passed on; nil: none.
func (v *Verifier) Revoked() *identity.Revocations { return v.gate.Load().Revoked() }
