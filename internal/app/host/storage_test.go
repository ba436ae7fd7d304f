package host_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	ident "github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// TestTruthOverSockets: four nodes, one of each zone, keep their world in the
// storage over real sockets: they ask each other, the signed answers are read
// and counted, and nobody is accused. What it does when players build and nodes
// tamper is tested in package node, where time does not pass.
func TestTruthOverSockets(t *testing.T) {
	slowtest.Skip(t, "takes most of a minute: the storage waits for l_max")
	var hosts []*host.Host
	for after := 20 * time.Second; ; after *= 3 {
		var begins time.Time
		if hosts, begins = ofEachZone(t, after); time.Now().Before(begins) {
			break
		}
		for _, h := range hosts { // a world that has nobody when it begins is not known to anybody
			stop(t, h)
		}
	}
	voted := func() bool {
		for i, h := range hosts {
			s, err := h.Stats(context.Background())
			if err != nil || s.Storage == nil {
				t.Fatalf("node %d: %v, %+v", i, err, s.Storage)
			}
			if s.Storage.False > 0 {
				t.Fatalf("node %d accuses an honest one: %v", i, s.Storage.Accused)
			}
			if s.Storage.Of < 1 || s.Storage.Votes < 3 {
				return false
			}
		}
		return true
	}
	for end := time.Now().Add(8 * time.Minute); !voted(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			for i, h := range hosts {
				s, err := h.Stats(context.Background())
				t.Errorf("node %d: %+v, %v", i, s.Storage, err)
			}
			t.Fatal("after eight minutes not all nodes have voted")
		}
	}
}

// ofEachZone starts four nodes of a world whose storage begins after a time, and
// returns when that is.
func ofEachZone(t *testing.T, after time.Duration) (hosts []*host.Host, begins time.Time) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	world := ident.Genesis{Salt: [32]byte{1}, Authority: [32]byte(key.Public().(ed25519.PublicKey)), Zones: 4}
	settings := &host.Storage{After: after, LMax: 4 * time.Second, Regions: 4}
	for i := range 4 {
		cfg := config(t)
		cfg.Nodes = "127.0.0.1:0"
		if i == 0 {
			folder, err := worldfs.OpenFolder(cfg.Data)
			if err == nil {
				_, err = host.CreateWorld(folder, host.NewWorld{Name: host.DefaultWorld, Seed: cfg.Seed, Mode: cfg.Mode, Genesis: world, Storage: settings})
			}
			if err != nil {
				t.Fatal(err)
			}
			begins = time.Now().Add(after) // or later
		} else {
			cfg.Join = []string{hosts[0].NodeAddr().String()}
		}
		ring, err := keyring.Open(cfg.Data)
		if err != nil {
			t.Fatal(err)
		}
		own, err := ring.Node(0, nil)
		if err != nil {
			t.Fatal(err)
		}
		space := overlay.SpaceFor(4)
		place := space.SubArea(i).Min
		place.X, place.Y = place.X+space.SubSide()/2, place.Y+space.SubSide()/3+int32(i)
		c := &ident.Certificate{
			World: world.World(), Key: [32]byte(own.Public()), Serial: uint64(i + 1), Pos: place,
			From: machine.Time(time.Now().Add(-time.Hour).UnixNano()),
		}
		c.Sign(key)
		cfg.Certificate = filepath.Join(cfg.Data, "certificate.pem")
		if err := os.WriteFile(cfg.Certificate, keyring.CertificateText(c), 0o644); err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, start(t, cfg))
	}
	return hosts, begins
}

// Settings that no storage can have are refused when the world is made.
func TestTruthSettings(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	admitted := ident.Genesis{Authority: [32]byte(key.Public().(ed25519.PublicKey)), Zones: 4}
	make := func(s host.Storage, g ident.Genesis) error {
		folder, err := worldfs.OpenFolder(t.TempDir())
		if err == nil {
			_, err = host.CreateWorld(folder, host.NewWorld{Genesis: g, Storage: &s})
		}
		return err
	}
	good := host.Storage{Regions: 8}
	if err := make(good, admitted); err != nil {
		t.Error(err)
	}
	for _, regions := range []int32{2, 4, 12} {
		folder, err := worldfs.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range []string{"1", "2", "5", "granite"} {
			m, err := host.CreateWorld(folder, host.NewWorld{Name: "w" + seed, Seed: seed, Genesis: admitted, Storage: &host.Storage{Regions: regions}})
			if err != nil {
				t.Fatal(err)
			}
			if r, half := m.Spawn.Region(), regions/2; r.X < -half || r.Z < -half || r.X >= half || r.Z >= half {
				t.Errorf("seed %s: newcomers begin at %v, outside of a world of %d regions a side", seed, m.Spawn, regions)
			}
		}
	}
	if err := make(good, worldfs.OpenGenesis(1)); !errors.Is(err, host.ErrUsage) {
		t.Errorf("a world without an authority: %v", err)
	}
	for name, change := range map[string]func(*host.Storage){
		"it has begun":     func(s *host.Storage) { s.After = -time.Second },
		"an odd world":     func(s *host.Storage) { s.Regions = 7 },
		"a world too wide": func(s *host.Storage) { s.Regions = 2 * genesis.MaxRegions },
		"endless messages": func(s *host.Storage) { s.LMax = time.Hour },
	} {
		s := good
		change(&s)
		if err := make(s, admitted); !errors.Is(err, host.ErrUsage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
