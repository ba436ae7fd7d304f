package node

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Signer signs statements with the node's key, and checks those of others.
type Signer interface {
	Sign(statement []byte) Signature
	// Check returns who has signed a statement; false: nobody has.
	Check(statement []byte, s Signature) (id.ID, bool)
}

// Signature is a public key and a signature by it.
type Signature struct {
	Key [32]byte
	Sig [64]byte
}

// copyProof is a host's word for what the state of a shard was after an entry of its
// log, given to a node that keeps a copy: the digest of the state (group.Digest), and the
// host's signature over it, the entry and that node. The zero value: there is none.
type copyProof [CopyProofSize]byte

// CopyProofSize is how long a proof is in messages that have one.
const CopyProofSize = 32 + 32 + 64

func (p *copyProof) digest() [32]byte { return [32]byte(p[:32]) }

func (p *copyProof) signature() Signature { return Signature{[32]byte(p[32:64]), [64]byte(p[64:])} }

// decodeCopyProof reads a proof of a message. What is no proof is none.
func decodeCopyProof(b []byte) (p copyProof) {
	if len(b) == len(p) {
		copy(p[:], b)
	}
	return p
}

// encoded is a proof as messages have it: nothing, if there is none.
func (p copyProof) encoded() []byte {
	if p == (copyProof{}) {
		return nil
	}
	return p[:]
}

// copyStatement is what is signed.
func copyStatement(world, holder id.ID, p shards.Shard, end hostpolicy.Log, digest [32]byte) []byte {
	b := append(append([]byte("voxelpopuli spare copy\x00"), world[:]...), holder[:]...)
	b = append(append(b, p.Space()...), 0)
	for _, v := range []uint64{end.Gen.Number, end.Gen.Fork, end.Term, end.Last} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	return append(b, digest[:]...)
}

// copySignatures signs states for nodes that keep copies, and checks what others have
// signed.
type copySignatures struct {
	signer Signer // nil: nothing is signed
	world  id.ID
}

// isOn reports whether copies are signed.
func (c copySignatures) isOn() bool { return c.signer != nil }

// sign signs a state of a shard that is led here for a node that keeps a copy;
// nothing where nobody signs.
func (c copySignatures) sign(holder id.ID, p shards.Shard, end hostpolicy.Log, digest [32]byte) (out copyProof) {
	if c.signer == nil {
		return out
	}
	s := c.signer.Sign(copyStatement(c.world, holder, p, end, digest))
	copy(out[:], digest[:])
	copy(out[32:], s.Key[:])
	copy(out[64:], s.Sig[:])
	return out
}

// signedBy reports whether one of some nodes has signed a state of a shard for a
// node that keeps a copy.
func (c copySignatures) signedBy(hosts []machine.Peer, holder id.ID, p shards.Shard, end hostpolicy.Log, proof copyProof) bool {
	if c.signer == nil || proof == (copyProof{}) {
		return false
	}
	who, ok := c.signer.Check(copyStatement(c.world, holder, p, end, proof.digest()), proof.signature())
	return ok && peers.Among(hosts, who)
}

// of reports whether a proof is of a state. Without a signature nobody knows.
func (p copyProof) of(kvs []machine.KV) bool {
	return p == (copyProof{}) || p.digest() == group.DigestOf(kvs).Sum()
}
