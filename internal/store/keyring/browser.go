package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// BrowserFile has the certificate that browsers find at this machine's node, and its
// private key. Links to the node name its fingerprint.
const BrowserFile = "browser.pem"

// BrowserCertificate returns the content of BrowserFile; create makes it if there is
// none.
func (r *Ring) BrowserCertificate(create func() ([]byte, error)) ([]byte, error) {
	name := filepath.Join(r.dir, BrowserFile)
	b, err := readPrivate(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	if b, err = create(); err != nil {
		return nil, err
	}
	if err := files.WriteNew(name, b, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("the certificate for browsers: %w", err)
	}
	return readPrivate(name) // another process may have been first
}
