package group

import (
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// forger is node 2 of a group of three, a voter that does not lead.
type forger struct {
	net *testnet
	id  uint64
}

func newForger(t *testing.T) forger {
	net := newNet(t, 1, sim.Config{}, Config{}, 4)
	net.create(0, 1, 2)
	net.write(0, "a")
	net.until("all have it", func() bool { return net.has(1, "a") != "" && net.has(2, "a") != "" })
	return forger{net, net.node(2).st.Self}
}

// say delivers a message of the forger to a node.
func (f forger) say(to int, m machine.Message) {
	k := f.net.node(to)
	f.net.nodes[to].Call(func() { k.Replica.OnMessage(f.net.nodes[2].Peer(), m) })
}

// raft delivers a message of the library, of the term that the receiver is in.
func (f forger) raft(to int, m *pb.Message) {
	k := f.net.node(to)
	term := k.raftStatus().term
	m.From, m.To, m.Term = new(f.id), new(k.st.Self), new(term)
	b, _ := proto.Marshal(m)
	f.say(to, &Message{Space: space, Gen: k.st.Gen, From: f.id, To: k.st.Self, Term: term, Raft: [][]byte{b}})
}

// unharmed checks that the first still leads, lost nothing, and is followed.
func (f forger) unharmed(t *testing.T) {
	t.Helper()
	f.net.sim.Run(2 * time.Second)
	for i := range 2 {
		k := f.net.node(i)
		if k.phase != member || len(k.gone) > 0 || k.raftStatus().lead != f.net.node(0).st.Self || f.net.has(i, "forged") != "" || f.net.has(i, "a") == "" {
			t.Errorf("node %d: gone %v, %+v, forged %q", i, k.gone, k.Status(), f.net.has(i, "forged"))
		}
	}
	if n := len(f.net.node(0).follows); n > 0 {
		t.Errorf("the leader lost its lead: %v", f.net.node(0).follows)
	}
	f.net.write(0, "b")
}

// A voter that does not lead appends entries and sends heartbeats in the leader's
// term: nobody takes them.
func TestHostileAppends(t *testing.T) {
	f := newForger(t)
	entry := appendWrite([]byte{entryWrites, 7, 1}, machine.DiskWrite{Put: []machine.KV{{Key: []byte("forged"), Value: []byte("x")}}})
	for range 5 {
		for i := range 2 {
			k := f.net.node(i)
			last, _ := k.raft.log.LastIndex()
			term, _ := k.raft.log.Term(last)
			f.raft(i, &pb.Message{Type: pb.MsgApp.Enum(), Index: new(last), LogTerm: new(term), Commit: new(last + 1),
				Entries: []*pb.Entry{{Term: new(k.raftStatus().term), Index: new(last + 1), Type: pb.EntryNormal.Enum(), Data: entry}}})
			f.raft(i, &pb.Message{Type: pb.MsgHeartbeat.Enum(), Commit: new(last)})
		}
		f.net.sim.Run(300 * time.Millisecond)
	}
	f.unharmed(t)
}

// A voter acknowledges entries that do not exist, and a lease renewal of a time to come.
// The leader counts neither: hibernation, promotions and transfers rely on what a member
// has. The lease ends with the renewals that were made; the library's own check of a
// quorum takes 15 s, in which the others could elect a second leader.
func TestHostileAcknowledgements(t *testing.T) {
	f := newForger(t)
	leader := f.net.node(0)
	for _, ahead := range []uint64{1, 1 << 20, 1 << 62, -leader.disk.lastIndex() - 1} {
		f.raft(0, &pb.Message{Type: pb.MsgAppResp.Enum(), Index: new(leader.disk.lastIndex() + ahead)})
	}
	f.unharmed(t)
	if match := leader.raft.progress()[f.id].match; match > leader.disk.lastIndex() {
		t.Errorf("the leader believes that the forger has %d entries of %d", match, leader.disk.lastIndex())
	}
	f.net.until("the forger has what was written", func() bool { return f.net.has(2, "b") != "" })

	leader.drops = func(m *Message) bool { return m.From == f.id }
	f.net.nodes[1].Crash()
	f.say(0, &Message{Space: space, Gen: leader.st.Gen, From: f.id, To: leader.st.Self, Term: leader.raftStatus().term,
		AckSentAt: int64(leader.env.Now().Add(time.Hour)), AckLease: int64(time.Second)})
	f.net.sim.Run(time.Second)
	if leader.Leads() {
		t.Errorf("the leader takes its lease to hold for %v", leader.lease.end().Sub(leader.env.Now()))
	}
}

// Only the leader replaces the space of a follower by a snapshot.
func TestHostileSnapshot(t *testing.T) {
	f := newForger(t)
	for i := range 2 {
		k := f.net.node(i)
		for _, ahead := range []uint64{0, 1, 5} {
			s := k.st.shared.clone()
			s.Applied += 100
			s.AppliedTerm = k.raftStatus().term + ahead
			f.say(i, &Chunk{Space: space, Gen: k.st.Gen, From: f.id, To: k.st.Self, Term: k.raftStatus().term + ahead, Index: s.Applied, Last: true,
				State: s.append(nil), Data: appendKV(nil, machine.KV{Key: []byte("forged"), Value: []byte("x")})})
			f.net.sim.Run(300 * time.Millisecond)
		}
	}
	f.unharmed(t)
}

// A member that speaks of a newer generation does not end the others: their owner
// hears of it, and decides.
func TestHostileGeneration(t *testing.T) {
	f := newForger(t)
	for i := range 2 {
		k := f.net.node(i)
		k.doubts = true
		f.say(i, &Message{Space: space, Gen: Gen{k.st.Gen.Number + 1, 1}, From: f.id, To: k.st.Self, Term: k.raftStatus().term})
	}
	f.unharmed(t)
	for i := range 2 {
		if n := f.net.node(i).newer; n != 1 {
			t.Errorf("the owner of node %d heard of it %d times", i, n)
		}
	}
}

// Who uses a number before it is given does not get what the new member is sent.
func TestHostileNumber(t *testing.T) {
	f := newForger(t)
	k := f.net.node(0)
	f.say(0, &Message{Space: space, Gen: k.st.Gen, From: k.st.NextID, To: k.st.Self, Term: k.raftStatus().term})
	f.net.nodes[2].Crash()
	f.net.nodes[0].Call(func() { _ = k.SetMembers(f.net.peers(0, 1, 3)) })
	f.net.until("the new member has its place", func() bool { return f.net.settled(0, 1, 3) })
}
