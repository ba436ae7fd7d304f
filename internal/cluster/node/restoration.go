package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// restoration gives a shard new hosts when all those that the directory names are gone.
// It asks them, the nodes near the key and those of the last minutes what they know
// (GroupStatus). If no host answers, although nearly everybody else does, the newest copy
// that anyone has continues. If nobody has one, the shard begins as the world was made,
// but only once its hosts have been gone for Net.GoneAfter.
//
// The hosts may only be cut off, and come back with more than the copy. So the new group
// has the number of the old one and was created later: it gives way.
type restoration struct {
	part.Part
	convicted  *accountability.Convictions // what they say does not count
	signatures copies.Signatures
	links      *peers.Links
	dir        *directory.Directory
	seen       *peers.Sightings
	copies     *copies.Store
	hosting    *hosting
	refusals   *refusals
	objections *objections

	inquiries map[shards.Shard]*lossInquiry
	resigning map[shards.Shard]*lossInquiry // replicas here that are being put aside
}

// lastHost is the replica here that is the last of its group, as far as it hears.
type lastHost struct {
	resign func() (log []machine.DiskWrite, ok bool) // ends it (group.Resign)
	since  machine.Time                              // when the other hosts fell silent
	end    hostpolicy.Log                            // of its log
	// successors are other nodes that the directory names as hosts; none: it names these.
	successors []machine.Peer
	log        []machine.DiskWrite // what resign has returned
}

// lossInquiry is the question whether a shard has lost its hosts.
type lossInquiry struct {
	rival records.Hosts // what the directory says
	begun machine.Time
	askAt machine.Time // when those are asked again that have not answered
	again bool         // they were
	// members are who is to host it: this node and others.
	members []machine.Peer
	// ended is how often the machines of silent nodes have said to this one that these have
	// ended, witnesses are the nodes to which those of all hosts have.
	ended     map[id.ID]int
	witnesses map[id.ID]bool
	probeAt   machine.Time // when the machines are asked next
	asked     []machine.Peer
	heard     map[id.ID]*shardgroup.GroupStatus
	done      func()
	// nearer: a node that is nearer to the key asks the same.
	nearer bool
	// own is the replica here, where this node is the last host of the shard; nil: it is not.
	own *lastHost
}

const (
	lossAskAgain = time.Second
	lossDecide   = 2500 * time.Millisecond
	lossAtMost   = hostpolicy.HostsLostAfter + lossDecide
	lossProbe    = 750 * time.Millisecond // between questions to the machines of silent nodes
	maxInquiries = 64
	maxAsked     = 64 // nodes that are asked for a copy
)

// begin asks whether a shard has lost the hosts of its record. members are who is to host
// it then, this node first.
func (o *restoration) begin(p shards.Shard, rival records.Hosts, members []machine.Peer, done func()) {
	o.inquire(p, &lossInquiry{rival: rival, members: members, done: done})
}

// beginAlone asks whether this node may continue a shard in a group of its own, as the
// last of its hosts, which has heard none of the others for a while; or else whether others
// host it, who then get what it has.
func (o *restoration) beginAlone(p shards.Shard, rival records.Hosts, own lastHost) {
	o.inquire(p, &lossInquiry{rival: rival, members: []machine.Peer{o.Cfg.Self}, done: func() {}, own: &own})
}

func (o *restoration) inquire(p shards.Shard, q *lossInquiry) {
	if o.inquiries[p] != nil || len(o.inquiries) >= maxInquiries {
		q.done()
		return
	}
	q.begun, q.heard, q.ended, q.witnesses = o.Env.Now(), map[id.ID]*shardgroup.GroupStatus{}, map[id.ID]int{}, map[id.ID]bool{}
	q.askAt, q.probeAt = q.begun.Add(lossAskAgain), q.begun.Add(lossProbe)
	others := append(o.seen.Recent(), o.dir.NearestNodes(p, hostpolicy.Claimants)...)
	if q.own != nil {
		others = append(others, q.own.successors...)
	}
	q.asked = append(slices.Clone(q.rival.Members), o.dir.InOrder(p, others)...)
	seen := map[id.ID]bool{o.Cfg.Self.ID: true}
	q.asked = slices.DeleteFunc(q.asked, func(n machine.Peer) bool {
		again := seen[n.ID]
		seen[n.ID] = true
		return again
	})
	q.asked = q.asked[:min(len(q.asked), maxAsked)]
	o.inquiries[p] = q
	o.ask(p, q)
}

func (o *restoration) ask(p shards.Shard, q *lossInquiry) {
	// Who hears any of the members, or hears that they have ended?
	m := &shardgroup.GroupStatus{Shard: p, Reply: true, Members: q.rival.Members}
	for _, n := range q.asked {
		if q.heard[n.ID] == nil {
			o.links.SendDatagram(n, m)
		}
	}
}

// hear takes what a node knows of a shard. Who asks, and inquires too, does not say which copy
// it has.
func (o *restoration) hear(f *peers.Remote, m *shardgroup.GroupStatus) {
	q := o.inquiries[m.Shard]
	if q == nil || !peers.Among(q.asked, f.Peer.ID) || o.convicted.Has(f.Peer.ID) {
		return
	}
	if m.Reply && !m.Member && !peers.Among(q.rival.Members, f.Peer.ID) {
		return
	}
	q.heard[f.Peer.ID] = m
	if m.Refused {
		q.witnesses[f.Peer.ID] = true
	}
}

// questioned is when another node asks what is known of a shard, which it may inquire
// about, too: two coordinators may each have found new hosts. Of those that inquire the
// first in the order of hosts begins the shard anew.
func (o *restoration) questioned(f *peers.Remote, p shards.Shard) {
	q := o.inquiries[p]
	if q == nil || o.convicted.Has(f.Peer.ID) {
		return
	}
	switch {
	case o.dir.InOrder(p, []machine.Peer{o.Cfg.Self, f.Peer})[0].ID == f.Peer.ID:
		q.nearer = true
	case q.again: // it has begun since, and nothing more would tell it
		o.links.SendDatagram(f.Peer, &shardgroup.GroupStatus{Shard: p, Reply: true})
	}
}

// beat goes on with the inquiries.
func (o *restoration) beat(now machine.Time) {
	o.objections.beat(now)
	for _, p := range shards.Sorted(o.inquiries) {
		switch q := o.inquiries[p]; {
		case o.isDue(q, now):
			delete(o.inquiries, p)
			o.decide(p, q)
		case now >= q.askAt:
			q.again, q.askAt = true, now.Add(lossAskAgain)
			o.ask(p, q)
		case now >= q.probeAt:
			q.probeAt = now.Add(lossProbe)
			o.refusals.ask(q.silent(), func(ended []machine.Peer) {
				for _, n := range ended {
					q.ended[n.ID]++
				}
			})
		}
	}
}

// isDue reports whether there was time enough to answer. Hosts that may only pause get more,
// unless their machines say that they have ended; not for ever, since they may be heard and
// still not answer this.
func (o *restoration) isDue(q *lossInquiry, now machine.Time) bool {
	waited := now.Sub(q.begun)
	if waited < lossDecide || waited >= lossAtMost {
		return waited >= lossAtMost
	}
	var last machine.Time
	for _, n := range q.rival.Members {
		if n.ID == o.Cfg.Self.ID {
			continue
		}
		if q.heard[n.ID] != nil {
			return true
		}
		last = max(last, o.seen.Last(n.ID))
	}
	return now.Sub(last) >= hostpolicy.HostsLostAfter || q.allEnded(o.Cfg.Self.ID)
}

// silent are the nodes that have not answered, hosts first.
func (q *lossInquiry) silent() []machine.Peer {
	return slices.DeleteFunc(slices.Clone(q.asked), func(n machine.Peer) bool { return q.heard[n.ID] != nil })
}

// hasEnded reports whether a silent node has ended, by what its machine says.
func (q *lossInquiry) hasEnded(n machine.Peer) bool { return q.heard[n.ID] == nil && q.ended[n.ID] > 1 }

// allEnded reports whether all hosts but a node have ended: their machines say so to this
// one, and to most others that answer.
func (q *lossInquiry) allEnded(but id.ID) bool {
	answered, witnesses := 0, 0
	for _, n := range q.asked {
		switch {
		case peers.Among(q.rival.Members, n.ID):
			if n.ID != but && !q.hasEnded(n) {
				return false
			}
		case q.heard[n.ID] != nil:
			answered++
			if q.witnesses[n.ID] {
				witnesses++
			}
		}
	}
	return 2*witnesses > answered
}

// lost sums up what was heard.
func (o *restoration) lost(p shards.Shard, q *lossInquiry) hostpolicy.Lost {
	l := hostpolicy.Lost{
		Hosting: o.objections.hold(p, q), Near: 1, Answered: 1, Hosts: len(q.rival.Members), Gone: o.seen.AllGone(q.rival.Members), Ended: q.allEnded(o.Cfg.Self.ID),
	}
	isHost := func(n machine.Peer) bool { return peers.Among(q.rival.Members, n.ID) }
	for _, n := range q.asked {
		m := q.heard[n.ID]
		if !isHost(n) && o.seen.IsRecent(n.ID) && !q.hasEnded(n) {
			l.Others++
			if m == nil {
				l.Silent++
			}
		}
	}
	for _, n := range o.dir.NearestNodes(p, hostpolicy.Nearby) {
		if !isHost(n) && !q.hasEnded(n) {
			l.Near++
			if q.heard[n.ID] != nil {
				l.Answered++
			}
		}
	}
	return l
}

// newest is the node that has the newest copy of a shard, of equal ones the first in the
// order of hosts; this node, if nobody has one. The newest that a host of the record has signed
// counts: others are claims, which are believed only if nobody has a signed one.
func (o *restoration) newest(p shards.Shard, q *lossInquiry, own copies.Saved) machine.Peer {
	nodes := o.dir.InOrder(p, append(slices.Clone(q.asked), o.Cfg.Self))
	claimed, signed := make([]hostpolicy.Log, len(nodes)), make([]hostpolicy.Log, len(nodes))
	for i, n := range nodes {
		m := q.heard[n.ID]
		var proof copies.Proof
		switch {
		case n.ID == o.Cfg.Self.ID:
			claimed[i], proof = own.End(), own.Proof
		case m != nil && (q.rival.Term == 0 || shardgroup.TermOf(m.Gen, m.Term) <= q.rival.Term):
			// A state that is newer than the record is a lie: leaders publish their terms.
			claimed[i], proof = m.End(), copies.DecodeProof(m.Proof)
		}
		if o.signatures.SignedBy(q.rival.Members, n.ID, p, claimed[i], proof) {
			signed[i] = claimed[i]
		}
	}
	if best := hostpolicy.Newest(signed); best >= 0 {
		return nodes[best]
	}
	if best := hostpolicy.Newest(claimed); best >= 0 {
		return nodes[best]
	}
	return o.Cfg.Self
}

// decide restores the shard here, or lets the node do so that has the newest copy.
func (o *restoration) decide(p shards.Shard, q *lossInquiry) {
	lost := o.lost(p, q)
	if q.own != nil {
		ok := !o.IsLeaving() && (q.isSucceeded(p) || lost.MayRestore())
		if ok {
			q.own.log, ok = q.own.resign()
		}
		if ok {
			o.resigning[p] = q // it goes on when the disk has that (resigned)
		}
		q.done()
		return
	}
	if o.hosting.Hosts(p) || o.IsLeaving() || !lost.MayRestore() {
		q.done()
		return
	}
	own, kept := o.copies.Newest(p)
	if best := o.newest(p, q, own); best.ID != o.Cfg.Self.ID {
		q.done()
		o.links.SendDatagram(best, &CreateGroup{p, q.membersWith(best)})
		return
	}
	from := q.origin()
	if lost.Gone {
		from.Number = max(1, from.Number) + 1
	}
	if !kept {
		if lost.Gone && !q.nearer {
			o.Note(fmt.Sprintf("All %d hosts of %s have been gone for more than %v: it begins anew, as the world was made. "+
				"If they come back they put aside what they have.", len(q.rival.Members), p, o.Cfg.GoneAfter))
			o.hosting.createGroup(p, from, q.members)
		}
		q.done()
		return
	}
	o.copies.Read(own, func(kvs []machine.KV, err error) {
		switch {
		case err != nil:
			o.Note(fmt.Sprintf("The copy of %s cannot be read: %v", p, err))
		case !own.Proof.Of(kvs):
			o.Note(fmt.Sprintf("The copy of %s is not what its host has signed: it is deleted.", p))
			o.copies.Drop(own)
		default:
			from.Restored, from.Content = own.At, kvs
			from.Basis = copies.Basis{Holder: o.Cfg.Self.ID, End: own.End(), Proof: own.Proof}.Encode()
			o.continueFrom(p, own, from, q)
			return
		}
		q.done()
	})
}

// membersWith are who is to host the shard, with a node that has the copy first.
func (q *lossInquiry) membersWith(first machine.Peer) []machine.Peer {
	others := slices.DeleteFunc(slices.Clone(q.members), func(p machine.Peer) bool { return p.ID == first.ID })
	return append([]machine.Peer{first}, others[:min(len(others), max(0, len(q.members)-1))]...)
}

// origin is what a group begins with that takes the place of the hosts.
func (q *lossInquiry) origin() group.Origin {
	return group.Origin{Number: shardgroup.GenerationOf(q.rival.Term), Term: shardgroup.RaftTermOf(q.rival.Term), Former: q.rival.Members}
}

// isSucceeded reports whether most of the nodes that the directory names as hosts say that
// they host a group that was begun in the place of this node's, which two hosts of that
// would end.
func (q *lossInquiry) isSucceeded(p shards.Shard) bool {
	n := 0
	for _, s := range q.own.successors {
		gen := q.own.end.Gen
		if m := q.heard[s.ID]; m != nil && m.Led && m.Gen.Number == gen.Number && m.Gen.Compare(gen) < 0 {
			n++
		}
	}
	return 2*n > len(q.own.successors) && !p.Lobby
}

// resigned is when the replica of the last host is put aside: the shard continues from
// that. It is a copy like any other; the host that signs it is this node. What was only in
// the log is no part of it: the other hosts may not have that, so it is merged like what
// is changed from now on.
func (o *restoration) resigned(p shards.Shard) {
	q := o.resigning[p]
	delete(o.resigning, p)
	own, ok := o.copies.Retired(p)
	switch {
	case q == nil || !ok:
		return
	case q.isSucceeded(p):
		o.dir.Forget(p) // it would not let their record replace its own, and give them nothing
		o.copies.SignRetired(own, q.own.log, q.own.end, o.signatures, func(err error) {
			text := fmt.Sprintf("The other hosts of %s have not come back, and others host it: what this node had is put aside, and merged if it is asked for.", p)
			if err != nil {
				text = fmt.Sprintf("What this node had of %s cannot be put aside: %v", p, err)
			}
			o.Note(text)
		})
		return
	}
	o.copies.Read(own, func(kvs []machine.KV, err error) {
		if err != nil {
			o.Note(fmt.Sprintf("What this node has of %s, as its last host, cannot be read: %v", p, err))
			return
		}
		own.At = q.own.since
		own.Proof = o.signatures.Sign(o.Cfg.Self.ID, p, own.End(), group.DigestOf(kvs).Sum())
		from := q.origin()
		from.Restored, from.Content, from.Changes = own.At, kvs, q.own.log
		o.continueFrom(p, own, from, q)
	})
}

// continueFrom continues a shard from a copy. A copy that a host has signed is kept
// beside it: what is changed from now on is merged if the hosts come back.
func (o *restoration) continueFrom(p shards.Shard, own copies.Saved, from group.Origin, q *lossInquiry) {
	create := func(error) {
		q.done()
		if o.hosting.Hosts(p) || o.IsLeaving() {
			return
		}
		lost := fmt.Sprintf("its %d hosts", len(q.rival.Members))
		if q.own != nil {
			lost = fmt.Sprintf("%d of its %d hosts", len(q.rival.Members)-1, len(q.rival.Members))
		}
		o.Note(fmt.Sprintf("%s lost %s. It was restored to its state of %s.", p, lost, part.Clock(own.At)))
		o.hosting.createGroup(p, from, q.members)
	}
	if p.Lobby || own.Proof == (copies.Proof{}) {
		create(nil)
		return
	}
	o.copies.KeepOrigin(own, from.Content, create)
}
