package host

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/netip"
	"path/filepath"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// admitInvited readies who is admitted to the world: the founder's decisions, and
// the invitation that this node has.
func (s *sharer) admitInvited(p *peers) error {
	r, dir := p.record, s.world.Dir
	gate := invitation.NewGate(r.World(), r.Founder, r.Hosting == genesis.HostingInvited)
	p.access = keyring.NewAccess(gate, r.FounderID(), p.verifier, s.now)
	known, err := readNodes(dir)
	if err != nil {
		return err
	}
	p.access.Remember(known)
	if v, err := newInvites(dir, r, p.key); err == nil {
		p.invites = v
		if err := v.SetWhitelist(s.cfg.Whitelist); err != nil {
			return err
		}
		if s.cfg.Share && p.access.Invited() {
			m, err := v.Shared()
			if err != nil {
				return err
			}
			p.invitation = m.Invitation
		}
		return s.loadAccessAtStart(p)
	}
	if s.cfg.Whitelist {
		s.cfg.Log.Warn("The whitelist is for the founder of the world to set (--whitelist there) or for an operator (/whitelist on): here --whitelist has no effect.")
	}
	if err := s.loadAccessAtStart(p); err != nil || !p.access.Invited() {
		return err
	}
	if p.invitation, err = s.joinedBy(); err != nil {
		return err
	}
	if p.invitation == nil {
		s.cfg.Log.Warn("Only invited nodes may host this world, and this one has no invitation: other nodes will not let it in. Start it with --join INVITATION.")
		return nil
	}
	p.proof = p.invitation.AdmitNode(p.public())
	p.access.JoinedBy(id.Of(p.public()), p.invitation.ID())
	return nil
}

// loadAccessAtStart takes the founder's list that is in the world's folder.
func (s *sharer) loadAccessAtStart(p *peers) error {
	l, err := readAccess(s.world.Dir)
	if err == nil && l != nil {
		_, err = p.access.Take(l.Append(nil))
	}
	return err
}

// joinedBy is the invitation that this node joins by, which is kept for later; nil:
// there is none.
func (s *sharer) joinedBy() (*invitation.Invitation, error) {
	name := filepath.Join(s.world.Dir, invitedFile)
	if i := s.cfg.Invitation; i != nil {
		return i, files.Write(name, []byte(i.Text()+"\n"), 0o600)
	}
	b, err := readPaper(name)
	if b == nil || err != nil {
		return nil, err
	}
	i, err := invitation.Parse(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, disk.ErrDamaged, err)
	}
	return i, nil
}

// loadAccess gives the node the founder's list, when the file is a newer one.
func (w *papers) loadAccess() error {
	l, err := readAccess(w.dir)
	if err != nil || l == nil {
		return err
	}
	return w.onLoop(func() error { return w.node().SetAccess(l.Version, l.Append(nil)) })
}

// keepNodes writes down which nodes were let in.
func (w *papers) keepNodes() {
	tick := time.NewTicker(papersEvery)
	defer tick.Stop()
	for {
		if w.peers.access.Changed() {
			if err := writeJSON(filepath.Join(w.dir, nodesFile), w.peers.access.Nodes()); err != nil {
				w.cfg.Log.Warn("The list of nodes that were let in cannot be written.", "error", err)
			}
		}
		select {
		case <-tick.C:
		case <-w.stop:
			return
		}
	}
}

// invite admits a player with this node's own invitation; nil: it needs none, or
// has none that permits to bring players.
func (h *Host) invite(player id.ID) []byte {
	if h.peers == nil || h.peers.invitation == nil || h.peers.invitation.Permits&invitation.Enter == 0 {
		return nil
	}
	return h.peers.invitation.AdmitPlayer(player)
}

// Invitation is what others join the world by, with this node's address; nil: this
// node has none to pass on, or it was revoked or has ended.
func (h *Host) Invitation() *invitation.Invitation {
	if h.peers == nil || h.peers.invitation == nil || !h.cfg.Share || h.peers.access.Check(h.peers.invitation, 0) != nil {
		return nil
	}
	return h.peers.invitation.At(h.invitedAt())
}

// invitedAt is where those who are invited find the world.
func (h *Host) invitedAt() []netip.AddrPort {
	if own := h.NodeAddr(); own.IsValid() {
		return []netip.AddrPort{own}
	}
	if h.peers.invitation == nil {
		return nil
	}
	return h.peers.invitation.Addrs // nobody can dial this node
}

// needsCode reports whether players are asked for an invitation: beyond this
// machine, in a world that only invited ones may enter.
func (h *Host) needsCode() bool {
	return h.peers != nil && h.peers.access.Invited() && h.cfg.Share
}

// whitelist reports whether the founder admits listed players only.
func (h *Host) whitelist() bool {
	if h.world.Rules.Whitelist {
		return true
	}
	if h.peers == nil {
		return h.cfg.Whitelist
	}
	return h.peers.access.Whitelist()
}

// guest says who has a code that is no join code.
func (h *Host) guest(code string) (gateway.Guest, bool) {
	if h.owner.is(code, time.Now()) {
		return gateway.Guest{Owner: true, Entered: h.owner.entered}, true
	}
	if h.peers == nil {
		return gateway.Guest{}, false
	}
	if admission, ok := invitation.ParseAdmission(code); ok {
		return gateway.Guest{Invite: func(player id.ID) []byte {
			if !h.peers.access.Admits(player, admission) {
				return nil // another player's: nodes have seen it
			}
			return admission
		}}, h.peers.access.CheckVisit(admission) == nil
	}
	if !invitation.Is(code) {
		return gateway.Guest{}, false
	}
	i, err := invitation.Parse(code)
	if err != nil || h.peers.access.Check(i, invitation.Enter) != nil {
		return gateway.Guest{}, false
	}
	return gateway.Guest{Invite: i.AdmitPlayer}, true
}

// newCode is a code that nobody guesses.
func newCode() string {
	var b [16]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}
