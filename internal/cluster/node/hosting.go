package node

import (
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
)

// hosting is which shards this node hosts: it has a replica of each. Which nodes host a
// shard is decided elsewhere: for a new group by groupCreation, for one that runs by
// membership, both with package hostpolicy.
type hosting struct {
	part.Part
	links       *peers.Links
	invitations *invitations
	stored      *storedShards
	convicted   *accountability.Convictions
	copies      *copies.Store
	restoration *restoration
	confirming  *confirming
	returned    interface { // what hosts that came back alone have put aside
		HearReturned(*peers.Remote, *shardgroup.GroupStatus)
	}
	refusals   *refusals
	words      *words
	runner     shardRunner
	players    interface{ players() int }
	newReplica func(shards.Shard) *replica
	wakes      peers.Own[wakeBudgets]

	replicas  map[shards.Shard]*replica
	dormant   map[shards.Shard]bool      // replicas that are on the disk, and not read yet
	damaged   map[shards.Shard]bool      // replicas that cannot be read
	yieldedTo map[shards.Shard]group.Gen // groups for which this node has given way: it joins no lesser one
	leased    machine.Time               // before then no lease of a shard that runs here ends

	nextDormantRead machine.Time // when to read a dormant replica next; 0: not known yet
}

func newHosting(c part.Part, l *peers.Links) *hosting {
	return &hosting{
		Part: c, links: l, wakes: peers.NewOwn[wakeBudgets](l),
		replicas: map[shards.Shard]*replica{}, dormant: map[shards.Shard]bool{}, damaged: map[shards.Shard]bool{}, yieldedTo: map[shards.Shard]group.Gen{},
	}
}

// scanDisk finds the replicas on the disk. It returns the shards that were stored when
// this node was the world's only one.
func (o *hosting) scanDisk() (stored []shards.Shard) {
	for _, space := range o.Cfg.Stored {
		if p, ok := shards.InSpace(strings.TrimPrefix(space, group.OwnSpace(""))); ok && strings.HasPrefix(space, group.OwnSpace("")) {
			o.dormant[p] = true
		}
	}
	for _, space := range o.Cfg.Stored {
		if p, ok := shards.InSpace(space); ok && !o.dormant[p] {
			stored = append(stored, p)
		}
	}
	return stored
}

// open creates this node's replica of a shard, with what the disk has of it.
func (o *hosting) open(p shards.Shard) *replica {
	h := o.newReplica(p)
	o.replicas[p] = h
	if o.dormant[p] {
		h.group.Opened = o.Env.Now()
	}
	delete(o.dormant, p)
	h.open()
	return h
}

// replica returns this node's replica of a shard, reading it if it is only on the
// disk; nil if there is none.
func (o *hosting) replica(p shards.Shard) *replica {
	if h := o.replicas[p]; h != nil {
		return h
	}
	if o.dormant[p] {
		return o.open(p)
	}
	return nil
}

// Hosts reports whether this node has a replica of a shard, perhaps only on the disk.
func (o *hosting) Hosts(p shards.Shard) bool { return o.replicas[p] != nil || o.dormant[p] }

// GroupOf returns the group of the replica here, reading that if it is only on the
// disk; nil: there is none.
func (o *hosting) GroupOf(p shards.Shard) *shardgroup.Group {
	if h := o.replica(p); h != nil {
		return h.group
	}
	return nil
}

// LoadedGroup returns the group of a replica that was read; nil: there is none.
func (o *hosting) LoadedGroup(p shards.Shard) *shardgroup.Group {
	if h := o.replicas[p]; h != nil {
		return h.group
	}
	return nil
}

// Wake wakes the group of a shard that is needed, if this node hosts it.
func (o *hosting) Wake(p shards.Shard) {
	if h := o.replica(p); h != nil {
		h.wake()
	}
}

// PiecesOf are the pieces of the log of a region; nil: it is not led here.
func (o *hosting) PiecesOf(p shards.Shard) *regionlog.Archive {
	if h := o.replicas[p]; h != nil && h.group.Leading {
		return h.log.Pieces()
	}
	return nil
}

// createGroup creates a group for a shard with this node as its first member.
func (o *hosting) createGroup(p shards.Shard, from group.Origin, members []machine.Peer) {
	h := o.open(p)
	h.comparison.begin(from)
	h.group.Raft.CreateFrom(from, members)
}

// hasRoomHere reports whether this node would host another shard.
func (o *hosting) hasRoomHere() bool {
	return len(o.replicas)+len(o.dormant) < o.Cfg.MaxHosted && !o.IsLeaving() && !o.convicted.IsSelf() && (o.Cfg.Full == nil || !o.Cfg.Full()) &&
		(o.Cfg.MaxPlayers <= 0 || o.players.players() < o.Cfg.MaxPlayers)
}

// isDamaged reports whether what this node has of a shard cannot be read.
func (o *hosting) isDamaged(p shards.Shard) bool { return o.damaged[p] }

// leading is how many shards run here.
func (o *hosting) leading() (n int) {
	for _, h := range o.replicas {
		if h.group.Leading {
			n++
		}
	}
	return n
}

// onGroupMessage passes a group member's message to the replica here. A node
// becomes a member by the first message, if it has room.
func (o *hosting) onGroupMessage(f *peers.Remote, space string, m machine.Message) {
	p, ok := shards.InSpace(space)
	if !ok {
		o.Counts.Dropped++
		return
	}
	if o.refuses(f, p) || !o.mayPass(f, p, m) {
		return
	}
	h := o.replica(p)
	if h == nil {
		gm, _ := m.(*group.Message)
		if gm == nil {
			return
		}
		if !gm.Invites() || gm.Gen.Compare(o.yieldedTo[p]) < 0 || !o.hasRoomHere() || o.stored.has(p) || o.damaged[p] {
			if d := group.Decline(gm); d != nil {
				o.links.Send(f.Peer, d)
			}
			return
		}
		if !o.invitations.MayInvite(f, p) {
			return
		}
		h = o.open(p)
	}
	h.group.Raft.OnMessage(f.Peer, m)
}

// refuses reports whether a node's messages about a shard's group do not count: it was
// convicted, or withholds the log. Where it has one of two votes a leader here cannot do
// without it until it is removed, and nobody can who only suspects it: then the shard would
// have no leader.
func (o *hosting) refuses(f *peers.Remote, p shards.Shard) bool {
	h, convicted := o.replicas[p], o.convicted.Has(f.Peer.ID)
	if h != nil && h.group.IsOneOfTwoVoters() && peers.Among(h.group.Voters(), f.Peer.ID) && (h.group.Leading || !convicted) {
		return false
	}
	return convicted || h != nil && h.followed.Refuses(f.Peer.ID)
}

// onGroupStatus takes what another node knows of a shard's group.
func (o *hosting) onGroupStatus(f *peers.Remote, m *shardgroup.GroupStatus) {
	if !m.Shard.InWorld() || len(m.Members) > records.MaxHosts {
		o.Counts.Dropped++
		return
	}
	if m.Reply {
		if s := o.groupStatus(m.Shard); s != nil {
			s.Heard = o.links.HearsAny(m.Members, f.Peer.ID)
			// A leader asks whether another group goes on. One that sleeps does, and is not
			// woken to say so: then both would lead.
			s.Led = s.Led || m.Led && o.replicas[m.Shard] != nil && o.replicas[m.Shard].group.Raft.Hibernates()
			o.links.SendDatagram(f.Peer, s)
		}
		if m.Member {
			o.words.tell(f, m.Shard)
		} else {
			o.restoration.questioned(f, m.Shard)
			o.tellRefusal(f, m)
		}
	}
	o.restoration.hear(f, m)
	o.confirming.hear(f, m)
	o.returned.HearReturned(f, m)
	if h := o.replicas[m.Shard]; h != nil {
		h.rollback.hear(f, m)
		h.onGroupStatus(f, m)
	}
}

// tellRefusal answers who asks whether a shard has lost its hosts, if their machines say
// that they have ended.
func (o *hosting) tellRefusal(f *peers.Remote, m *shardgroup.GroupStatus) {
	hosts := slices.DeleteFunc(slices.Clone(m.Members), func(p machine.Peer) bool { return p.ID == f.Peer.ID })
	o.refusals.ask(hosts, func(ended []machine.Peer) {
		if s := o.groupStatus(m.Shard); s != nil && len(ended) == len(hosts) {
			s.Refused = true
			o.links.SendDatagram(f.Peer, s)
		}
	})
}

// groupStatus is what this node says of a shard; nil: nothing yet.
func (o *hosting) groupStatus(p shards.Shard) *shardgroup.GroupStatus {
	if g := o.GroupOf(p); g != nil {
		return g.Status()
	}
	s := &shardgroup.GroupStatus{Shard: p}
	if kept, ok := o.copies.Newest(p); ok {
		s.Gen, s.Term, s.Last, s.Proof = kept.Gen, kept.Term, kept.Index, kept.Proof.Encoded()
	}
	return s
}

// RenewRecord publishes the record with a key again if its shard is led here.
func (o *hosting) RenewRecord(key id.ID) bool {
	for _, p := range shards.Sorted(o.replicas) {
		if h := o.replicas[p]; h.group.Leading && shards.Key(o.Cfg.World, p) == key {
			h.record.publishAgain()
			return true
		}
	}
	return false
}

// leaseChanged is when the lease of a replica may end earlier than before.
func (o *hosting) leaseChanged() { o.leased = 0 }

// removed is when a replica has ended. damaged: it cannot be read.
func (o *hosting) removed(h *replica, damaged bool) {
	if damaged {
		o.damaged[h.group.Shard] = true
	}
	delete(o.replicas, h.group.Shard)
}

// resigned is when a replica has ended that was the last one of its group.
func (o *hosting) resigned(p shards.Shard) { o.restoration.resigned(p) }

// gaveWay is when a replica has ended for the sake of a greater group.
func (o *hosting) gaveWay(p shards.Shard, to group.Gen) {
	if to.Compare(o.yieldedTo[p]) > 0 {
		o.yieldedTo[p] = to
	}
}

// all are the replicas that were read, in order of their shards.
func (o *hosting) all() (out []*replica) {
	for _, p := range shards.Sorted(o.replicas) {
		out = append(out, o.replicas[p])
	}
	return out
}

// hasDormant reports whether there are replicas that were not read yet.
func (o *hosting) hasDormant() bool { return len(o.dormant) > 0 }
