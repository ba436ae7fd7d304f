package retrieval

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// askAgain looks after the zones that are not complete yet. Who answered the last
// time and is not named by its neighbours any more has left. Those who are named
// and have not answered are asked directly; a zone of which nothing has come is
// asked in another way, and neighbours are asked whom they know. So they are about
// zones in which nobody was known, if few have answered or they contradict each
// other: on the way to these somebody may have answered as if it were alone there,
// and who believes it asks nobody else the next time. Who was expected to hear through
// the overlay is asked directly first, and its zone by way of another one.
func (rt *Retrievals) askAgain(q *Query) {
	if q.Done || q.fetching {
		return
	}
	m := &messages.PeerQuery{Query: q.Query}
	before, first, direct, again, typical := q.full, !q.direct.sought, rt.asksDirectly(q), false, 0
	if first {
		typical = q.typicalCount()
	}
	q.direct.sought = true
	for zone := range q.Zones {
		z := &q.Zones[zone]
		if z.Over {
			continue
		}
		if direct || !first {
			q.missing[zone] = slices.DeleteFunc(q.missing[zone], func(m missing) bool { return !m.named })
		}
		reached := q.zoneReached(zone)
		d := &q.direct.zones[zone]
		d.strange = d.strange && first && (!direct || 2*len(z.Results) <= typical || contradicts(z))
		if len(q.missing[zone]) == 0 && reached && !d.strange {
			q.close(zone)
			continue
		}
		again = again || d.strange || !direct && first
		m.Zones = append(m.Zones, uint8(zone))
		for _, o := range q.missing[zone] {
			rt.peers.askNode(q, zone, o.node)
		}
		switch {
		case !direct && first:
			rt.peers.askAnotherWay(q, zone)
		case direct && !reached && len(d.asked) > 0:
			rt.Overlay.Areacast(q.keys[zone], &q.Retrieve)
		}
	}
	if len(m.Zones) > 0 && q.Kind != messages.ForLook { // that is not where the neighbours are
		for _, c := range rt.peers.area.Now.Neighbours {
			rt.Overlay.Reply(c, m)
		}
	}
	if again { // until these have had the time to answer
		rt.Env.SetTimer(rt.Env.Now().Add(directPatience), machine.Timer{Kind: part.TimerPins, Arg: q.Query})
	}
	if q.full > before {
		rt.tally(q, q.AllSilent(rt.zones))
	}
}

// typicalCount is how many have answered of the zone in the middle: zones hold about as
// many nodes.
func (q *Query) typicalCount() int {
	var counts []int
	for i := range q.Zones {
		counts = append(counts, len(q.Zones[i].Results))
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}

// contradicts reports whether somebody of a zone who has answered stands in a cell that another
// one says is its own.
func contradicts(z *vote.Zone) bool {
	for _, r := range z.Results {
		for _, o := range z.Results {
			at, self := o.Around.Self.Pos, r.Around.Self
			if o != r && !slices.ContainsFunc(r.Around.Neighbours, func(c *overlay.Contact) bool { return c.ID == o.Around.Self.ID || geom.Closer(at, c.Pos, self.Pos) }) {
				return true
			}
		}
	}
	return false
}

// OnPeerQuery names those who have answered the node itself.
func (rt *Retrievals) OnPeerQuery(by *overlay.Contact, m *messages.PeerQuery) {
	if !rt.Hardened || len(m.Zones) > rt.Space.Zones() {
		return
	}
	out := &messages.PeerReply{Query: m.Query}
	for _, zone := range m.Zones {
		if int(zone) >= rt.Space.Zones() {
			return
		}
		known := rt.Direct(int(zone))
		for _, q := range rt.running {
			if !rt.asksDirectly(q) {
				continue
			}
			for _, r := range q.Zones[zone].Results {
				if !slices.ContainsFunc(known, placement.IsContact(r.Around.Self)) {
					known = append(known, r.Around.Self)
				}
			}
		}
		out.Nodes = append(out.Nodes, known[:min(len(known), maxSought)]...)
	}
	if len(out.Nodes) > 0 {
		rt.Overlay.Reply(by, out)
	}
}

// OnPeerReply asks who is named.
func (rt *Retrievals) OnPeerReply(m *messages.PeerReply) {
	q := rt.query(m.Query)
	if q == nil || !rt.Hardened || q.fetching || len(m.Nodes) > maxSought*rt.Space.Zones() {
		return
	}
	for _, c := range m.Nodes {
		if zone := rt.Space.Zone(c.Pos); !q.Zones[zone].Over && !q.Zones[zone].Answered(c.ID) {
			rt.peers.askNode(q, zone, c)
		}
	}
}
