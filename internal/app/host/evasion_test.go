package host_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// linkedTo reports whether a node has a link to another, and which list of revocations
// is in force there.
func linkedTo(t *testing.T, h *host.Host, other id.ID) (linked bool, revoked uint64) {
	t.Helper()
	s, err := h.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Place != nil {
		revoked = s.Place.Revoked
	}
	return slices.ContainsFunc(s.Linked, func(p machine.Peer) bool { return p.ID == other }), revoked
}

// TestHostileRevocationEvasion: a node is revoked in a verified world and comes back: at
// another address, without the list on its disk, with the old certificate and with one
// that it got before. It joins nobody, and a newcomer that meets it before it has the
// list drops it when the list arrives.
func TestHostileRevocationEvasion(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := newVerifiedCluster(t, 2)
	ring, err := keyring.Open(c.configs[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	old, err := ring.Get(keyring.Node, "")
	if err != nil {
		t.Fatal(err)
	}
	evil := c.certs[1].ID()
	until(t, "the nodes to have a link", func() bool { l, _ := linkedTo(t, c.hosts[0], evil); return l })
	second, err := c.authority.Issue(old.Public(), "", time.Now(), time.Now().Add(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.authority.Revoke(time.Now(), second.Serial)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.configs[0].Revocations, keyring.RevocationsText(list), 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "the node to be cut off", func() bool {
		l, version := linkedTo(t, c.hosts[0], evil)
		return !l && version == list.Version
	})
	was := c.hosts[1].NodeAddr()
	stop(t, c.hosts[1])

	for what, cert := range map[string][]byte{"the first certificate": keyring.CertificateText(c.certs[1]), "the second": keyring.CertificateText(second)} {
		again := c.configs[1]
		again.Data, again.Revocations = t.TempDir(), "" // it forgets the list
		ring, err := keyring.Open(again.Data)
		if err == nil {
			_, err = ring.Import([]keyring.Key{old}, false)
		}
		again.Certificate = again.Data + "/certificate.pem"
		if err == nil {
			err = os.WriteFile(again.Certificate, cert, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		evader := start(t, again)
		if evader.NodeAddr() == was {
			t.Errorf("%s: it has its old address", what)
		}
		// The newcomer asks both what world this is, and knows no list yet.
		c.hosts, c.certs, c.gone = append(c.hosts, evader), append(c.certs, second), append(c.gone, true)
		c.configs, c.keys = append(c.configs, again), append(c.keys, old.Private)
		c.add()
		newcomer, honest := c.hosts[len(c.hosts)-1], c.certs[0].ID()
		until(t, what+": the newcomer to have the list and the honest node alone", func() bool {
			good, version := linkedTo(t, newcomer, honest)
			bad, _ := linkedTo(t, newcomer, evil)
			return good && !bad && version == list.Version
		})
		for i, h := range []*host.Host{c.hosts[0], newcomer} {
			if l, _ := linkedTo(t, h, evil); l {
				t.Errorf("%s: node %d has a link to the one that is revoked", what, i)
			}
		}
		stop(t, evader)
		stop(t, newcomer)
		c.hosts = c.hosts[:2]
		c.certs, c.gone, c.configs, c.keys = c.certs[:2], c.gone[:2], c.configs[:2], c.keys[:2]
	}
}
