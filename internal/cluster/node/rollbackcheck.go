package node

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// rollbackCheck finds out whether the disk that the replica here was read from was put
// back to an older state: before the replica votes it asks the members, and the nodes
// that may keep a copy, what it has said itself about its log (LogHeld, or its signature
// over a copy). Only its own signature counts.
//
// A replica that lacks something elects only who has it. If nobody who has it is heard of,
// it continues with the newest copy that a member has signed; if there is none, with what
// it has, and says so.
type rollbackCheck struct {
	part.Part
	group      *shardgroup.Group
	signatures copies.Signatures
	links      *peers.Links
	dir        *directory.Directory
	seen       *peers.Sightings
	fetching   *copies.Fetching

	told    bool // that the others lack what is committed here
	done    bool // there is nothing to find out (any more)
	begun   machine.Time
	joined  machine.Time // since when the directory can tell whom to ask
	next    machine.Time // when to ask again
	asked   []machine.Peer
	heard   map[id.ID]*shardgroup.GroupStatus
	checked map[id.ID]copies.Proof // whose signature was checked

	vouched bool
	had     hostpolicy.Log          // what this node has had
	copies  map[id.ID]copies.Signed // of other nodes, signed by a member
	since   machine.Time            // it is known to lack something, and nobody leads
	fetched bool                    // a copy is on its way
}

const (
	rollbackAsk     = time.Second // for which answers are waited for
	rollbackAtMost  = 4 * time.Second
	rollbackAgain   = 500 * time.Millisecond
	rollbackListens = time.Minute // after that it does not ask any more
	maxRollbackAsks = 24
	// catchUpAfter is how long a replica waits for those who have more before it goes on
	// with a copy. They may be starting as well.
	catchUpAfter = 10 * time.Second
)

// asks reports whether a node was asked.
func (k *rollbackCheck) asks(who id.ID) bool { return !k.done && peers.Among(k.asked, who) }

// hearOwn takes what this node has said about its log.
func (k *rollbackCheck) hearOwn(end hostpolicy.Log) {
	gen, _ := k.group.Raft.Term()
	if end.Gen != gen || end.Compare(k.had) <= 0 {
		return
	}
	k.had = end
	if k.vouched {
		k.group.Raft.Vouch(end.Term, end.Last, 0)
	}
}

// hear takes what another node has of the shard.
func (k *rollbackCheck) hear(f *peers.Remote, m *shardgroup.GroupStatus) {
	if !k.asks(f.Peer.ID) {
		return
	}
	k.heard[f.Peer.ID] = m
	proof := copies.DecodeProof(m.Proof)
	if m.Member || proof == (copies.Proof{}) || k.checked[f.Peer.ID] == proof {
		return
	}
	k.checked[f.Peer.ID] = proof
	end := m.End()
	if k.signatures.SignedBy([]machine.Peer{k.Cfg.Self}, f.Peer.ID, m.Shard, end, proof) {
		k.hearOwn(end)
	}
	if k.signatures.SignedBy(k.group.Members(), f.Peer.ID, m.Shard, end, proof) {
		k.copies[f.Peer.ID] = copies.Signed{End: end, Proof: proof}
	}
}

// restart is when a replica begins that was read from the disk of an earlier run, or not.
func (k *rollbackCheck) restart() {
	k.end()
	k.done, k.begun, k.joined, k.next, k.vouched, k.had, k.since = !k.isNeeded(), 0, 0, 0, false, hostpolicy.Log{}, 0
}

// isNeeded reports whether the replica is of an earlier run, and words are signed.
func (k *rollbackCheck) isNeeded() bool { return k.group.Opened != 0 && k.signatures.IsOn() }

// beat goes on with the check.
func (k *rollbackCheck) beat(now machine.Time) {
	st := k.group.Raft.Status()
	k.tellOverruled(&st)
	if k.done || !st.Member || st.Asleep {
		return
	}
	if k.begun == 0 {
		k.begun, k.heard, k.checked, k.copies = now, map[id.ID]*shardgroup.GroupStatus{}, map[id.ID]copies.Proof{}, map[id.ID]copies.Signed{}
	}
	if k.joined == 0 && k.dir.HasJoined() {
		k.joined, k.next = now, 0
	}
	if now >= k.next {
		k.next = now.Add(rollbackAgain)
		k.ask(&st)
	}
	switch {
	case !k.vouched && (now.Sub(k.begun) >= rollbackAtMost || k.joined != 0 && (k.allAnswered() || now.Sub(k.joined) >= rollbackAsk)):
		k.vouched = true
		k.group.Raft.Vouch(k.had.Term, k.had.Last, k.begunTerm())
	case !k.vouched:
	case k.lacks(&st):
		k.wait(&st, now)
	case now.Sub(k.begun) >= rollbackListens || k.since != 0:
		k.end()
	}
}

// tellOverruled tells people that the others have gone on without something that was
// acknowledged: a disk was put back, and who had more was not there.
func (k *rollbackCheck) tellOverruled(st *group.Status) {
	if st.Overruled != 0 && !k.told {
		k.told = true
		k.Note(fmt.Sprintf("The hosts of %s have gone on without entry %d and what follows, which this node has: the disk of one was put back. What they lack is lost there; this node puts aside what it has.",
			k.group.Shard, st.Overruled))
	}
}

// end is when nothing is left to be found out.
func (k *rollbackCheck) end() {
	k.done, k.asked, k.heard, k.checked, k.copies = true, nil, nil, nil, nil
}

// begunTerm is the latest term in which a member says that it has an entry: this node may
// have voted in it for another, or led.
func (k *rollbackCheck) begunTerm() (term uint64) {
	gen, _ := k.group.Raft.Term()
	for who, m := range k.heard { // the order does not matter
		if m.Member && m.Gen == gen && peers.Among(k.group.Members(), who) {
			term = max(term, m.Term)
		}
	}
	return term
}

// ask asks who may know.
func (k *rollbackCheck) ask(st *group.Status) {
	ask := append(k.group.Members(), k.dir.NearestNodes(k.group.Shard, hostpolicy.Claimants)...)
	ask = append(append(ask, st.Former...), k.seen.Recent()...)
	k.asked = peers.AppendOthers(k.asked, k.Cfg.Self.ID, ask...)
	k.asked = k.asked[:min(len(k.asked), maxRollbackAsks)]
	for _, p := range k.asked {
		if k.heard[p.ID] == nil || k.since != 0 {
			k.links.SendDatagram(p, &shardgroup.GroupStatus{Shard: k.group.Shard, Reply: true, Member: true})
		}
	}
}

// allAnswered reports whether everybody has answered who was asked.
func (k *rollbackCheck) allAnswered() bool {
	for _, p := range k.asked {
		if k.heard[p.ID] == nil {
			return false
		}
	}
	return len(k.asked) > 0
}

// lacks reports whether this node has had more than its log has now.
func (k *rollbackCheck) lacks(st *group.Status) bool {
	return k.had.Gen == st.Gen && shardgroup.EndOf(st).Compare(k.had) < 0
}

// wait waits for those who have what is missing here, and goes on without them if they do
// not come.
func (k *rollbackCheck) wait(st *group.Status, now machine.Time) {
	if k.since == 0 {
		k.Note(fmt.Sprintf("The disk of this node was put back to an older state: of %s it has had entry %d, and has %d now. It elects nobody who lacks that.",
			k.group.Shard, k.had.Last, st.Last))
		k.since = now
	}
	switch waited := now.Sub(k.since); {
	case k.group.Leader() != (machine.Peer{}):
		k.since = now // it is sent what it lacks
	case k.fetched || k.othersHave() && waited < hostpolicy.MemberLostAfter:
	case waited >= catchUpAfter && k.fetchCopy(st):
	case waited >= hostpolicy.LastHostAfter:
		k.Note(fmt.Sprintf("Nobody has more of %s than this node, whose disk was put back to an older state: it goes on without entries %d to %d. What was built in between is lost.",
			k.group.Shard, st.Last+1, k.had.Last))
		k.group.Raft.Forgo()
		k.end()
	}
}

// othersHave reports whether another replica has what is missing here: it is to lead.
func (k *rollbackCheck) othersHave() bool {
	for _, m := range k.heard {
		if m.Member && m.End().Compare(k.had) >= 0 {
			return true
		}
	}
	return false
}

// fetchCopy fetches the newest copy that has more than the log here; false: there is none.
func (k *rollbackCheck) fetchCopy(st *group.Status) bool {
	own := shardgroup.EndOf(st)
	var from machine.Peer
	best := copies.Signed{End: own}
	for _, p := range k.asked {
		if c, ok := k.copies[p.ID]; ok && c.End.Gen == st.Gen && c.End.Last > own.Last && c.End.Compare(best.End) > 0 {
			best, from = c, p
		}
	}
	if from == (machine.Peer{}) {
		return false
	}
	k.fetched = true
	k.fetching.Begin(from, k.group.Shard, best, func(kvs []machine.KV, ok bool) {
		k.fetched = false
		if k.done || k.group.Gone {
			return
		}
		if !ok {
			delete(k.copies, from.ID)
			return
		}
		k.catchUp(best.End, kvs)
	})
	return true
}

// catchUp continues with a copy.
func (k *rollbackCheck) catchUp(end hostpolicy.Log, kvs []machine.KV) {
	if !k.group.Raft.CatchUp(group.State{Gen: end.Gen, Term: end.Term, Index: end.Last, Content: kvs}) {
		return // it is fetched again, if nobody leads
	}
	k.Note(fmt.Sprintf("Nobody who hosts %s has more than this node, whose disk was put back to an older state: it goes on with a copy that ends with entry %d. What was built after that is lost.",
		k.group.Shard, end.Last))
	k.end()
}
