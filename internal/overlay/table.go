package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// entry is one place of the routing table (thesis 4.2.4): the node of its zone
// that is nearest to the target position (4.5.1, 4.5.2) as far as is known.
type entry struct {
	slot   Slot
	target geom.Point
	cur    *peer // linked
	next   *peer // nearer, its link is being opened
	tries  int   // requests left until it counts as not to be filled

	since   machine.Time // when cur came
	lost    machine.Time // when the last one left
	audited bool         // cur was (audit.go)
	shunned id.ID        // who lied and was thrown out
}

// table is the routing table; slots that no node can ever fit in are nil.
type table struct {
	space   Space
	entries []*entry
}

func newTable(s Space, self geom.Point) table {
	t := table{space: s, entries: make([]*entry, s.Layers*s.Zones())}
	for _, slot := range s.Slots(self) {
		t.entries[t.index(slot)] = &entry{slot: slot, target: s.Target(self, slot)}
	}
	return t
}

func (t *table) index(s Slot) int {
	return s.Layer*t.space.Zones() + int(s.J*t.space.Base+s.I)
}

// entryOf returns the one entry that a node fits in, or nil.
func (n *Node) entryOf(c *Contact) *entry {
	slot, ok := n.cfg.Space.SlotOf(n.self.Pos, c.Pos)
	if !ok {
		return nil
	}
	return n.table.entries[n.table.index(slot)]
}

// offer puts a node into the table if it is nearer to its entry's target than
// the one that is there (thesis 4.5.1); a link comes first, so that nobody is
// replaced by a node that is not there. It reports whether the node is wanted.
func (n *Node) offer(c *Contact) (wanted bool) {
	e := n.entryOf(c)
	if e == nil || n.hasFailed(c) || !e.wants(c) || n.distrusts(c.ID) {
		return false
	}
	p := n.know(c)
	if old := e.next; old != nil {
		e.next = nil
		n.release(old, asEntry)
	}
	e.next = p
	n.need(p, asEntry)
	if p.link == linkUp {
		n.place(e)
	}
	return true
}

func (e *entry) wants(c *Contact) bool {
	for _, p := range []*peer{e.cur, e.next} {
		if p != nil && (p.ID == c.ID || !closer(e.target, c, p.Contact)) {
			return false
		}
	}
	return true
}

// place makes the next node of an entry the current one.
func (n *Node) place(e *entry) {
	old := e.cur
	e.cur, e.next = e.next, nil
	e.since, e.audited = n.env.Now(), false
	n.auditLater()
	if old != nil {
		n.release(old, asEntry)
	}
}

// loseEntry takes a failed node out; its entry is asked for again (thesis
// 4.5.6).
func (n *Node) loseEntry(p *peer) {
	e := n.entryOf(p.Contact)
	if e.next == p {
		e.next = nil
	}
	if e.cur == p {
		e.cur, e.lost = nil, n.env.Now()
		if n.joined {
			n.refillEntry(e)
		}
	}
}

// An entry that was lost and is still empty is asked for again: the nodes on the
// way may have left as well.
const (
	refills     = 3
	refillAfter = 20 * time.Second
)

func (n *Node) refillEntry(e *entry) {
	n.request(e)
	e.tries = refills
	n.refillLater()
}

func (n *Node) refillLater() { n.setTimerOnce(&n.refilling, refillAfter, timerRefill) }

func (n *Node) refill() {
	n.refilling = false
	for _, e := range n.table.entries {
		switch {
		case e == nil || e.tries == 0:
		case e.cur != nil || e.next != nil:
			e.tries = 0
		default:
			e.tries--
			n.request(e)
			n.refillLater()
		}
	}
}

// Entry is a filled place of the routing table, for those who look.
type Entry struct {
	Slot   Slot
	Target geom.Point
	Node   *Contact
}

// Holds reports whether a node is in the routing table.
func (n *Node) Holds(c *Contact) bool {
	e := n.entryOf(c)
	return e != nil && e.cur != nil && e.cur.ID == c.ID
}

// Table appends the filled entries of the routing table to out.
func (n *Node) Table(out []Entry) []Entry {
	for _, e := range n.table.entries {
		if e != nil && e.cur != nil {
			out = append(out, Entry{e.slot, e.target, e.cur.Contact})
		}
	}
	return out
}
