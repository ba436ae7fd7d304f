package host

import (
	"crypto/ed25519"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// copySigner signs what the node says of spare copies. It implements node.Signer.
type copySigner struct{ key ed25519.PrivateKey }

func (s copySigner) Sign(statement []byte) copies.Signature {
	return copies.Signature{Key: [32]byte(s.key.Public().(ed25519.PublicKey)), Sig: [64]byte(ed25519.Sign(s.key, statement))}
}

func (s copySigner) Check(statement []byte, sig copies.Signature) (id.ID, bool) {
	return id.Of(sig.Key[:]), ed25519.Verify(sig.Key[:], statement, sig.Sig[:])
}
