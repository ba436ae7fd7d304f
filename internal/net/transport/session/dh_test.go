package session

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"math/big"
	"slices"
	"testing"

	"github.com/flynn/noise"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// theLibrarys is one side of a handshake as the Noise library computes it by
// itself.
func theLibrarys(t *testing.T, static noise.DHKey, initiator bool) *noise.HandshakeState {
	t.Helper()
	n, err := noise.NewHandshakeState(noise.Config{
		CipherSuite: noise.NewCipherSuite(noise.DH25519, noise.CipherChaChaPoly, noise.HashSHA256),
		Random:      rand.Reader, Pattern: noise.HandshakeXX, Initiator: initiator,
		Prologue: prologue(id.ID{}), StaticKeypair: static,
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// shake runs a handshake in which the n-th message bears payload n.
func shake(from, to *noise.HandshakeState, payload [3][]byte) (heard [3][]byte, out, in *noise.CipherState, err error) {
	for i := range payload {
		m, c1, _, err := from.WriteMessage(nil, payload[i])
		if err != nil {
			return heard, nil, nil, err
		}
		said, c2, _, err := to.ReadMessage(nil, m)
		if err != nil {
			return heard, nil, nil, err
		}
		heard[i], out, in = said, c1, c2
		from, to = to, from
	}
	return heard, out, in, nil
}

// TestDHIsNoise: our Diffie-Hellman is the protocol's: a handshake between it
// and the library's own ends with the same keys, whoever begins, and each end
// learns the other's node key turned into one for handshakes.
func TestDHIsNoise(t *testing.T) {
	for _, ours := range []bool{true, false} {
		static, err := staticOf(key(1))
		if err != nil {
			t.Fatal(err)
		}
		a, err := (&Table{core: core{static: static}}).handshake(ours)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := noise.DH25519.GenerateKeypair(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		b := theLibrarys(t, theirs, !ours)
		from, to := a, b
		if !ours {
			from, to = b, a
		}
		said := [3][]byte{{1}, {2}, {3}}
		heard, out, in, err := shake(from, to, said)
		if err != nil {
			t.Fatal(err)
		}
		for i := range said {
			if !bytes.Equal(said[i], heard[i]) {
				t.Errorf("message %d: %x", i, heard[i])
			}
		}
		if k, l := out.UnsafeKey(), in.UnsafeKey(); k != l {
			t.Errorf("ours begins: %v: the two ends have different keys", ours)
		}
		if !bytes.Equal(a.PeerStatic(), theirs.Public) || !bytes.Equal(b.PeerStatic(), static.Public) {
			t.Errorf("ours begins: %v: the ends do not know each other's keys", ours)
		}
	}
}

// lowOrder are the points that every multiple of eight makes nothing of (RFC
// 7748, 6.1), as X25519 writes them.
var lowOrder = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
	"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

// TestDHRefusesLowOrder: a point of low order would make a secret that everybody
// knows.
func TestDHRefusesLowOrder(t *testing.T) {
	mine, err := curve{}.GenerateKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, low := range lowOrder {
		p, err := hex.DecodeString(low)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := (curve{}).DH(mine.Private, p); err == nil {
			t.Errorf("a secret with %x: %x", p, s)
		}
		p[31] |= 0x80 // is not looked at
		if s, err := (curve{}).DH(mine.Private, p); err == nil {
			t.Errorf("a secret with %x: %x", p, s)
		}
	}
}

// TestStaticKey: the two halves of a node's key turned into one for handshakes
// belong together (RFC 7748, 4.1 and RFC 8032, 5.1.5), as another implementation
// of X25519 sees it.
func TestStaticKey(t *testing.T) {
	base := make([]byte, 32)
	base[0] = 9
	for n := range byte(64) {
		k, err := staticOf(key(n))
		if err != nil {
			t.Fatal(err)
		}
		public, err := noise.DH25519.DH(k.Private, base)
		if err != nil || !bytes.Equal(public, k.Public) {
			t.Fatalf("key %d: %x is the public half of another key than %x: %v", n, public, k.Public, err)
		}
	}
	// One that libsodium's tests turn (test/default/ed25519_convert.c): their
	// seed, and the public key they print.
	seed, _ := hex.DecodeString("421151a459faeade3d247115f94aedae42318124095afabe4d1451a559faedee")
	want, _ := hex.DecodeString("f1814f0e8ff1043d8a44d25babff3cedcae6c22c3edaa48f857ae70de2baae50")
	k, err := staticOf(ed25519.NewKeyFromSeed(seed))
	if err != nil || !bytes.Equal(k.Public, want) {
		t.Errorf("the public half of libsodium's key is %x, want %x: %v", k.Public, want, err)
	}
}

// TestMontgomeryRefuses: keys that anybody could speak for, or that could be
// written in two ways, are nobody's.
func TestMontgomeryRefuses(t *testing.T) {
	for what, text := range map[string]string{
		"order 1":                  "0100000000000000000000000000000000000000000000000000000000000000",
		"order 1, the sign set":    "0100000000000000000000000000000000000000000000000000000000000080",
		"order 1, not canonical":   "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"order 2":                  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"order 4":                  "0000000000000000000000000000000000000000000000000000000000000000",
		"order 4, not canonical":   "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"order 8":                  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"order 8, the other":       "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"not on the curve":         "0200000000000000000000000000000000000000000000000000000000000000",
		"3, written as p + 3":      "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"3, p + 3 and the sign":    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"all ones":                 "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"order 4, the sign is set": "0000000000000000000000000000000000000000000000000000000000000080",
	} {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := montgomery(b); err == nil {
			t.Errorf("%s: %s is taken as %x", what, text, u)
		}
	}
}

// FuzzMontgomery: whatever is taken as a key is written in the one way there is,
// and a secret with it is no constant.
func FuzzMontgomery(f *testing.F) {
	f.Add([]byte(key(1).Public().(ed25519.PublicKey)))
	f.Add(make([]byte, 32))
	f.Add(bytes.Repeat([]byte{0xff}, 32))
	mine, err := staticOf(key(2))
	if err != nil {
		f.Fatal(err)
	}
	prime := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != ed25519.PublicKeySize {
			return
		}
		u, err := montgomery(b)
		if err != nil {
			return
		}
		little := slices.Clone(b)
		little[31] &= 0x7f
		slices.Reverse(little)
		if y := new(big.Int).SetBytes(little); y.Cmp(prime) >= 0 {
			t.Fatalf("%x is taken as a key, but could be written with a smaller number", b)
		}
		if _, err := (curve{}).DH(mine.Private, u); err != nil {
			t.Fatalf("%x is a key, but %x is of low order", b, u)
		}
	})
}

// TestImpostor: who shows another node's key must hold it, whichever static key
// the handshake is made with.
func TestImpostor(t *testing.T) {
	victim := key(1).Public().(ed25519.PublicKey)
	said := append(slices.Clone(victim), 0, 0) // credentials without a proof
	turned, err := montgomery(victim)
	if err != nil {
		t.Fatal(err)
	}
	own, err := staticOf(key(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what   string
		static noise.DHKey
		broken bool // the handshake itself fails
	}{
		{"a key of its own", own, false},
		{"the victim's without its secret", noise.DHKey{Private: own.Private, Public: turned}, true},
	} {
		for _, begins := range []bool{true, false} {
			w := &Table{}
			if w.static, err = staticOf(key(2)); err != nil {
				t.Fatal(err)
			}
			mine, err := w.handshake(!begins)
			if err != nil {
				t.Fatal(err)
			}
			impostor := theLibrarys(t, c.static, begins)
			from, to, shown := impostor, mine, 2
			if !begins {
				from, to, shown = mine, impostor, 1
			}
			heard, _, _, err := shake(from, to, [3][]byte{nil, said, said})
			if c.broken {
				if err == nil {
					t.Errorf("%s, begins: %v: the handshake succeeds", c.what, begins)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if who, _, err := w.verify(heard[shown], mine.PeerStatic()); err == nil {
				t.Errorf("%s, begins: %v: is taken for %s", c.what, begins, who.Short())
			}
		}
	}
}
