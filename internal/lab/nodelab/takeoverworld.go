package nodelab

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// admission is how nodes are let into a world of an experiment; its zero value: anybody is.
type admission struct {
	hosting    string // one of hostings; empty: open
	authority  *authority.Authority
	invitation string // the founder's, that all others join by
}

// hostings are the worlds that are attacked: open to any node, by invitations, with
// certificates.
var hostings = []string{"open", "invited", "verified"}

const (
	certifiedFor   = 24 * time.Hour // longer than any run
	authorityZones = 4              // no storage runs: any number that an overlay has spaces for
)

// found makes the world in the first node's folder.
func (a *admission) found(dir, data string, seed uint64) (err error) {
	if a.hosting != "verified" {
		return FoundWorld(data, seed, cmp.Or(a.hosting, hostings[0]))
	}
	if a.authority, err = authority.Init(filepath.Join(dir, "authority"), authorityZones, time.Now()); err != nil {
		return err
	}
	folder, err := worldfs.OpenFolder(data)
	if err != nil {
		return err
	}
	_, err = host.CreateWorld(folder, host.NewWorld{Name: LabWorld, Seed: fmt.Sprint(seed), Mode: "creative", Genesis: a.authority.Genesis()})
	return err
}

// admit completes a node's first order with what lets it in; the first node is the founder's.
func (a *admission) admit(o *NodeOrder, first bool) error {
	switch a.hosting {
	case "invited":
		if o.Share = first; !first {
			o.Invitation = a.invitation
		}
	case "verified":
		return a.certify(o)
	}
	return nil
}

// certify writes what a member proves its membership with into its folder. Anybody gets a
// certificate here, for the key that it has chosen.
func (a *admission) certify(o *NodeOrder) error {
	ring, err := keyring.Open(o.Data)
	if err != nil {
		return err
	}
	key, err := ring.Node(0, nil)
	if err != nil {
		return err
	}
	c, err := a.authority.Issue(key.Public(), "", time.Now().Add(-time.Minute), time.Now().Add(certifiedFor))
	if err != nil {
		return err
	}
	list, err := a.authority.Revoke(time.Now())
	if err != nil {
		return err
	}
	o.Certificate, o.Revocations = filepath.Join(o.Data, "certificate.pem"), filepath.Join(o.Data, "revocations.pem")
	if err := files.Write(o.Revocations, keyring.RevocationsText(list), 0o644); err != nil {
		return err
	}
	return files.Write(o.Certificate, keyring.CertificateText(c), 0o644)
}

// close ends the authority.
func (a *admission) close() error {
	if a.authority == nil {
		return nil
	}
	return a.authority.Close()
}

// searchKeys tries keys and returns the n whose ids are nearest to a shard's key.
func searchKeys(world id.ID, p shards.Shard, n, tries int) ([]ed25519.PrivateKey, error) {
	target := shards.Key(world, p)
	found := map[id.ID]ed25519.PrivateKey{}
	var nearest []machine.Peer
	for range tries {
		key, err := identity.Solve(rand.Reader, labDifficulty, nil)
		if err != nil {
			return nil, err
		}
		who := id.Of(key.Public().(ed25519.PublicKey))
		found[who] = key
		nearest = append(nearest, machine.Peer{ID: who})
		kademlia.SortNearest(target, nearest)
		nearest = nearest[:min(n, len(nearest))]
	}
	var out []ed25519.PrivateKey
	for _, p := range nearest {
		out = append(out, found[p.ID])
	}
	return out, nil
}

// giveKey makes a folder for a node with a key.
func giveKey(dir string, key ed25519.PrivateKey) error {
	ring, err := keyring.Open(dir)
	if err != nil {
		return err
	}
	made := time.Now().UTC().Truncate(time.Second)
	return keyring.Write(filepath.Join(ring.Dir(), "node.key"), keyring.Key{Kind: keyring.Node, Made: made, Private: key})
}
