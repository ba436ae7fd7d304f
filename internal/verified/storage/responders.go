package storage

import (
	"iter"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// responderCache remembers who has answered about the update area, to ask these nodes
// directly the next time.
type responderCache struct {
	*part.Part
	area    *placement.Area
	zones   *placement.Electorate
	replica *replica
	ballot  *ballot
	queries *retrievals

	responders [][]responder // by zone
}

const (
	// pinPatience is how long those who are asked directly have to answer, before
	// others are looked for.
	pinPatience = time.Second
	// maxAsked is how many nodes of a zone are asked directly at most, and
	// maxSought how many of a zone a neighbour names.
	maxAsked, maxSought = 64, 24
)

// asksResponders reports whether a retrieval goes to those who have answered before.
func (rc *responderCache) asksResponders(q *query) bool {
	return rc.Hardened && q.Kind == messages.ForUpdate
}

// ask asks a zone: those who are known there, or else whoever the overlay finds.
func (rc *responderCache) ask(q *query, zone int) {
	z := &q.zones[zone]
	if !rc.asksResponders(q) || len(rc.responders[zone]) == 0 {
		z.strange = rc.asksResponders(q)
		rc.Overlay.Areacast(q.keys[zone], &q.Retrieve)
		return
	}
	for _, p := range rc.responders[zone] {
		z.missing = append(z.missing, missing{node: p.who})
	}
	for _, p := range rc.responders[zone] {
		rc.askNode(q, zone, p.who)
	}
}

// askNode asks one node, once.
func (rc *responderCache) askNode(q *query, zone int, c *overlay.Contact) {
	z := &q.zones[zone]
	if len(z.asked) >= maxAsked || slices.Contains(z.asked, c.ID) {
		return
	}
	z.asked = append(z.asked, c.ID)
	ask := q.Retrieve
	ask.Known = rc.known(q, zone, c)
	if k := ask.Known; k != nil && rc.Cfg.Wire {
		if z.knew == nil {
			z.knew = map[id.ID]*messages.Known{}
		}
		z.knew[c.ID], ask.Known = k, k.EncodeFor(q.Query, &q.Area, &rc.World)
	}
	rc.Overlay.Reply(c, &ask)
}

// responder is somebody who has answered, and what was heard then; nothing of who was only
// named.
type responder struct {
	who    *overlay.Contact
	around *messages.Around
	cover  overlay.Area
}

func isResponder(c *overlay.Contact) func(responder) bool {
	return func(p responder) bool { return p.who.ID == c.ID }
}

// reported returns those of a zone that have told this node of their neighbourhood.
func (rc *responderCache) reported(zone int) iter.Seq[*overlay.Contact] {
	return func(yield func(*overlay.Contact) bool) {
		for i := range rc.responders[zone] {
			if r := &rc.responders[zone][i]; r.around != nil && !yield(r.who) {
				return
			}
		}
	}
}

// recordResponders notes who has answered, to ask them the next time, and who was named and not
// waited for.
func (rc *responderCache) recordResponders(q *query) {
	if !rc.asksResponders(q) {
		return
	}
	for zone := range q.zones {
		before := rc.responders[zone]
		rc.responders[zone] = nil
		if !q.zoneReached(zone) {
			continue
		}
		for _, m := range q.zones[zone].missing {
			if i := slices.IndexFunc(before, isResponder(m.node)); m.named && i >= 0 {
				rc.responders[zone] = append(rc.responders[zone], before[i])
			} else if m.named {
				rc.responders[zone] = append(rc.responders[zone], responder{who: m.node})
			}
		}
		for _, r := range q.zones[zone].results {
			p := responder{who: r.Around.Self, around: r.Around}
			if r.Seen != nil {
				p.cover = r.Seen.Cover
			}
			rc.responders[zone] = append(rc.responders[zone], p)
		}
	}
}

// zoneReached reports whether somebody has answered whose cell lies in the part of
// the zone that is asked for. Only then do the neighbours that are named lead to
// all others: who answered the last time may be elsewhere now, as when more nodes
// have come and its cell is smaller.
func (q *query) zoneReached(zone int) bool {
	return slices.ContainsFunc(q.zones[zone].results, func(r *messages.Result) bool { return r.Around.Meets(&q.keys[zone]) })
}

// askAgain looks after the zones that are not complete yet. Who answered the last
// time and is not named by its neighbours any more has left. Those who are named
// and have not answered are asked directly; a zone of which nothing has come is
// asked in another way, and neighbours are asked whom they know. So they are about
// zones in which nobody was known, if few have answered or they contradict each
// other: on the way to these somebody may have answered as if it were alone there,
// and who believes it asks nobody else the next time.
func (rc *responderCache) askAgain(q *query) {
	if q.done || q.fetch != nil {
		return
	}
	m := &messages.PeerQuery{Query: q.Query}
	before, first, strange, typical := q.full, !q.sought, false, 0
	if first {
		typical = q.typicalCount()
	}
	q.sought = true
	for zone := range q.zones {
		z := &q.zones[zone]
		if z.over {
			continue
		}
		z.missing = slices.DeleteFunc(z.missing, func(m missing) bool { return !m.named })
		reached := q.zoneReached(zone)
		z.strange = z.strange && first && (2*len(z.results) <= typical || z.contradicts())
		if len(z.missing) == 0 && reached && !z.strange {
			z.over = true
			q.full++
			continue
		}
		strange = strange || z.strange
		m.Zones = append(m.Zones, uint8(zone))
		for _, o := range z.missing {
			rc.askNode(q, zone, o.node)
		}
		if !reached && len(z.asked) > 0 {
			rc.Overlay.Areacast(q.keys[zone], &q.Retrieve)
		}
	}
	if len(m.Zones) > 0 {
		for _, c := range rc.area.Now.Neighbours {
			rc.Overlay.Reply(c, m)
		}
	}
	if strange { // until neighbours have had the time to answer
		rc.Env.SetTimer(rc.Env.Now().Add(pinPatience), machine.Timer{Kind: part.TimerPins, Arg: q.Query})
	}
	if q.full > before {
		rc.queries.tally(q, q.allSilent(rc.zones))
	}
}

// typicalCount is how many have answered of the zone in the middle: zones hold about as
// many nodes.
func (q *query) typicalCount() int {
	var counts []int
	for i := range q.zones {
		counts = append(counts, len(q.zones[i].results))
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}

// contradicts reports whether somebody who has answered stands in a cell that another
// one says is its own.
func (z *zoneAnswer) contradicts() bool {
	for _, r := range z.results {
		for _, o := range z.results {
			at, self := o.Around.Self.Pos, r.Around.Self
			if o != r && !slices.ContainsFunc(r.Around.Neighbours, func(c *overlay.Contact) bool { return c.ID == o.Around.Self.ID || geom.Closer(at, c.Pos, self.Pos) }) {
				return true
			}
		}
	}
	return false
}

// onPeerQuery names those who have answered the node itself.
func (rc *responderCache) onPeerQuery(by *overlay.Contact, m *messages.PeerQuery) {
	if !rc.Hardened || len(m.Zones) > rc.Space.Zones() {
		return
	}
	out := &messages.PeerReply{Query: m.Query}
	for _, zone := range m.Zones {
		if int(zone) >= rc.Space.Zones() {
			return
		}
		var known []*overlay.Contact
		for _, p := range rc.responders[zone] {
			known = append(known, p.who)
		}
		for _, q := range rc.queries.running {
			if !rc.asksResponders(q) {
				continue
			}
			for _, r := range q.zones[zone].results {
				if !slices.ContainsFunc(known, placement.IsContact(r.Around.Self)) {
					known = append(known, r.Around.Self)
				}
			}
		}
		out.Nodes = append(out.Nodes, known[:min(len(known), maxSought)]...)
	}
	if len(out.Nodes) > 0 {
		rc.Overlay.Reply(by, out)
	}
}

// onPeerReply asks who is named.
func (rc *responderCache) onPeerReply(m *messages.PeerReply) {
	q := rc.queries.query(m.Query)
	if q == nil || !rc.asksResponders(q) || q.fetch != nil || len(m.Nodes) > maxSought*rc.Space.Zones() {
		return
	}
	for _, c := range m.Nodes {
		if zone := rc.Space.Zone(c.Pos); !q.zones[zone].over && !q.zones[zone].answered(c.ID) {
			rc.askNode(q, zone, c)
		}
	}
}

// known is what the node can say to somebody whom it asks, nil if nothing.
func (rc *responderCache) known(q *query, zone int, c *overlay.Contact) *messages.Known {
	i := slices.IndexFunc(rc.responders[zone], isResponder(c))
	if i < 0 || rc.responders[zone][i].around == nil {
		return nil
	}
	k := &messages.Known{Around: rc.responders[zone][i].around, Cover: rc.responders[zone][i].cover}
	if rc.replica.tentative == nil || rc.replica.tentative.Of != q.Of {
		return k
	}
	k.Seen = rc.replica.tentative.WithTentative()
	if len(k.Cover.Polygon) == 0 {
		k.RowCount = len(state.RowsOver(&k.Cover, &q.Area, &rc.World))
	}
	return k
}
