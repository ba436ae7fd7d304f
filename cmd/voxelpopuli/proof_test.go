package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// witnesses are nodes that the authority has admitted, and what they keep.
type witnesses struct {
	program
	record *genesis.Record
	ground *evidence.Ground
	issued int
}

// admit lets a node in.
func (w *witnesses) admit() (*identity.Certificate, ed25519.PrivateKey) {
	w.issued++
	seed := sha256.Sum256([]byte{byte(w.issued)})
	key := ed25519.NewKeyFromSeed(seed[:])
	file := filepath.Join(w.data, fmt.Sprint(w.issued))
	w.ok("authority", "issue", "castle", "--key", hex.EncodeToString(key.Public().(ed25519.PublicKey)), "--out", file)
	c, err := keyring.ReadCertificate(file)
	if err != nil {
		w.t.Fatal(err)
	}
	return c, key
}

// answer is what a node says of the world, in which one block was placed.
func (w *witnesses) answer(block byte, c *identity.Certificate, key ed25519.PrivateKey) *verifiedworld.Answer {
	rules := evidence.Rules(w.record)
	o, err := rules.DecodeObject([]byte{2, 0, 0, 2, 1, 7, block})
	if err != nil {
		w.t.Fatal(err)
	}
	shape := rules.World()
	area := overlay.Area{Circle: geom.Circle{C: geom.Point{X: shape.Side / 2, Y: shape.Side / 2}, R: shape.Side}}
	m := &messages.Result{
		Area: area, Seen: state.NewSnapshot(8, []*state.Object{o}, shape),
		Around: messages.NewAround(&overlay.Contact{ID: c.ID(), Pos: c.Pos}, nil, overlay.SpaceFor(4).Bounds()),
	}
	a := &verifiedworld.Answer{Certificate: c, Result: m.Seal(shape)}
	if err := w.ground.Sign(a, key); err != nil {
		w.t.Fatal(err)
	}
	return a
}

// TestRevokeByProof: the authority reads what a node has written down, and
// revokes who is guilty by it, and nobody else.
func TestRevokeByProof(t *testing.T) {
	w := &witnesses{program: program{t, t.TempDir()}}
	w.ok("authority", "init", "castle", "--zones", "4")
	w.ok("world", "new", "castle", "--authority", "castle", "--storage", "--truth-regions", "4")
	if out := w.ok("world", "info", "castle"); !strings.Contains(out, "4 regions a side") {
		t.Errorf("the world's storage is not shown: %s", out)
	}
	meta := read[[]worldfs.Meta](t, w.ok("world", "info", "castle", "--json"))[0]
	w.record = &genesis.Record{
		Name: meta.Name, Seed: meta.Seed, Epoch: 1, Spawn: meta.Spawn, Genesis: meta.Genesis,
		Truth: genesis.Truth{Begin: 1, LMax: time.Second, Regions: 4},
	}
	liar, liarKey := w.admit()
	w.record.Sign(liarKey)
	w.ground = evidence.NewGround(w.record)
	c := &verifiedworld.Contradiction{Of: 8, X: 2, Y: 2, Accused: w.answer(3, liar, liarKey)}
	var zones []int
	for len(c.Others) < 3 {
		cert, key := w.admit()
		if z := overlay.SpaceFor(4).Zone(cert.Pos); !slices.Contains(zones, z) {
			zones, c.Others = append(zones, z), append(c.Others, w.answer(1, cert, key))
		}
	}
	line, err := w.ground.Tampering(c, time.Now().UTC())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(w.data, "evidence.jsonl")
	write := func(b ...byte) {
		if err := os.WriteFile(file, append(b, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write([]byte(strings.Replace(string(line), `"update":8`, `"update":7`, 1))...)
	if code, _, errs := w.run("authority", "revoke", "castle", "--proof", file); code == 0 {
		t.Errorf("what proves nothing has revoked somebody: %s", errs)
	}
	if code, out, _ := w.run("evidence", "check", file); code == 0 || !strings.Contains(out, "Line 1 proves nothing") {
		t.Errorf("what proves nothing is a proof: %s", out)
	}
	write(line...)
	if out := w.ok("evidence", "check", file); !strings.Contains(out, liar.ID().String()) || !strings.Contains(out, w.record.World().String()) || !strings.Contains(out, "1 proof against 1 node") {
		t.Errorf("the proof is explained so: %s", out)
	}
	w.ok("evidence", "check", file, "--world", w.record.World().String())
	if code, _, _ := w.run("evidence", "check", file, "--world", liar.ID().String()); code == 0 {
		t.Error("what is about another world counts")
	}
	list := filepath.Join(w.data, "list")
	w.ok("authority", "revoke", "castle", "--proof", file, "--out", list)
	r, err := keyring.ReadRevocations(list)
	if err != nil || r.Version != 1 || len(r.Serials) != 1 || r.Serials[0] != liar.Serial {
		t.Fatalf("%+v, %v; want number %d revoked", r, err, liar.Serial)
	}
	if code, _, _ := w.run("authority", "revoke", "castle", "--proof", file); code == 0 {
		t.Error("who is revoked is revoked again")
	}
}
