package verifiedworld

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// revocationList is the authority's list as it spreads.
type revocationList struct{ CertificateVerifier }

// Current implements SignedList.
func (l revocationList) Current() (version uint64, list []byte) {
	if r := l.Revoked(); r != nil {
		return r.Version, r.Append(nil)
	}
	return 0, nil
}

// Take implements SignedList.
func (l revocationList) Take(list []byte) (said string, err error) {
	r, err := identity.DecodeRevocations(list)
	if err == nil {
		err = l.Renew(r)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Version %d of the authority's revocations is in force, with %d certificates.", r.Version, len(r.Serials)), nil
}

const (
	// revokedKey is where the list is in the node's own space.
	revokedKey = "revocations"
	// endsSoon is how long before its end a host is told of it, once a day.
	endsSoon = 7 * 24 * time.Hour
)

// checkEnds looks whether certificates have ended while the nodes were running.
func (v *World) checkEnds(now machine.Time) {
	if now < v.next {
		return
	}
	v.next = now.Add(lists.EndsEvery)
	v.enforceList()
	c := v.Certificate
	if c == nil || c.Until == 0 || v.out || now.Add(endsSoon) < c.Until || v.warned != 0 && now.Sub(v.warned) < 24*time.Hour {
		return
	}
	v.warned = now
	v.Note(fmt.Sprintf("This node's certificate, number %d, ends at %s. Ask the authority for a new one (authority issue keeps the node's place) and put it where the old one is: the node takes it while it runs.",
		c.Serial, time.Unix(0, int64(c.Until)).UTC().Format(time.RFC3339)))
}

// enforceList cuts off who is revoked or whose certificate has ended.
func (v *World) enforceList() {
	v.disconnectBarred()
	c := v.Certificate
	if c == nil || v.out {
		return
	}
	switch {
	case v.Verifier.Revoked().Has(c.Serial):
		v.leave(fmt.Sprintf("This node's own certificate, number %d, was revoked: other nodes refuse it from now on.", c.Serial))
	case c.Ended(v.Env.Now()):
		v.leave(fmt.Sprintf("This node's own certificate, number %d, has ended: other nodes refuse it from now on. Ask the authority for a new one and start the node with it.", c.Serial))
	}
}

// leave takes the node out of the overlay.
func (v *World) leave(why string) {
	v.out = true
	v.Note(why)
	v.overlay.stop()
}
