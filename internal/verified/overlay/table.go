package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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

// routingTable fills and corrects the routing table (thesis 4.5).
type routingTable struct {
	*core
	router     *router
	hood       *neighbourhood
	links      *links
	shortcuts  *shortcutList
	departures *departures
	audits     *auditor
	hello      *greeter

	table     table
	hinted    recentHints
	refilling bool // the timer of refill is set
}

// entryOf returns the one entry that a node fits in, or nil.
func (rt *routingTable) entryOf(c *Contact) *entry {
	slot, ok := rt.cfg.Space.SlotOf(rt.self.Pos, c.Pos)
	if !ok {
		return nil
	}
	return rt.table.entries[rt.table.index(slot)]
}

// offer puts a node into the table if it is nearer to its entry's target than
// the one that is there (thesis 4.5.1); a link comes first, so that nobody is
// replaced by a node that is not there. It reports whether the node is wanted.
func (rt *routingTable) offer(c *Contact) (wanted bool) {
	e := rt.entryOf(c)
	if e == nil || rt.departures.hasFailed(c) || !e.wants(c) || rt.audits.distrusts(c.ID) {
		return false
	}
	p := rt.links.know(c)
	if old := e.next; old != nil {
		e.next = nil
		rt.links.release(old, asEntry)
	}
	e.next = p
	rt.links.need(p, asEntry)
	if p.link == linkUp {
		rt.place(e)
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
func (rt *routingTable) place(e *entry) {
	old := e.cur
	e.cur, e.next = e.next, nil
	e.since, e.audited = rt.env.Now(), false
	rt.audits.auditLater()
	if old != nil {
		rt.links.release(old, asEntry)
	}
}

// loseEntry takes a failed node out; its entry is asked for again (thesis
// 4.5.6).
func (rt *routingTable) loseEntry(p *peer) {
	e := rt.entryOf(p.Contact)
	if e.next == p {
		e.next = nil
	}
	if e.cur == p {
		e.cur, e.lost = nil, rt.env.Now()
		if rt.joined {
			rt.refillEntry(e)
		}
	}
}

// An entry that was lost and is still empty is asked for again: the nodes on the
// way may have left as well.
const (
	refills     = 3
	refillAfter = 20 * time.Second
)

func (rt *routingTable) refillEntry(e *entry) {
	rt.request(e)
	e.tries = refills
	rt.refillLater()
}

func (rt *routingTable) refillLater() { rt.setTimerOnce(&rt.refilling, refillAfter, timerRefill) }

func (rt *routingTable) refill() {
	rt.refilling = false
	for _, e := range rt.table.entries {
		switch {
		case e == nil || e.tries == 0:
		case e.cur != nil || e.next != nil:
			e.tries = 0
		default:
			e.tries--
			rt.request(e)
			rt.refillLater()
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
	e := n.routing.entryOf(c)
	return e != nil && e.cur != nil && e.cur.ID == c.ID
}

// Table appends the filled entries of the routing table to out.
func (n *Node) Table(out []Entry) []Entry {
	for _, e := range n.routing.table.entries {
		if e != nil && e.cur != nil {
			out = append(out, Entry{e.slot, e.target, e.cur.Contact})
		}
	}
	return out
}
