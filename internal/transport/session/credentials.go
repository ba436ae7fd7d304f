package session

import (
	"crypto/ed25519"
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
)

var errCredentials = errors.New("the credentials are not right")

const credentialsSize = ed25519.PublicKeySize + ed25519.SignatureSize

// binding is what a node's key signs.
func binding(static []byte) []byte {
	return append([]byte("voxelpopuli datagram session key\x00"), static...)
}

// credentials are the payload that proves who we are.
func credentials(key ed25519.PrivateKey, static, proof []byte) []byte {
	b := append([]byte(nil), key.Public().(ed25519.PublicKey)...)
	b = append(b, ed25519.Sign(key, binding(static))...)
	return append(b, proof...)
}

// verify returns who the other end is.
func (t *Table) verify(payload, static []byte) (id.ID, error) {
	if len(payload) < credentialsSize || len(payload) > credentialsSize+MaxProof {
		return id.ID{}, errCredentials
	}
	pub := ed25519.PublicKey(payload[:ed25519.PublicKeySize])
	if !ed25519.Verify(pub, binding(static), payload[ed25519.PublicKeySize:credentialsSize]) {
		return id.ID{}, errCredentials
	}
	if t.cfg.Admit != nil {
		if err := t.cfg.Admit(pub, payload[credentialsSize:]); err != nil {
			return id.ID{}, admission{err}
		}
	}
	return id.Of(pub), nil
}

// admission: the node is not let in.
type admission struct{ error }
