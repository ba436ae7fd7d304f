package copies

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// HearReturned takes what a node has of a shard that is led here. A region that lost its
// hosts began with a copy (Saved.IsOrigin); one of them has come back alone, with more than
// the copy had, and has put that aside (decision 181). What is in it and not in the copy is
// merged into the region, where nobody has changed it since.
//
// The state is signed by the node that has it, which was a host of the region.
func (s *StateRestoring) HearReturned(f *peers.Remote, m *shardgroup.GroupStatus) {
	h := s.hosting.LoadedGroup(m.Shard)
	if h == nil || !h.Leading || m.Member || m.Shard.Lobby {
		return
	}
	st, proof := h.Raft.Status(), DecodeProof(m.Proof)
	origin, ok := s.copies.origin(m.Shard)
	if !ok || st.Restored == 0 || !peers.Among(st.Former, f.Peer.ID) || s.returned[f.Peer.ID] == proof ||
		m.Gen != origin.Gen || m.End().Compare(origin.End()) <= 0 || s.work[m.Shard] != nil || len(s.work) >= maxRestores {
		return
	}
	if !s.signatures.SignedBy([]machine.Peer{f.Peer}, f.Peer.ID, m.Shard, m.End(), proof) {
		s.Counts.Dropped++
		return
	}
	x := &stateRestore{from: f.Peer, proof: proof, origin: &origin, order: RestoreState{Shard: m.Shard}, begun: s.Env.Now(), made: map[world.ColumnPos]*world.Column{}}
	s.work[m.Shard] = x
	s.hosting.Wake(m.Shard)
	s.fetching.Begin(f.Peer, m.Shard, Signed{End: m.End(), Proof: proof}, s.fetched(x))
}

// endReturned is when what a host has brought is merged, or cannot be; then it is asked for
// again when the host says again that it has it.
func (s *StateRestoring) endReturned(x *stateRestore, ok bool) {
	if !ok {
		return
	}
	if len(s.returned) >= maxReturned {
		clear(s.returned)
	}
	s.returned[x.from.ID] = x.proof
	text := fmt.Sprintf("%d changes of %s, which a host had that came back alone, are in place", x.changed, x.order.Shard)
	if x.kept > 0 {
		text += fmt.Sprintf("; %d stay at node %s, since others have changed those blocks (/states)", x.kept, x.from.ID.Short())
	}
	s.Note(text + ".")
}

// maxReturned bounds of how many nodes it is known what of theirs is merged.
const maxReturned = 256

// origin returns the copy that this node has continued a shard from; false: it has not.
func (c *Store) origin(p shards.Shard) (Saved, bool) {
	for _, s := range c.list {
		if s.Shard == p && s.IsOrigin() {
			return s, true
		}
	}
	return Saved{}, false
}

// SignRetired adds to what a replica of a shard had when it ended what was only in its log,
// and signs it, so that whoever leads the shard now takes it from here. end is the end of
// that log.
func (c *Store) SignRetired(s Saved, log []machine.DiskWrite, end hostpolicy.Log, sign Signatures, then func(error)) {
	var changes []machine.DiskWrite
	for _, w := range log {
		w.Space = s.Space
		changes = append(changes, w)
	}
	s.Term, s.Index = end.Term, end.Last
	c.Write(s, changes, func(err error) {
		if err != nil {
			then(err)
			return
		}
		c.Read(s, func(kvs []machine.KV, err error) {
			if err != nil {
				then(err)
				return
			}
			s.Proof = sign.Sign(c.Cfg.Self.ID, s.Shard, s.End(), group.DigestOf(kvs).Sum())
			c.Write(s, nil, then)
		})
	})
}
