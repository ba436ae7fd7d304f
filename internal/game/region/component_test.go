package region

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// aloneEnv is the Env of a component without a region around it.
type aloneEnv struct {
	machine.Env // nil: what the component does not need
	sent        []machine.Message
	writes      []machine.DiskWrite
	tags        []uint64
}

func (e *aloneEnv) Now() machine.Time                      { return 0 }
func (e *aloneEnv) Send(_ machine.Peer, m machine.Message) { e.sent = append(e.sent, m) }
func (e *aloneEnv) Do(_ string, tag uint64, j machine.Job) {
	e.tags = append(e.tags, tag)
	e.writes = append(e.writes, j.(machine.DiskWrite))
}

func alone() (component, *aloneEnv) {
	env := &aloneEnv{}
	return component{&Config{}, env, &Stats{}}, env
}

func aloneStore() (*store, *aloneEnv) {
	c, env := alone()
	s := newStore(c, new(jobTags))
	s.addRecords = func() {}
	return s, env
}

// TestStoreBatches: a batch is written when something must last, records that
// other components add do not make one, and one that fails takes along all behind
// it until a snapshot is written.
func TestStoreBatches(t *testing.T) {
	s, env := aloneStore()
	s.addRecords = func() { s.put("d", []byte("added")) }
	s.flush()
	if len(env.writes) != 0 {
		t.Fatalf("wrote %v although nothing had to last", env.writes)
	}
	var ends []string
	then := func(name string) {
		s.put(name, []byte(name))
		s.then(func(ok bool) { ends = append(ends, fmt.Sprint(name, " ", ok)) })
		s.flush()
	}
	then("p1")
	then("p2")
	then("p3")
	if len(env.writes) != 3 || len(env.writes[0].Put) != 2 {
		t.Fatalf("three batches, each with the record that is added: %v", env.writes)
	}
	if s.oldest(env.tags[1]) != nil {
		t.Error("the second batch is the oldest")
	}
	b, recovered := s.done()
	for _, do := range b.then {
		do(true)
	}
	if recovered || s.oldest(env.tags[1]) == nil {
		t.Error("after the first batch comes the second")
	}
	for _, b := range s.fail() {
		s.release(b)
	}
	s.then(func(ok bool) { ends = append(ends, fmt.Sprint("p4 ", ok)) })
	if want := []string{"p1 true", "p2 false", "p3 false", "p4 false"}; !slices.Equal(ends, want) {
		t.Errorf("ended %v, want %v", ends, want)
	}
	s.flush()
	if len(env.writes) != 3 || !s.modified(true) {
		t.Error("a store that is read-only writes snapshots only")
	}
	s.snapshot(&columns{area: regionlog.NewArea(world.AreaConfig{}, world.RegionPos{}, false)}, true, nil)
	if _, recovered := s.done(); !recovered || s.readOnly || s.modified(true) {
		t.Errorf("after the snapshot: recovered %v, read-only %v", recovered, s.readOnly)
	}
	var keys []string
	for _, kv := range env.writes[3].Put {
		keys = append(keys, string(kv.Key))
	}
	if want := []string{"d", "p2", "p3", keyHeader}; !slices.Equal(keys, want) {
		t.Errorf("the snapshot has %q, want %q", keys, want)
	}
}

// players is a playerFinder and an actRunner that notes which acts have begun.
type players struct {
	h     *playerSession
	began []uint32
}

func (p *players) at(id.ID) *playerSession { return p.h }

func (p *players) actNow(h *playerSession) {
	p.began = append(p.began, h.inputs.list[len(h.inputs.list)-1].seq)
}

// TestDeduplicationOrder: acts begin once and in the order of their numbers, and
// one that has ended is answered again, once that is on the disk.
func TestDeduplicationOrder(t *testing.T) {
	s, env := aloneStore()
	session := machine.Peer{ID: id.Of([]byte("session"))}
	p := &players{h: &playerSession{p: &world.Player{ID: id.Of([]byte("ada"))}, peer: session}}
	d := &deduplication{component: s.component, store: s, players: p, edits: &pendingEdits{}, runner: p, records: map[id.ID]*actRecord{}}
	d.of(p.h.p.ID).enter(session.ID, &Enter{Entry: 1, Oldest: 1})
	for _, seq := range []uint32{2, 3, 1, 2, 1, 5} {
		d.receive(p.h, &Act{Seq: seq, Oldest: 1, Kind: uint8(world.ActPlace)})
	}
	if want := []uint32{1, 2, 3}; !slices.Equal(p.began, want) {
		t.Fatalf("began %v, want %v", p.began, want)
	}
	s.put("p", nil) // what the act has changed
	d.complete(p.h.p.ID, session.ID, completedAct{seq: 1}, false)
	d.receive(p.h, &Act{Seq: 1, Oldest: 1})
	if len(env.sent) != 0 {
		t.Fatalf("answered before it was on the disk: %v", env.sent)
	}
	s.flush()
	b, _ := s.done()
	for _, do := range b.then {
		do(true)
	}
	d.receive(p.h, &Act{Seq: 1, Oldest: 1})
	if len(env.sent) != 2 {
		t.Fatalf("%d answers, want one at the end and one again", len(env.sent))
	}
	for _, m := range env.sent {
		if r := m.(*ActResult); r.Seq != 1 || !r.OK || r.Entry != 1 {
			t.Errorf("answered %+v", r)
		}
	}
	d.complete(p.h.p.ID, id.Of([]byte("another session")), completedAct{seq: 2}, false)
	if d.of(p.h.p.ID).find(2) != nil {
		t.Error("an act of another session has ended")
	}
}

// TestCommandQueue: what is judged to wait stays, in order, and orders are numbered.
func TestCommandQueue(t *testing.T) {
	var q commandQueue
	q.add(world.Command{Kind: world.CmdSettle, Seq: 7})
	q.order(id.ID{}, &world.Order{})
	q.add(world.Command{Kind: world.CmdRemote, Seq: 8})
	q.order(id.ID{}, &world.Order{})
	judge := func(c *world.Command) verdict {
		return map[world.CommandKind]verdict{world.CmdSettle: keepIt, world.CmdRemote: dropIt}[c.Kind]
	}
	got := q.take(nil, judge)
	if len(got) != 2 || got[0].Seq != 1 || got[1].Seq != 2 || len(q.list) != 1 || q.list[0].Seq != 7 {
		t.Errorf("took %+v, left %+v", got, q.list)
	}
	if got := q.take(nil, func(*world.Command) verdict { return runIt }); len(got) != 1 || len(q.list) != 0 {
		t.Errorf("took %+v, left %+v", got, q.list)
	}
}

// loadNotes are loadEvents that are noted.
type loadNotes struct {
	columns   int
	failure   error
	delivered []machine.Message
}

func (n *loadNotes) onColumnLoaded()   { n.columns++ }
func (n *loadNotes) damaged(err error) { n.failure = err }
func (n *loadNotes) OnMessage(_ machine.Peer, m machine.Message) {
	n.delivered = append(n.delivered, m)
}

// TestLoadingDelivers: messages wait until the disk is read, players who wait for a
// disk that cannot be read are refused.
func TestLoadingDelivers(t *testing.T) {
	s, env := aloneStore()
	notes := &loadNotes{}
	area := regionlog.NewArea(world.AreaConfig{}, world.RegionPos{}, false)
	l := &loading{
		component: s.component, tags: s.tags, area: area, columns: &columns{component: s.component, area: area},
		store: s, history: &history{}, pending: &pendingEdits{component: s.component}, edits: &requestedEdits{}, events: notes,
	}
	l.wait(machine.Peer{}, &Enter{})
	l.wait(machine.Peer{}, &Leave{})
	err := l.onRead(nil, errors.New("no disk"))
	if l.fail(err); err == nil || l.awake || len(env.sent) != 1 || len(l.waiting) != 0 {
		t.Fatalf("%v: awake %v, sent %v", err, l.awake, env.sent)
	}
	l.wait(machine.Peer{}, &Leave{})
	if err := l.onRead([]machine.KV{}, nil); err != nil || !l.awake {
		t.Fatalf("an empty space: %v", err)
	}
	if l.deliver(); len(notes.delivered) != 1 || len(l.waiting) != 0 {
		t.Errorf("delivered %v", notes.delivered)
	}
	if err := l.onRead([]machine.KV{{Key: []byte("?")}}, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a record of an unknown kind: %v", err)
	}
}
