package transport

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// identity is the node's key as TLS wants it. The certificates are not worth
// anything themselves: TLS 1.3 proves that the other end holds their key, and
// the key is the id.
type identity struct{ server, client *tls.Config }

var errKey = errors.New("the other end shows no Ed25519 key")

func newIdentity(key ed25519.PrivateKey) (identity, error) {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Unix(0, 0), // clocks may be wrong: nobody looks at it
		NotAfter:     time.Unix(1<<33, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return identity{}, fmt.Errorf("making the certificate of the node's key: %w", err)
	}
	c := &tls.Config{
		Certificates:           []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		MinVersion:             tls.VersionTLS13,
		NextProtos:             offered()[:1],
		SessionTicketsDisabled: true, // each link proves its ends anew
		ClientAuth:             tls.RequireAnyClientCert,
		InsecureSkipVerify:     true, // VerifyConnection does it
		VerifyConnection: func(s tls.ConnectionState) error {
			_, err := keyOf(s)
			return err
		},
	}
	i := identity{server: c, client: c.Clone()}
	i.client.NextProtos = offered()
	c.GetConfigForClient = i.answering
	return i, nil
}

// dialing is the configuration for a link to a node with that id; the zero id
// is anyone.
func (i identity) dialing(who id.ID) *tls.Config {
	c := i.client.Clone()
	c.VerifyConnection = func(s tls.ConnectionState) error {
		pub, err := keyOf(s)
		if err != nil {
			return err
		}
		if got := id.Of(pub); !who.IsZero() && got != who {
			return wrongID{want: who, got: got}
		}
		return nil
	}
	return c
}

// wrongID: somebody else is at that address.
type wrongID struct{ want, got id.ID }

func (w wrongID) Error() string {
	return fmt.Sprintf("node %s is there, not %s", w.got.Short(), w.want.Short())
}

// keyOf is the key that the other end has proven to hold.
func keyOf(s tls.ConnectionState) (ed25519.PublicKey, error) {
	if len(s.PeerCertificates) != 1 {
		return nil, errKey
	}
	pub, ok := s.PeerCertificates[0].PublicKey.(ed25519.PublicKey)
	if !ok || len(pub) != ed25519.PublicKeySize {
		return nil, errKey
	}
	return pub, nil
}

// resetKey lets a node that has been restarted tell others that it knows
// nothing of their links: it must be the same as before.
func resetKey(key ed25519.PrivateKey) *quic.StatelessResetKey {
	k := quic.StatelessResetKey(sha256.Sum256(append([]byte("voxelpopuli stateless reset\x00"), key.Seed()...)))
	return &k
}
