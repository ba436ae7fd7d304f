package host_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/host"
	ident "github.com/voxelpopuli/voxelpopuli/internal/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// TestTruthOverSockets: four nodes, one of each zone, keep their world in the
// storage over real sockets: they ask each other, the signed answers are read
// and counted, and nobody is accused. What it does when players build and nodes
// tamper is tested in package node, where time does not pass.
func TestTruthOverSockets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute: the storage waits for l_max")
	}
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	genesis := ident.Genesis{Salt: [32]byte{1}, Authority: [32]byte(key.Public().(ed25519.PublicKey)), Zones: 4}
	settings := &host.Truth{Begin: time.Now().Add(20 * time.Second), LMax: 4 * time.Second, Regions: 4}
	var hosts []*host.Host
	for i := range 4 {
		cfg := config(t)
		cfg.Nodes, cfg.Truth = "127.0.0.1:0", settings
		if i == 0 {
			folder, err := worldfs.OpenFolder(cfg.Data)
			if err == nil {
				_, err = host.CreateWorld(folder, host.NewWorld{Name: host.DefaultWorld, Seed: cfg.Seed, Mode: cfg.Mode, Genesis: genesis})
			}
			if err != nil {
				t.Fatal(err)
			}
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
			World: genesis.World(), Key: [32]byte(own.Public()), Serial: uint64(i + 1), Pos: place,
			From: machine.Time(time.Now().Add(-time.Hour).UnixNano()),
		}
		c.Sign(key)
		cfg.Certificate = filepath.Join(cfg.Data, "certificate.pem")
		if err := os.WriteFile(cfg.Certificate, keyring.CertificateText(c), 0o644); err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, start(t, cfg))
	}
	voted := func() bool {
		for i, h := range hosts {
			s, err := h.Stats(context.Background())
			if err != nil || s.Truth == nil {
				t.Fatalf("node %d: %v, %+v", i, err, s.Truth)
			}
			if s.Truth.False > 0 {
				t.Fatalf("node %d accuses an honest one: %v", i, s.Truth.Accused)
			}
			if s.Truth.Of < 1 || s.Truth.Votes < 3 {
				return false
			}
		}
		return true
	}
	for end := settings.Begin.Add(2 * time.Minute); !voted(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("two minutes after the beginning not all nodes have voted")
		}
	}
}

// Settings that no storage can have are refused at the start.
func TestTruthSettings(t *testing.T) {
	good := host.Truth{Begin: time.Unix(1, 0), Regions: 8}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*host.Truth){
		"no beginning":     func(s *host.Truth) { s.Begin = time.Time{} },
		"an odd world":     func(s *host.Truth) { s.Regions = 7 },
		"a world too wide": func(s *host.Truth) { s.Regions = 2 * host.MaxTruthRegions },
		"endless messages": func(s *host.Truth) { s.LMax = time.Hour },
	} {
		s := good
		change(&s)
		cfg := config(t)
		cfg.Truth = &s
		if h, err := host.Start(cfg); !errors.Is(err, host.ErrUsage) {
			t.Errorf("%s: %v", name, err)
			if err == nil {
				stop(t, h)
			}
		}
	}
}
