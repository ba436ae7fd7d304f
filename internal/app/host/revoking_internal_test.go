package host

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// TestRevokedByProof: a node that may use the authority's key revokes whom it has a proof
// against, once, with all of that node's certificates, and nobody else. It begins with the
// list that is in force.
func TestRevokedByProof(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "castle")
	a, err := authority.Init(dir, 4, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var keys [2]ed25519.PublicKey
	for i := range keys {
		private, err := identity.Solve(rand.Reader, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = private.Public().(ed25519.PublicKey)
		for range 2 - i {
			if _, err := a.Issue(keys[i], "", time.Now(), time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	}
	world := a.World()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	given := make(chan *identity.Revocations, 1)
	r := &revoking{dir: dir, log: slog.New(slog.DiscardHandler), give: func(l *identity.Revocations) error { given <- l; return nil }}
	if err := r.current(); err != nil || len(given) > 0 {
		t.Fatalf("%v, %d lists, and nothing is revoked", err, len(given))
	}
	p := &peers{record: &genesis.Record{}}
	p.ground = evidence.NewGround(p.record)
	k := newEvidenceKeeper(t.TempDir(), p, func() machine.Time { return 1 }, r.log)
	k.proven = r.proven
	stop := make(chan struct{})
	defer close(stop)
	go k.run(stop)
	accuse := func(key ed25519.PublicKey) {
		c := &regionlog.Checkpoint{World: world, Key: [32]byte(key)}
		k.take(regionlog.Evidence(&regionlog.Proof{From: c, To: c}))
	}
	accuse(keys[0])
	if l := <-given; l.Version != 1 || len(l.Serials) != 2 || l.Serials[0] != 1 || l.Serials[1] != 2 {
		t.Errorf("revoked: %+v", l)
	}
	accuse(keys[0])
	accuse(make(ed25519.PublicKey, 32)) // nobody has admitted that one
	accuse(keys[1])
	if l := <-given; l.Version != 2 || len(l.Serials) != 3 {
		t.Errorf("revoked then: %+v", l)
	}
	if err := r.current(); err != nil {
		t.Fatal(err)
	}
	if l := <-given; l.Version != 2 {
		t.Errorf("in force: %+v", l)
	}
}

// TestAuthorityOfAnotherWorld: a node does not start with an authority that cannot revoke
// anybody here.
func TestAuthorityOfAnotherWorld(t *testing.T) {
	h := &Host{cfg: Config{Data: t.TempDir(), Authority: "castle"}, world: &worldfs.World{}}
	if err := h.openAuthority(id.ID{1}); !errors.Is(err, authority.ErrNone) {
		t.Errorf("without an authority: %v", err)
	}
	a, err := authority.Init(authority.Folder(h.cfg.Data, "castle"), 4, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	world := a.World()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.openAuthority(id.ID{1}); !errors.Is(err, ErrUsage) {
		t.Errorf("with another world's: %v", err)
	}
	if err := h.openAuthority(world); err != nil || h.revoking == nil {
		t.Errorf("with the world's: %v", err)
	}
}
