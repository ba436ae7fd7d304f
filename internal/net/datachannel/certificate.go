package datachannel

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// Fingerprint is the SHA-256 of a certificate: what a browser verifies a node by.
type Fingerprint [sha256.Size]byte

// String is the fingerprint as it stands in links: base64 for URLs, 43 characters.
func (f Fingerprint) String() string { return base64.RawURLEncoding.EncodeToString(f[:]) }

// Name is how a browser's checks name the node, so that another one knows for whom
// they are: the first 16 characters, as ICE characters.
func (f Fingerprint) Name() string { return base64.RawStdEncoding.EncodeToString(f[:])[:nameSize] }

// Audience is what a player signs as the address that was dialled. It names the
// certificate and not the address: a signature is of no use to a node with another.
func (f Fingerprint) Audience() string { return "webrtc:" + f.String() }

// Certificate is a node's certificate for browsers.
type Certificate struct {
	tls  tls.Certificate
	text []byte
}

// NewCertificate makes a key and a certificate that it signs itself. No date of it is
// checked by anybody.
func NewCertificate() (*Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("certificate for browsers: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Unix(0, 0).UTC(),
		NotAfter:     time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC), // RFC 5280: none
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("certificate for browsers: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("certificate for browsers: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return ParseCertificate(append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...))
}

// ParseCertificate reads what Text wrote.
func ParseCertificate(text []byte) (*Certificate, error) {
	c, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, fmt.Errorf("certificate for browsers: %w", err)
	}
	if _, ok := c.PrivateKey.(*ecdsa.PrivateKey); !ok || len(c.Certificate) != 1 {
		return nil, errors.New("certificate for browsers: it is none of ours")
	}
	return &Certificate{tls: c, text: text}, nil
}

// Text is the certificate and its key as PEM: a secret.
func (c *Certificate) Text() []byte { return c.text }

// Fingerprint is that of the certificate.
func (c *Certificate) Fingerprint() Fingerprint { return sha256.Sum256(c.tls.Certificate[0]) }
