package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// invitations decides who may invite this node to host a shard. A node becomes a member
// of a group by a message of the group's leader. Anybody can send such a message: a sender
// that is believed makes this node store what it says is a shard of the world, and may
// speak in that shard's name here. So the directory is asked whether the sender is a host
// of the shard.
type invitations struct {
	part.Part
	dir    *directory.Directory
	checks map[shards.Shard]*hostCheck
}

// hostCheck is what the directory says of the hosts of a shard that this node is
// invited to host.
type hostCheck struct {
	hosts  []machine.Peer
	at     machine.Time // when the directory answered
	asking bool
	asked  int // how often it has not named the sender
}

const (
	maxInvitations = 256
	// invitedFor is how long the directory's answer counts, inviteAgain when it is
	// asked again if it has not named the sender; sooner at first: a new group's record is
	// on its way, and players wait for a member that compares what was restored.
	invitedFor  = 10 * time.Second
	inviteAgain = time.Second
	inviteSoon  = 250 * time.Millisecond
)

// MayInvite reports whether a node is known to host a shard that it invites this one to
// host. If that is not known the directory is asked; a leader invites again.
func (v *invitations) MayInvite(f *peers.Remote, p shards.Shard) bool {
	now, inv := v.Env.Now(), v.checks[p]
	if inv == nil {
		if len(v.checks) >= maxInvitations || !v.dir.HasJoined() {
			return false
		}
		inv = &hostCheck{}
		v.checks[p] = inv
	}
	if peers.Among(inv.hosts, f.Peer.ID) && now.Sub(inv.at) < invitedFor {
		return true
	}
	if !inv.asking && (inv.at == 0 || now.Sub(inv.at) >= min(inviteAgain, inviteSoon<<min(inv.asked, 2))) {
		inv.asking = true
		inv.asked++
		v.dir.Find(p, func(r kademlia.Result) {
			inv.asking, inv.at, inv.hosts = false, v.Env.Now(), nil
			if r.Record == nil {
				return
			}
			if hosts, err := records.DecodeHosts(r.Record.Payload); err == nil {
				inv.hosts = hosts.Members
			}
		})
	}
	return false
}

// beat forgets what the directory has said too long ago.
func (v *invitations) beat(now machine.Time) {
	for p, inv := range v.checks { // the order does not matter
		if !inv.asking && now.Sub(inv.at) >= invitedFor {
			delete(v.checks, p)
		}
	}
}
