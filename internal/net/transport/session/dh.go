package session

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"errors"
	"io"

	"filippo.io/edwards25519"
	"github.com/cloudflare/circl/dh/x25519"
	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// curve is X25519 as the Noise library wants it. The library's own takes longer,
// half as long again for a secret, four times as long for a key (decision 25).
type curve struct{}

var errLowOrder = errors.New("the other end's key is of low order")

// GenerateKeypair makes a handshake's ephemeral key. It is drawn from the
// system, never from a reader of the caller's. A multiple of the base point is
// computed fastest in the curve's Edwards form, where there are tables for it.
func (curve) GenerateKeypair(io.Reader) (noise.DHKey, error) {
	private := make([]byte, x25519.Size)
	rand.Read(private)
	s, err := edwards25519.NewScalar().SetBytesWithClamping(private)
	if err != nil {
		return noise.DHKey{}, err
	}
	public := new(edwards25519.Point).ScalarBaseMult(s).BytesMontgomery()
	return noise.DHKey{Private: private, Public: public}, nil
}

// DH fails if the other key is of low order.
func (curve) DH(private, public []byte) ([]byte, error) {
	mine, theirs, shared := x25519.Key(private), x25519.Key(public), new(x25519.Key)
	if !x25519.Shared(shared, &mine, &theirs) {
		return nil, errLowOrder
	}
	return shared[:], nil
}

func (curve) DHLen() int     { return x25519.Size }
func (curve) DHName() string { return noise.DH25519.DHName() }

var suite = noise.NewCipherSuite(curve{}, noise.CipherChaChaPoly, noise.HashSHA256)

// prologue binds a handshake to the protocol and the world.
func prologue(world id.ID) []byte {
	return append([]byte("voxelpopuli datagrams 2\x00"), world[:]...)
}

// handshake begins one side of a handshake.
func (co *core) handshake(initiator bool) (*noise.HandshakeState, error) {
	return noise.NewHandshakeState(noise.Config{
		CipherSuite: suite, Random: rand.Reader, Pattern: noise.HandshakeXX, Initiator: initiator,
		Prologue: prologue(co.cfg.World), StaticKeypair: co.static,
	})
}

// staticOf is a node's own key in the form that handshakes need: Ed25519's
// secret scalar (RFC 8032, 5.1.5; X25519 clamps it in the same way) and the
// public point on the Montgomery curve.
func staticOf(key ed25519.PrivateKey) (noise.DHKey, error) {
	public, err := montgomery(key.Public().(ed25519.PublicKey))
	if err != nil {
		return noise.DHKey{}, err
	}
	digest := sha512.Sum512(key.Seed())
	return noise.DHKey{Private: digest[:32], Public: public}, nil
}

var errPoint = errors.New("the node's key is no point that a key may be")

// montgomery is an Ed25519 key as one of X25519 (RFC 7748, 4.1: u = (1+y)/(1-y)).
// A key that is not written as it should be, is not on the curve, or is of low
// order, so that anybody could speak for it, is refused. Keys that differ in
// their sign or by a point of low order belong to one secret: who holds it may
// use each of them, as for signatures.
func montgomery(key ed25519.PublicKey) ([]byte, error) {
	p, err := new(edwards25519.Point).SetBytes(key)
	if err != nil || !canonical(key) {
		return nil, errPoint
	}
	if new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return nil, errPoint
	}
	return p.BytesMontgomery(), nil
}

// canonical reports whether y is less than 2²⁵⁵-19. Of the x that could be
// written in two ways, zero, both points are of low order.
func canonical(key ed25519.PublicKey) bool {
	if key[0] < 0xed || key[31]&0x7f != 0x7f {
		return true
	}
	for _, b := range key[1:31] {
		if b != 0xff {
			return true
		}
	}
	return false
}
