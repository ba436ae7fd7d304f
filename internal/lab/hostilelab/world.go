package hostilelab

import (
	"crypto/ed25519"
	"fmt"
	"path/filepath"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/truthlab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// hostileWorld is the world of an experiment with a hostile node: open, or with an
// authority that has issued a certificate to the hostile node as well.
type hostileWorld struct {
	config    host.Config          // of the honest node, which has the world
	authority *authority.Authority // nil: the world is open
}

// The storage of a verified world. It begins early and has short intervals, so that
// the hostile node speaks during many of them.
const (
	hostileStorageAfter = 10 * time.Second
	hostileStorageLMax  = 2 * time.Second
	hostileRegions      = 8
)

// foundHostile makes the world and the files of its honest node in a folder.
func foundHostile(dir string, seed uint64, verified bool) (*hostileWorld, error) {
	w := &hostileWorld{config: nodelab.LabConfig(filepath.Join(dir, "node"), nil)}
	if !verified {
		return w, nodelab.FoundLab(w.config.Data, seed)
	}
	var err error
	if w.authority, err = authority.Init(filepath.Join(dir, "authority"), truthlab.TruthZones, time.Now()); err != nil {
		return nil, err
	}
	folder, err := worldfs.OpenFolder(w.config.Data)
	if err != nil {
		return nil, err
	}
	if _, err := host.CreateWorld(folder, host.NewWorld{
		Name: nodelab.LabWorld, Seed: fmt.Sprint(seed), Mode: "creative", Genesis: w.authority.Genesis(),
		Storage: &host.Storage{After: hostileStorageAfter, LMax: hostileStorageLMax, Regions: hostileRegions},
	}); err != nil {
		return nil, err
	}
	w.config.Certificate, w.config.Revocations, err = w.certify(w.config.Data)
	return w, err
}

// certify writes what a node of a verified world proves its membership with into its
// folder, and returns the two files; none in an open world.
func (w *hostileWorld) certify(dir string) (certificate, revocations string, err error) {
	if w.authority == nil {
		return "", "", nil
	}
	ring, err := keyring.Open(dir)
	if err != nil {
		return "", "", err
	}
	key, err := ring.Node(0, nil)
	if err != nil {
		return "", "", err
	}
	c, err := w.authority.Issue(key.Public(), "", time.Now().Add(-time.Minute), time.Now().Add(hostileCertified))
	if err != nil {
		return "", "", err
	}
	list, err := w.authority.Revoke(time.Now())
	if err != nil {
		return "", "", err
	}
	certificate, revocations = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "revocations.pem")
	if err := files.Write(revocations, keyring.RevocationsText(list), 0o644); err != nil {
		return "", "", err
	}
	return certificate, revocations, files.Write(certificate, keyring.CertificateText(c), 0o644)
}

// hostileCertified is how long certificates are valid: longer than any run.
const hostileCertified = 24 * time.Hour

// admit returns what a node with a key proves its membership with; nil in an open
// world.
func (w *hostileWorld) admit(key ed25519.PrivateKey) ([]byte, error) {
	if w.authority == nil {
		return nil, nil
	}
	c, err := w.authority.Issue(key.Public().(ed25519.PublicKey), "", time.Now().Add(-time.Minute), time.Now().Add(hostileCertified))
	if err != nil {
		return nil, err
	}
	return c.Append(nil), nil
}

// close ends the authority.
func (w *hostileWorld) close() error {
	if w.authority == nil {
		return nil
	}
	return w.authority.Close()
}
