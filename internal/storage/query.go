package storage

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// query is a running retrieval of an area (thesis 5.2.2).
type query struct {
	Retrieve
	began   machine.Time
	keys    []overlay.Area // the area in each zone
	zones   []zoneAnswer
	done    bool
	answers int
	sets    []candidate // different results of whole zones
	full    int         // zones that are complete, spoiled ones too
	fetch   *fetching   // what was agreed on is fetched; nil: not yet
	naming  *naming     // the same of static data
	sought  bool        // neighbours were asked whom they know
	tries   int         // to get this static data, before
}

// zoneAnswer is what has come from a zone.
type zoneAnswer struct {
	results []*Result
	missing []missing        // nodes that overlap the area and have not answered
	over    bool             // complete
	strange bool             // nobody is known there: whoever the overlay finds may not be all
	asked   []id.ID          // directly
	knew    map[id.ID]*Known // what was told to these, between real nodes
}

// missing is somebody whose answer is waited for.
type missing struct {
	node  *overlay.Contact
	named bool // by who has answered; otherwise because it answered the last time
}

// candidate is a result that zones agree on.
type candidate struct {
	outcome
	votes int
}

// outcome is the result of a retrieval.
type outcome struct {
	seen    *Snapshot // dynamic data
	static  []*Object
	names   []*Object // static objects that are only named
	batches []*Batch
	again   bool // the static data has to be asked for again
}

// timeouts (thesis 5.3.5).
func (n *Node) timeout(k Kind) time.Duration {
	if k == ForActions {
		return 2 * n.time.lmax
	}
	return 3 * n.time.lmax
}

// retrieve asks all zones for an area; finish hears of the result.
func (n *Node) retrieve(kind Kind, area overlay.Area, of int64) *query {
	n.updateDeserted()
	zones := n.space.Zones()
	q := &query{
		Retrieve: Retrieve{Query: n.number(), Kind: kind, Area: area, Of: of},
		began:    n.env.Now(), keys: make([]overlay.Area, zones), zones: make([]zoneAnswer, zones),
	}
	n.running = append(n.running, q)
	n.env.SetTimer(q.began.Add(n.timeout(kind)), machine.Timer{Kind: timerQuery, Arg: q.Query})
	if n.votesOnDigests(q) {
		n.env.SetTimer(q.began.Add(n.timeout(kind)-n.time.lmax), machine.Timer{Kind: timerFetch, Arg: q.Query})
	}
	for z := range zones {
		q.keys[z] = n.places.area(&area, z)
		n.ask(q, z)
	}
	if n.asksResponders(q) {
		n.env.SetTimer(q.began.Add(pinPatience), machine.Timer{Kind: timerPins, Arg: q.Query})
	}
	return q
}

// number is that of the next retrieval. Between real nodes nobody can tell it
// beforehand, so that nobody can look for cells with the same tag before it is
// asked.
func (n *Node) number() uint64 {
	n.queries++
	if !n.cfg.Wire {
		return n.queries
	}
	b := binary.BigEndian.AppendUint64(slices.Clone(n.cfg.Secret), uint64(n.env.Now()))
	d := id.Of(binary.BigEndian.AppendUint64(b, n.queries))
	return binary.BigEndian.Uint64(d[:])
}

func (n *Node) query(number uint64) *query {
	for _, q := range n.running {
		if q.Query == number {
			return q
		}
	}
	return nil
}

// onResult takes an answer. Its zone is that of the node that gives it, whose
// place is certified.
func (n *Node) onResult(from *overlay.Contact, m *Result) {
	q := n.query(m.Query)
	if q == nil {
		return
	}
	zone := n.space.Zone(from.Pos)
	n.zoneAnswered(zone)
	z := &q.zones[zone]
	if n.cfg.Wire && (m.Same || m.Brief) {
		m = n.decodeDigests(m, z.knew[from.ID])
	}
	if m == nil || m.Around == nil || m.Around.Self.ID != from.ID || m.Around.Self.Pos != from.Pos {
		return
	}
	q.answers++
	each := n.votesPerPart(q)
	if z.over && !each {
		return
	}
	if z.answered(from.ID) {
		return
	}
	z.results = append(z.results, m)
	z.missing = remove(z.missing, from.ID)
	for i := range m.Around.borders {
		b := &m.Around.borders[i]
		if n.space.Zone(b.with.Pos) != zone || z.has(b.with.ID) || !touches(&q.keys[zone], b.a, b.b) {
			continue
		}
		z.missing = append(z.missing, missing{b.with, true})
		if len(z.asked) > 0 {
			n.askNode(q, zone, b.with)
		}
	}
	if len(z.missing) > 0 || z.over || z.strange || (n.asksResponders(q) || n.byName(q)) && !q.zoneReached(zone) {
		return
	}
	z.over = true
	q.full++
	if each {
		n.tally(q, n.allSilent(q))
		return
	}
	if out, ok := n.assemble(q, z); ok {
		n.vote(q, out)
	}
	z.results = nil
	if n.allSilent(q) {
		n.conclude(q)
	}
}

// knownCell reports whether somebody who is named has answered or is waited for.
func (z *zoneAnswer) has(who id.ID) bool {
	for i := range z.missing {
		if m := &z.missing[i]; m.node.ID == who {
			m.named = true
			return true
		}
	}
	return z.answered(who)
}

func (z *zoneAnswer) answered(who id.ID) bool {
	return slices.ContainsFunc(z.results, func(r *Result) bool { return r.Around.Self.ID == who })
}

func remove(list []missing, who id.ID) []missing {
	for i, x := range list {
		if x.node.ID == who {
			list[i] = list[len(list)-1]
			return list[:len(list)-1]
		}
	}
	return list
}

// vote gives a zone's vote to its result; the majority ends the retrieval.
func (n *Node) vote(q *query, out outcome) {
	for i := range q.sets {
		c := &q.sets[i]
		if n.same(q, &c.outcome, &out) {
			c.votes++
			if c.votes >= n.votesNeeded() {
				n.end(q, c)
			}
			return
		}
	}
	q.sets = append(q.sets, candidate{out, 1})
	if n.votesNeeded() == 1 {
		n.end(q, &q.sets[0])
	}
}

// conclude ends a retrieval without a majority: at the timeout, or when all have
// answered. The result with most votes counts (thesis 5.2.2), of several the one
// that came first. With Protocol.Majority none does.
func (n *Node) conclude(q *query) {
	if q.done || q.naming != nil {
		return
	}
	if n.votesPerPart(q) {
		n.tally(q, true)
		if !q.done && q.fetch != nil {
			n.endFetch(q)
		}
		return
	}
	var best *candidate
	for i := range q.sets {
		if c := &q.sets[i]; best == nil || c.votes > best.votes {
			best = c
		}
	}
	if n.cfg.Protocol.Majority && best != nil && best.votes < n.votesNeeded() {
		best = nil
	}
	n.end(q, best)
}

// end hands the result on, nil if there is none.
func (n *Node) end(q *query, c *candidate) {
	if q.done {
		return
	}
	q.done = true
	for i, r := range n.running {
		if r == q {
			n.running = append(n.running[:i], n.running[i+1:]...)
			break
		}
	}
	out, votes := outcome{}, 0
	if c != nil {
		out, votes = c.outcome, c.votes
	}
	n.recordResponders(q)
	if n.cfg.Probe != nil {
		n.cfg.Probe.Retrieved(n.report(q, out, votes))
	}
	n.onOutcome(q, out, votes)
}

// report describes a retrieval that has ended.
func (n *Node) report(q *query, out outcome, votes int) Report {
	return Report{
		Kind: q.Kind, By: n, Of: q.Of, Area: q.Area, Took: n.env.Now().Sub(q.began),
		Answers: q.answers, Votes: votes, Zones: len(q.zones),
		Seen: out.seen, Static: out.static, Batches: out.batches,
	}
}

// touches reports whether the side a–b of a cell lies in an area by more than
// rounding.
func touches(area *overlay.Area, a, b geom.Point) bool {
	if len(area.Polygon) == 0 {
		c := area.Circle
		c.R -= 3
		return c.R > 0 && distance(a, b, c.C) < float64(c.R)
	}
	// Clip a–b with each side of the polygon, moved inwards by two units.
	t0, t1 := 0.0, 1.0
	for i, p := range area.Polygon {
		q := area.Polygon[(i+1)%len(area.Polygon)]
		fa, fb := depth(p, q, a), depth(p, q, b)
		switch {
		case fa <= 0 && fb <= 0:
			return false
		case fa < 0:
			t0 = max(t0, fa/(fa-fb))
		case fb < 0:
			t1 = min(t1, fa/(fa-fb))
		}
	}
	return t0 < t1
}
