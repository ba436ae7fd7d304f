package group

import (
	"errors"
	"fmt"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// invalidMessage is a message of the library as no sane member would send it.
func invalidMessage(r *rng.Rand, from, to uint64) []byte {
	pick := func() *uint64 { return new([]uint64{0, 1, 2, 3, 5, 40, 1 << 40, 1<<64 - 1}[r.Intn(8)]) }
	m := &pb.Message{Type: pb.MessageType(r.Intn(25)).Enum(), From: new(from), To: new(to)}
	for _, f := range []**uint64{&m.Term, &m.LogTerm, &m.Index, &m.Commit, &m.RejectHint, &m.Vote} {
		if r.OneIn(2) {
			*f = pick()
		}
	}
	for range r.Intn(3) {
		e := &pb.Entry{Type: pb.EntryType(r.Intn(4)).Enum(), Term: pick(), Index: pick(), Data: make([]byte, r.Intn(20))}
		for i := range e.Data {
			e.Data[i] = byte(r.Intn(256))
		}
		m.Entries = append(m.Entries, e)
	}
	if r.OneIn(4) {
		m.Context = []byte("CampaignTransfer")
	}
	if r.OneIn(2) {
		m.Reject = new(true)
	}
	b, _ := proto.Marshal(m)
	if r.OneIn(10) {
		b = b[:r.Intn(len(b))]
	}
	return b
}

// TestInvalidMessages: whatever a member says, the node lives; at worst its replica
// ends and says so.
func TestInvalidMessages(t *testing.T) {
	ended := 0
	for seed := range uint64(80) {
		net := newNet(t, seed, sim.Config{}, Config{}, 3)
		net.create(0, 1, 2)
		net.write(0, "a")
		r := rng.New(seed, 0xbad)
		for range 30 {
			victim := r.Intn(2)
			k := net.node(victim)
			if k.phase != member {
				continue
			}
			m := &Message{
				Space: space, Kind: Kind(r.Intn(8)), Gen: k.st.Gen, From: net.node(2).st.Self, To: k.st.Self,
				Term: uint64(r.Intn(6)), SentAt: int64(r.Uint64()), Lease: int64(r.Uint64()), AckSentAt: int64(r.Uint64()), AckLease: int64(r.Uint64()),
			}
			if r.OneIn(2) {
				m.Kind = KindRaft
			}
			for range 1 + r.Intn(3) {
				m.Raft = append(m.Raft, invalidMessage(&r, m.From, m.To))
			}
			net.nodes[victim].Call(func() { k.Replica.OnMessage(net.nodes[2].Peer(), m) })
			if r.OneIn(3) {
				c := &Chunk{Space: space, Gen: k.st.Gen, From: m.From, To: m.To, Term: uint64(r.Intn(6)), Index: uint64(r.Intn(50)), Last: r.OneIn(2)}
				c.State = append((&shared{Applied: c.Index, Members: k.st.Members}).append(nil), make([]byte, r.Intn(2))...)
				c.Data = make([]byte, r.Intn(5))
				net.nodes[victim].Call(func() { k.Replica.OnMessage(net.nodes[2].Peer(), c) })
			}
			net.sim.RunEvents(r.Intn(40))
		}
		for i := range 2 {
			k := net.node(i)
			if len(k.gone) == 0 {
				continue
			}
			ended++
			if why := k.gone[0]; errors.Is(why, ErrCorrupt) {
				t.Errorf("seed %d: nonsense counts as damage to the disk: %v", seed, why)
			}
		}
	}
	t.Logf("%d of 160 replicas ended", ended)
}

// TestStrangers: who is no member changes nothing.
func TestStrangers(t *testing.T) {
	net := newNet(t, 1, sim.Config{}, Config{}, 4)
	net.create(0, 1, 2)
	k := net.node(0)
	was := k.raftStatus()
	stranger := net.nodes[3].Peer()
	r := rng.New(5)
	for _, m := range []machine.Message{
		&Message{Space: space, Kind: KindRemoved, Gen: Gen{k.st.Gen.Number + 1, 1}, From: 9, To: k.st.Self},
		&Message{Space: space, Kind: KindRemoved, Gen: k.st.Gen, From: 9, To: k.st.Self},
		&Message{Space: space, Kind: KindRemoved, Gen: k.st.Gen, From: 2, To: k.st.Self}, // in another's name
		&Message{Space: space, Gen: k.st.Gen, From: 2, To: k.st.Self, Raft: [][]byte{invalidMessage(&r, 2, 1)}},
		&Message{Space: "r.1.1", Gen: k.st.Gen, From: 2, To: k.st.Self},
		&Message{Space: space, Kind: KindLogLost, Gen: k.st.Gen, From: 2, To: k.st.Self},
		"what?",
	} {
		net.nodes[0].Call(func() { k.Replica.OnMessage(stranger, m) })
	}
	net.sim.RunEvents(200)
	if k.raftStatus() != was || !k.Leads() || len(k.gone) > 0 || len(k.st.Members) != 3 {
		t.Errorf("a stranger changed something: %+v %+v", was, k.Status())
	}
}

// TestHostileInvitations: nobody makes a replica give up what it has by saying that
// it was removed and taken in anew: neither somebody who is no member, nor a single
// one. And a number that no member can have makes no replica, which would count as
// damaged when it is opened again.
func TestHostileInvitations(t *testing.T) {
	net := newNet(t, 1, sim.Config{}, Config{}, 4)
	net.create(0, 1, 2)
	net.write(0, "a")
	stranger := net.nodes[3].Peer()
	for i := range 3 {
		k := net.node(i)
		for _, m := range []struct {
			from machine.Peer
			as   uint64
		}{{stranger, 9}, {stranger, net.node(1).st.Self}, {net.nodes[2].Peer(), net.node(2).st.Self}} {
			if m.as == k.st.Self {
				continue
			}
			anew := &Message{Space: space, Gen: k.st.Gen, Fresh: true, From: m.as, To: k.st.Self + 40}
			net.nodes[i].Call(func() { k.Replica.OnMessage(m.from, anew) })
			net.sim.RunEvents(200)
			if k.phase != member || k.st.NextID == 0 || net.has(i, "a") == "" {
				t.Fatalf("node %d gave up what it had: %+v", i, k.Status())
			}
		}
	}
	for _, n := range []uint64{0, 1<<64 - 1, 1<<64 - 2, 1 << 50} {
		if (&Message{Fresh: true, From: 1, To: n}).Invites() {
			t.Errorf("number %d of a member is taken", n)
		}
	}
	k := net.node(0)
	for n := range uint64(1000) {
		m := &Message{Space: space, Gen: k.st.Gen, From: 1000 + n, To: k.st.Self}
		net.nodes[0].Call(func() { k.Replica.OnMessage(stranger, m) })
	}
	if n := len(k.detector.heard) + len(k.outbox.addr); n > 100 {
		t.Errorf("%d members are remembered", n)
	}
	net.write(0, "b")
}

// TestReaddedMember: a member that was removed and taken in again while it was down
// follows as the new member.
func TestReaddedMember(t *testing.T) {
	net := newNet(t, 1, sim.Config{}, Config{}, 4)
	net.create(0, 1, 2)
	net.write(0, "a")
	net.nodes[2].Crash()
	set := func(nodes ...int) {
		net.nodes[0].Call(func() {
			if err := net.node(0).SetMembers(net.peers(nodes...)); err != nil {
				t.Error(err)
			}
		})
	}
	set(0, 1, 3)
	net.until("another has its place", func() bool { return net.settled(0, 1, 3) })
	net.nodes[2].Restart()
	set(0, 1, 2)
	net.until("it is in again", func() bool { return net.settled(0, 1, 2) })
	net.write(0, "b")
}

// TestHostileWake: whoever makes a single member wake does not make it wait for a leader
// that sleeps: the leader wakes as well, and all hibernate again. Of two members the one
// without a vote could not elect a leader, and would take the group for lost.
func TestHostileWake(t *testing.T) {
	for what, m := range map[string]Message{
		"a wake":        {Kind: KindWake, From: 1 << 20},
		"a catch-up":    {Kind: KindCatchUp, From: 1 << 20},
		"a message":     {From: 1 << 20},
		"an invitation": {From: 1 << 20, To: 40, Fresh: true},
	} {
		for members := 2; members <= 3; members++ {
			net := newNet(t, 1, sim.Config{Delay: 5 * time.Millisecond}, Config{}, 4)
			net.create([]int{0, 1, 2}[:members]...)
			net.write(0, "a")
			asleep := func() bool {
				for i := range members {
					if !net.node(i).Hibernates() {
						return false
					}
				}
				return true
			}
			net.until("all are members", func() bool { return net.has(members-1, "a") != "" && net.node(0).membership.reached() })
			net.nodes[0].Call(func() { net.node(0).Hibernate() })
			net.until("all hibernate", asleep)
			k := net.node(members - 1)
			m := m
			m.Space, m.Gen = space, k.st.Gen
			if m.To == 0 {
				m.To = k.st.Self
			}
			for range 3 {
				net.nodes[members-1].Call(func() { k.Replica.OnMessage(net.nodes[3].Peer(), &m) })
			}
			net.sim.Run(2 * time.Second)
			net.until(fmt.Sprintf("%s to one of %d: all hibernate again", what, members), func() bool {
				if l := net.leader(); l >= 0 {
					net.nodes[l].Call(func() { net.node(l).Hibernate() })
				}
				return asleep()
			})
		}
	}
}
