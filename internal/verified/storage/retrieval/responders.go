package retrieval

import (
	"iter"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// responders remembers who has answered about the update area, to ask these nodes
// directly the next time, and about the surroundings of the player's character.
type responders struct {
	*part.Part
	area    *placement.Area
	replica *replica.Replica

	list  [][]responder // about the update area, by zone
	looks [][]responder // about the character's surroundings, by zone
}

// directQuery is what a retrieval has asked nodes directly.
type directQuery struct {
	zones   []directZone
	settled bool // who was asked in two ways has had the time to answer
	sought  bool // neighbours were asked whom they know
}

type directZone struct {
	strange bool                      // nobody is known there: whoever the overlay finds may not be all
	asked   []id.ID                   // directly
	knew    map[id.ID]*messages.Known // what was told to these, between real nodes
}

func newDirectQuery(zones int) directQuery { return directQuery{zones: make([]directZone, zones)} }

// told is what somebody was told with the question; nil: nothing.
func (d *directQuery) told(zone int, who id.ID) *messages.Known { return d.zones[zone].knew[who] }

// isUsed reports whether anybody of a zone was asked directly.
func (d *directQuery) isUsed(zone int) bool { return len(d.zones[zone].asked) > 0 }

// isStrange reports whether the answers of a zone may not be all.
func (d *directQuery) isStrange(zone int) bool { return d.zones[zone].strange }

const (
	// directPatience is how long those who are asked directly have to answer, before
	// others are looked for.
	directPatience = time.Second
	// waysPatience is how long both ways to a zone in which nobody is known have to bring
	// an answer.
	waysPatience = time.Second / 2
	// maxAsked is how many nodes of a zone are asked directly at most, and
	// maxSought how many of a zone a neighbour names.
	maxAsked, maxSought = 64, 24
)

// areAsked reports whether a retrieval goes to those who have answered before.
func (rc *responders) areAsked(q *Query) bool {
	return rc.Hardened && q.Kind == messages.ForUpdate
}

// ask asks a zone: those who are known there, or else whoever the overlay finds.
func (rc *responders) ask(q *Query, zone int) {
	if !rc.areAsked(q) || len(rc.list[zone]) == 0 {
		strange := rc.Hardened && !rc.expect(q, zone)
		q.direct.zones[zone].strange = strange
		rc.Overlay.Areacast(q.keys[zone], &q.Retrieve)
		if strange && !rc.areAsked(q) {
			rc.askAnotherWay(q, zone)
		}
		return
	}
	for _, p := range rc.list[zone] {
		q.missing[zone] = append(q.missing[zone], missing{node: p.who})
	}
	for _, p := range rc.list[zone] {
		rc.askNode(q, zone, p.who)
	}
}

// expect waits for the answers of those in whose cells the area lies by what is known of a
// zone, though all of it is asked through the overlay: on the way somebody may answer for
// them. It reports whether one of them is likely to have the area.
func (rc *responders) expect(q *Query, zone int) (likely bool) {
	known := rc.list[zone]
	if q.Kind == messages.ForLook {
		known = rc.looks[zone]
	}
	for _, p := range known {
		if p.around != nil && p.around.Meets(&q.keys[zone]) && !q.knows(zone, p.who.ID) {
			q.missing[zone] = append(q.missing[zone], missing{node: p.who})
			likely = likely || rc.isLikely(p.around, &q.keys[zone])
		}
	}
	return likely
}

// isLikely reports whether somebody says that some of an area of keys is in its cell, and
// stands close to it.
func (rc *responders) isLikely(a *messages.Around, keys *overlay.Area) bool {
	return a.Meets(keys) && rc.area.IsClose(a.Self, messages.Middle(keys))
}

// askAnotherWay asks who has the middle of an area in a zone by way of another zone: who has
// answered on the straight way for all others is not on this one.
func (rc *responders) askAnotherWay(q *Query, zone int) {
	zones := rc.Space.Zones()
	other := (zone + 1 + rc.Env.Rand().Intn(zones-1)) % zones
	key := messages.Middle(&q.keys[zone])
	rc.Overlay.UnicastVia(key, rc.Places.Key(rc.Places.World(key), other), &q.Retrieve)
}

// askNode asks one node, once.
func (rc *responders) askNode(q *Query, zone int, c *overlay.Contact) {
	z := &q.direct.zones[zone]
	if len(z.asked) >= maxAsked || slices.Contains(z.asked, c.ID) {
		return
	}
	z.asked = append(z.asked, c.ID)
	ask := q.Retrieve
	if rc.areAsked(q) {
		ask.Known = rc.known(q, zone, c)
	}
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
func (rc *responders) reported(zone int) iter.Seq[*overlay.Contact] {
	return func(yield func(*overlay.Contact) bool) {
		for i := range rc.list[zone] {
			if r := &rc.list[zone][i]; r.around != nil && !yield(r.who) {
				return
			}
		}
	}
}

// record notes who has answered, to ask them the next time, and who was named and not
// waited for.
func (rc *responders) record(q *Query) {
	if rc.Hardened && q.Kind == messages.ForLook {
		for zone := range q.Zones {
			rc.looks[zone] = nil
			for _, r := range q.Zones[zone].Results {
				rc.looks[zone] = append(rc.looks[zone], responder{who: r.Around.Self, around: r.Around})
			}
		}
	}
	if !rc.areAsked(q) {
		return
	}
	for zone := range q.Zones {
		before := rc.list[zone]
		rc.list[zone] = nil
		if !q.zoneReached(zone) {
			continue
		}
		for _, m := range q.missing[zone] {
			if i := slices.IndexFunc(before, isResponder(m.node)); m.named && i >= 0 {
				rc.list[zone] = append(rc.list[zone], before[i])
			} else if m.named {
				rc.list[zone] = append(rc.list[zone], responder{who: m.node})
			}
		}
		for _, r := range q.Zones[zone].Results {
			p := responder{who: r.Around.Self, around: r.Around}
			if r.Seen != nil {
				p.cover = r.Seen.Cover
			}
			rc.list[zone] = append(rc.list[zone], p)
		}
	}
}

// known is what the node can say to somebody whom it asks, nil if nothing.
func (rc *responders) known(q *Query, zone int, c *overlay.Contact) *messages.Known {
	i := slices.IndexFunc(rc.list[zone], isResponder(c))
	if i < 0 || rc.list[zone][i].around == nil {
		return nil
	}
	k := &messages.Known{Around: rc.list[zone][i].around, Cover: rc.list[zone][i].cover}
	if rc.replica.Tentative == nil || rc.replica.Tentative.Of != q.Of {
		return k
	}
	k.Seen = rc.replica.Tentative.WithTentative()
	if len(k.Cover.Polygon) == 0 {
		k.RowCount = len(state.RowsOver(&k.Cover, &q.Area, &rc.World))
	}
	return k
}
