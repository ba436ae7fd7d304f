package kademlia

import (
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

func randomID(r *rng.Rand) (out id.ID) {
	for i := range out {
		out[i] = byte(r.Uint64())
	}
	return out
}

// inBucket returns the nth peer of the bucket that is half of all ids away from
// the zero id.
func inBucket(n int) machine.Peer {
	p := machine.Peer{ID: id.ID{0: 0x80, 18: byte(n >> 8), 19: byte(n)}}
	return p
}

// Kademlia 2.1: d(x,x) = 0, d(x,y) > 0, symmetry, the triangle inequality; bucket
// i covers distances in [2^i, 2^(i+1)).
func TestXORMetric(t *testing.T) {
	r := rng.New(1)
	for range 1000 {
		a, b, c := randomID(&r), randomID(&r), randomID(&r)
		if Distance(a, a) != (id.ID{}) || Distance(a, b) == (id.ID{}) || Distance(a, b) != Distance(b, a) {
			t.Fatal("not a metric")
		}
		if ab, bc := Distance(a, b), Distance(b, c); Distance(ab, bc) != Distance(a, c) {
			t.Fatal("d(a,c) = d(a,b) xor d(b,c) fails, and with it the triangle inequality")
		}
		i := bucketOf(a, b)
		d := Distance(a, b)
		for bit := Bits - 1; bit > i; bit-- {
			if bitOf(d, bit) {
				t.Fatalf("distance %s has bit %d, but bucket %d", d, bit, i)
			}
		}
		if !bitOf(d, i) {
			t.Fatalf("distance %s lacks bit %d of its bucket", d, i)
		}
	}
	if bucketOf(id.ID{}, id.ID{}) != -1 {
		t.Error("a node is in no bucket of its own")
	}
}

// Kademlia 2.2: buckets are sorted by time last seen; any message moves its
// sender to the tail.
func TestBucketOrder(t *testing.T) {
	table := NewTable(id.ID{}, 3, 0)
	for i := range 3 {
		table.Seen(inBucket(i))
	}
	table.Seen(inBucket(0))
	got := ids(table.Contacts(nil))
	want := ids([]machine.Peer{inBucket(1), inBucket(2), inBucket(0)})
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// Kademlia 2.2 and 4.1: a full bucket asks to ping the least recently seen and
// keeps the newcomer in the replacement cache; a live contact is never evicted.
func TestFullBucket(t *testing.T) {
	table := NewTable(id.ID{}, 2, 0)
	table.Seen(inBucket(0))
	table.Seen(inBucket(1))
	added, check := table.Seen(inBucket(2))
	if added || check == nil || *check != inBucket(0) {
		t.Fatalf("added %v, check %v; want a ping of the least recently seen", added, check)
	}
	if _, again := table.Seen(inBucket(3)); again != nil {
		t.Error("a second check of the bucket while one is under way")
	}
	table.Seen(inBucket(0)) // it answers
	table.Checked(inBucket(0).ID)
	if !table.Contains(inBucket(0).ID) || table.Contains(inBucket(3).ID) {
		t.Error("a live contact was evicted for a newcomer")
	}
	_, check = table.Seen(inBucket(4))
	if check == nil || *check != inBucket(1) {
		t.Fatalf("check %v, want the other contact, now the least recently seen", check)
	}
	table.Failed(inBucket(1).ID, 7)
	table.Checked(inBucket(1).ID)
	if table.Contains(inBucket(1).ID) || !table.Contains(inBucket(4).ID) {
		t.Error("the silent contact was not replaced by the most recent newcomer")
	}
	if table.Len() != 2 {
		t.Errorf("%d contacts, want 2", table.Len())
	}
}

// Kademlia 4.1: a newcomer that waits takes nobody's place who has left a single request
// unanswered, unless the bucket asked it whether it is there.
func TestOneFailureEvictsNobody(t *testing.T) {
	table := NewTable(id.ID{}, 2, 0)
	table.Seen(inBucket(0))
	table.Seen(inBucket(1))
	table.Seen(inBucket(2)) // waits; the first contact is checked
	table.Seen(inBucket(0))
	table.Checked(inBucket(0).ID)
	table.Failed(inBucket(1).ID, 7)
	if !table.Contains(inBucket(1).ID) || table.Contains(inBucket(2).ID) {
		t.Error("a contact was replaced after one failure that no check asked for")
	}
}

// Kademlia 2.2 and 4.1, each half of the rule alone: only the contact that is checked makes
// room after one failure, and only one that has failed too often makes room for a newcomer
// at once.
func TestWhoMakesRoom(t *testing.T) {
	for _, c := range []struct {
		name     string
		failed   int // this contact, of 0 and 1; 0 is the least recently seen
		failures int
		waits    bool // somebody waits already, so that 0 is checked
		evicted  bool
	}{
		{"the one that is checked fails once", 0, 1, true, true},
		{"another one fails meanwhile", 1, 1, true, false},
		{"another one fails too often meanwhile", 1, StaleAfter, true, true},
		{"one failure before anybody waits", 0, 1, false, false},
		{"almost too many failures before anybody waits", 0, StaleAfter - 1, false, false},
		{"too many failures before anybody waits", 0, StaleAfter, false, true},
	} {
		table := NewTable(id.ID{}, 2, 0)
		table.Seen(inBucket(0))
		table.Seen(inBucket(1))
		if c.waits {
			table.Seen(inBucket(2))
		}
		for range c.failures {
			table.Failed(inBucket(c.failed).ID, 1)
		}
		if !c.waits {
			table.Seen(inBucket(2))
		}
		if evicted := !table.Contains(inBucket(c.failed).ID); evicted != c.evicted || table.Contains(inBucket(2).ID) != c.evicted || table.Len() != 2 {
			t.Errorf("%s: evicted %v, %d contacts", c.name, evicted, table.Len())
		}
	}
}

// Kademlia 4.1: the replacement cache has the newcomers that were seen last, each of them
// once; who is seen again is the first to come in, as the most recently seen of its bucket.
func TestReplacementCache(t *testing.T) {
	table := NewTable(id.ID{}, 1, 0)
	table.Seen(inBucket(0))
	for i := range replacements + 2 {
		table.Seen(inBucket(1 + i))
	}
	table.Seen(inBucket(5))
	table.Seen(inBucket(5))
	if n := len(table.bucket(inBucket(0).ID).cache); n != replacements {
		t.Errorf("%d wait, want %d", n, replacements)
	}
	comes := func() (n byte) {
		table.Failed(table.Contacts(nil)[0].ID, 1)
		return table.Contacts(nil)[0].ID[19]
	}
	want := []byte{5}
	for i := replacements + 2; i > 2; i-- {
		if i != 5 {
			want = append(want, byte(i))
		}
	}
	var got []byte
	for range want {
		got = append(got, comes())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v come in, want %v", got, want)
	}
	if last := want[len(want)-1]; comes() != last {
		t.Error("somebody comes in who was forgotten or has come in before")
	}
}

// Who takes a place is the most recently seen of the bucket.
func TestReplacedAtTheTail(t *testing.T) {
	table := NewTable(id.ID{}, 3, 0)
	for i := range 4 {
		table.Seen(inBucket(i))
	}
	table.Failed(inBucket(0).ID, 1)
	got, want := ids(table.Contacts(nil)), ids([]machine.Peer{inBucket(1), inBucket(2), inBucket(3)})
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// Kademlia 4.1: with an empty replacement cache a contact that does not answer
// is only flagged; it is not used meanwhile, and a newcomer takes its place.
func TestStaleContacts(t *testing.T) {
	table := NewTable(id.ID{}, 2, 0)
	table.Seen(inBucket(0))
	table.Seen(inBucket(1))
	now := machine.Time(1)
	for range StaleAfter {
		table.Failed(inBucket(0).ID, now)
		now = now.Add(maxBackoff)
	}
	now = now.Add(time.Hour)
	if !table.Contains(inBucket(0).ID) {
		t.Fatal("removed while there is nobody to replace it")
	}
	if got := table.Closest(id.ID{}, 5, now, nil); len(got) != 1 {
		t.Errorf("lookups use %d contacts, want 1: the other is flagged", len(got))
	}
	if added, _ := table.Seen(inBucket(7)); !added || table.Contains(inBucket(0).ID) {
		t.Error("the newcomer did not replace the flagged contact")
	}
}

// Kademlia 4.1: back-off grows with each failure and ends with a message.
func TestBackoff(t *testing.T) {
	table := NewTable(id.ID{}, 2, 0)
	p := inBucket(0)
	table.Seen(p)
	used := func(at time.Duration) bool {
		return len(table.Closest(id.ID{}, 1, machine.Time(1).Add(at), nil)) == 1
	}
	table.Failed(p.ID, 1)
	if used(backoffUnit-1) || !used(backoffUnit) {
		t.Error("after the first failure the back-off is one unit")
	}
	table.Failed(p.ID, 1)
	if used(2*backoffUnit-1) || !used(2*backoffUnit) {
		t.Error("after the second failure it is two")
	}
	for range 20 {
		table.Failed(p.ID, 1)
	}
	table.bucket(p.ID).contacts[0].failures = 0 // not flagged: only the back-off counts
	if used(maxBackoff-1) || !used(maxBackoff) {
		t.Error("the back-off has another bound")
	}
	table.Seen(p)
	if !used(1) {
		t.Error("a message ends the back-off")
	}
}

func TestClosestAgainstSorting(t *testing.T) {
	r := rng.New(3)
	table := NewTable(randomID(&r), 20, 0)
	for range 2000 {
		table.Seen(machine.Peer{ID: randomID(&r)})
	}
	for n := range 10 { // alike in most of their bits
		p := inBucket(n)
		p.ID[0] ^= table.self[0]
		table.Seen(p)
	}
	all := ids(table.Contacts(nil))
	for i := range 200 {
		target := randomID(&r)
		if i%4 == 0 {
			target = inBucket(i).ID
			target[0] ^= table.self[0]
		}
		sort.Slice(all, func(i, j int) bool { return Closer(target, all[i], all[j]) })
		n := 1 + r.Intn(30)
		if got := ids(table.Closest(target, n, 1<<40, nil)); !slices.Equal(got, all[:min(n, len(all))]) {
			t.Fatalf("closest %d to %s: %v, want %v", n, target, got, all[:n])
		}
	}
}

// S/Kademlia and practice: one subnet fills no more than its share of a bucket.
func TestSubnetLimit(t *testing.T) {
	table := NewTable(id.ID{}, 20, 2)
	ip := func(n int, last ...byte) machine.Peer {
		p := inBucket(n)
		p.Addr[10], p.Addr[11] = 0xff, 0xff
		copy(p.Addr[12:], last)
		return p
	}
	for i := range 10 {
		table.Seen(ip(i, 203, 0, 113, byte(i)))
	}
	if table.Len() != 2 {
		t.Errorf("%d contacts from one /24, want 2", table.Len())
	}
	table.Seen(ip(10, 198, 51, 100, 1))
	if table.Len() != 3 {
		t.Error("another subnet was shut out")
	}
	for i := range 5 {
		table.Seen(ip(20+i, 127, 0, 0, 1))
	}
	if table.Len() != 8 {
		t.Error("loopback is not limited")
	}
}

// Kademlia 2.3: a refresh looks up a random id in the range of each bucket that
// is untouched, from the nearest contact's bucket on.
func TestUntouched(t *testing.T) {
	r := rng.New(8)
	self := randomID(&r)
	table := NewTable(self, 20, 0)
	near := self
	flip(&near, 100)
	table.Seen(machine.Peer{ID: near})
	now := machine.Time(1).Add(Refresh)
	table.Touch(table.randomIn(150, &r), now)
	targets := table.Untouched(now, Refresh, &r)
	if len(targets) != Bits-100-1 {
		t.Errorf("%d targets, want one for each of buckets 100 to 159 but the touched", len(targets))
	}
	for _, target := range targets {
		if i := bucketOf(self, target); i < 100 || i == 150 {
			t.Errorf("target in bucket %d", i)
		}
	}
}

// BenchmarkClosest is what a node among a thousand does for a FIND_NODE.
func BenchmarkClosest(b *testing.B) {
	r := rng.New(4)
	table := NewTable(randomID(&r), DefaultK, 0)
	for range 1000 {
		table.Seen(machine.Peer{ID: randomID(&r)})
	}
	var targets [64]id.ID
	for i := range targets {
		targets[i] = randomID(&r)
	}
	out := make([]machine.Peer, 0, 2*DefaultK)
	for i := 0; b.Loop(); i++ {
		out = table.Closest(targets[i%len(targets)], DefaultK+9, 0, out[:0])
	}
}
