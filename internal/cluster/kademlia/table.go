package kademlia

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// contact is an entry of a bucket.
type contact struct {
	peer     machine.Peer
	failures uint8        // RPCs in a row that it left unanswered
	retry    machine.Time // not used in lookups before (back-off)
}

// bucket holds the contacts of one range of distances, the least recently seen
// first, and newcomers that found it full, the most recently seen last.
type bucket struct {
	contacts []contact
	cache    []machine.Peer
	touched  machine.Time // last lookup in its range
	checking bool         // its least recently seen contact is being pinged
}

// Table is the routing table: 160 buckets of at most k contacts, made when
// there is something to put into them.
type Table struct {
	self    id.ID
	k       int
	subnet  int // contacts of one subnet in a bucket; 0: no limit
	buckets [Bits]*bucket
	size    int
}

// NewTable returns an empty table.
func NewTable(self id.ID, k, subnet int) *Table {
	return &Table{self: self, k: k, subnet: subnet}
}

// Len is the number of contacts.
func (t *Table) Len() int { return t.size }

// bucket returns the bucket for who, nil if there is none.
func (t *Table) bucket(who id.ID) *bucket {
	if i := bucketOf(t.self, who); i >= 0 {
		return t.buckets[i]
	}
	return nil
}

// need returns the bucket for who, nil only for this node itself.
func (t *Table) need(who id.ID) *bucket {
	i := bucketOf(t.self, who)
	if i < 0 {
		return nil
	}
	if t.buckets[i] == nil {
		t.buckets[i] = new(bucket)
	}
	return t.buckets[i]
}

// grown makes room for one more, in steps that leave little unused: a process
// may hold very many tables.
func grown[T any](list []T, limit int) []T {
	if len(list) < cap(list) {
		return list
	}
	return append(make([]T, 0, min(limit, max(4, 2*len(list)))), list...)
}

func (b *bucket) index(who id.ID) int {
	return slices.IndexFunc(b.contacts, func(c contact) bool { return c.peer.ID == who })
}

// Seen notes a message from p (Kademlia 2.2). It reports whether p is new in the
// table, and, if its bucket is full of others, the contact that should be
// pinged to find out whether it has to make room.
func (t *Table) Seen(p machine.Peer) (added bool, check *machine.Peer) {
	b := t.need(p.ID)
	if b == nil {
		return false, nil
	}
	if i := b.index(p.ID); i >= 0 {
		copy(b.contacts[i:], b.contacts[i+1:])
		b.contacts[len(b.contacts)-1] = contact{peer: p}
		return false, nil
	}
	if t.crowded(b, p) {
		return false, nil
	}
	if len(b.contacts) < t.k {
		b.contacts = append(grown(b.contacts, t.k), contact{peer: p})
		t.size++
		return true, nil
	}
	b.keep(p)
	if i := slices.IndexFunc(b.contacts, func(c contact) bool { return c.failures >= StaleAfter }); i >= 0 {
		t.replace(b, i)
		return true, nil
	}
	if b.checking {
		return false, nil
	}
	b.checking = true
	return false, &b.contacts[0].peer
}

// keep puts p into the replacement cache as the most recently seen.
func (b *bucket) keep(p machine.Peer) {
	if i := slices.IndexFunc(b.cache, func(q machine.Peer) bool { return q.ID == p.ID }); i >= 0 {
		b.cache = slices.Delete(b.cache, i, i+1)
	} else if len(b.cache) == replacements {
		b.cache = slices.Delete(b.cache, 0, 1)
	}
	b.cache = append(grown(b.cache, replacements), p)
}

// replace puts the most recently seen newcomer in the place of contact i.
func (t *Table) replace(b *bucket, i int) {
	last := len(b.cache) - 1
	p := b.cache[last]
	b.cache = b.cache[:last]
	b.contacts = append(slices.Delete(b.contacts, i, i+1), contact{peer: p})
}

// Checked ends a ping that Seen asked for.
func (t *Table) Checked(who id.ID) {
	if b := t.bucket(who); b != nil {
		b.checking = false
	}
}

// Failed notes that who left an RPC unanswered. A contact that failed a check
// for a newcomer, or too often, makes room if there is somebody to replace it;
// while there is nobody it is only flagged (Kademlia 4.1).
func (t *Table) Failed(who id.ID, now machine.Time) {
	b := t.bucket(who)
	if b == nil {
		return
	}
	b.cache = slices.DeleteFunc(b.cache, func(q machine.Peer) bool { return q.ID == who })
	i := b.index(who)
	if i < 0 {
		return
	}
	c := &b.contacts[i]
	c.failures = min(c.failures+1, 100)
	wait := min(backoffUnit<<min(c.failures-1, 10), maxBackoff)
	c.retry = now.Add(wait)
	if len(b.cache) > 0 && (b.checking && i == 0 || c.failures >= StaleAfter) {
		t.replace(b, i)
	}
}

// Remove takes out a contact that is known to be wrong or gone for good.
func (t *Table) Remove(who id.ID) {
	b := t.bucket(who)
	if b == nil {
		return
	}
	b.cache = slices.DeleteFunc(b.cache, func(q machine.Peer) bool { return q.ID == who })
	if i := b.index(who); i >= 0 {
		b.contacts = slices.Delete(b.contacts, i, i+1)
		t.size--
	}
}

// Contains reports whether who is a contact.
func (t *Table) Contains(who id.ID) bool {
	b := t.bucket(who)
	return b != nil && b.index(who) >= 0
}

// Answers reports whether who is a contact that has left no request unanswered
// since it was last heard from.
func (t *Table) Answers(who id.ID) bool {
	b := t.bucket(who)
	if b == nil {
		return false
	}
	i := b.index(who)
	return i >= 0 && b.contacts[i].failures == 0
}

// Closest appends to out the up to n contacts that are nearest to target,
// nearest first, without those that are flagged or in back-off.
func (t *Table) Closest(target id.ID, n int, now machine.Time, out []machine.Peer) []machine.Peer {
	end := len(out) + n
	var room [2 * DefaultK]ranked
	head := target.Head()
	take := func(i int) {
		b := t.buckets[i]
		if b == nil {
			return
		}
		order := room[:0] // all of this bucket are farther than those before
		for k := range b.contacts {
			if c := &b.contacts[k]; c.failures < StaleAfter && c.retry <= now {
				order = append(order, ranked{head ^ c.peer.ID.Head(), k})
			}
		}
		b.sort(order, target)
		for _, r := range order[:min(len(order), end-len(out))] {
			out = append(out, b.contacts[r.at].peer)
		}
	}
	// Bucket i of the target's distance d holds what shares the bits above i;
	// nearer buckets first: those where d has a one, from the top, then those
	// where it has a zero, from the bottom.
	d := Distance(t.self, target)
	for i := Bits - 1; i >= 0 && len(out) < end; i-- {
		if t.buckets[i] != nil && bitOf(d, i) {
			take(i)
		}
	}
	for i := 0; i < Bits && len(out) < end; i++ {
		if t.buckets[i] != nil && !bitOf(d, i) {
			take(i)
		}
	}
	return out
}

func bitOf(d id.ID, i int) bool { return d[(Bits-1-i)/8]>>(i%8)&1 == 1 }

// ranked is a contact of a bucket by the first bits of its distance.
type ranked struct {
	distance uint64
	at       int
}

// sort puts some of the bucket's contacts in the order of their distance from
// target. They are few, so each is put in its place among those before.
func (b *bucket) sort(order []ranked, target id.ID) {
	for i, r := range order {
		for ; i > 0; i-- {
			o := order[i-1]
			if o.distance < r.distance || o.distance == r.distance && Closer(target, b.contacts[o.at].peer.ID, b.contacts[r.at].peer.ID) {
				break
			}
			order[i] = o
		}
		order[i] = r
	}
}

// Touch notes a lookup in target's range.
func (t *Table) Touch(target id.ID, now machine.Time) {
	if b := t.need(target); b != nil {
		b.touched = now
	}
}

// Untouched returns a random target in each range that is no nearer than the
// nearest contact and has not been looked up for age (Kademlia 2.3).
func (t *Table) Untouched(now machine.Time, age time.Duration, r *rng.Rand) []id.ID {
	var out []id.ID
	for i := t.nearest(); i < Bits; i++ {
		if b := t.buckets[i]; b == nil || now.Sub(b.touched) >= age {
			out = append(out, t.randomIn(i, r))
		}
	}
	return out
}

// nearest returns the lowest bucket that is not empty, Bits if all are.
func (t *Table) nearest() int {
	for i := range t.buckets {
		if b := t.buckets[i]; b != nil && len(b.contacts) > 0 {
			return i
		}
	}
	return Bits
}

// randomIn returns a random id at a distance in [2^i, 2^(i+1)).
func (t *Table) randomIn(i int, r *rng.Rand) id.ID {
	out := t.self
	for bit := range i {
		if r.Uint64()&1 == 1 {
			flip(&out, bit)
		}
	}
	flip(&out, i)
	return out
}

func flip(d *id.ID, i int) { d[(Bits-1-i)/8] ^= 1 << (i % 8) }

// Contacts appends all contacts, nearest bucket first, to out: for saving the
// table and for the status page.
func (t *Table) Contacts(out []machine.Peer) []machine.Peer {
	for _, b := range t.buckets {
		if b == nil {
			continue
		}
		for _, c := range b.contacts {
			out = append(out, c.peer)
		}
	}
	return out
}
