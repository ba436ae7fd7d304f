package identity

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
)

// CheckKey refuses what is no public key, and points of an order of at most 8:
// nobody has made them, and anybody can sign for them with some luck.
func CheckKey(pub ed25519.PublicKey) error {
	if len(pub) != ed25519.PublicKeySize {
		return fmt.Errorf("%w: %d bytes instead of %d", ErrKey, len(pub), ed25519.PublicKeySize)
	}
	key := [32]byte(pub)
	key[31] &= 0x7f
	if smallOrders[key] {
		return fmt.Errorf("%w: %x is a point of small order", ErrKey, []byte(pub))
	}
	return nil
}

// smallOrders are the encodings of libsodium's ge25519_has_small_order, without
// the sign.
var smallOrders = func() map[[32]byte]bool {
	m := map[[32]byte]bool{}
	for _, s := range []string{
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	} {
		b, err := hex.DecodeString(s)
		if err != nil {
			panic(err)
		}
		m[[32]byte(b)] = true
	}
	return m
}()
