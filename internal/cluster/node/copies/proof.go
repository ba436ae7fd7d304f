package copies

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
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

// Proof is a host's word for what the state of a shard was after an entry of its
// log, given to a node that keeps a copy: the digest of the state (group.Digest), and the
// host's signature over it, the entry and that node. The zero value: there is none.
type Proof [CopyProofSize]byte

// CopyProofSize is how long a proof is in messages that have one.
const CopyProofSize = 32 + 32 + 64

func (p *Proof) Digest() [32]byte { return [32]byte(p[:32]) }

func (p *Proof) Signature() Signature { return Signature{[32]byte(p[32:64]), [64]byte(p[64:])} }

// DecodeProof reads a proof of a message. What is no proof is none.
func DecodeProof(b []byte) (p Proof) {
	if len(b) == len(p) {
		copy(p[:], b)
	}
	return p
}

// Encoded is a proof as messages have it: nothing, if there is none.
func (p Proof) Encoded() []byte {
	if p == (Proof{}) {
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

// Signatures signs states for nodes that keep copies, and checks what others have
// signed.
type Signatures struct {
	signer Signer // nil: nothing is signed
	world  id.ID
}

// NewSignatures returns what signs for a world; without a signer nothing is signed.
func NewSignatures(signer Signer, world id.ID) Signatures {
	return Signatures{signer, world}
}

// IsOn reports whether copies are signed.
func (c Signatures) IsOn() bool { return c.signer != nil }

// Sign signs a state of a shard that is led here for a node that keeps a copy;
// nothing where nobody signs.
func (c Signatures) Sign(holder id.ID, p shards.Shard, end hostpolicy.Log, digest [32]byte) (out Proof) {
	if c.signer == nil {
		return out
	}
	s := c.signer.Sign(copyStatement(c.world, holder, p, end, digest))
	copy(out[:], digest[:])
	copy(out[32:], s.Key[:])
	copy(out[64:], s.Sig[:])
	return out
}

// SignedBy reports whether one of some nodes has signed a state of a shard for a
// node that keeps a copy.
func (c Signatures) SignedBy(hosts []machine.Peer, holder id.ID, p shards.Shard, end hostpolicy.Log, proof Proof) bool {
	if c.signer == nil || proof == (Proof{}) {
		return false
	}
	who, ok := c.signer.Check(copyStatement(c.world, holder, p, end, proof.Digest()), proof.Signature())
	return ok && peers.Among(hosts, who)
}

// Of reports whether a proof is of a state. Without a signature nobody knows.
func (p Proof) Of(kvs []machine.KV) bool {
	return p == (Proof{}) || p.Digest() == group.DigestOf(kvs).Sum()
}

// Basis is the signed copy with which a group of a shard began.
type Basis struct {
	Holder id.ID // to whom a host gave it
	End    hostpolicy.Log
	Proof  Proof
}

// Encode is a basis as the group's members have it; nil: nobody has signed the copy.
func (b Basis) Encode() []byte {
	if b.Proof == (Proof{}) {
		return nil
	}
	out := append([]byte(nil), b.Holder[:]...)
	for _, v := range []uint64{b.End.Gen.Number, b.End.Gen.Fork, b.End.Term, b.End.Last} {
		out = binary.BigEndian.AppendUint64(out, v)
	}
	return append(out, b.Proof[:]...)
}

// DecodeBasis is the inverse of Encode; false: it is none.
func DecodeBasis(encoded []byte) (b Basis, ok bool) {
	r := bin.NewReader(encoded)
	b.Holder = id.ID(r.Take(id.Size))
	b.End.Gen = group.Gen{Number: r.U64(), Fork: r.U64()}
	b.End.Term, b.End.Last = r.U64(), r.U64()
	copy(b.Proof[:], r.Take(CopyProofSize))
	return b, r.End() && b.Proof != (Proof{})
}
