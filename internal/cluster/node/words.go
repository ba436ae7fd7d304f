package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
)

// words is where the words of members go.
type words struct {
	part.Part
	signatures copies.Signatures
	links      *peers.Links
	hosting    *hosting
	spares     *copies.SpareKeeping
	copies     *copies.Store
}

// wordCost is what a word takes of its sender's budget, in bytes of spare copies: a
// signature is to be checked.
const wordCost = 4 << 10

// receive takes a word: of a follower that this node leads, of a member of a group whose
// copy is kept here, or one of this node.
func (w *words) receive(f *peers.Remote, m *copies.LogHeld) {
	if !w.signatures.IsOn() || !m.Shard.InWorld() || m.Index == 0 {
		w.Counts.Dropped++
		return
	}
	h := w.hosting.replicas[m.Shard]
	leads := h != nil && h.group.Leading
	switch {
	case leads && h.group.IsMember(f.Peer.ID), h != nil && h.rollback.asks(f.Peer.ID):
	case !w.hosting.Hosts(m.Shard) && w.spares.Trusts(f, m.Shard):
	default:
		return
	}
	if !w.spares.Spends(f, wordCost) {
		return
	}
	switch who, ok := w.signatures.Said(m); {
	case !ok:
		w.Counts.Dropped++
	case leads && who == f.Peer.ID:
		h.spares.PassOn(m)
	case h != nil && who == w.Cfg.Self.ID:
		h.rollback.hearOwn(m.End())
	case h == nil:
		w.copies.KeepWord(m, who)
	}
}

// tell tells a member what it has said itself.
func (w *words) tell(f *peers.Remote, p shards.Shard) {
	if m := w.copies.WordOf(p, f.Peer.ID); m != nil {
		w.links.SendDatagram(f.Peer, m)
	}
}
