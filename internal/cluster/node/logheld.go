package node

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// LogHeld is a member's word that it has applied the log of a shard's group up to an
// entry. Followers send theirs to the leader, which passes them on to those who keep a
// copy of the shard. These tell a member that asks what it has said itself: so a member
// whose disk was put back to an older state learns that, and nobody else can make it
// believe so (rollbackCheck).
type LogHeld struct {
	Shard       shards.Shard
	Gen         group.Gen
	Term, Index uint64
	Key         [32]byte
	Sig         [64]byte
}

// Datagram says that the message needs no link and may be lost.
func (*LogHeld) Datagram() {}

// end is the entry.
func (m *LogHeld) end() hostpolicy.Log {
	return hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}
}

// logStatement is what is signed.
func logStatement(world id.ID, p shards.Shard, end hostpolicy.Log) []byte {
	b := append([]byte("voxelpopuli log held\x00"), world[:]...)
	b = append(append(b, p.Space()...), 0)
	for _, v := range []uint64{end.Gen.Number, end.Gen.Fork, end.Term, end.Last} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	return b
}

// say signs a word of this node.
func (c copySignatures) say(p shards.Shard, end hostpolicy.Log) *LogHeld {
	s := c.signer.Sign(logStatement(c.world, p, end))
	return &LogHeld{Shard: p, Gen: end.Gen, Term: end.Term, Index: end.Last, Key: s.Key, Sig: s.Sig}
}

// said returns whose word a message is.
func (c copySignatures) said(m *LogHeld) (id.ID, bool) {
	return c.signer.Check(logStatement(c.world, m.Shard, m.end()), Signature{m.Key, m.Sig})
}

// words is where the words of members go.
type words struct {
	part.Part
	signatures copySignatures
	links      *peers.Links
	hosting    *hosting
	spares     *spareKeeping
	copies     *copies
}

// wordCost is what a word takes of its sender's budget, in bytes of spare copies: a
// signature is to be checked.
const wordCost = 4 << 10

// receive takes a word: of a follower that this node leads, of a member of a group whose
// copy is kept here, or one of this node.
func (w *words) receive(f *peers.Remote, m *LogHeld) {
	if !w.signatures.isOn() || !m.Shard.InWorld() || m.Index == 0 {
		w.Counts.Dropped++
		return
	}
	h := w.hosting.replicas[m.Shard]
	leads := h != nil && h.group.Leading
	switch {
	case leads && h.group.IsMember(f.Peer.ID), h != nil && h.rollback.asks(f.Peer.ID):
	case !w.hosting.hosts(m.Shard) && w.spares.trusts(f, m.Shard):
	default:
		return
	}
	if !w.spares.budgets.Take(f, wordCost) {
		return
	}
	switch who, ok := w.signatures.said(m); {
	case !ok:
		w.Counts.Dropped++
	case leads && who == f.Peer.ID:
		h.spares.passOn(m)
	case h != nil && who == w.Cfg.Self.ID:
		h.rollback.hearOwn(m.end())
	case h == nil:
		w.copies.keepWord(m, who)
	}
}

// tell tells a member what it has said itself.
func (w *words) tell(f *peers.Remote, p shards.Shard) {
	if s, ok := w.copies.spare(p); ok {
		for _, x := range s.words {
			if x.who == f.Peer.ID {
				w.links.SendDatagram(f.Peer, &x.LogHeld)
			}
		}
	}
}

// keptWord is a word that is kept with a copy.
type keptWord struct {
	who id.ID
	LogHeld
}

// maxWords is how many members' words are kept with a copy: the newest.
const maxWords = 4

// keepWord notes a word. It is written with the next change of the copy.
func (c *copies) keepWord(m *LogHeld, who id.ID) {
	s, ok := c.spare(m.Shard)
	if !ok {
		return
	}
	at := 0 // whose place it takes: its own, else that of the oldest
	for i, x := range s.words {
		if x.who == who {
			at = i
			break
		}
		if old := s.words[at]; x.end().Compare(old.end()) < 0 {
			at = i
		}
	}
	if old := s.words[at]; m.end().Compare(old.end()) > 0 {
		s.words[at] = keptWord{who, *m}
		c.add(s)
	}
}

// passOn sends a follower's word to the nodes that keep a copy.
func (s *spareSending) passOn(m *LogHeld) {
	for _, h := range s.holders {
		s.links.SendDatagram(h.peer, m)
	}
}

// speak tells the leader how far this follower is, if something has changed.
func (s *spareSending) speak(now machine.Time) {
	leader := s.group.Leader()
	if !s.signatures.isOn() || now < s.spoke.Add(spareEvery) || leader == (machine.Peer{}) || s.group.Raft.Hibernates() {
		return
	}
	gen, _ := s.group.Raft.Term()
	if end := (hostpolicy.Log{Gen: gen, Term: s.changed.Term, Last: s.changed.Last}); end.Last != 0 && end != s.spoken {
		s.spoke, s.spoken = now, end
		s.links.SendDatagram(leader, s.signatures.say(s.group.Shard, end))
	}
}
