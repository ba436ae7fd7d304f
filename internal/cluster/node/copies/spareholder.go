package copies

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// spareHolder is a node that keeps a copy of a shard that is led here.
type spareHolder struct {
	peer  machine.Peer
	heard machine.Time   // when it last answered, or was chosen
	asked bool           // it has said what it has
	had   hostpolicy.Log // that
	next  machine.Time   // when to send it something next
	whole machine.Time   // when it may be sent the whole state again

	sending *sparePart
}

// sparePart is what is on its way to a holder.
type sparePart struct {
	end    hostpolicy.Log
	proof  Proof
	after  uint64
	data   []byte
	parts  uint32 // that the holder has
	at     machine.Time
	unsent bool // the next part waits for the node's upload
}

// wholeEvery is how often a holder is sent the whole state: one that loses it, or says
// so, costs no more.
const wholeEvery = time.Minute

// refresh sends to a holder what it lacks.
func (s *SpareSending) refresh(h *spareHolder, now machine.Time) {
	if x := h.sending; x != nil {
		switch {
		case now.Sub(x.at) >= spareAnswer:
			h.sending, h.asked = nil, false
		case x.unsent:
			s.sendPart(h)
		}
		return
	}
	switch {
	case now < h.next:
	case s.digest == nil: // more has changed meanwhile than is kept
		if !s.reading {
			s.readState()
		}
	case !h.asked:
		h.next = now.Add(spareAnswer)
		end := s.changed
		s.links.Send(h.peer, &Spare{
			Shard: s.group.Shard, Gen: end.Gen, Term: end.Term, Index: end.Last, After: end.Last, Last: true, Proof: s.proof(h, end, s.digest.Sum()).Encoded(),
		})
	case !s.lacks(h):
	case h.had.Gen == s.changed.Gen && s.changes.reachBack(h.had.Last):
		s.send(h, &sparePart{end: s.changed, proof: s.proof(h, s.changed, s.digest.Sum()), after: h.had.Last, data: s.changes.after(h.had.Last)})
	case now < h.whole:
	case s.full != nil && s.changes.reachBack(s.full.end.Last):
		h.whole = now.Add(wholeEvery)
		s.send(h, &sparePart{end: s.full.end, proof: s.proof(h, s.full.end, s.full.digest), data: s.full.data})
	case !s.reading:
		s.readState()
	}
}

// lacks reports whether a holder does not have the last change.
func (s *SpareSending) lacks(h *spareHolder) bool {
	return !h.asked || h.had.Gen != s.changed.Gen || h.had.Last < s.changed.Last
}

// proof signs a state for a holder.
func (s *SpareSending) proof(h *spareHolder, end hostpolicy.Log, digest [32]byte) Proof {
	return s.signatures.Sign(h.peer.ID, s.group.Shard, end, digest)
}

// send begins to send a state, or changes of one.
func (s *SpareSending) send(h *spareHolder, x *sparePart) {
	h.next = s.Env.Now().Add(spareEvery)
	h.sending = x
	s.sendPart(h)
}

// sendPart sends the next part, if the upload allows it.
func (s *SpareSending) sendPart(h *spareHolder) {
	x := h.sending
	from := min(int(x.parts)*MaxSparePart, len(x.data))
	part := x.data[from:min(from+MaxSparePart, len(x.data))]
	now := s.Env.Now()
	x.unsent = !s.uploads.Take(float64(len(part)), time.Unix(0, int64(now)))
	x.at = now
	if x.unsent {
		return
	}
	m := &Spare{
		Shard: s.group.Shard, Gen: x.end.Gen, Term: x.end.Term, Index: x.end.Last, After: x.after,
		Part: x.parts, Last: from+len(part) == len(x.data), Data: part,
	}
	if m.Part == 0 {
		m.Proof = x.proof.Encoded()
	}
	s.links.Send(h.peer, m)
}

// Hear takes a holder's answer.
func (s *SpareSending) Hear(f *peers.Remote, m *SpareHeld) {
	for i, h := range s.holders {
		if h.peer.ID != f.Peer.ID {
			continue
		}
		now := s.Env.Now()
		h.heard, h.peer = now, f.Peer
		x := h.sending
		switch {
		case m.Refused:
			s.refused[h.peer.ID], s.choose = now, 0
			s.holders = append(s.holders[:i:i], s.holders[i+1:]...)
		case x != nil && m.Parts > 0:
			if m.Parts == x.parts+1 && m.Index == x.end.Last && int(m.Parts)*MaxSparePart < len(x.data) {
				x.parts++
				s.sendPart(h)
			}
		default:
			h.sending, h.asked, h.had = nil, true, hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}
			s.checkLog(h)
			if x == nil {
				h.next = now // it has said what it has: the rest follows
			}
		}
		return
	}
}

// checkLog tells the person who runs the node if a holder has an entry of an earlier
// leader that this log does not have: leaders send only what a majority has, so a host's
// disk was put back to an older state. It may also be a lie, and changes nothing.
func (s *SpareSending) checkLog(h *spareHolder) {
	if s.warned || h.had.Gen != s.began.Gen || h.had.Term >= s.began.Term || h.had.Last < s.began.Last {
		return
	}
	s.warned = true
	s.Note(fmt.Sprintf("Node %s has a copy of %s that is newer than what its hosts have (entry %d; here the log ended before entry %d): "+
		"the disk of a host was put back to an older state. What was built in between is lost.",
		h.peer.ID.Short(), s.group.Shard, h.had.Last, s.began.Last))
}

// changeLog is what was applied after an entry, until the holders have it.
type changeLog struct {
	complete bool   // all changes after the entry from are here
	from     uint64 // the entry
	list     []appliedChange
	bytes    int
}

// appliedChange is the changes of an entry, encoded.
type appliedChange struct {
	index uint64
	data  []byte
}

// maxChanges bounds the bytes of a changeLog, and of what is sent at once: holders that
// lack more get the whole state.
const maxChanges = 1 << 20

func (c *changeLog) add(index uint64, ws []machine.DiskWrite) {
	data := group.AppendChanges(nil, ws)
	c.list, c.bytes = append(c.list, appliedChange{index, data}), c.bytes+len(data)
	if c.bytes > maxChanges {
		c.trim(index)
	}
}

// begin is when the whole state after an entry was read: the changes follow.
func (c *changeLog) begin(index uint64) {
	if !c.complete {
		c.complete = true
		c.trim(index)
	}
}

// reachBack reports whether all changes after an entry are here.
func (c *changeLog) reachBack(index uint64) bool { return c.complete && index >= c.from }

// after encodes the changes after an entry.
func (c *changeLog) after(index uint64) (data []byte) {
	for _, x := range c.list {
		if x.index > index {
			data = append(data, x.data...)
		}
	}
	return data
}

// follow brings the digest of the state after an entry to the last change; nil: some of
// the changes are not here any more.
func (c *changeLog) follow(d *group.Digest, index uint64) *group.Digest {
	if !c.reachBack(index) {
		return nil
	}
	for _, x := range c.list {
		if x.index > index {
			ws, err := group.DecodeChanges("", x.data)
			if err != nil {
				return nil // never: it was encoded here
			}
			d.Apply(ws)
		}
	}
	return d
}

// trim forgets the changes up to an entry.
func (c *changeLog) trim(index uint64) {
	c.from = max(c.from, index)
	n := 0
	for n < len(c.list) && c.list[n].index <= index {
		c.bytes -= len(c.list[n].data)
		n++
	}
	c.list = append([]appliedChange(nil), c.list[n:]...)
}
