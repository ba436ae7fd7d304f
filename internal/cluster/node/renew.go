package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// publishedRecord is what this node has published of a shard.
type publishedRecord struct {
	term, version uint64
	members       []machine.Peer
}

// publish stores who hosts the shard, if that is news.
func (h *replica) publish() {
	h.w.holders = h.raft.Hosts(h.w.holders[:0])
	members, term := h.w.holders, h.term()
	rec := &h.record
	if !h.w.dir.joined || len(members) == 0 || rec.term == term && slices.Equal(rec.members, members) {
		return
	}
	members = slices.Clone(members)
	if rec.term != term {
		rec.term, rec.version = term, 0
	}
	rec.members = members
	rec.version++
	h.w.dir.publish(h)
	for _, to := range sortedPeers(h.userNodes) { // whom to ask when this node falls silent
		h.w.sendLeaderReply(to, h.shard)
	}
}

// Records end a day after they were published. That of a group that somebody
// leads is the leader's business (directory.Renew). A group that sleeps, or has
// lost its leader, has nobody to do it: its members do, the nearest to the key
// first, and each farther one later if it has not been done.

// renewalStagger is how much longer each farther member waits than Net.RenewAfter.
// The last of nine members is in time.
func (w *network) renewalStagger() time.Duration { return w.cfg.RenewAfter / 12 }

// recallEvery is how often a node reads one of those replicas that it has had no
// use for since it started, for the sake of their records. It begins after half
// of Net.RenewAfter, so that all are read in time.
const recallEvery = 2 * time.Second

// renewalAge is how old the record is to be when it is this member's turn.
func (h *replica) renewalAge() time.Duration {
	members := h.members()
	kademlia.SortNearest(h.w.dir.key(h.shard), members)
	at := slices.IndexFunc(members, func(p machine.Peer) bool { return p.ID == h.w.cfg.Self.ID })
	return h.w.cfg.RenewAfter + time.Duration(max(0, at))*h.w.renewalStagger()
}

// renew publishes the record of a group that nobody leads, if it is this
// member's turn.
func (h *replica) renew(now machine.Time) {
	if h.renewAt == 0 {
		h.renewAt = now.Add(h.renewalAge())
	}
	if now < h.renewAt || !h.w.dir.joined || h.w.closing {
		return
	}
	h.renewAt = now.Add(h.w.renewalStagger())
	if st := h.raft.Status(); !st.Member || st.Leader != (machine.Peer{}) && !st.Asleep {
		return
	}
	h.w.dir.look(h.shard, func(r kademlia.Result) { h.renewFrom(r.Record) })
}

// renewFrom renews the record that the directory has, nil if it has none.
func (h *replica) renewFrom(r *kademlia.Record) {
	now, members := h.w.n.env.Now(), h.members()
	if h.gone || h.leading || !among(members, h.w.cfg.Self.ID) {
		return
	}
	if r != nil {
		if issued := r.Until.Add(-kademlia.Expire); now.Sub(issued) < h.w.cfg.RenewAfter {
			h.renewAt = issued.Add(h.renewalAge())
			return
		}
		if hosts, err := records.DecodeHosts(r.Payload); err != nil || hosts.Term > h.term() {
			return // of another group, or of this one as it is now: its members see to it
		}
		h.otherGroups.seen = max(h.otherGroups.seen, r.Version)
	}
	if term := h.term(); h.record.term != term {
		h.record.term, h.record.version = term, 0
	}
	h.record.members = members
	h.record.version++
	h.w.dir.publish(h)
	h.renewAt = now.Add(h.renewalAge())
}

// readDormant reads a replica that is only on the disk, so that its record is looked
// after.
func (w *network) readDormant(now machine.Time) {
	if w.nextDormantRead == 0 {
		w.nextDormantRead = now.Add(w.cfg.RenewAfter / 2)
	}
	if now < w.nextDormantRead || len(w.dormant) == 0 || w.closing {
		return
	}
	w.nextDormantRead = now.Add(recallEvery)
	w.openReplica(sortedShards(w.dormant)[0])
}
