package client

import (
	"encoding/hex"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

func TestProof(t *testing.T) {
	a, err := NewIdentity("A")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := NewIdentity("B")
	c := &wire.Challenge{Nonce: [32]byte{1}}
	p := a.Prove(c)
	if !Verify([32]byte(a.Public()), c, p) {
		t.Error("a good proof is refused")
	}
	if Verify([32]byte(b.Public()), c, p) {
		t.Error("it proves another's key")
	}
	c.World[3]++
	if Verify([32]byte(a.Public()), c, p) {
		t.Error("it is good in another world")
	}
}

// With a key of small order a signature of zeros is right for one challenge in
// four, or in one.
func TestKeysOfSmallOrderProveNothing(t *testing.T) {
	for _, s := range []string{ // of order 4, 1, 8, 8 and 2
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	} {
		b, err := hex.DecodeString(s)
		if err != nil || len(b) != 32 {
			t.Fatalf("%s: %v", s, err)
		}
		for sign := range byte(2) {
			key := [32]byte(b)
			key[31] |= sign << 7
			for n := range byte(64) {
				c := &wire.Challenge{Nonce: [32]byte{n}}
				for _, r := range [][64]byte{{}, {1}} {
					if Verify(key, c, &wire.Proof{Signature: r}) {
						t.Fatalf("key %x signs", key)
					}
				}
			}
		}
	}
}
