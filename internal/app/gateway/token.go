package gateway

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// A token is what it grants and when it ends, encrypted and authenticated with a key
// of this process. Nothing is remembered of it before it is used, so that no number
// of tokens fills anything. It is encrypted because it stands in an address, which
// proxies write into their logs, and a guest's code is a secret.
const (
	tokenLife = time.Minute
	tokenHead = 8 + 1 // when it ends, whether it is local
	// maxGuestCode bounds the codes that go with tokens; invitations are shorter.
	maxGuestCode = 1 << 10
	nonceSize    = 12
	// maxToken bounds an encoded token: nonce and tag are 28 bytes.
	maxToken = (tokenHead + maxGuestCode + 28 + 2) / 3 * 4
)

// grant is what a token is good for.
type grant struct {
	local bool
	nonce string // of the token
	code  string // that Config.Guest knows; empty: none
}

// newTokens makes the cipher of tokens, with a key of its own.
func newTokens() cipher.AEAD {
	var key [32]byte
	rand.Read(key[:])
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	a, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the right block size
	}
	return a
}

func (d *admission) mint(g grant) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(d.now().Add(tokenLife).UnixNano()))
	if g.local {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	return base64.RawURLEncoding.EncodeToString(d.tokens.Seal(nil, nil, append(b, g.code...), nil))
}

// open reads a token that has not ended.
func (d *admission) open(token string) (grant, bool) {
	if len(token) > maxToken {
		return grant{}, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return grant{}, false
	}
	b, err := d.tokens.Open(nil, nil, sealed, nil)
	if err != nil || len(b) < tokenHead || d.now().UnixNano() > int64(binary.BigEndian.Uint64(b)) {
		return grant{}, false
	}
	return grant{local: b[8] == 1, nonce: string(sealed[:nonceSize]), code: string(b[tokenHead:])}, true
}
