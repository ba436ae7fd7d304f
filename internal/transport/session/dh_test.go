package session

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"testing"
	"time"

	"github.com/flynn/noise"
)

// TestDHIsNoise: our Diffie-Hellman is the protocol's: a handshake between it
// and the library's own ends with the same keys, whoever begins.
func TestDHIsNoise(t *testing.T) {
	for _, ours := range []bool{true, false} {
		static, err := ecdh.X25519().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		table := &Table{static: static}
		a, err := table.handshake(ours)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := noise.DH25519.GenerateKeypair(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		b, err := noise.NewHandshakeState(noise.Config{
			CipherSuite: noise.NewCipherSuite(noise.DH25519, noise.CipherChaChaPoly, noise.HashSHA256),
			Random:      rand.Reader, Pattern: noise.HandshakeXX, Initiator: !ours,
			Prologue: append([]byte("voxelpopuli datagrams 1\x00"), table.cfg.World[:]...), StaticKeypair: theirs,
		})
		if err != nil {
			t.Fatal(err)
		}
		from, to := a, b
		if !ours {
			from, to = b, a
		}
		var out, in *noise.CipherState
		for i := range 3 {
			m, c1, _, err := from.WriteMessage(nil, []byte{byte(i)})
			if err != nil {
				t.Fatal(err)
			}
			said, c2, _, err := to.ReadMessage(nil, m)
			if err != nil || !bytes.Equal(said, []byte{byte(i)}) {
				t.Fatalf("message %d: %x, %v", i, said, err)
			}
			out, in = c1, c2
			from, to = to, from
		}
		if k, l := out.UnsafeKey(), in.UnsafeKey(); k != l {
			t.Errorf("ours begins: %v: the two ends have different keys", ours)
		}
		if !bytes.Equal(a.PeerStatic(), theirs.Public) || !bytes.Equal(b.PeerStatic(), static.PublicKey().Bytes()) {
			t.Errorf("ours begins: %v: the ends do not know each other's keys", ours)
		}
	}
}

// TestDHRefusesLowOrder: a point of low order would make a secret that everybody
// knows.
func TestDHRefusesLowOrder(t *testing.T) {
	k := &keyPairs{spares: &spares{}}
	mine, err := k.GenerateKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, low := range [][]byte{make([]byte, 32), append([]byte{1}, make([]byte, 31)...)} {
		if s, err := k.DH(mine.Private, low); err == nil {
			t.Errorf("a secret with %x: %x", low, s)
		}
	}
}

// TestSpareKeys: keys are made beforehand, each is given away once, and whoever
// wants more than there are gets new ones.
func TestSpareKeys(t *testing.T) {
	s := &spares{timer: time.AfterFunc(time.Hour, func() {})} // refill is called here
	defer s.close()
	seen := map[string]bool{}
	take := func() {
		t.Helper()
		k, err := s.take()
		if err != nil {
			t.Fatal(err)
		}
		if b := string(k.Bytes()); seen[b] {
			t.Error("a key was given away twice")
		} else {
			seen[b] = true
		}
	}
	take()
	for range spareKeys + 3 {
		s.refill()
	}
	if len(s.keys) != spareKeys {
		t.Fatalf("%d keys are kept, want %d", len(s.keys), spareKeys)
	}
	for range 2 * spareKeys {
		take()
	}
	s.close()
	s.refill()
	if len(s.keys) != 0 {
		t.Error("keys are made after the end")
	}
	take()
}
