package node

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Access decides which nodes and players the founder of the world admits. It may
// be asked from everywhere (keyring.Access).
type Access interface {
	SignedList
	// Bars reports whether a node is not admitted any more.
	Bars(id.ID) bool
	// Visit says why a player may not enter through a node, with the admission that
	// the node shows for it.
	Visit(admission []byte, player, through id.ID) error
}

// access applies the founder's list to the node's links. A nil one is that of a
// simulation without a founder.
type access struct {
	Access
	*listSync
	disconnectBarred func()

	next machine.Time // when to look whether invitations have ended
	out  bool         // this node is not admitted any more
}

const accessKey = "access"

// newAccess returns nil if the world has no list. disconnectBarred is called when it has
// changed.
func newAccess(c part.Part, list Access, l *peers.Links, disk nodeDisk, disconnectBarred func()) *access {
	if list == nil {
		return nil
	}
	a := &access{Access: list, disconnectBarred: disconnectBarred}
	a.listSync = &listSync{
		Part: c, links: l, disk: disk, list: a.Access, name: "access list", key: accessKey, enforce: a.enforceList,
		message: func(version uint64, list []byte) machine.Message { return &AccessList{version, list} },
	}
	return a
}

func (a *access) bars(who id.ID) bool { return a != nil && a.Bars(who) }

// lists is nil if a is.
func (a *access) lists() *listSync {
	if a == nil {
		return nil
	}
	return a.listSync
}

// beat looks whether invitations have ended while the nodes were running.
func (a *access) beat(now machine.Time) {
	if a == nil || now < a.next {
		return
	}
	a.next = now.Add(endsEvery)
	a.enforceList()
}

func (a *access) enforceList() {
	a.disconnectBarred()
	if out := a.Bars(a.Cfg.Self.ID); out && !a.out {
		a.Note("This node is not admitted to the world any more: the founder has removed it, or its invitation was revoked or has ended. Other nodes refuse it from now on. Ask the founder for an invitation.")
		a.out = true
	} else if !out {
		a.out = false
	}
}

// SetAccess gives the node an access list of the founder, which spreads to the
// other nodes. One that is not newer changes nothing. A driver calls it like a
// handler.
func (n *Node) SetAccess(version uint64, list []byte) error {
	if n.net == nil || n.net.access == nil {
		return fmt.Errorf("access list: no other node can host this world")
	}
	s := n.net.access.listSync
	if version <= s.version() {
		return nil
	}
	err := s.take(list, nil)
	n.drain()
	return err
}
