package storage

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// query is a running retrieval of an area (thesis 5.2.2).
type query struct {
	messages.Retrieve
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
	results []*messages.Result
	missing []missing                 // nodes that overlap the area and have not answered
	over    bool                      // complete
	strange bool                      // nobody is known there: whoever the overlay finds may not be all
	asked   []id.ID                   // directly
	knew    map[id.ID]*messages.Known // what was told to these, between real nodes
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
	seen    *state.Snapshot // dynamic data
	static  []*state.Object
	names   []*state.Object // static objects that are only named
	batches []*state.Batch
	again   bool // the static data has to be asked for again
}

// retrieve asks all zones for an area; finish hears of the result.
func (rt *retrievals) retrieve(kind messages.Kind, area overlay.Area, of int64) *query {
	rt.zones.UpdateDeserted()
	zones := rt.Space.Zones()
	q := &query{
		Retrieve: messages.Retrieve{Query: rt.number(), Kind: kind, Area: area, Of: of},
		began:    rt.Env.Now(), keys: make([]overlay.Area, zones), zones: make([]zoneAnswer, zones),
	}
	rt.running = append(rt.running, q)
	rt.Env.SetTimer(q.began.Add(rt.Timeout(kind)), machine.Timer{Kind: part.TimerQuery, Arg: q.Query})
	if rt.Hardened && !kind.Static() {
		rt.Env.SetTimer(q.began.Add(rt.Timeout(kind)-rt.Time.LMax), machine.Timer{Kind: part.TimerFetch, Arg: q.Query})
	}
	for z := range zones {
		q.keys[z] = rt.Places.Area(&area, z)
		rt.peers.ask(q, z)
	}
	if rt.peers.asksResponders(q) {
		rt.Env.SetTimer(q.began.Add(pinPatience), machine.Timer{Kind: part.TimerPins, Arg: q.Query})
	}
	return q
}

// number is that of the next retrieval. Between real nodes nobody can tell it
// beforehand, so that nobody can look for cells with the same tag before it is
// asked.
func (rt *retrievals) number() uint64 {
	rt.queries++
	if !rt.Cfg.Wire {
		return rt.queries
	}
	b := binary.BigEndian.AppendUint64(slices.Clone(rt.Cfg.Secret), uint64(rt.Env.Now()))
	d := id.Of(binary.BigEndian.AppendUint64(b, rt.queries))
	return binary.BigEndian.Uint64(d[:])
}

func (rt *retrievals) query(number uint64) *query {
	for _, q := range rt.running {
		if q.Query == number {
			return q
		}
	}
	return nil
}

// onResult takes an answer. Its zone is that of the node that gives it, whose
// place is certified.
func (rt *retrievals) onResult(from *overlay.Contact, m *messages.Result) {
	q := rt.query(m.Query)
	if q == nil {
		return
	}
	zone := rt.Space.Zone(from.Pos)
	rt.zones.ZoneAnswered(zone)
	z := &q.zones[zone]
	if rt.Cfg.Wire && (m.Same || m.Brief) {
		m = m.DecodeDigests(z.knew[from.ID], &rt.World)
	}
	if m == nil || m.Around == nil || m.Around.Self.ID != from.ID || m.Around.Self.Pos != from.Pos {
		return
	}
	q.answers++
	each := rt.Hardened
	if z.over && !each {
		return
	}
	if z.answered(from.ID) {
		return
	}
	z.results = append(z.results, m)
	z.missing = remove(z.missing, from.ID)
	for i := range m.Around.Borders {
		b := &m.Around.Borders[i]
		if rt.Space.Zone(b.With.Pos) != zone || z.has(b.With.ID) || !messages.Touches(&q.keys[zone], b.A, b.B) {
			continue
		}
		z.missing = append(z.missing, missing{b.With, true})
		if len(z.asked) > 0 {
			rt.peers.askNode(q, zone, b.With)
		}
	}
	if len(z.missing) > 0 || z.over || z.strange || (rt.peers.asksResponders(q) || rt.Hardened && q.Kind.Static()) && !q.zoneReached(zone) {
		return
	}
	z.over = true
	q.full++
	if each {
		rt.tally(q, q.allSilent(rt.zones))
		return
	}
	if out, ok := rt.ballot.assemble(q, z); ok {
		rt.vote(q, out)
	}
	z.results = nil
	if q.allSilent(rt.zones) {
		rt.conclude(q)
	}
}

// has reports whether somebody who is named has answered or is waited for.
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
	return slices.ContainsFunc(z.results, func(r *messages.Result) bool { return r.Around.Self.ID == who })
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
func (rt *retrievals) vote(q *query, out outcome) {
	for i := range q.sets {
		c := &q.sets[i]
		if rt.ballot.same(q, &c.outcome, &out) {
			c.votes++
			if c.votes >= rt.zones.VotesNeeded() {
				rt.end(q, c)
			}
			return
		}
	}
	q.sets = append(q.sets, candidate{out, 1})
	if rt.zones.VotesNeeded() == 1 {
		rt.end(q, &q.sets[0])
	}
}

// conclude ends a retrieval without a majority: at the timeout, or when all have
// answered. The result with most votes counts (thesis 5.2.2), of several the one
// that came first.
func (rt *retrievals) conclude(q *query) {
	if q.done || q.naming != nil {
		return
	}
	if rt.Hardened {
		rt.tally(q, true)
		if !q.done && q.fetch != nil {
			rt.fetcher.endFetch(q)
		}
		return
	}
	var best *candidate
	for i := range q.sets {
		if c := &q.sets[i]; best == nil || c.votes > best.votes {
			best = c
		}
	}
	rt.end(q, best)
}

// end hands the result on, nil if there is none.
func (rt *retrievals) end(q *query, c *candidate) {
	if q.done {
		return
	}
	q.done = true
	for i, r := range rt.running {
		if r == q {
			rt.running = append(rt.running[:i], rt.running[i+1:]...)
			break
		}
	}
	out, votes := outcome{}, 0
	if c != nil {
		out, votes = c.outcome, c.votes
	}
	rt.peers.recordResponders(q)
	if rt.hooks.measures() {
		rt.hooks.retrieved(rt.report(q, out, votes))
	}
	rt.updates.onOutcome(q, out, votes)
}

// report describes a retrieval that has ended.
func (rt *retrievals) report(q *query, out outcome, votes int) Report {
	return Report{
		Kind: q.Kind, Of: q.Of, Area: q.Area, Took: rt.Env.Now().Sub(q.began),
		Answers: q.answers, Votes: votes, Zones: len(q.zones),
		Seen: out.seen, Static: out.static, Batches: out.batches,
	}
}
