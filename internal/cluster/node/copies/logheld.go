package copies

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// End is the entry.
func (m *LogHeld) End() hostpolicy.Log {
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

// Say signs a word of this node.
func (c Signatures) Say(p shards.Shard, end hostpolicy.Log) *LogHeld {
	s := c.signer.Sign(logStatement(c.world, p, end))
	return &LogHeld{Shard: p, Gen: end.Gen, Term: end.Term, Index: end.Last, Key: s.Key, Sig: s.Sig}
}

// Said returns whose word a message is.
func (c Signatures) Said(m *LogHeld) (id.ID, bool) {
	return c.signer.Check(logStatement(c.world, m.Shard, m.End()), Signature{m.Key, m.Sig})
}

// keptWord is a word that is kept with a copy.
type keptWord struct {
	who id.ID
	LogHeld
}

// maxWords is how many members' words are kept with a copy: the newest.
const maxWords = 4

// WordOf is what a member has said itself, as it is kept with a copy; nil: nothing is.
func (c *Store) WordOf(p shards.Shard, who id.ID) *LogHeld {
	if s, ok := c.Spare(p); ok {
		for _, x := range s.words {
			if x.who == who {
				return &x.LogHeld
			}
		}
	}
	return nil
}

// KeepWord notes a word. It is written with the next change of the copy.
func (c *Store) KeepWord(m *LogHeld, who id.ID) {
	s, ok := c.Spare(m.Shard)
	if !ok {
		return
	}
	at := 0 // whose place it takes: its own, else that of the oldest
	for i, x := range s.words {
		if x.who == who {
			at = i
			break
		}
		if old := s.words[at]; x.End().Compare(old.End()) < 0 {
			at = i
		}
	}
	if old := s.words[at]; m.End().Compare(old.End()) > 0 {
		s.words[at] = keptWord{who, *m}
		c.add(s)
	}
}

// PassOn sends a follower's word to the nodes that keep a copy.
func (s *SpareSending) PassOn(m *LogHeld) {
	for _, h := range s.holders {
		s.links.SendDatagram(h.peer, m)
	}
}

// Speak tells the leader how far this follower is, if something has changed.
func (s *SpareSending) Speak(now machine.Time) {
	leader := s.group.Leader()
	if !s.signatures.IsOn() || now < s.spoke.Add(spareEvery) || leader == (machine.Peer{}) || s.group.Raft.Hibernates() {
		return
	}
	gen, _ := s.group.Raft.Term()
	if end := (hostpolicy.Log{Gen: gen, Term: s.changed.Term, Last: s.changed.Last}); end.Last != 0 && end != s.spoken {
		s.spoke, s.spoken = now, end
		s.links.SendDatagram(leader, s.signatures.Say(s.group.Shard, end))
	}
}
