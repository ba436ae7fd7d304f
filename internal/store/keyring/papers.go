package keyring

import (
	"encoding/pem"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
)

// Papers are what an authority gives out, as files: PEM blocks that can be
// mailed and pasted. They are no secrets.
const (
	pemCertificate = "VOXEL POPULI CERTIFICATE"
	pemRevocations = "VOXEL POPULI REVOCATIONS"
)

// CertificateText is the file of a certificate.
func CertificateText(c *identity.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: pemCertificate, Bytes: c.Append(nil)})
}

// ReadCertificate reads a certificate. It is not verified (identity.Gate.Check).
func ReadCertificate(file string) (*identity.Certificate, error) {
	b, err := readPaper(file, pemCertificate)
	if err != nil {
		return nil, err
	}
	c, err := identity.DecodeCertificate(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", file, ErrPaper, err)
	}
	return c, nil
}

// RevocationsText is the file of a list of revocations.
func RevocationsText(r *identity.Revocations) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: pemRevocations, Bytes: r.Append(nil)})
}

// ReadRevocations reads a list of revocations. It is not verified
// (identity.Gate.Renew).
func ReadRevocations(file string) (*identity.Revocations, error) {
	b, err := readPaper(file, pemRevocations)
	if err != nil {
		return nil, err
	}
	r, err := identity.DecodeRevocations(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", file, ErrPaper, err)
	}
	return r, nil
}

func readPaper(file, kind string) ([]byte, error) {
	b, err := readSmall(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(b)
	if block == nil || block.Type != kind {
		return nil, fmt.Errorf("%s: %w: want one that begins with -----BEGIN %s-----", file, ErrPaper, kind)
	}
	return block.Bytes, nil
}
