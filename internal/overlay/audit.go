package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Audits are ours. Attackers that answer requests which are not for them (thesis
// 6.3.4) get into tables because nobody looks at their answers. So each node that
// has got into a table is sent, once, a request whose answer is known already:
// for the place of another entry whose holder has long been there. Nothing tells
// it from any other request that comes this way. Who passes it on is honest; who
// answers it stands in the wrong zone and farther from the place than a node that
// is there. After the second such answer the liar is kept out of the table.
//
// A liar that answers only what it could be asked for is not found out, but gets
// nothing by it: the nearest node replaces it (4.5.1).

const (
	// auditAfter is how long an entry's holder must have been there to be asked,
	// or to be what another is asked for: longer than the overlay needs for a
	// change, so that an answer from elsewhere is no honest mistake.
	auditAfter = 30 * time.Second
	// maxLies are forgiven if they are far apart: somebody may have failed just
	// then, and nobody noticed yet.
	maxLies     = 2
	liesFor     = 10 * time.Minute
	distrustFor = time.Hour
	maxLiars    = 1024
)

// misbehaviour is what is held against a node that has answered for others.
type misbehaviour struct {
	lies  int
	until machine.Time // forgotten then
}

// distrusts reports whether a node is kept out of the table.
func (n *Node) distrusts(who id.ID) bool {
	l := n.misbehaved[who]
	return l != nil && l.lies >= maxLies && l.until > n.env.Now()
}

// auditLater sets the timer for holders that were not audited yet.
func (n *Node) auditLater() {
	n.setTimerOnce(&n.auditing, auditAfter, timerAudit)
}

// audit asks all who have been holders long enough.
func (n *Node) audit() {
	n.auditing = false
	for _, e := range n.table.entries {
		switch {
		case e == nil || e.cur == nil || e.audited:
		case !n.established(e):
			n.auditLater()
		default:
			n.probe(e)
			e.audited = true
		}
	}
}

func (n *Node) established(e *entry) bool {
	return e.cur != nil && n.env.Now().Sub(e.since) >= auditAfter
}

// probe sends an entry's holder a request for another's place.
func (n *Node) probe(e *entry) {
	known := n.known(e)
	if known == nil {
		return
	}
	s := n.cfg.Space
	m := &RtRequest{Route: Route{Origin: n.self, Seq: n.nextSeq(), Dest: known.target}}
	if zone := s.Zone(e.cur.Pos); zone != s.Zone(n.self.Pos) && zone != s.Zone(known.target) {
		m.Via, m.HasVia = s.Mirror(known.target, zone), true
	}
	n.env.Send(e.cur.peer, m)
}

// known draws an entry whose place is not the holder's of e.
func (n *Node) known(e *entry) (drawn *entry) {
	count := 0
	for _, k := range n.table.entries {
		if k == nil || k == e || !n.established(k) || !closer(k.target, k.cur.Contact, e.cur.Contact) {
			continue
		}
		if count++; n.env.Rand().Intn(count) == 0 {
			drawn = k
		}
	}
	return drawn
}

func (n *Node) onRtResponse(m *RtResponse) {
	if n.isFalseResponse(m) {
		n.recordMisbehaviour(m.From)
	}
	n.offer(m.From)
}

// isFalseResponse reports whether somebody answered for a place that it has nothing to do
// with: it does not stand in the entry's zone, and who does is there and nearer.
func (n *Node) isFalseResponse(m *RtResponse) bool {
	s := n.cfg.Space
	slot, ok := s.SlotOf(n.self.Pos, m.Target)
	if own, fits := s.SlotOf(n.self.Pos, m.From.Pos); !ok || fits && own == slot {
		return false
	}
	e := n.table.entries[n.table.index(slot)]
	return e != nil && n.established(e) && closer(m.Target, e.cur.Contact, m.From)
}

// recordMisbehaviour holds a lie against a node; once is asked again, twice is enough.
func (n *Node) recordMisbehaviour(c *Contact) {
	now := n.env.Now()
	l := n.misbehaved[c.ID]
	if l == nil || l.until <= now {
		if len(n.misbehaved) >= maxLiars {
			return
		}
		l = &misbehaviour{}
		n.misbehaved[c.ID] = l
	}
	l.lies++
	e := n.entryOf(c)
	holds := e != nil && e.cur != nil && e.cur.ID == c.ID
	if l.lies < maxLies {
		l.until = now.Add(liesFor)
		if holds && n.established(e) {
			n.probe(e)
		}
		return
	}
	l.until = now.Add(distrustFor)
	if holds {
		p := e.cur
		e.cur, e.lost, e.shunned = nil, now, c.ID
		n.release(p, asEntry)
		n.refillEntry(e)
	}
}

// goal is where to ask for an entry: its target, or, if who is nearest to that is
// a liar, anywhere in the zone.
func (n *Node) goal(e *entry) geom.Point {
	if !n.distrusts(e.shunned) {
		return e.target
	}
	area := n.cfg.Space.AreaOf(n.self.Pos, e.slot)
	w, h := int(area.Max.X-area.Min.X)+1, int(area.Max.Y-area.Min.Y)+1
	r := n.env.Rand()
	return geom.Point{X: area.Min.X + int32(r.Intn(w)), Y: area.Min.Y + int32(r.Intn(h))}
}

// expireMisbehaviours drops what was long ago.
func (n *Node) expireMisbehaviours() {
	now := n.env.Now()
	for who, l := range n.misbehaved { // deleting is the same in every order
		if l.until <= now {
			delete(n.misbehaved, who)
		}
	}
}

// Distrusts reports whether a node is kept out of the routing table because it
// has answered for others, for those who look.
func (n *Node) Distrusts(c *Contact) bool { return n.distrusts(c.ID) }
