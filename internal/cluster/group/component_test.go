package group

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// fakeEnv is a node for components that are tested alone.
type fakeEnv struct {
	now    machine.Time
	rand   rng.Rand
	sent   []machine.Message
	opened []machine.Peer
	timers []machine.Time
	jobs   []machine.Job
}

func (e *fakeEnv) Now() machine.Time                         { return e.now }
func (e *fakeEnv) Rand() *rng.Rand                           { return &e.rand }
func (e *fakeEnv) Send(_ machine.Peer, m machine.Message)    { e.sent = append(e.sent, m) }
func (e *fakeEnv) SetTimer(at machine.Time, _ machine.Timer) { e.timers = append(e.timers, at) }
func (e *fakeEnv) Open(p machine.Peer)                       { e.opened = append(e.opened, p) }
func (e *fakeEnv) Close(machine.Peer)                        {}
func (e *fakeEnv) Do(_ string, _ uint64, j machine.Job)      { e.jobs = append(e.jobs, j) }

func (e *fakeEnv) pass(d time.Duration) { e.now = e.now.Add(d) }

// fakeOwner notes results.
type fakeOwner struct {
	Events
	results map[uint64]error
}

func (o *fakeOwner) OnChange()                             {}
func (o *fakeOwner) OnResult(tag uint64, _ any, err error) { o.results[tag] = err }

func testPeer(n int) machine.Peer { return machine.Peer{ID: id.Of(fmt.Appendf(nil, "peer %d", n))} }

// newComponent is the first member of a group of three voters.
func newComponent() (component, *fakeEnv, *fakeOwner) {
	cfg := Config{Space: space, Self: testPeer(1)}
	cfg.defaults()
	env, owner := &fakeEnv{now: machine.Time(time.Hour), rand: rng.New(1)}, &fakeOwner{results: map[uint64]error{}}
	st := &state{Self: 1, shared: shared{NextID: 4}}
	for n := 1; n <= 3; n++ {
		st.Members = append(st.Members, Member{ID: uint64(n), Peer: testPeer(n)})
	}
	return component{&cfg, env, &eventQueue{owner: owner}, st}, env, owner
}

func (c component) run() {
	for _, e := range c.events.take() {
		e()
	}
}

// TestFailureDetectorIsBounded: strangers do not fill it, and members are heard all
// the same.
func TestFailureDetectorIsBounded(t *testing.T) {
	c, env, _ := newComponent()
	f := &failureDetector{component: c}
	f.reset()
	accepted := 0
	for n := uint64(100); n < 1000; n++ {
		if f.record(n) {
			accepted++
		}
	}
	if accepted == 0 || accepted > len(c.st.Members)+maxUnknown {
		t.Errorf("%d strangers are remembered", accepted)
	}
	if !f.record(2) || f.isDead(2) || !f.isDead(3) {
		t.Error("members are not told apart by when they were heard")
	}
	env.pass(c.cfg.DeadAfter + 1)
	if !f.isDead(2) {
		t.Error("a silent member is not dead")
	}
}

// TestRemovalClaims: a majority of the voters is needed, each counts once, and
// learners and strangers do not count.
func TestRemovalClaims(t *testing.T) {
	c, _, _ := newComponent()
	c.st.Members = append(c.st.Members, Member{ID: 9, Peer: testPeer(9), Learner: true})
	k := &removalClaims{component: c, disk: &diskWriter{component: c}}
	for _, by := range []*Member{nil, c.st.find(2), c.st.find(2), c.st.find(9)} {
		if k.add(by); c.st.Removed {
			t.Fatalf("the claim of %+v removes", by)
		}
	}
	if k.add(c.st.find(3)); !c.st.Removed || !k.disk.next.urgent {
		t.Error("two of three voters do not remove")
	}
}

// TestProposalsBounds: too large a write and too much at once are refused; aborted
// proposals say whether they may be applied.
func TestProposalsBounds(t *testing.T) {
	c, _, owner := newComponent()
	c.cfg.MaxWrite = 1000
	p := &proposals{component: c, raft: &raftNode{component: c}}
	write := func(tag uint64, size int) {
		p.add(tag, machine.DiskWrite{Put: []machine.KV{{Key: []byte("a"), Value: make([]byte, size)}}})
	}
	write(1, 1000)
	write(2, 900)
	p.bytes += maxWaitingBytes - 1000
	write(3, 900)
	p.bytes -= maxWaitingBytes - 1000
	c.run()
	if !errors.Is(owner.results[1], ErrTooLarge) || !errors.Is(owner.results[3], ErrBusy) {
		t.Errorf("results are %v", owner.results)
	}
	if !p.mayPropose() || !p.propose() || p.idle() || p.mayPropose() {
		t.Error("a write is not in flight")
	}
	write(4, 10)
	p.abort(ErrLease)
	c.run()
	if !errors.Is(owner.results[2], ErrUnknown) || !errors.Is(owner.results[4], ErrNotLeader) || !p.idle() {
		t.Errorf("results are %v", owner.results)
	}
}

// TestBatchReplacesEntries: entries of a new leader take the place of those with the
// same or a higher index.
func TestBatchReplacesEntries(t *testing.T) {
	entry := func(term, index uint64) *pb.Entry { return &pb.Entry{Term: new(term), Index: new(index)} }
	var b batch
	b.addEntries([]*pb.Entry{entry(1, 5), entry(1, 6), entry(1, 7)})
	b.addEntries([]*pb.Entry{entry(2, 6)})
	if len(b.entries) != 2 || b.entries[1].GetTerm() != 2 {
		t.Errorf("the batch has %v", b.entries)
	}
}

// TestLinksAreReopened: a failed link is left alone for a moment.
func TestLinksAreReopened(t *testing.T) {
	c, env, _ := newComponent()
	s := &links{component: c, known: map[machine.Peer]*link{}}
	p := testPeer(2)
	if s.onEvent(p, machine.LinkFailed) {
		t.Error("a link to nobody fails")
	}
	first, again := s.open(p), s.open(p)
	if !first || !again || len(env.opened) != 1 {
		t.Errorf("opened %d times", len(env.opened))
	}
	if !s.onEvent(p, machine.LinkFailed) || s.open(p) {
		t.Error("a link that just failed is opened again")
	}
	env.pass(reopen)
	if !s.open(p) || len(env.opened) != 2 {
		t.Error("it is not opened again")
	}
	s.onEvent(p, machine.LinkClosed)
	if s.heard(p); !s.open(p) || len(env.opened) != 2 {
		t.Error("a link that brings messages is opened")
	}
}

// TestTimer: the earliest time counts, and a timer is set again only if it is earlier.
func TestTimer(t *testing.T) {
	c, env, _ := newComponent()
	tm := &timer{component: c}
	at := func(d time.Duration) machine.Time { return env.now.Add(d) }
	tm.set(0, at(time.Minute), at(time.Second))
	tm.set(at(time.Minute), 0)
	tm.set(0)
	tm.set(at(-time.Minute))
	want := []machine.Time{at(time.Second), at(time.Millisecond)}
	if !slices.Equal(env.timers, want) {
		t.Errorf("set to %v, not to %v", env.timers, want)
	}
	if tm.fired(machine.Timer{Gen: 1}) || !tm.fired(machine.Timer{Gen: 2}) {
		t.Error("not the last timer is the one that counts")
	}
}

// TestReadsWaitForTheSpace: reads are given to the disk after what was applied.
func TestReadsWaitForTheSpace(t *testing.T) {
	c, env, owner := newComponent()
	disk := &diskWriter{component: c}
	q := &reads{component: c, disk: disk}
	q.addOwners(1, nil)
	disk.change([]machine.DiskWrite{{}}, 1)
	if q.issue(); len(env.jobs) != 0 {
		t.Error("a read overtakes a write")
	}
	disk.discard()
	q.issue()
	q.addOwners(2, nil)
	if len(env.jobs) != 1 {
		t.Fatalf("%d jobs", len(env.jobs))
	}
	q.abort(ErrLease)
	q.onDone(tagReads+1, []machine.KV{}, nil) // too late
	c.run()
	if len(owner.results) != 2 || !errors.Is(owner.results[1], ErrNotLeader) || !errors.Is(owner.results[2], ErrNotLeader) {
		t.Errorf("results are %v", owner.results)
	}
}
