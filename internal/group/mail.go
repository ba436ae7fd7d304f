package group

import (
	"errors"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// mail is what goes to the other members. What arises in one handler goes to
// each in one message, unless that would be larger than links like.
type mail struct {
	out  []outgoing
	addr map[uint64]machine.Peer // where members last wrote from
	link map[machine.Peer]*link
}

type outgoing struct {
	to   uint64
	raft [][]byte
	size int
}

// link is what is known of a link. Links belong to the node, which shares them
// among its groups and closes those that nobody needs.
type link struct {
	down bool
	at   machine.Time // when it was opened, or failed
}

// reopen is how long a failed link is left alone.
const reopen = 200 * time.Millisecond

func (q *mail) init() {
	q.addr, q.link = map[uint64]machine.Peer{}, map[machine.Peer]*link{}
}

func (q *mail) add(m *pb.Message) {
	data, err := proto.Marshal(m)
	if err != nil {
		return // it is as good as lost
	}
	i := len(q.out) - 1
	for i >= 0 && q.out[i].to != m.GetTo() {
		i--
	}
	if i < 0 || q.out[i].size+len(data) > maxMessage+maxMessage/2 {
		i = len(q.out)
		q.out = append(q.out, outgoing{to: m.GetTo()})
	}
	q.out[i].raft = append(q.out[i].raft, data)
	q.out[i].size += len(data)
}

// where says where a member is. A number that is not given yet anybody may use.
func (r *Replica) where(n uint64) (machine.Peer, bool) {
	p, heard := r.mail.addr[n]
	if m := r.st.find(n); m != nil && (!heard || m.Peer.ID != p.ID) {
		return m.Peer, true
	}
	return p, heard
}

// link opens a link unless there is one, or it failed a moment ago; it reports
// whether sending makes sense.
func (r *Replica) link(p machine.Peer) bool {
	l := r.mail.link[p]
	if l == nil {
		l = &link{down: true, at: -forever}
		r.mail.link[p] = l
	}
	if !l.down {
		return true
	}
	if r.env.Now() < l.at.Add(reopen) {
		return false
	}
	l.down, l.at = false, r.env.Now()
	r.env.Open(p)
	return true
}

func (r *Replica) onLink(p machine.Peer, ev machine.LinkEvent) {
	l := r.mail.link[p]
	if l == nil {
		return // not to a member
	}
	if ev == machine.LinkUp {
		l.down = false
		return
	}
	l.down, l.at = true, r.env.Now()
	if r.phase != member {
		return
	}
	for m := range r.others() {
		if q, _ := r.where(m.ID); q == p {
			r.guard(func() { r.rn.ReportUnreachable(m.ID) })
			r.snaps.fail(r, m.ID)
		}
	}
}

// post sends what has gathered.
func (r *Replica) post() {
	if len(r.mail.out) == 0 {
		return
	}
	out := r.mail.out
	r.mail.out = nil
	if r.phase != member {
		return
	}
	now := r.now()
	for _, o := range out {
		m := &Message{
			Space: r.cfg.Space, Gen: r.st.Gen, From: r.st.Self, To: o.to, Raft: o.raft,
			Term: now.term,
		}
		switch {
		case now.leader && r.lead.yielded != now.term:
			m.Stamp, m.Promise = int64(r.env.Now()), int64(r.lead.ask(r))
			m.Fresh = r.isFresh(o.to)
		case r.clock.echoTerm == now.term && now.lead == o.to:
			m.Echo, m.EchoPromise = r.clock.echo, r.clock.echoPromise
		}
		r.send(o.to, m)
	}
}

func (r *Replica) send(to uint64, m machine.Message) {
	if p, ok := r.where(to); ok && r.link(p) {
		r.env.Send(p, m)
	} else if ok && r.phase == member {
		r.guard(func() { r.rn.ReportUnreachable(to) })
	}
}

// tell sends a message without content to a member or somebody else.
func (r *Replica) tell(kind Kind, to uint64, p machine.Peer) {
	m := &Message{Space: r.cfg.Space, Kind: kind, Gen: r.st.Gen, From: r.st.Self, To: to}
	if r.rn != nil {
		m.Term = r.now().term
	}
	if r.link(p) {
		r.env.Send(p, m)
	}
}

// isFresh reports whether a member has just been taken in by this leader and
// has said nothing yet. All changes before this leader's first entry are
// applied then, and it promotes only who has said something, so that a fresh
// member's voice has never counted.
func (r *Replica) isFresh(n uint64) bool {
	m := r.st.find(n)
	return m != nil && m.Learner && r.lead.ready == r.now().term && r.progress()[n].match == 0
}

// onMessage takes a message of another member, or of somebody who says so.
func (r *Replica) onMessage(from machine.Peer, m *Message) {
	if from.ID == r.cfg.Self.ID {
		return
	}
	if l := r.mail.link[from]; l != nil {
		l.down = false
	} else {
		r.mail.link[from] = &link{}
	}
	switch {
	case r.phase == gone:
		if m.Invites() && errors.Is(r.failed, ErrRemoved) && m.To > r.st.Self {
			r.rejoin(from, m)
		}
	case r.phase == blank:
		if m.Invites() {
			r.join(from, m)
			r.take(from, m)
		} else if d := Decline(m); d != nil {
			r.env.Send(from, d)
		}
	case m.Gen != r.st.Gen:
		r.otherGen(from, m)
	case m.Kind == KindLost:
		r.onLost(from, m)
	case m.To != r.st.Self:
		if invited := m.Invites() && m.To > r.st.Self; invited && r.st.NextID == 0 { // there is nothing to lose
			r.rejoin(from, m)
		} else if invited {
			r.takenInAnew(from)
		} else if r.st.find(m.From) == nil && m.From < r.st.NextID && m.Kind == KindRaft {
			r.tell(KindGone, m.From, from) // it knows this node, too, as who it was before
		}
	default:
		r.take(from, m)
	}
}

// maxUnknown bounds how many members are remembered that this replica does not
// know: those that were taken in since are few, and anybody may say to be one.
const maxUnknown = 16

// note remembers when and from where a member was heard; false: there would be too
// many.
func (r *Replica) note(from machine.Peer, n uint64) bool {
	if _, known := r.lead.heard[n]; !known && len(r.lead.heard) >= len(r.st.Members)+maxUnknown && r.st.find(n) == nil {
		return false
	}
	if n != 0 {
		r.mail.addr[n] = from
	}
	r.lead.heard[n] = r.env.Now()
	return true
}

// speaksForAnother reports whether a number that the members of this replica do not
// include was first used by another node. A number is given to one node once.
func (r *Replica) speaksForAnother(from machine.Peer, n uint64) bool {
	p, used := r.mail.addr[n]
	return used && p.ID != from.ID
}

// take takes a message of the group to this member.
func (r *Replica) take(from machine.Peer, m *Message) {
	switch known := r.st.find(m.From); {
	case known != nil && known.Peer.ID != from.ID:
		return // speaks for another
	case known == nil && m.From < r.st.NextID:
		r.tell(KindGone, m.From, from) // it was removed and does not know
		return
	case known == nil && r.speaksForAnother(from, m.From):
		return
	}
	if !r.note(from, m.From) {
		return
	}
	switch m.Kind {
	case KindGone:
		r.onGoneSaid(r.st.findPeer(from.ID))
		return
	case KindSleep:
		r.onSleep(m)
		return
	case KindWake, KindStir:
		r.stir(m.Kind == KindWake)
		return
	}
	r.rouse(m)
	r.takeRelease(m)
	for _, data := range m.Raft {
		rm := &pb.Message{}
		if proto.Unmarshal(data, rm) != nil || rm.GetFrom() != m.From || rm.GetTo() != r.st.Self || !travels[rm.GetType()] {
			continue
		}
		if r.phase == member && r.mayHear(rm) {
			r.step(rm)
		}
	}
	if r.phase == member {
		r.agree(m)
	}
}

// travels are the library's messages that members send each other. Snapshots
// do not: see Chunk.
var travels = map[pb.MessageType]bool{
	pb.MsgApp: true, pb.MsgAppResp: true, pb.MsgVote: true, pb.MsgVoteResp: true,
	pb.MsgHeartbeat: true, pb.MsgHeartbeatResp: true, pb.MsgTimeoutNow: true,
	pb.MsgPreVote: true, pb.MsgPreVoteResp: true,
}
