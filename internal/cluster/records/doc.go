// Package records is what the directory's records say, who may sign them and
// where they are kept (docs/protocols/kademlia.md, "Records"). The directory
// itself (package kademlia) knows none of it: it gets Verify and Keepers from
// here.
//
//	kind    key                    says                              signed by
//	Chunk   a part of a world      the members of the group that     one of the members
//	                               hosts it, and their term
//
// Nothing is kept in the table of players: their names and where they are is the
// lobby's, which a group hosts (docs/decisions/0022-names-and-places.md).
//
// Invariants: a record of hosts names its signer; what does not decode is never
// stored.
package records

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Errors.
var (
	// ErrForged: the signature is wrong, or the signer may not sign this.
	ErrForged = errors.New("forged record")
	// ErrMalformed: the payload is not what its kind says.
	ErrMalformed = errors.New("malformed record")
)

// hostsLayout is the first byte of a payload: what it is and its layout.
const hostsLayout byte = 1

// Sign makes key the signer of r, which is frozen from then on.
func Sign(r *kademlia.Record, key ed25519.PrivateKey) {
	copy(r.Signer[:], key.Public().(ed25519.PublicKey))
	copy(r.Sig[:], ed25519.Sign(key, r.Signed()))
}

// Verify returns the job that checks r: kademlia.Config.Verify.
func Verify(r *kademlia.Record) machine.Job { return verify{r} }

// verify implements machine.Work.
type verify struct{ r *kademlia.Record }

// Cost is what the check takes on an ordinary machine, for simulations.
func (verify) Cost() time.Duration { return 80 * time.Microsecond }

// Run checks the signature and that the signer may sign this.
func (v verify) Run() (any, error) { return nil, Check(v.r) }

// Check reports why a record should not be believed, nil if it should. Its
// times and its size the directory checks itself.
func Check(r *kademlia.Record) error {
	if err := entitled(r); err != nil {
		return err
	}
	if !ed25519.Verify(r.Signer[:], r.Signed(), r.Sig[:]) {
		return fmt.Errorf("%w: the signature of %s is wrong", ErrForged, r.SignerID().Short())
	}
	return nil
}

// entitled reports why r's signer may not sign it.
func entitled(r *kademlia.Record) error {
	if len(r.Payload) == 0 {
		return fmt.Errorf("%w: nothing in it", ErrMalformed)
	}
	if layout := r.Payload[0]; r.Kind != kademlia.Chunk || layout != hostsLayout {
		return fmt.Errorf("%w: layout %d in table %d", ErrMalformed, layout, r.Kind)
	}
	h, err := DecodeHosts(r.Payload)
	if err != nil {
		return err
	}
	if signer := r.SignerID(); !h.has(signer) {
		return fmt.Errorf("%w: %s signs for a group that it is not in", ErrForged, signer.Short())
	}
	return nil
}

// Keepers returns who may replace r besides its signer: kademlia.Config.Keepers.
func Keepers(r *kademlia.Record) (keepers []machine.Peer, bound bool) {
	h, err := DecodeHosts(r.Payload)
	if err != nil {
		return nil, false
	}
	return h.Members, false
}

// end reports a payload that is too short, too long, or of another layout.
func end(r *bin.Reader, what string) error {
	if !r.End() {
		return fmt.Errorf("%w: not a record of %s", ErrMalformed, what)
	}
	return nil
}

// begin opens a payload of a layout.
func begin(b []byte, layout byte) *bin.Reader {
	r := bin.NewReader(b)
	if r.Byte() != layout {
		r.Fail()
	}
	return &r
}
