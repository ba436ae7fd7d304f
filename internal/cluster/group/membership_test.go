package group

import (
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestMembershipSteps is the order of changes, as far as it does not depend on how far
// logs are.
func TestMembershipSteps(t *testing.T) {
	peers := func(ns ...int) (ps []machine.Peer) {
		for _, n := range ns {
			ps = append(ps, testPeer(n))
		}
		return ps
	}
	moved := testPeer(3)
	moved.Addr[0]++
	for _, x := range []struct {
		what   string
		wanted []machine.Peer
		lost   uint64 // its log
		heard  uint64 // has answered since
		how    pb.ConfChangeType
		who    uint64 // 0: nothing is to be done
	}{
		{"all are there", peers(1, 2, 3), 0, 0, 0, 0},
		{"one is new", peers(1, 2, 3, 4), 0, 0, pb.ConfChangeAddLearnerNode, 4},
		{"one is replaced: first the new one", peers(1, 2, 4), 0, 0, pb.ConfChangeAddLearnerNode, 4},
		{"one is not wanted", peers(1, 2, 5), 0, 0, pb.ConfChangeAddLearnerNode, 4},
		{"one is too many", peers(1, 3), 0, 0, pb.ConfChangeRemoveNode, 2},
		{"one has moved", append(peers(1, 2), moved), 0, 0, pb.ConfChangeUpdateNode, 3},
		{"one lost its log", peers(1, 2, 3), 2, 3, pb.ConfChangeRemoveNode, 2},
		{"one lost its log, and the other does not answer", peers(1, 2, 3), 2, 0, 0, 0},
		{"the leader is not wanted", peers(2, 3, 1)[:2], 0, 0, transferFirst, 2},
	} {
		c, _, _ := newComponent()
		s := &membership{component: c, raft: &raftNode{component: c}, lease: &leaderLease{component: c}, detector: &failureDetector{component: c}}
		s.reset()
		s.detector.reset()
		s.detector.recordAll()
		c.st.want(x.wanted)
		if x.lost != 0 {
			s.logLost[x.lost] = s.now().Add(-time.Second)
		}
		if s.lease.reset(); x.heard != 0 {
			s.lease.acks[x.heard] = leaseAck{sentAt: s.now()}
		}
		how, who, ok := s.next()
		if ok != (x.who != 0) || ok && (how != x.how || who.ID != x.who) {
			t.Errorf("%s: the next change is %v of %d, %v", x.what, how, who.ID, ok)
		}
		if reached := s.reached(); reached != (x.who == 0 && x.lost == 0) {
			t.Errorf("%s: reached is %v", x.what, reached)
		}
	}
}

// TestDeclinedIsAskedLater: a node that declined is invited again after a while.
func TestDeclinedIsAskedLater(t *testing.T) {
	c, env, _ := newComponent()
	s := &membership{component: c, raft: &raftNode{component: c}, lease: &leaderLease{component: c}, detector: &failureDetector{component: c}}
	s.reset()
	c.st.want([]machine.Peer{testPeer(1), testPeer(2), testPeer(3), testPeer(4)})
	s.declined = map[id.ID]machine.Time{testPeer(4).ID: env.now}
	if _, who, ok := s.next(); ok {
		t.Errorf("%d is invited at once", who.ID)
	}
	env.pass(inviteAgain)
	if _, who, ok := s.next(); !ok || who.Peer != testPeer(4) {
		t.Error("it is not invited again")
	}
}
