package kademlia

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// findsTheClosest counts how many of some lookups, of anybody for anything, find the
// k nearest nodes.
func (w *network) findsTheClosest(lookups uint64) (found int) {
	r := rng.New(17)
	for tag := range lookups {
		from, target := w.all[r.Intn(len(w.all))], randomID(&r)
		from.node.Lookup(tag, target)
		w.run(10 * time.Second)
		want := slices.DeleteFunc(w.closest(target, DefaultK+1), func(x id.ID) bool { return x == from.self.ID })
		if slices.Equal(ids(from.found[tag].Closest), want[:DefaultK]) {
			found++
		}
	}
	return found
}

// Kademlia 2.3: every lookup from every node finds the k nearest nodes.
func TestLookupFindsTheClosest(t *testing.T) {
	for _, paths := range []int{1, 4} {
		w := newNetwork(t)
		w.grow(150, Config{Paths: paths})
		if found := w.findsTheClosest(200); found < 199 {
			t.Errorf("%d paths: %d of 200 lookups found the k nearest", paths, found)
		}
	}
}

// Strangers may be asked before they know who asks. That changes nothing in what
// is found, nor in who knows whom in the end (Kademlia 2.2: any message refreshes
// its sender).
func TestOpenQuestions(t *testing.T) {
	w := newNetwork(t)
	w.open = true
	w.grow(150, Config{})
	if w.asked == 0 {
		t.Fatal("nobody was asked so")
	}
	if found := w.findsTheClosest(100); found < 99 {
		t.Errorf("%d of 100 lookups found the k nearest", found)
	}
	rec := record("open", 1, w.now, "here")
	w.all[3].node.Publish(1, rec)
	w.run(5 * time.Second)
	reader := w.add("reader", Config{})
	reader.node.seen(w.all[0].self)
	before := w.asked
	reader.node.Find(1, Chunk, rec.Key)
	w.run(5 * time.Second)
	if got := reader.found[1].Record; got == nil || got.Version != 1 || w.asked == before {
		t.Errorf("a stranger finds %v, %d open questions", got, w.asked-before)
	}
}

// An open question brings nobody into a table before it is known who asks; then
// it does, and is not answered again. What changes something, and a node that
// looks itself up, are never asked so.
func TestOpenQuestion(t *testing.T) {
	w := newNetwork(t)
	a, b := w.add("a", Config{}), w.add("b", Config{})
	q := &Request{RPC: 7, Proc: FindNode, Key: id.Of([]byte("x")), open: true}
	reply, _ := a.node.Answer(q).(*Reply)
	if reply == nil || reply.RPC != 7 || reply.Proc != FindNode || a.node.Table().Len() != 0 {
		t.Fatalf("answer %+v, %d contacts", reply, a.node.Table().Len())
	}
	w.sent = 0
	a.node.OnMessage(b.self, q.Asked())
	if !a.node.Table().Contains(b.self.ID) || w.sent != 0 {
		t.Errorf("who has asked is known: %v; %d messages", a.node.Table().Contains(b.self.ID), w.sent)
	}
	for p := range procs {
		if p != FindNode && !p.finds() && a.node.Answer(&Request{Proc: p, open: true}) != nil {
			t.Errorf("procedure %d is answered to anybody", p)
		}
	}
	var sent []*Request
	w.drop = func(_, _ *end, m machine.Message) bool {
		if r, ok := m.(*Request); ok {
			sent = append(sent, r)
		}
		return true
	}
	for _, c := range []struct {
		open bool
		do   func()
	}{
		{true, func() { a.node.Lookup(1, q.Key) }},
		{false, func() { a.node.Lookup(2, a.self.ID) }},
		{true, func() { a.node.Find(3, Chunk, q.Key) }},
		{false, func() { a.node.Ping(b.self, func(bool) {}) }},
	} {
		sent = nil
		c.do()
		if len(sent) != 1 || sent[0].Open() != c.open {
			t.Errorf("open: %v, want %v", len(sent) == 1 && sent[0].Open(), c.open)
		}
	}
}

// Dissertation fig. 4.2: nodes contacted grow with log n, not with n.
func TestLookupContactsFew(t *testing.T) {
	mean := func(n int) float64 {
		w := newNetwork(t)
		w.grow(n, Config{K: 4})
		r := rng.New(2)
		sum := 0
		for tag := range uint64(50) {
			e := w.all[r.Intn(n)]
			e.node.Lookup(tag, randomID(&r))
			w.run(5 * time.Second)
			sum += e.found[tag].Asked
		}
		return float64(sum) / 50
	}
	small, large := mean(20), mean(320)
	if large > 4*small {
		t.Errorf("16 times the nodes, but %.1f instead of %.1f contacted", large, small)
	}
}

// Kademlia 2.3: α RPCs are in flight at first.
func TestLookupConcurrency(t *testing.T) {
	w := newNetwork(t)
	e := w.add("asker", Config{})
	for i := range 10 {
		e.node.seen(w.add(fmt.Sprint("other ", i), Config{}).self)
	}
	w.sent = 0
	e.node.Lookup(1, id.Of([]byte("target")))
	if w.sent != Alpha {
		t.Errorf("%d RPCs in flight, want α = %d", w.sent, Alpha)
	}
}

// Conformance line 6: an answer with another RPC id, from another node or from
// another address is dropped, and the RPC times out.
func TestWrongAnswersAreDropped(t *testing.T) {
	for name, forge := range map[string]func(e *end, p machine.Peer, r *Request){
		"id":        func(e *end, p machine.Peer, r *Request) { e.node.OnMessage(p, &Reply{RPC: r.RPC + 1, Proc: r.Proc}) },
		"procedure": func(e *end, p machine.Peer, r *Request) { e.node.OnMessage(p, &Reply{RPC: r.RPC, Proc: Ping}) },
		"node": func(e *end, p machine.Peer, r *Request) {
			e.node.OnMessage(machine.Peer{ID: id.Of([]byte("else"))}, &Reply{RPC: r.RPC, Proc: r.Proc})
		},
		"node, at the address that was asked": func(e *end, p machine.Peer, r *Request) {
			e.node.OnMessage(machine.Peer{ID: id.Of([]byte("else")), Addr: p.Addr}, &Reply{RPC: r.RPC, Proc: r.Proc})
		},
	} {
		w := newNetwork(t)
		e, far := w.add("asker", Config{}), w.add("other", Config{})
		far.down = true
		w.drop = func(from, to *end, m machine.Message) bool {
			if r, ok := m.(*Request); ok && to == far {
				w.after(time.Millisecond, func() { forge(e, far.self, r) })
			}
			return false
		}
		e.node.seen(far.self)
		e.node.Lookup(1, id.ID{})
		w.run(10 * time.Second)
		if got := e.found[1]; got.Failed != 1 || len(got.Closest) != 0 {
			t.Errorf("wrong %s: %+v, want one failed RPC", name, got)
		}
	}
}

// Lookups end and find what lives while a third of the nodes are gone and a
// tenth of the datagrams are lost.
func TestLookupWithFailures(t *testing.T) {
	w := newNetwork(t)
	w.grow(120, Config{})
	loss := rng.New(4)
	w.drop = func(_, _ *end, _ machine.Message) bool { return loss.OneIn(10) }
	for i := 0; i < len(w.all); i += 3 {
		w.all[i].down = true
	}
	r := rng.New(5)
	found := 0
	for tag := range uint64(60) {
		e := w.all[1]
		target := randomID(&r)
		e.node.Lookup(tag, target)
		w.run(30 * time.Second)
		res, ok := e.found[tag]
		if !ok {
			t.Fatal("a lookup does not end")
		}
		if len(res.Closest) > 0 && res.Closest[0].ID == w.closest(target, 2)[0] {
			found++
		}
	}
	if found < 50 {
		t.Errorf("%d of 60 lookups found the nearest live node", found)
	}
}

// Dissertation 2.3.6: a value is stored at the k nearest nodes and found from
// anywhere; conformance line 8: it is then cached at the nearest asked node
// that lacked it, for a shorter time the farther that is from the key.
func TestStoreAndFind(t *testing.T) {
	w := newNetwork(t)
	w.grow(150, Config{K: 8, Verify: verifyTest})
	rec := record("region 3,4", 1, w.now, "hosts")
	w.all[5].node.Publish(1, rec)
	w.run(10 * time.Second)
	if got := w.all[5].stored[1]; got < 7 {
		t.Fatalf("stored at %d nodes: %v", got, w.all[5].refused[1])
	}
	for _, who := range w.closest(rec.Key, 8) {
		if w.ends[who].node.held[Chunk][rec.Key] == nil {
			t.Errorf("one of the k nearest does not hold the record")
		}
	}
	before := len(w.holders(rec))
	for tag := range uint64(40) {
		e := w.all[int(tag)*3]
		e.node.Find(tag, Chunk, rec.Key)
		w.run(5 * time.Second)
		if got := e.found[tag].Record; got != rec {
			t.Fatalf("node %d found %v", tag, got)
		}
	}
	after := w.holders(rec)
	if len(after) <= before {
		t.Error("nobody cached the record on the path")
	}
	for _, e := range after {
		h := e.node.held[Chunk][rec.Key]
		if beyond := e.node.nearerThanSelf(rec.Key) - 8; beyond >= 0 && h.until >= rec.Until {
			t.Errorf("a copy %d nodes beyond the k nearest lives as long as the record", beyond)
		}
	}
}

// What STORE refuses: older, foreign, too large, forged,
// expired and everlasting records.
func TestStoreRefuses(t *testing.T) {
	w := newNetwork(t)
	e, far := w.add("a", Config{Verify: verifyTest}), w.add("b", Config{Verify: verifyTest})
	good := record("key", 5, w.now, "good")
	with := func(change func(*Record)) *Record {
		r := *good
		change(&r)
		return &r
	}
	for _, c := range []struct {
		name string
		rec  *Record
		want Code
	}{
		{"good", good, OK},
		{"again", good, OK},
		{"older", with(func(r *Record) { r.Version = 4 }), Older},
		{"newer", with(func(r *Record) { r.Version = 6 }), OK},
		{"none", nil, WrongKey},
		{"another key", with(func(r *Record) { r.Key[0] ^= 1 }), WrongKey},
		{"another table", with(func(r *Record) { r.Kind = Player }), WrongKey},
		{"no table", with(func(r *Record) { r.Kind = 9 }), WrongKey},
		{"too large", with(func(r *Record) { r.Payload = make([]byte, MaxRecord+1) }), TooLarge},
		{"expired", with(func(r *Record) { r.Until = w.now }), Expired},
		{"everlasting", with(func(r *Record) { r.Until = w.now.Add(10 * Expire) }), TooLong},
		{"forged", with(func(r *Record) { r.Payload, r.Version = []byte("forged"), 9 }), Forged},
	} {
		code := Code(255)
		e.node.call(far.self, &Request{Proc: StoreChunk, Key: good.Key, Record: c.rec}, func(r *Reply) { code = r.Code })
		w.run(2 * time.Second)
		if code != c.want {
			t.Errorf("%s: %v, want %v", c.name, code, c.want)
		}
	}
	if got := far.node.held[Chunk][good.Key].rec.Version; got != 6 {
		t.Errorf("version %d is held, want 6", got)
	}
}

// A lookup does not take a forged record for the value: it goes on.
func TestFindPassesOverForgedRecords(t *testing.T) {
	w := newNetwork(t)
	w.grow(40, Config{K: 8, Verify: verifyTest})
	rec := record("key", 1, w.now, "good")
	w.all[1].node.Publish(1, rec)
	w.run(5 * time.Second)
	forged := record("key", 99, w.now, "forged")
	holders := w.holders(rec)
	slices.SortFunc(holders, func(a, b *end) int {
		if Closer(rec.Key, a.self.ID, b.self.ID) {
			return -1
		}
		return 1
	})
	for _, e := range holders[1:] { // all but the nearest lie
		e.node.held[Chunk][rec.Key].rec = forged
	}
	for i, e := range w.all {
		if e.node.held[Chunk][rec.Key] != nil {
			continue
		}
		e.node.Find(uint64(i), Chunk, rec.Key)
		w.run(5 * time.Second)
		if got := e.found[uint64(i)].Record; got == nil || got.Version != 1 {
			t.Errorf("node %d found %v", i, got)
		}
	}
}

// Kademlia 2.5: records outlive their holders, as holders pass them on hourly; a
// holder that got a STORE within the hour does not; records expire.
func TestLongRecordsSurviveChurn(t *testing.T) {
	simtest.Long(t)
	w := newNetwork(t)
	w.grow(60, Config{K: 6})
	rec := record("key", 1, w.now, "")
	w.all[0].node.Publish(1, rec)
	w.run(time.Minute)
	for round := range 4 {
		down := 0
		for _, e := range w.holders(rec) {
			if e != w.all[0] && down < 4 {
				e.down = true
				down++
			}
		}
		w.grow(8, Config{K: 6})
		w.run(70 * time.Minute)
		if got := len(w.holders(rec)); got < 5 {
			t.Errorf("round %d: %d holders left", round, got)
		}
	}
	w.run(Expire)
	if got := w.holders(rec); len(got) != 0 {
		t.Errorf("%d nodes hold an expired record", len(got))
	}
	if len(w.all[0].renewed) == 0 {
		t.Error("the publisher was not asked for a fresh record after a day")
	}
}

// Conformance line 10: with k holders one passes the record on in an hour, not
// all k.
func TestReplicationIsSparse(t *testing.T) {
	w := newNetwork(t)
	w.grow(40, Config{K: 8})
	rec := record("key", 1, w.now, "")
	w.all[0].node.Publish(1, rec)
	w.run(5 * time.Minute)
	stores := 0
	w.drop = func(_, _ *end, m machine.Message) bool {
		if r, ok := m.(*Request); ok && r.Proc.stores() {
			stores++
		}
		return false
	}
	w.run(80 * time.Minute)
	if stores == 0 || stores > 3*8 {
		t.Errorf("%d STOREs in about an hour, want about one round of 8", stores)
	}
}

// Conformance line 11: a newcomer nearer to a key gets the record, and only from
// the holder that was the nearest.
func TestNewcomerGetsRecords(t *testing.T) {
	w := newNetwork(t)
	w.grow(30, Config{K: 5})
	rec := record("key", 1, w.now, "")
	w.all[0].node.Publish(1, rec)
	w.run(time.Minute)
	near := rec.Key
	near[19] ^= 1
	e := w.addID(near, Config{K: 5})
	e.node.Join([]machine.Peer{w.all[9].self})
	w.run(time.Minute)
	got := 0
	for _, m := range e.log {
		if r, ok := m.(*Request); ok && r.Proc == StoreChunk {
			got++
		}
	}
	if e.node.held[Chunk][rec.Key] == nil {
		t.Fatal("the nearest node has not got the record")
	}
	if got > 2 {
		t.Errorf("%d nodes sent the record, want only the nearest", got)
	}
}

// No amplification, no reaction: an unknown message, an answer nobody asked for
// and a message in one's own name change nothing and are not answered.
func TestIgnoresNonsense(t *testing.T) {
	w := newNetwork(t)
	e := w.add("a", Config{})
	stranger := w.add("b", Config{}).self
	for _, m := range []machine.Message{nil, 7, "x", &Reply{RPC: 1}, &Request{Proc: procs}, &Request{Proc: 200}} {
		e.node.OnMessage(stranger, m)
	}
	e.node.OnMessage(e.self, &Request{Proc: Ping})
	e.node.OnDone(77, nil, nil)
	e.node.OnTimer(machine.Timer{Kind: 99})
	if w.sent != 0 {
		t.Errorf("%d messages sent in answer to nonsense", w.sent)
	}
}

// The same seed gives the same run.
func TestSameRunTwice(t *testing.T) {
	run := func() string {
		w := newNetwork(t)
		w.grow(40, Config{K: 5, Paths: 2})
		w.all[3].node.Publish(1, record("key", 1, w.now, ""))
		w.run(3 * time.Hour)
		out := fmt.Sprint(w.sent)
		for _, e := range w.all {
			out += fmt.Sprint(e.node.table.Len(), len(e.log), " ")
		}
		return out
	}
	if a, b := run(), run(); a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
}
