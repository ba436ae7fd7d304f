package kademlia

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// The lines of the conformance list (docs/protocols/kademlia.md) that the other
// tests of the package do not show.

// The constants of the protocol.
func TestConstants(t *testing.T) {
	if Bits != 160 || DefaultK != 20 || Alpha != 3 || Refresh != time.Hour || Replicate != time.Hour ||
		Republish != 24*time.Hour || Expire <= Republish || Expire > 25*time.Hour {
		t.Error("not Kademlia's constants")
	}
}

// fullBucket is a node whose farthest bucket is full of live nodes, the least
// recently seen first.
func fullBucket(t *testing.T, k int) (w *network, e *end, others []*end) {
	w = newNetwork(t)
	e = w.addID(id.ID{}, Config{K: k})
	for i := range k {
		o := w.addID(inBucket(i).ID, Config{K: k})
		others = append(others, o)
		e.node.seen(o.self)
	}
	return w, e, others
}

// Line 2: a request and an answer both make their sender the last seen.
func TestMessagesRefreshTheirSender(t *testing.T) {
	w, e, others := fullBucket(t, 3)
	last := func() id.ID { all := e.node.Table().Contacts(nil); return all[len(all)-1].ID }
	others[0].node.call(e.self, &Request{Proc: Ping}, func(*Reply) {})
	w.run(time.Second)
	if last() != others[0].self.ID {
		t.Error("a request does not refresh its sender")
	}
	e.node.call(others[1].self, &Request{Proc: Ping}, func(*Reply) {})
	w.run(time.Second)
	if last() != others[1].self.ID {
		t.Error("an answer does not refresh its sender")
	}
}

// Line 3: a message from somebody new whose bucket is full pings the least
// recently seen; if that one answers it stays, if not the newcomer takes its
// place.
func TestPingBeforeEvicting(t *testing.T) {
	w, e, others := fullBucket(t, 3)
	pings := 0
	w.drop = func(from, to *end, m machine.Message) bool {
		if r, ok := m.(*Request); ok && r.Proc == Ping && from == e && to == others[0] {
			pings++
		}
		return false
	}
	newcomer := w.addID(inBucket(10).ID, Config{})
	newcomer.node.call(e.self, &Request{Proc: Ping}, func(*Reply) {})
	w.run(5 * time.Second)
	if pings != 1 || e.node.Table().Contains(newcomer.self.ID) || e.node.Table().Len() != 3 {
		t.Fatalf("%d pings; newcomer in the table: %v", pings, e.node.Table().Contains(newcomer.self.ID))
	}
	others[1].down = true // now the least recently seen
	newcomer.node.call(e.self, &Request{Proc: Ping}, func(*Reply) {})
	w.run(5 * time.Second)
	if !e.node.Table().Contains(newcomer.self.ID) || e.node.Table().Contains(others[1].self.ID) {
		t.Error("a silent contact was not replaced")
	}
}

// Line 4: a contact that has become stale makes room at once for the most
// recently seen of the replacement cache.
func TestCacheReplacesStale(t *testing.T) {
	table := NewTable(id.ID{}, 2, 0)
	for i := range 6 {
		table.Seen(inBucket(i))
	}
	table.Checked(inBucket(0).ID)
	for range StaleAfter {
		table.Failed(inBucket(1).ID, 1)
	}
	if table.Contains(inBucket(1).ID) || !table.Contains(inBucket(5).ID) {
		t.Error("the stale contact was not replaced by the last newcomer")
	}
	table.Failed(inBucket(4).ID, 1) // of the cache
	for range StaleAfter {
		table.Failed(inBucket(0).ID, 1)
	}
	if !table.Contains(inBucket(3).ID) || table.Contains(inBucket(4).ID) {
		t.Error("the cache gave a contact that does not answer")
	}
}

// Line 7: after a round that named nobody nearer, all of the k nearest that have
// not been asked are asked at once.
func TestDryRoundAsksAll(t *testing.T) {
	w := newNetwork(t)
	e := w.add("asker", Config{K: 12})
	for i := range 12 {
		o := w.addID(inBucket(i).ID, Config{K: 12})
		e.node.seen(o.self)
	}
	asked := map[machine.Time]int{}
	w.drop = func(from, _ *end, m machine.Message) bool {
		if r, ok := m.(*Request); ok && from == e && r.Proc == FindNode {
			asked[w.now]++
		}
		return false
	}
	e.node.Lookup(1, inBucket(0).ID)
	w.run(5 * time.Second)
	var rounds []int
	for _, at := range sortedTimes(asked) {
		rounds = append(rounds, asked[at])
	}
	if !slices.Equal(rounds, []int{Alpha, 12 - Alpha}) {
		t.Errorf("asked in rounds of %v, want α and then all others", rounds)
	}
	if len(e.found[1].Closest) != 12 {
		t.Errorf("ended with %d answers", len(e.found[1].Closest))
	}
}

func sortedTimes(m map[machine.Time]int) (out []machine.Time) {
	for at := range m {
		out = append(out, at)
	}
	slices.Sort(out)
	return out
}

// Line 8: FIND_VALUE ends with the first valid value: nobody is asked any more.
func TestFindStopsAtTheFirstValue(t *testing.T) {
	w := newNetwork(t)
	w.grow(60, Config{K: 8})
	rec := record("key", 1, w.now, "")
	w.all[1].node.Publish(1, rec)
	w.run(5 * time.Second)
	e := w.all[30]
	delete(e.node.held[Chunk], rec.Key)
	e.node.Find(1, Chunk, rec.Key)
	var ended machine.Time
	finds, late := 0, 0
	w.drop = func(from, _ *end, m machine.Message) bool {
		if r, ok := m.(*Request); ok && from == e && r.Proc == FindChunk {
			finds++
			if ended != 0 {
				late++
			}
		}
		if _, over := e.found[1]; over && ended == 0 {
			ended = w.now
		}
		return false
	}
	w.run(5 * time.Second)
	if e.found[1].Record != rec || e.found[1].Asked > 3*Alpha || late > 0 {
		t.Errorf("found %v after %d nodes, %d asked after the value came", e.found[1].Record, e.found[1].Asked, late)
	}
}

// Line 9: who joins knows the bootstrap node, looks itself up and then refreshes
// all buckets farther than its nearest neighbour's.
func TestJoin(t *testing.T) {
	w := newNetwork(t)
	w.grow(60, Config{K: 4})
	e := w.add("newcomer", Config{K: 4})
	var targets []id.ID
	w.drop = func(from, _ *end, m machine.Message) bool {
		if r, ok := m.(*Request); ok && from == e && r.Proc == FindNode && !slices.Contains(targets, r.Key) {
			targets = append(targets, r.Key)
		}
		return false
	}
	e.node.Join([]machine.Peer{w.all[0].self})
	if len(targets) != 1 || targets[0] != e.self.ID || !e.node.Table().Contains(w.all[0].self.ID) {
		t.Fatalf("first looked up %v, want itself by way of the bootstrap node", targets)
	}
	w.run(20 * time.Second)
	refreshed := map[int]bool{}
	for _, target := range targets[1:] {
		refreshed[bucketOf(e.self.ID, target)] = true
	}
	for i := e.node.Table().nearest() + 1; i < Bits; i++ {
		if !refreshed[i] {
			t.Errorf("bucket %d was not refreshed", i)
		}
	}
	if len(e.node.Table().Contacts(nil)) < 12 {
		t.Error("hardly anybody is known after joining")
	}
	knownBy := 0
	for _, o := range w.all {
		knownBy += one(o.node.Table().Contains(e.self.ID))
	}
	if knownBy < 4 {
		t.Errorf("%d nodes know the newcomer", knownBy)
	}
}

// Line 12: the paths of a lookup share no node: nobody is asked twice.
func TestPathsAreDisjoint(t *testing.T) {
	w := newNetwork(t)
	w.grow(120, Config{K: 8, Paths: 4})
	r := rng.New(3)
	for tag := range uint64(20) {
		e, asked := w.all[r.Intn(len(w.all))], map[id.ID]int{}
		target := randomID(&r)
		w.drop = func(from, to *end, m machine.Message) bool {
			if q, ok := m.(*Request); ok && from == e && q.Key == target {
				asked[to.self.ID]++
			}
			return false
		}
		e.node.Lookup(tag, target)
		w.run(5 * time.Second)
		for who, n := range asked {
			if n > 1 {
				t.Fatalf("lookup %d asked %s %d times", tag, who.Short(), n)
			}
		}
	}
}

// A contact that another node only names does not come into the table before it
// has answered: lies about others poison nothing.
func TestNamedContactsAreNotBelieved(t *testing.T) {
	w := newNetwork(t)
	e, liar := w.add("asker", Config{}), w.add("liar", Config{})
	e.node.seen(liar.self)
	var ghosts []machine.Peer
	for i := range 200 {
		ghosts = append(ghosts, machine.Peer{ID: id.Of(fmt.Append(nil, "ghost", i))})
	}
	liar.down = true
	w.drop = func(from, to *end, m machine.Message) bool {
		if r, ok := m.(*Request); ok && to == liar {
			w.after(time.Millisecond, func() {
				e.node.OnMessage(liar.self, &Reply{RPC: r.RPC, Proc: r.Proc, Contacts: ghosts})
			})
		}
		return false
	}
	e.node.Lookup(1, id.ID{})
	w.run(time.Minute)
	if got := e.found[1]; got.Asked > 1+MaxContacts || len(got.Closest) != 1 {
		t.Errorf("%d asked, %d found; want the liar and at most %d of those it named", got.Asked, len(got.Closest), MaxContacts)
	}
	if e.node.Table().Len() != 1 {
		t.Errorf("%d contacts, want the liar alone", e.node.Table().Len())
	}
}

// A table that was saved brings its node back into a network whose first nodes
// are gone.
func TestSavedTable(t *testing.T) {
	w := newNetwork(t)
	w.grow(40, Config{K: 6})
	e := w.all[20]
	saved := e.node.Table().AppendSaved(nil)
	known, err := DecodeSaved(saved)
	if err != nil || len(known) != e.node.Table().Len() {
		t.Fatalf("%d of %d contacts came back, %v", len(known), e.node.Table().Len(), err)
	}
	for i := range 10 {
		w.all[i].down = true
	}
	e.node = New(Config{Self: e.self.ID, Events: e, K: 6}, e)
	e.node.Start()
	e.node.Join(known)
	w.run(time.Minute)
	target := id.Of([]byte("target"))
	e.node.Lookup(1, target)
	w.run(time.Minute)
	want := slices.DeleteFunc(w.closest(target, 2), func(x id.ID) bool { return x == e.self.ID })[0]
	if got := e.found[1].Closest; len(got) == 0 || got[0].ID != want {
		t.Error("the restarted node does not find the nearest live node")
	}
	for name, b := range map[string][]byte{"version": {9}, "length": {1, 2, 3}} {
		if _, err := DecodeSaved(b); !errors.Is(err, ErrSaved) {
			t.Errorf("wrong %s: %v", name, err)
		}
	}
	if known, err := DecodeSaved(nil); known != nil || err != nil {
		t.Errorf("nothing saved: %v, %v", known, err)
	}
}

func FuzzDecodeSaved(f *testing.F) {
	table := NewTable(id.ID{}, 20, 0)
	table.Seen(inBucket(1))
	f.Add(table.AppendSaved(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		known, err := DecodeSaved(b)
		if err == nil && len(known) > maxSaved {
			t.Errorf("%d contacts", len(known))
		}
	})
}
