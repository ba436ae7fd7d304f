package host

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// admit reads the node's certificate and makes the door of the world.
func (s *sharer) admit(p *peers) error {
	gate, err := identity.NewGate(p.record.Genesis)
	if err != nil {
		return err
	}
	p.verifier = keyring.NewVerifier(gate, s.now)
	switch {
	case s.cfg.Certificate != "":
		p.certificate, err = keyring.ReadCertificate(s.cfg.Certificate)
		if errors.Is(err, fs.ErrNotExist) {
			return &explained{keyring.ErrPaper, fmt.Sprintf("there is no certificate at %s: ask the authority for one (authority issue)", s.cfg.Certificate)}
		} else if err != nil {
			return err
		}
		if p.record.Genesis.Verified() {
			if err := gate.Check(p.id(), p.certificate, s.now()); err != nil {
				return fmt.Errorf("the certificate in %s does not let this node into this world: %w", s.cfg.Certificate, err)
			}
		}
		p.proof = p.certificate.Append(nil)
	case p.record.Genesis.Verified():
		s.cfg.Log.Warn("This world has an authority and this node has no certificate of it: other nodes will not let it in.",
			"key", hex.EncodeToString(p.public()))
	}
	if s.cfg.Revocations != "" {
		return s.checkRevocations(gate)
	}
	return nil
}

// checkRevocations refuses to start with a list that is missing, damaged or not the
// world's, or in a world without an authority: its owner believes that the nodes on it are shut out. The node takes the list
// once it runs (papers).
func (s *sharer) checkRevocations(gate *identity.Gate) error {
	if !gate.Verified() {
		return &explained{keyring.ErrPaper, fmt.Sprintf("the world %s has no authority: the list in %s would shut nobody out. Remove nodes by voxelpopuli world hosts %s remove ID, or start without --revocations", s.world.Name, s.cfg.Revocations, s.world.Name)}
	}
	list, err := keyring.ReadRevocations(s.cfg.Revocations)
	if errors.Is(err, fs.ErrNotExist) {
		return &explained{keyring.ErrPaper, fmt.Sprintf("there is no list of revocations at %s: ask the authority for one (authority revoke NAME --out FILE, also while nothing is revoked), or start without --revocations", s.cfg.Revocations)}
	}
	if err == nil {
		_, err = gate.Renew(list)
	}
	if err != nil {
		return fmt.Errorf("the list of revocations in %s cannot be used. Ask the authority for a new one (authority revoke), or start without it: %w", s.cfg.Revocations, err)
	}
	return nil
}

// verified is what the node needs in a world with an authority; nil: it is open.
func (h *Host) verified() *verifiedworld.Config {
	p := h.peers
	if !p.record.Genesis.Verified() {
		return nil
	}
	world := p.record.World()
	return &verifiedworld.Config{
		Zones: int(p.record.Genesis.Zones), Verifier: p.verifier, Certificate: p.certificate,
		Sign:   func(v *overlay.NetworkView) { v.Sign(world, p.key) },
		Report: func(e overlay.Evidence) { h.evidence.take(e) }, Storage: h.storage(),
	}
}

// papersEvery is how often the files with the authority's papers are looked at.
const papersEvery = 2 * time.Second

// papers are files that decide who is admitted: the authority's, and the founder's list.
// The node is given what they say, and what it learns is written down.
type papers struct {
	cfg    *Config
	dir    string // the world's
	peers  *peers
	onLoop func(func() error) error
	node   func() *node.Node
	show   func(context.Context, []byte) error // to other nodes, as the proof of this one
	revoke func(*identity.Revocations) error
	stop   <-chan struct{}
}

// watch calls load with what the authority has issued, now and whenever the
// file is another one.
func (w *papers) watch(file string, load func() error) {
	tick := time.NewTicker(papersEvery)
	defer tick.Stop()
	var last os.FileInfo
	for {
		if info, err := os.Stat(file); err == nil && (last == nil || info.ModTime() != last.ModTime() || info.Size() != last.Size() || !os.SameFile(info, last)) {
			last = info
			if err := load(); err != nil {
				w.cfg.Log.Warn("A file that decides who is admitted was not taken.", "file", file, "error", err)
			}
		}
		select {
		case <-tick.C:
		case <-w.stop:
			return
		}
	}
}

func (w *papers) loadRevocations() error {
	list, err := keyring.ReadRevocations(w.cfg.Revocations)
	if err != nil {
		return err
	}
	return w.revoke(list)
}

// loadCertificate gives the node the certificate in its file, if that is a new
// one: other nodes are told, and those who meet the node see it.
func (w *papers) loadCertificate() error {
	c, err := keyring.ReadCertificate(w.cfg.Certificate)
	if err != nil {
		return err
	}
	ctx, cancel := runningUntil(w.stop)
	defer cancel()
	if err := w.onLoop(func() error {
		if err := w.node().Reissue(c); err != nil {
			return err
		}
		w.peers.certificate = c
		return nil
	}); err != nil {
		return err
	}
	return w.show(ctx, c.Append(nil))
}

// Revoke gives the node a list of the authority's revocations, which it passes
// on to all others.
func (h *Host) Revoke(list *identity.Revocations) error {
	return h.onLoop(func() error { return h.node.Revoke(list) })
}
