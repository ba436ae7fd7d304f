package keyring

import (
	"crypto/ed25519"
	"sync/atomic"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Door is a world's gate on a node that runs: handshakes ask it from their own
// goroutines, and it takes newer revocations meanwhile.
type Door struct {
	gate atomic.Pointer[identity.Gate]
	now  func() machine.Time
}

// NewDoor returns the door of a world; now is the node's clock.
func NewDoor(g *identity.Gate, now func() machine.Time) *Door {
	d := &Door{now: now}
	d.gate.Store(g)
	return d
}

// Admit says why the holder of a key is not let in; see identity.Gate.
func (d *Door) Admit(pub ed25519.PublicKey, proof []byte) error {
	return d.gate.Load().Admit(pub, proof, d.now())
}

// Verify is the overlay's port for certificates.
func (d *Door) Verify(of id.ID, c *identity.Certificate) machine.Job {
	return d.gate.Load().Verify(of, c, d.now())
}

// Renew takes a list of revocations; an error says why not.
func (d *Door) Renew(r *identity.Revocations) error {
	for {
		old := d.gate.Load()
		fresh, err := old.Renew(r)
		if err != nil {
			return err
		}
		if d.gate.CompareAndSwap(old, fresh) {
			return nil
		}
	}
}

// Revoked is the list in force, to be passed on; nil: none.
func (d *Door) Revoked() *identity.Revocations { return d.gate.Load().Revoked() }
