package session

import (
	"crypto/aes"
	"crypto/cipher"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
)

// BenchmarkCiphers is what decision 12 weighs: sealing and opening a call of 64
// bytes and its answer of 1100, and what a session's cipher takes in memory.
func BenchmarkCiphers(b *testing.B) {
	key := make([]byte, 32)
	var sink cipher.AEAD
	for _, c := range []struct {
		name string
		make func() cipher.AEAD
	}{
		{"ChaChaPoly", func() cipher.AEAD { a, _ := chacha20poly1305.New(key); return a }},
		{"AESGCM", func() cipher.AEAD {
			block, _ := aes.NewCipher(key)
			a, _ := cipher.NewGCM(block)
			return a
		}},
	} {
		b.Run(c.name+"/make", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = c.make()
			}
		})
		b.Run(c.name+"/rpc", func(b *testing.B) {
			a, nonce, out := c.make(), make([]byte, 12), make([]byte, 0, MaxPacket)
			for b.Loop() {
				for _, n := range []int{64, 1100} {
					sealed := a.Seal(out, nonce, make([]byte, n), nil)
					if _, err := a.Open(sealed[:0], nonce, sealed, nil); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
	_ = sink
}
