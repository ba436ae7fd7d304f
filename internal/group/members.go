package group

import (
	"slices"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Membership. What is wanted is an entry of the log, so that every leader
// works towards it, one change at a time: newcomers come in as learners, who
// have no vote; who has caught up becomes a voter; when all who are wanted are
// voters the others go. A leader who is not wanted hands over first.
//
// Of two who are wanted only the first gets a vote: two voters would stop with
// either of them. The other stays a learner, a copy that others can recover the
// group from.

// shape is the change on its way.
type shape struct {
	until    machine.Time           // it is waited for until then; 0: none is on its way
	declined map[id.ID]machine.Time // who came without a log, or did not want to
}

const (
	caughtUp = 16              // entries that a learner may lack to become a voter
	askAgain = 5 * time.Second // after a node declined
)

// SetMembers says who shall keep the space. Only the leader can; it returns
// ErrNotLeader or ErrBusy, and then nothing has changed.
func (r *Replica) SetMembers(wanted []machine.Peer) error {
	defer r.begin()()
	if !r.lead.leads && !(r.phase == member && r.rules()) {
		return ErrNotLeader
	}
	if slices.Equal(wanted, r.st.Wanted) {
		return nil
	}
	var err error
	r.guard(func() { err = r.rn.Propose(encodeWanted(wanted)) })
	if err != nil {
		return ErrBusy
	}
	return nil
}

// rules reports whether this replica is a leader that knows all that was
// committed before it and that nobody else leads, asleep or not.
func (r *Replica) rules() bool {
	now := r.now()
	return now.leader && r.lead.ready == now.term && r.lead.yielded != now.term && r.disk.err == nil && r.env.Now() < r.lease()
}

// reshape makes the next step towards the wanted members.
func (r *Replica) reshape() {
	if r.phase != member || len(r.st.Wanted) == 0 || r.lead.heir != 0 || r.sleep.asleep ||
		r.env.Now() < r.shape.until || r.inShape() || !r.rules() {
		return
	}
	how, who, ok := r.nextChange()
	if !ok {
		return
	}
	if how == transferFirst {
		r.handOver(who.ID)
		return
	}
	r.shape.until = r.env.Now().Add(r.cfg.MaxElection)
	cc := &pb.ConfChange{Type: how.Enum(), NodeId: new(who.ID), Context: encodeMember(who)}
	r.guard(func() { _ = r.rn.ProposeConfChange(cc) }) // refused: asked again
}

// inShape reports whether nothing is to be done.
func (r *Replica) inShape() bool {
	if len(r.st.Members) != len(r.st.Wanted) || len(r.lead.lost) > 0 {
		return false
	}
	for _, p := range r.st.Wanted {
		if m := r.st.findPeer(p.ID); m == nil || m.Learner == r.st.votes(p.ID) || m.Peer != p {
			return false
		}
	}
	return true
}

// transferFirst is no change: the leader itself is to go.
const transferFirst = pb.ConfChangeType(-1)

// nextChange is the next step, if there is one.
func (r *Replica) nextChange() (how pb.ConfChangeType, who Member, ok bool) {
	pr := r.progress()
	last := pr[r.st.Self].match
	for m := range r.others() {
		if r.lead.lost[m.ID] {
			return pb.ConfChangeRemoveNode, m, true
		}
	}
	ready := true // all who are wanted are voters
	for _, p := range r.st.Wanted {
		m := r.st.findPeer(p.ID)
		switch {
		case m == nil:
			ready = false
			if at, said := r.shape.declined[p.ID]; !said || r.env.Now() >= at.Add(askAgain) {
				return pb.ConfChangeAddLearnerNode, Member{ID: r.st.NextID, Peer: p}, true
			}
		case m.Learner && r.st.votes(p.ID):
			ready = false
			// Its agreement is there already, so that the lease does not end when
			// it is counted.
			agreed := r.lead.agreed[m.ID].until > r.env.Now().Add(r.cfg.Heartbeat)
			if s := pr[m.ID]; agreed && s.active && s.match > 0 && s.match+caughtUp >= last {
				return pb.ConfChangeAddNode, *m, true
			}
		case m.Peer != p:
			return pb.ConfChangeUpdateNode, Member{ID: m.ID, Peer: p}, true
		}
	}
	for m := range r.others() {
		if !r.wants(m) && (m.Learner || ready) {
			return pb.ConfChangeRemoveNode, m, true
		}
	}
	if self := r.st.find(r.st.Self); ready && self != nil && !(r.wants(*self) && r.st.votes(self.Peer.ID)) {
		if heir := r.best(); heir != 0 {
			return transferFirst, *r.st.find(heir), true
		}
	}
	for m := range r.others() { // last: until the others have gone it may be needed for a majority
		if ready && !m.Learner && !r.st.votes(m.Peer.ID) {
			return pb.ConfChangeAddLearnerNode, m, true
		}
	}
	return 0, Member{}, false
}

func (r *Replica) wants(m Member) bool {
	return slices.ContainsFunc(r.st.Wanted, func(p machine.Peer) bool { return p.ID == m.Peer.ID })
}

// best is the voter that could take over most quickly, 0 if there is none.
func (r *Replica) best() (n uint64) {
	pr := r.progress()
	for m := range r.others() {
		if m.Learner || r.isDead(m.ID) || r.lead.lost[m.ID] {
			continue
		}
		if n == 0 || pr[m.ID].match > pr[n].match {
			n = m.ID
		}
	}
	return n
}

// Transfer hands leadership over, to the member with this id, or to the best
// (zero). It is given up if that one does not catch up in time.
func (r *Replica) Transfer(to id.ID) {
	defer r.begin()()
	if !r.lead.leads || r.lead.heir != 0 {
		return
	}
	if to == (id.ID{}) {
		r.handOver(r.best())
	} else if m := r.st.findPeer(to); m != nil && !m.Learner && m.ID != r.st.Self {
		r.handOver(m.ID)
	}
}

// handOver lets proposals wait until the heir has all that is on its way.
func (r *Replica) handOver(to uint64) {
	if to != 0 && r.lead.leads {
		r.lead.heir, r.lead.heirBy = to, r.env.Now().Add(4*r.cfg.Election)
	}
}

// yieldIfDone hands over once nothing is on its way. From then on this replica
// claims nothing in this term: the heir needs no promise to be elected.
func (r *Replica) yieldIfDone() {
	l := &r.lead
	switch {
	case l.heir == 0 || r.phase != member:
	case r.env.Now() >= l.heirBy || r.st.find(l.heir) == nil:
		l.heir, l.heirBy = 0, 0
	case len(r.props.flying) == 0:
		if pr := r.progress(); pr[l.heir].match >= pr[r.st.Self].match && r.st.Applied >= pr[r.st.Self].match {
			r.yield(l.heir)
		}
	}
}

func (r *Replica) yield(to uint64) {
	l := &r.lead
	l.heir, l.heirBy = 0, 0
	l.yielded = r.now().term
	l.yieldAt, l.yieldTo = r.env.Now().Add(l.ask(r)), to
	r.clock.promised = max(r.clock.promised, l.yieldAt) // nobody but the heir gets this vote
	r.releaseFor(to)
	r.guard(func() { r.rn.TransferLeader(to) })
}

// abdicate is when the leader's disk fails.
func (r *Replica) abdicate(now raftNow) {
	if r.lead.yielded == now.term {
		return
	}
	if to := r.best(); to != 0 {
		r.yield(to)
		r.pump()
	}
}

// stepDown leaves a term in which another was told to stand, if it has not come
// to anything. Raft allows a server to go to a higher term at any time; the
// library does when it hears of one.
func (r *Replica) stepDown() {
	now := r.now()
	if !now.leader || r.lead.yielded != now.term {
		return
	}
	for m := range r.others() {
		r.step(&pb.Message{Type: pb.MsgAppResp.Enum(), From: new(m.ID), To: new(r.st.Self), Term: new(now.term + 1)})
		return
	}
}

// look notices who is dead, and who is not.
func (r *Replica) look(machine.Time) {
	for m := range r.others() {
		if dead := r.isDead(m.ID); dead != r.lead.dead[m.ID] {
			r.lead.dead[m.ID] = dead
			r.emit(r.ev.OnChange)
		}
	}
}

func (r *Replica) isDead(n uint64) bool {
	return r.env.Now().Sub(r.lead.heard[n]) > r.cfg.DeadAfter
}

// onLost hears that a member has nothing of its log, or does not want to be
// one. It is removed; if it is wanted it may come again, as another.
func (r *Replica) onLost(from machine.Peer, m *Message) {
	k := r.st.find(m.From)
	if !r.now().leader || k == nil || k.Peer.ID != from.ID || r.lead.lost[m.From] {
		return
	}
	r.lead.lost[m.From] = true
	if r.shape.declined == nil {
		r.shape.declined = map[id.ID]machine.Time{}
	}
	if k.Learner {
		r.shape.declined[from.ID] = r.env.Now()
	}
	r.emit(r.ev.OnChange)
}
