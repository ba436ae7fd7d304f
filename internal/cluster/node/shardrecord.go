package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// shardRecord is the record of a shard's hosts in the directory, as this node publishes
// it.
//
// Records expire a day after they were published. The leader of a group publishes its
// record again (directory.Renew). A group that hibernates, or has lost its leader, has
// nobody to do it: its members do, the nearest to the key first, and each farther one
// later if it has not been done.
type shardRecord struct {
	part.Part
	group *shardgroup.Group
	dir   *directory.Directory

	term, version uint64
	members       []machine.Peer
	others        uint64         // version of the record that others have published
	renewAt       machine.Time   // when to renew it; 0: not known yet
	hosts         []machine.Peer // scratch
}

// publish stores who hosts the shard, if that is news.
func (r *shardRecord) publish() bool {
	r.hosts = r.group.Raft.Hosts(r.hosts[:0])
	term := r.group.Term()
	if !r.dir.HasJoined() || len(r.hosts) == 0 || r.term == term && slices.Equal(r.members, r.hosts) {
		return false
	}
	r.put(slices.Clone(r.hosts))
	return true
}

// put stores who hosts the shard, as the next version.
func (r *shardRecord) put(members []machine.Peer) {
	if term := r.group.Term(); r.term != term {
		r.term, r.version = term, 0
	}
	r.members = members
	r.publishAgain()
}

// publishAgain stores the same hosts as the next version.
func (r *shardRecord) publishAgain() {
	r.version++
	r.dir.Publish(r.group.Shard, r.members, r.term, r.number())
}

// number is the version of the record: later ones, and those of later terms, are
// greater, also than the version that others have published.
func (r *shardRecord) number() uint64 { return max(r.term<<20|r.version, r.others+1) }

// seeMembers notes that a member has renewed the record while the group hibernated.
func (r *shardRecord) seeMembers(version uint64) {
	if version > r.number() {
		r.others = version
	}
}

// outdo publishes the record of this group anew if the directory has another of a
// version that would be preferred.
func (r *shardRecord) outdo(version uint64) {
	if version >= r.others && version >= r.number() {
		r.others = version
		r.members = nil
	}
}

// leave stops publishing the record, and lets it lead to other hosts, if it was
// published here.
func (r *shardRecord) leave(hosts []machine.Peer, term uint64) {
	if len(hosts) == 0 || len(hosts) >= records.MaxHosts || len(r.members) == 0 || !r.dir.HasJoined() {
		r.dir.Leave(r.group.Shard, nil, 0, 0)
		return
	}
	sign := slices.Clone(hosts)
	if !peers.Among(sign, r.Cfg.Self.ID) {
		sign = append(sign, r.Cfg.Self) // who signs must be in it; nobody is named twice
	}
	r.dir.Leave(r.group.Shard, sign, term, r.number()+1)
}

// renewalStagger is how much longer each farther member waits than Net.RenewAfter. The
// last of nine members is in time.
func (r *shardRecord) renewalStagger() time.Duration { return r.Cfg.RenewAfter / 12 }

// renewalAge is how old the record is to be when it is this member's turn.
func (r *shardRecord) renewalAge() time.Duration {
	members := r.group.Members()
	kademlia.SortNearest(r.dir.KeyOf(r.group.Shard), members)
	at := slices.IndexFunc(members, func(p machine.Peer) bool { return p.ID == r.Cfg.Self.ID })
	return r.Cfg.RenewAfter + time.Duration(max(0, at))*r.renewalStagger()
}

// leads is when the group has a leader here: directory.Renew renews the record.
func (r *shardRecord) leads() { r.renewAt = 0 }

// renew publishes the record of a group that nobody leads, if it is this member's turn.
func (r *shardRecord) renew(now machine.Time) {
	if r.renewAt == 0 {
		r.renewAt = now.Add(r.renewalAge())
	}
	if now < r.renewAt || !r.dir.HasJoined() || r.IsLeaving() {
		return
	}
	r.renewAt = now.Add(r.renewalStagger())
	if st := r.group.Raft.Status(); !st.Member || st.Leader != (machine.Peer{}) && !st.Asleep {
		return
	}
	r.dir.Find(r.group.Shard, func(res kademlia.Result) { r.renewFrom(res.Record) })
}

// renewFrom renews the record that the directory has, nil if it has none.
func (r *shardRecord) renewFrom(found *kademlia.Record) {
	now, g, members := r.Env.Now(), r.group, r.group.Members()
	if g.Gone || g.Leading || !peers.Among(members, r.Cfg.Self.ID) {
		return
	}
	if found != nil {
		if issued := found.Until.Add(-kademlia.Expire); now.Sub(issued) < r.Cfg.RenewAfter {
			r.renewAt = issued.Add(r.renewalAge())
			return
		}
		if hosts, err := records.DecodeHosts(found.Payload); err != nil || hosts.Term > g.Term() {
			return // of another group, or of this one as it is now: its members renew it
		}
		r.others = max(r.others, found.Version)
	}
	r.put(members)
	r.renewAt = now.Add(r.renewalAge())
}
