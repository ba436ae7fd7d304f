package group

import (
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestLeaderLease: a lease needs a majority, and ends a tenth before the followers'.
func TestLeaderLease(t *testing.T) {
	c, env, _ := newComponent()
	l := &leaderLease{component: c}
	l.reset()
	if l.holds() {
		t.Error("a leader has a lease that nobody granted")
	}
	sent := env.now
	env.pass(10 * time.Millisecond)
	ack := func(from uint64, at machine.Time, d time.Duration) {
		l.onAck(&Message{From: from, AckSentAt: int64(at), AckLease: int64(d)})
	}
	ack(2, env.now.Add(time.Second), time.Minute)
	if l.holds() {
		t.Error("an acknowledgement of a message of the future counts")
	}
	ack(2, sent, time.Second)
	if want := sent.Add(900 * time.Millisecond); l.end() != want {
		t.Errorf("the lease of two of three ends at %v, not at %v", l.end(), want)
	}
	ack(2, sent-5, time.Millisecond) // overtaken
	ack(3, sent, time.Hour)
	if want := sent.Add(2 * c.cfg.MaxElection * 9 / 10); l.end() != want {
		t.Errorf("a follower's longest lease ends at %v, not at %v", l.end(), want)
	}
	env.now = l.end()
	if l.holds() {
		t.Error("it holds at its end")
	}
	l.newTerm()
	if l.end() != 0 {
		t.Error("it holds in another term")
	}
}

// TestLeaseFollowsDelay: a leader asks for longer leases while answers are slow.
func TestLeaseFollowsDelay(t *testing.T) {
	c, env, _ := newComponent()
	l := &leaderLease{component: c}
	l.reset()
	if l.request() != c.cfg.Election {
		t.Errorf("it begins with %v", l.request())
	}
	sent := env.now
	env.pass(700 * time.Millisecond)
	l.onAck(&Message{From: 2, AckSentAt: int64(sent), AckLease: 1})
	if l.request() != 2*time.Second {
		t.Errorf("after answers that took 700 ms it asks for %v", l.request())
	}
	for range 1000 {
		l.decay()
	}
	if l.request() != c.cfg.Election {
		t.Errorf("it still asks for %v long after", l.request())
	}
}

// TestElectionTurns: followers campaign one after the other, in the order of their
// numbers, and not before their lease ends.
func TestElectionTurns(t *testing.T) {
	c, env, _ := newComponent()
	var last machine.Time
	for n := uint64(1); n <= 3; n++ {
		c.st.Self = n
		e := &election{component: c, raft: &raftNode{component: c}, disk: &diskWriter{component: c}}
		e.grant(time.Second)
		if !e.holds() || e.deadline() < env.now.Add(time.Second) || e.deadline() < last.Add(c.cfg.Election/10) {
			t.Errorf("member %d campaigns at %v, after %v", n, e.deadline(), last)
		}
		last = e.deadline()
		if e.longestLease() != time.Second {
			t.Errorf("a restart would assume %v", e.longestLease())
		}
	}
	c.st.Members = c.st.Members[2:]
	e := &election{component: c, raft: &raftNode{component: c}, disk: &diskWriter{component: c}}
	if e.grant(time.Second); e.holds() {
		t.Error("the only voter waits for nobody")
	}
}

// TestLeaseIsWrittenFirst: a lease longer than the one on the disk is acknowledged
// only once it is written.
func TestLeaseIsWrittenFirst(t *testing.T) {
	c, env, _ := newComponent()
	disk := &diskWriter{component: c}
	e := &election{component: c, raft: &raftNode{component: c}, disk: disk}
	now := raftStatus{term: 3, lead: 2}
	hear := func() *Message {
		e.onMessage(&Message{From: 2, Term: 3, SentAt: int64(env.now), Lease: int64(time.Second)}, now)
		answer := &Message{To: 2}
		e.addAck(answer, now)
		return answer
	}
	if a := hear(); a.AckSentAt != 0 || !disk.next.urgent || !e.holds() {
		t.Errorf("it acknowledges %+v before the lease is written", a)
	}
	e.leaseSynced(time.Second)
	if a := hear(); a.AckSentAt != int64(env.now) || a.AckLease != int64(time.Second) {
		t.Errorf("it acknowledges %+v", a)
	}
	stranger := &Message{To: 3}
	if e.addAck(stranger, now); stranger.AckSentAt != 0 {
		t.Error("it tells another than its leader")
	}
}

// TestFilter: what a follower whose lease holds, and later one whose lease has
// expired, lets Raft see.
func TestFilter(t *testing.T) {
	c, env, _ := newComponent()
	raft := &raftNode{component: c}
	c.st.Base, c.st.BaseTerm, c.st.Applied, c.st.AppliedTerm = 1, 1, 1, 1
	if err := raft.open(hardState{Term: 5, Commit: 1}, nil); err != nil {
		t.Fatal(err)
	}
	disk := &diskWriter{component: c, raft: raft}
	e := &election{component: c, raft: raft, disk: disk}
	f := &raftFilter{component: c, raft: raft, disk: disk, election: e, floor: &voteFloor{component: c, raft: raft}}
	may := func(kind pb.MessageType, from, term uint64) bool {
		return f.mayStep(&pb.Message{Type: kind.Enum(), From: new(from), To: new(uint64(1)), Term: new(term)})
	}
	raft.step(&pb.Message{Type: pb.MsgHeartbeat.Enum(), From: new(uint64(2)), To: new(uint64(1)), Term: new(uint64(5))})
	f.noteLeader(raft.status())
	e.grant(time.Second)
	check := func(what string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	check("the leader's heartbeat", may(pb.MsgHeartbeat, 2, 5), true)
	check("another's heartbeat in the same term", may(pb.MsgHeartbeat, 3, 5), false)
	check("an append of a higher term", may(pb.MsgApp, 3, 6), false)
	check("a vote during the lease", may(pb.MsgVote, 3, 6), false)
	check("the leader's MsgTimeoutNow", may(pb.MsgTimeoutNow, 2, 5), true)
	check("another's MsgTimeoutNow", may(pb.MsgTimeoutNow, 3, 5), false)
	f.onTransferNotice(&Message{From: 3, Term: 5, Transferee: 3})
	check("a vote for one who names itself", may(pb.MsgVote, 3, 6), false)
	f.onTransferNotice(&Message{From: 2, Term: 5, Transferee: 3})
	check("a vote for the transferee", may(pb.MsgVote, 3, 6), true)
	f.announced = candidate{}
	env.pass(time.Minute)
	check("an append of a higher term after the lease", may(pb.MsgApp, 3, 6), true)
	check("a vote after the lease", may(pb.MsgVote, 3, 6), true)
	check("a forgotten leader's rival in its term", may(pb.MsgApp, 3, 5), false)
	f.floor.waits = true
	check("a vote before the owner has vouched", may(pb.MsgPreVote, 3, 6), false)
	f.floor.waits, f.floor.had = false, candidacy{4, 7}
	check("a vote for a log that is too short", may(pb.MsgVote, 3, 6), false)
	check("MsgTimeoutNow with a log that is too short", may(pb.MsgTimeoutNow, 2, 5), false)
	check("a vote for a log of that length", f.mayStep(&pb.Message{
		Type: pb.MsgVote.Enum(), From: new(uint64(3)), To: new(uint64(1)), Term: new(uint64(6)), LogTerm: new(uint64(4)), Index: new(uint64(7)),
	}), true)
	f.floor.had = candidacy{1, 1}
	check("MsgTimeoutNow with a log of that length", f.floor.forbids(&pb.Message{Type: pb.MsgTimeoutNow.Enum()}), false)
}
