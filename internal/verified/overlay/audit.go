package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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

// auditor finds out who answers for others, and keeps them out of the table.
type auditor struct {
	*core
	routing *routingTable
	links   *links

	auditing   bool // the timer of audit is set
	misbehaved map[id.ID]*misbehaviour
}

// distrusts reports whether a node is kept out of the table.
func (au *auditor) distrusts(who id.ID) bool {
	l := au.misbehaved[who]
	return l != nil && l.lies >= maxLies && l.until > au.env.Now()
}

// auditLater sets the timer for holders that were not audited yet.
func (au *auditor) auditLater() {
	au.setTimerOnce(&au.auditing, auditAfter, timerAudit)
}

// audit asks all who have been holders long enough.
func (au *auditor) audit() {
	au.auditing = false
	for _, e := range au.routing.table.entries {
		switch {
		case e == nil || e.cur == nil || e.audited:
		case !au.established(e):
			au.auditLater()
		default:
			au.probe(e)
			e.audited = true
		}
	}
}

func (au *auditor) established(e *entry) bool {
	return e.cur != nil && au.env.Now().Sub(e.since) >= auditAfter
}

// probe sends an entry's holder a request for another's place.
func (au *auditor) probe(e *entry) {
	known := au.known(e)
	if known == nil {
		return
	}
	s := au.cfg.Space
	m := &RtRequest{Route: Route{Origin: au.self, Seq: au.nextSeq(), Dest: known.target}}
	if zone := s.Zone(e.cur.Pos); zone != s.Zone(au.self.Pos) && zone != s.Zone(known.target) {
		m.Via, m.HasVia = s.Mirror(known.target, zone), true
	}
	au.env.Send(e.cur.peer, m)
}

// known draws an entry whose place is not the holder's of e.
func (au *auditor) known(e *entry) (drawn *entry) {
	count := 0
	for _, k := range au.routing.table.entries {
		if k == nil || k == e || !au.established(k) || !closer(k.target, k.cur.Contact, e.cur.Contact) {
			continue
		}
		if count++; au.env.Rand().Intn(count) == 0 {
			drawn = k
		}
	}
	return drawn
}

func (rt *routingTable) onRtResponse(m *RtResponse) {
	if rt.isFalseResponse(m) {
		rt.audits.recordMisbehaviour(m.From)
	}
	rt.offer(m.From)
}

// isFalseResponse reports whether somebody answered for a place that it has nothing to do
// with: it does not stand in the entry's zone, and who does is there and nearer.
func (rt *routingTable) isFalseResponse(m *RtResponse) bool {
	s := rt.cfg.Space
	slot, ok := s.SlotOf(rt.self.Pos, m.Target)
	if own, fits := s.SlotOf(rt.self.Pos, m.From.Pos); !ok || fits && own == slot {
		return false
	}
	e := rt.table.entries[rt.table.index(slot)]
	return e != nil && rt.audits.established(e) && closer(m.Target, e.cur.Contact, m.From)
}

// recordMisbehaviour holds a lie against a node; once is asked again, twice is enough.
func (au *auditor) recordMisbehaviour(c *Contact) {
	now := au.env.Now()
	l := au.misbehaved[c.ID]
	if l == nil || l.until <= now {
		if len(au.misbehaved) >= maxLiars {
			return
		}
		l = &misbehaviour{}
		au.misbehaved[c.ID] = l
	}
	l.lies++
	e := au.routing.entryOf(c)
	holds := e != nil && e.cur != nil && e.cur.ID == c.ID
	if l.lies < maxLies {
		l.until = now.Add(liesFor)
		if holds && au.established(e) {
			au.probe(e)
		}
		return
	}
	l.until = now.Add(distrustFor)
	if holds {
		p := e.cur
		e.cur, e.lost, e.shunned = nil, now, c.ID
		au.links.release(p, asEntry)
		au.routing.refillEntry(e)
	}
}

// goal is where to ask for an entry: its target, or, if who is nearest to that is
// a liar, anywhere in the zone.
func (rt *routingTable) goal(e *entry) geom.Point {
	if !rt.audits.distrusts(e.shunned) {
		return e.target
	}
	area := rt.cfg.Space.AreaOf(rt.self.Pos, e.slot)
	w, h := int(area.Max.X-area.Min.X)+1, int(area.Max.Y-area.Min.Y)+1
	r := rt.env.Rand()
	return geom.Point{X: area.Min.X + int32(r.Intn(w)), Y: area.Min.Y + int32(r.Intn(h))}
}

// expireMisbehaviours drops what was long ago.
func (au *auditor) expireMisbehaviours() {
	now := au.env.Now()
	for who, l := range au.misbehaved { // deleting is the same in every order
		if l.until <= now {
			delete(au.misbehaved, who)
		}
	}
}

// Distrusts reports whether a node is kept out of the routing table because it
// has answered for others, for those who look.
func (n *Node) Distrusts(c *Contact) bool { return n.audits.distrusts(c.ID) }
