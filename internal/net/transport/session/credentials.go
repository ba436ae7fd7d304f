package session

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

var errCredentials = errors.New("the credentials are not right")

const credentialsHead = ed25519.PublicKeySize + 2

// credentials are what a node says of itself in a handshake: its key, and with
// its length the proof for Admit.
func credentials(key ed25519.PrivateKey, proof []byte) []byte {
	b := append([]byte(nil), key.Public().(ed25519.PublicKey)...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(proof)))
	return append(b, proof...)
}

// verify returns who the other end is, and what else it has said. That it holds
// the static key of the handshake the handshake proves; that this is the node's
// key is seen here.
func (co *core) verify(payload, static []byte) (who id.ID, rest []byte, err error) {
	if len(payload) < credentialsHead {
		return who, nil, errCredentials
	}
	pub, size := ed25519.PublicKey(payload[:ed25519.PublicKeySize]), int(binary.BigEndian.Uint16(payload[ed25519.PublicKeySize:]))
	rest = payload[credentialsHead:]
	if size > MaxProof || size > len(rest) {
		return who, nil, errCredentials
	}
	if u, err := montgomery(pub); err != nil || !bytes.Equal(u, static) {
		return who, nil, errCredentials
	}
	if co.cfg.Admit != nil {
		if err := co.cfg.Admit(pub, rest[:size:size]); err != nil {
			return who, nil, admission{err}
		}
	}
	return id.Of(pub), rest[size:], nil
}

// admission: the node is not let in.
type admission struct{ error }
