package host

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
)

// revoking revokes the certificates of nodes against which this one has a proof, with the
// key of the world's authority, where the person who runs the node has allowed that
// (Config.Authority).
type revoking struct {
	dir  string // the authority's folder
	give func(*identity.Revocations) error
	log  *slog.Logger
}

// openAuthority looks whether the authority is the world's.
func (h *Host) openAuthority(world id.ID) error {
	if h.cfg.Authority == "" {
		return nil
	}
	dir := authority.Folder(h.cfg.Data, h.cfg.Authority)
	a, err := authority.Open(dir)
	if err != nil {
		return err
	}
	if a.World() != world {
		err = fmt.Errorf("%w: the authority %q is not that of the world %s: start without --authority", ErrUsage, h.cfg.Authority, h.world.Name)
	}
	h.revoking = &revoking{dir: dir, give: h.Revoke, log: h.cfg.Log}
	return errors.Join(err, a.Close())
}

// proven revokes all certificates of a node; one that has none, or whose certificates are
// revoked already, changes nothing.
func (r *revoking) proven(who id.ID) {
	list, err := r.revoke(who)
	if err == nil && list != nil {
		err = r.give(list)
	}
	switch {
	case err != nil:
		r.log.Warn("A node is guilty by a proof, and its certificate could not be revoked. Do it by \"voxelpopuli authority revoke\".", "node", who, "error", err)
	case list != nil:
		r.log.Warn("A node is guilty by a proof: its certificate is revoked.", "node", who, "revocations", list.Version)
	}
}

func (r *revoking) revoke(who id.ID) (*identity.Revocations, error) {
	a, err := authority.Open(r.dir)
	if err != nil {
		return nil, err
	}
	var list *identity.Revocations
	if serials := a.ValidOf(who); len(serials) > 0 {
		list, err = a.Revoke(time.Now(), serials...)
	}
	return list, errors.Join(err, a.Close())
}

// current gives the node the list that is in force.
func (r *revoking) current() error {
	a, err := authority.Open(r.dir)
	if err != nil {
		return err
	}
	list, err := a.Revocations()
	if err = errors.Join(err, a.Close()); err != nil || list.Version == 0 {
		return err
	}
	return r.give(list)
}
