package keyring

import (
	"crypto/ed25519"
	"sync"
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

	mu   sync.Mutex
	seen map[id.ID]*identity.Certificate // of nodes that were let in
}

// NewDoor returns the door of a world; now is the node's clock.
func NewDoor(g *identity.Gate, now func() machine.Time) *Door {
	d := &Door{now: now, seen: map[id.ID]*identity.Certificate{}}
	d.gate.Store(g)
	return d
}

// Admit says why the holder of a key is not let in; see identity.Gate.
func (d *Door) Admit(pub ed25519.PublicKey, proof []byte) error {
	g := d.gate.Load()
	err := g.Admit(pub, proof, d.now())
	if c, _ := identity.DecodeCertificate(proof); err == nil && c != nil && g.Verified() {
		d.mu.Lock()
		d.seen[id.Of(pub)] = c
		d.mu.Unlock()
	}
	return err
}

// Reissued takes the certificate that a node has now, if it is newer than the one
// that was seen; an error says why it does not count.
func (d *Door) Reissued(c *identity.Certificate) error {
	who := c.ID()
	if seen := d.Seen(who); seen != nil && c.Serial <= seen.Serial {
		return nil
	}
	if err := d.gate.Load().Check(who, c, d.now()); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[who] = c
	return nil
}

// Seen is the newest certificate that a node has shown; nil: it never was.
func (d *Door) Seen(who id.ID) *identity.Certificate {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen[who]
}

// Bars reports whether a node that was let in is revoked now, or its certificate
// has ended. The authority takes all certificates of a node back at once.
func (d *Door) Bars(who id.ID) bool {
	c := d.Seen(who)
	return c != nil && (d.Revoked().Has(c.Serial) || c.Ended(d.now()))
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
