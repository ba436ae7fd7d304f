package group

import (
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// attack is what a member with a vote, which does not keep to the protocol, says
// to the two others.
type attack struct {
	name string
	do   func(net *testnet, say func(to int, m *pb.Message))
}

var takeovers = []attack{
	{"it tells itself to stand", func(net *testnet, _ func(int, *pb.Message)) {
		k := net.node(2)
		if now := k.raftStatus(); now.lead != 0 && !now.leader {
			net.nodes[2].Call(func() {
				defer k.begin()()
				k.raft.step(&pb.Message{Type: pb.MsgTimeoutNow.Enum(), From: new(now.lead), To: new(k.st.Self), Term: new(now.term)})
			})
		}
	}},
	{"it tells the follower to stand", func(net *testnet, say func(int, *pb.Message)) {
		say(1, &pb.Message{Type: pb.MsgTimeoutNow.Enum(), Term: new(net.node(1).raftStatus().term)})
	}},
	{"it tells the follower to stand, and votes for it", func(net *testnet, say func(int, *pb.Message)) {
		say(1, &pb.Message{Type: pb.MsgTimeoutNow.Enum(), Term: new(net.node(1).raftStatus().term)})
		net.sim.Run(time.Millisecond)
		say(1, &pb.Message{Type: pb.MsgVoteResp.Enum(), Term: new(net.node(1).raftStatus().term)})
	}},
	{"it appends as a leader of the next term", func(net *testnet, say func(int, *pb.Message)) {
		for i := range 2 {
			k := net.node(i)
			last, _ := k.raft.log.LastIndex()
			term, _ := k.raft.log.Term(last)
			say(i, &pb.Message{Type: pb.MsgApp.Enum(), Term: new(k.raftStatus().term + 1), Index: new(last), LogTerm: new(term), Commit: new(last)})
			say(i, &pb.Message{Type: pb.MsgHeartbeat.Enum(), Term: new(k.raftStatus().term + 1)})
		}
	}},
	{"it says that terms are higher", func(net *testnet, say func(int, *pb.Message)) {
		for i := range 2 {
			say(i, &pb.Message{Type: pb.MsgAppResp.Enum(), Term: new(net.node(i).raftStatus().term + 3)})
		}
	}},
	{"it asks for votes of a transfer", func(net *testnet, say func(int, *pb.Message)) {
		for i := range 2 {
			k := net.node(i)
			last, _ := k.raft.log.LastIndex()
			say(i, &pb.Message{Type: pb.MsgVote.Enum(), Term: new(k.raftStatus().term + 1), Index: new(last + 5),
				LogTerm: new(k.raftStatus().term), Context: []byte("CampaignTransfer")})
		}
	}},
}

// TestNoTakeover: a member with a vote does not get the lead while the leader is
// there, and does not end it, whatever it says to the others, for a minute. Nor does it
// get the follower elected: the leases would keep a shard from running there, but it would
// follow nobody. Twice a leader that hears of higher terms may go there itself.
func TestNoTakeover(t *testing.T) {
	for seed, a := range takeovers {
		t.Run(a.name, func(t *testing.T) {
			net := newNet(t, uint64(seed), sim.Config{}, Config{}, 3)
			net.create(0, 1, 2)
			net.write(0, "a")
			liar := net.node(2).st.Self
			say := func(to int, m *pb.Message) {
				k := net.node(to)
				m.From, m.To = new(liar), new(k.st.Self)
				b, _ := proto.Marshal(m)
				net.nodes[to].Call(func() {
					k.Replica.OnMessage(net.nodes[2].Peer(), &Message{Space: space, Gen: k.st.Gen, From: liar, To: k.st.Self, Term: m.GetTerm(), Raft: [][]byte{b}})
				})
			}
			for i := range 120 {
				a.do(net, say)
				net.sim.Run(500 * time.Millisecond)
				if l := net.leader(); l > 0 || net.node(1).raftStatus().leader {
					t.Fatalf("after %d attacks node %d leads, and the follower is elected: %v", i+1, l, net.node(1).raftStatus().leader)
				}
				if i%20 == 0 {
					net.until("the first leads", func() bool { return net.leader() == 0 })
					net.write(0, "b")
				}
			}
			if n := len(net.node(0).follows); n > 2 {
				t.Errorf("the leader lost its lead %d times: %v", n, net.node(0).follows)
			}
		})
	}
}

// TestHigherTermRejoins: a member that is honestly ahead takes part again.
func TestHigherTermRejoins(t *testing.T) {
	net := newNet(t, 3, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	k := net.node(2)
	net.nodes[2].Call(func() {
		defer k.begin()()
		k.raft.step(&pb.Message{Type: pb.MsgAppResp.Enum(), From: new(net.node(1).st.Self), To: new(k.st.Self), Term: new(k.raftStatus().term + 2)})
	})
	net.until("it follows again", func() bool { return net.settled(0, 1, 2) })
	if net.leader() != 0 {
		t.Errorf("node %d leads", net.leader())
	}
	tag := net.write(0, "c")
	net.until("it has what is written", func() bool { return k.st.Applied == net.node(0).st.Applied })
	_ = tag
}

// TestOneRemovedClaimIsNotEnough: one member's word that the group goes on without another does not
// make that one give up what it has; most members' does.
func TestOneRemovedClaimIsNotEnough(t *testing.T) {
	net := newNet(t, 1, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	net.write(0, "a")
	gone := func(by, to int) {
		k := net.node(to)
		m := &Message{Space: space, Kind: KindRemoved, Gen: k.st.Gen, From: net.node(by).st.Self, To: k.st.Self}
		net.nodes[to].Call(func() { k.Replica.OnMessage(machine.Peer{ID: net.nodes[by].Peer().ID}, m) })
	}
	for range 10 {
		gone(2, 0)
		gone(2, 1)
		net.sim.Run(time.Second)
	}
	for i := range 2 {
		if len(net.node(i).gone) > 0 || net.has(i, "a") == "" {
			t.Errorf("node %d gave up: %v", i, net.node(i).gone)
		}
	}
	net.write(0, "b")
	gone(0, 1)
	net.until("two of three are believed", func() bool { return len(net.node(1).gone) > 0 })
}

// TestClaimsOfAnEarlierMembership: a replica that most members sent away, and that the
// group has added again, does not count what was said to it before.
func TestClaimsOfAnEarlierMembership(t *testing.T) {
	net := newNet(t, 1, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	k := net.node(2)
	claim := func(by int) {
		m := &Message{Space: space, Kind: KindRemoved, Gen: k.st.Gen, From: net.node(by).st.Self, To: k.st.Self}
		net.nodes[2].Call(func() { k.Replica.OnMessage(machine.Peer{ID: net.nodes[by].Peer().ID}, m) })
	}
	was := k.st.Self
	claim(0)
	claim(1)
	net.until("most have sent it away", func() bool { return len(k.gone) == 1 })
	net.until("it is a member again", func() bool { return net.settled(0, 1, 2) && k.st.Self != was })
	claim(0)
	net.sim.Run(time.Second)
	if len(k.gone) != 1 || k.phase != member {
		t.Errorf("one claim sends it away: %v", k.gone)
	}
}
