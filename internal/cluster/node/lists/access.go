package lists

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// AccessList has the version of the founder's list at the sender, and the list itself
// if the receiver's is older.
type AccessList struct {
	Version uint64
	List    []byte // invitation.Access in its encoding; may be empty
}

// Access decides which nodes and players the founder of the world admits. It may
// be asked from everywhere (keyring.Access).
type Access interface {
	SignedList
	// Bars reports whether a node is not admitted any more.
	Bars(id.ID) bool
	// Invitation is the one by which a node was admitted; zero: none, or not known.
	Invitation(id.ID) id.ID
	// Visit says why a player may not enter through a node, with the admission that
	// the node shows for it.
	Visit(admission []byte, player, through id.ID) error
}

// AccessSync applies the founder's list to the node's links. A nil one is that of a
// simulation without a founder.
type AccessSync struct {
	Access
	*Sync
	disconnectBarred func()

	next machine.Time // when to look whether invitations have ended
	out  bool         // this node is not admitted any more
}

const AccessKey = "access"

// EndsEvery is how often it is looked whether certificates and invitations have ended.
const EndsEvery = time.Minute

// NewAccess returns nil if the world has no list. disconnectBarred is called when it has
// changed.
func NewAccess(c part.Part, list Access, l *peers.Links, disk Disk, disconnectBarred func()) *AccessSync {
	if list == nil {
		return nil
	}
	a := &AccessSync{Access: list, disconnectBarred: disconnectBarred}
	a.Sync = &Sync{
		Part: c, Links: l, Disk: disk, List: a.Access, Name: "access list", Key: AccessKey, Enforce: a.enforceList,
		Message: func(version uint64, list []byte) machine.Message { return &AccessList{version, list} },
	}
	return a
}

func (a *AccessSync) Refuses(who id.ID) bool { return a != nil && a.Bars(who) }

// InvitationOf is the invitation by which a node was admitted; zero: none, or not known.
func (a *AccessSync) InvitationOf(node id.ID) id.ID {
	if a == nil {
		return id.ID{}
	}
	return a.Invitation(node)
}

// Lists is nil if a is.
func (a *AccessSync) Lists() *Sync {
	if a == nil {
		return nil
	}
	return a.Sync
}

// Beat looks whether invitations have ended while the nodes were running.
func (a *AccessSync) Beat(now machine.Time) {
	if a == nil || now < a.next {
		return
	}
	a.next = now.Add(EndsEvery)
	a.enforceList()
}

func (a *AccessSync) enforceList() {
	a.disconnectBarred()
	if out := a.Bars(a.Cfg.Self.ID); out && !a.out {
		a.Note("This node is not admitted to the world any more: the founder has removed it, or its invitation was revoked or has ended. Other nodes refuse it from now on. Ask the founder for an invitation.")
		a.out = true
	} else if !out {
		a.out = false
	}
}
