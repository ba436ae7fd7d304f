package session

import (
	"crypto/ecdh"
	"crypto/rand"
	"crypto/subtle"
	"io"
	"sync"
	"time"

	"github.com/flynn/noise"
)

// keyPairs does the Diffie-Hellman of one handshake. The library's own computes
// the public half of a private key again with each secret, which makes a
// handshake twice as dear; this one keeps the keys it computes with.
type keyPairs struct {
	static, ephemeral *ecdh.PrivateKey
	spares            *spares
}

// GenerateKeypair makes the handshake's ephemeral key. The keys are drawn from
// the system, never from a reader of the caller's.
func (k *keyPairs) GenerateKeypair(io.Reader) (noise.DHKey, error) {
	var err error
	k.ephemeral, err = k.spares.take()
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
		CipherSuite: noise.NewCipherSuite(&keyPairs{static: t.static, spares: &t.spares}, noise.CipherChaChaPoly, noise.HashSHA256),
		Random:      rand.Reader, Pattern: noise.HandshakeXX, Initiator: initiator,
		Prologue: append([]byte("voxelpopuli datagrams 1\x00"), t.cfg.World[:]...), StaticKeypair: pair(t.static),
	})
}

// Ephemeral keys are made beforehand, while nothing else is to be computed: a
// lookup in a network of strangers begins twenty handshakes within milliseconds.
const (
	spareKeys  = 24
	spareAfter = 20 * time.Millisecond // since the last one was taken
)

// spares are keys that nobody has used yet.
type spares struct {
	mu    sync.Mutex
	keys  []*ecdh.PrivateKey
	timer *time.Timer
	over  bool
}

// take returns a new key, made beforehand or now.
func (s *spares) take() (*ecdh.PrivateKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.soon()
	if n := len(s.keys); n > 0 {
		k := s.keys[n-1]
		s.keys[n-1] = nil
		s.keys = s.keys[:n-1]
		return k, nil
	}
	return ecdh.X25519().GenerateKey(rand.Reader)
}

// soon lets new ones be made once it is quiet. s is locked.
func (s *spares) soon() {
	switch {
	case s.over:
	case s.timer == nil:
		s.timer = time.AfterFunc(spareAfter, s.refill)
	default:
		s.timer.Reset(spareAfter)
	}
}

// refill makes one key, and sees to it that the next is made.
func (s *spares) refill() {
	k, err := ecdh.X25519().GenerateKey(rand.Reader)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.over || len(s.keys) >= spareKeys {
		return
	}
	if s.keys = append(s.keys, k); len(s.keys) < spareKeys {
		s.timer.Reset(time.Millisecond)
	}
}

// close forgets them.
func (s *spares) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over, s.keys = true, nil
	if s.timer != nil {
		s.timer.Stop()
	}
}
