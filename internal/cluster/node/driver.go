package node

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// What drivers tell and ask a node of a world that several host. Each is called like a
// handler.

// SetAccess gives the node an access list of the founder, which spreads to the
// other nodes. One that is not newer changes nothing. A driver calls it like a
// handler.
func (n *Node) SetAccess(version uint64, list []byte) error {
	if n.net == nil || n.net.access == nil {
		return fmt.Errorf("access list: no other node can host this world")
	}
	s := n.net.access.Sync
	if version <= s.Version() {
		return nil
	}
	err := s.Adopt(list, nil)
	n.drain()
	return err
}

// Reissue gives the node a new certificate for its place, and sends it over all
// links: the other ends would disconnect the node when the old one expires. All
// others see it when it next shakes hands with them. A driver calls it like a
// handler.
func (n *Node) Reissue(c *identity.Certificate) error {
	var v *verifiedworld.World
	if n.net != nil {
		v = n.net.verified
	}
	err := v.Reissue(c)
	n.drain()
	return err
}

// WithStorage calls a driver's function with the node's storage, like a handler; false:
// the node has none.
func (n *Node) WithStorage(f func(*storage.Node)) bool {
	if n.net == nil {
		return false
	}
	s := n.net.verified.StorageNode()
	if s == nil {
		return false
	}
	f(s)
	n.drain()
	return true
}

// Revoke gives the node a list of revocations of the authority, which spreads to
// the other nodes. One that is not newer changes nothing. A driver calls it like
// a handler.
func (n *Node) Revoke(r *identity.Revocations) error {
	if n.net == nil || n.net.verified == nil {
		return fmt.Errorf("revocations: the world has no authority")
	}
	v := n.net.verified
	if r.World == n.net.cfg.World && r.Version <= v.Version() {
		return nil
	}
	err := v.Adopt(r.Append(nil), nil)
	n.drain()
	return err
}

// SetPlayersAt says where players reach this node; a driver calls it like a handler.
func (n *Node) SetPlayersAt(at PlayersAt) {
	if n.net == nil {
		return
	}
	n.begin()
	n.net.entries.set(at)
	n.drain()
}

// Entries are the other nodes that let players in, or did within hours, in order of
// their ids; a driver calls it like a handler.
func (n *Node) Entries() []Entry {
	if n.net == nil {
		return nil
	}
	return n.net.entries.list()
}

// NodeWith is the first node with a link here whose certificate for browsers is the one
// that is looked for; zero: there is none. A driver calls it like a handler.
func (n *Node) NodeWith(is func(certificate [32]byte) bool) (who id.ID) {
	if n.net == nil {
		return who
	}
	return n.net.entries.nodeWith(is)
}

// Hosted tells whether other nodes host a region, or this one does: it was made once.
func (n *Node) Hosted(at world.RegionPos, then func(bool)) {
	if n.net == nil {
		then(false)
		return
	}
	p := shards.Shard{Region: at}
	if n.net.hosting.Hosts(p) {
		then(true)
		return
	}
	n.net.dir.Find(p, func(r kademlia.Result) { then(r.Record != nil) })
}

// Overview returns what a map of the world shows besides the land: where players begin, the
// land that they own, and the players in the regions that run here.
func (n *Node) Overview() (spawn world.Pos, lands []decision.SignedLand, players []PlayerHere) {
	for _, s := range n.Stats().Regions {
		n.WithArea(s.Pos, func(a *regionlog.Area) {
			for _, p := range a.Players() {
				players = append(players, PlayerHere{p.Name, p.Mode, p.Body.Pos.Block()})
			}
		})
	}
	return n.decisions.log.Spawn(n.cfg.Lobby.Spawn), n.decisions.log.Lands(), players
}

// PlayerHere is a player in a region that runs here.
type PlayerHere struct {
	Name string
	Mode world.Mode
	At   world.Pos
}

// States finds the earlier states of a region that nodes keep, the newest first.
func (n *Node) States(at world.RegionPos, then func([]copies.HeldState)) {
	if n.net == nil {
		then(nil)
		return
	}
	n.net.states.Search(shards.Shard{Region: at}, then)
}

// Aside finds what nodes have put aside of all regions, the newest first.
func (n *Node) Aside(then func([]copies.HeldState)) {
	if n.net == nil {
		then(nil)
		return
	}
	n.net.states.Search(shards.Lobby, then)
}

// RestoreState puts the blocks of a region back to an earlier state. Only the founder's
// node, and who leads the region, may ask for that. show: it only counts them.
func (n *Node) RestoreState(state copies.HeldState, show bool, then func(copies.StateRestored)) {
	if n.net == nil {
		then(copies.StateRestored{Failed: true})
		return
	}
	n.net.restoring.Order(state, show, then)
}
