package session

import (
	"crypto/ecdh"
	"crypto/rand"
	"crypto/subtle"
	"io"

	"github.com/flynn/noise"
)

// keyPairs does the Diffie-Hellman of one handshake. The library's own computes
// the public half of a private key again with each secret, which makes a
// handshake twice as dear; this one keeps the keys it computes with.
type keyPairs struct{ static, ephemeral *ecdh.PrivateKey }

// GenerateKeypair makes the handshake's ephemeral key. The keys are drawn from
// the system, never from a reader of the caller's.
func (k *keyPairs) GenerateKeypair(io.Reader) (noise.DHKey, error) {
	var err error
	k.ephemeral, err = ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return noise.DHKey{}, err
	}
	return pair(k.ephemeral), nil
}

// DH fails if the other key is of low order.
func (k *keyPairs) DH(private, public []byte) ([]byte, error) {
	key := k.static
	if k.ephemeral != nil && subtle.ConstantTimeCompare(private, k.ephemeral.Bytes()) == 1 {
		key = k.ephemeral
	}
	theirs, err := ecdh.X25519().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	return key.ECDH(theirs)
}

func (*keyPairs) DHLen() int     { return 32 }
func (*keyPairs) DHName() string { return noise.DH25519.DHName() }

// pair is a key as the library wants it.
func pair(k *ecdh.PrivateKey) noise.DHKey {
	return noise.DHKey{Private: k.Bytes(), Public: k.PublicKey().Bytes()}
}

// handshake begins one side of a handshake.
func (t *Table) handshake(initiator bool) (*noise.HandshakeState, error) {
	return noise.NewHandshakeState(noise.Config{
		CipherSuite: noise.NewCipherSuite(&keyPairs{static: t.static}, noise.CipherChaChaPoly, noise.HashSHA256),
		Random:      rand.Reader, Pattern: noise.HandshakeXX, Initiator: initiator,
		Prologue: append([]byte("voxelpopuli datagrams 1\x00"), t.cfg.World[:]...), StaticKeypair: pair(t.static),
	})
}
