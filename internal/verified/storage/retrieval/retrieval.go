// Package retrieval asks the zones for areas of the world and waits until enough of them
// have answered: who answered about the update area before is asked directly, everybody else
// through the overlay. The answers are counted by package vote, and what was agreed on is
// got by package fetch.
//
// Source: Schuster 2013, section 5.2.2; direct queries and fetching are of the hardened
// protocol (docs/protocols/storage-hardened.md).
//
// Invariants:
//   - a node's answer counts once, in its own name, for the zone of its certified place;
//   - each retrieval ends once, at its timeout at the latest, and Surroundings.Ended hears
//     of it;
//   - a zone is complete only if everybody has answered whom those who have answered name; in
//     the hardened protocol also those who are known from before or by neighbours, or they had
//     the time to.
//
// Start with Retrievals.Retrieve and OnResult.
package retrieval

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/fetch"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// Retrievals are those of areas that run.
type Retrievals struct {
	*part.Part
	zones   *placement.Electorate
	replica *replica.Replica
	ballot  *vote.Ballot
	fetcher *fetch.Fetcher
	peers   responders
	ended   func(q *Query, out vote.Outcome, votes int)

	queries uint64 // how many there have been
	running []*Query
}

// Surroundings are the other components that this one uses.
type Surroundings struct {
	Area    *placement.Area
	Zones   *placement.Electorate
	Replica *replica.Replica
	Patches *replica.Patches
	Ballot  *vote.Ballot
	Static  fetch.Static
	// Ended takes the result of a retrieval; without one it is empty and has no votes.
	Ended func(q *Query, out vote.Outcome, votes int)
}

// New returns those of a node that has asked nobody yet.
func New(p *part.Part, s Surroundings) *Retrievals {
	rt := &Retrievals{Part: p, zones: s.Zones, replica: s.Replica, ballot: s.Ballot, ended: s.Ended}
	rt.fetcher = fetch.New(p, s.Replica, s.Patches, s.Static, func(query uint64, out vote.Outcome, votes int) {
		rt.end(rt.query(query), out, votes)
	})
	rt.peers = responders{Part: p, area: s.Area, replica: s.Replica, list: make([][]responder, p.Space.Zones()), looks: make([][]responder, p.Space.Zones())}
	return rt
}

// Retrieve asks all zones for an area.
func (rt *Retrievals) Retrieve(kind messages.Kind, area overlay.Area, of int64) *Query {
	rt.zones.UpdateDeserted()
	zones := rt.Space.Zones()
	q := &Query{
		Poll:  vote.Poll{Retrieve: messages.Retrieve{Query: rt.number(), Kind: kind, Area: area, Of: of}, Zones: make([]vote.Zone, zones)},
		Began: rt.Env.Now(), keys: make([]overlay.Area, zones), missing: make([][]missing, zones), direct: newDirectQuery(zones),
	}
	rt.running = append(rt.running, q)
	rt.Env.SetTimer(q.Began.Add(rt.Timeout(kind)), machine.Timer{Kind: part.TimerQuery, Arg: q.Query})
	if rt.Hardened && !kind.Static() {
		rt.Env.SetTimer(q.Began.Add(rt.Timeout(kind)-rt.Time.LMax), machine.Timer{Kind: part.TimerFetch, Arg: q.Query})
	}
	for z := range zones {
		q.keys[z] = rt.Places.Area(&area, z)
		rt.peers.ask(q, z)
	}
	if rt.Hardened {
		rt.Env.SetTimer(q.Began.Add(waysPatience), machine.Timer{Kind: part.TimerWays, Arg: q.Query})
		rt.Env.SetTimer(q.Began.Add(directPatience), machine.Timer{Kind: part.TimerPins, Arg: q.Query})
	}
	return q
}

// number is that of the next retrieval. Between real nodes nobody can tell it
// beforehand, so that nobody can look for cells with the same tag before it is
// asked.
func (rt *Retrievals) number() uint64 {
	rt.queries++
	if !rt.Cfg.Wire {
		return rt.queries
	}
	b := binary.BigEndian.AppendUint64(slices.Clone(rt.Cfg.Secret), uint64(rt.Env.Now()))
	d := id.Of(binary.BigEndian.AppendUint64(b, rt.queries))
	return binary.BigEndian.Uint64(d[:])
}

// query is a running retrieval; nil: there is none of this number.
func (rt *Retrievals) query(number uint64) *Query {
	for _, q := range rt.running {
		if q.Query == number {
			return q
		}
	}
	return nil
}

// asksDirectly reports whether a retrieval goes to those who have answered before.
func (rt *Retrievals) asksDirectly(q *Query) bool { return rt.peers.areAsked(q) }

// Direct lists those of a zone whom the next retrieval of the update area asks directly.
func (rt *Retrievals) Direct(zone int) (out []*overlay.Contact) {
	for _, p := range rt.peers.list[zone] {
		out = append(out, p.who)
	}
	return out
}

// AskNext replaces these, for tests.
func (rt *Retrievals) AskNext(zone int, who *overlay.Contact) {
	rt.peers.list[zone] = []responder{{who: who}}
}

// Reported returns those of a zone that have told this node of their neighbourhood.
func (rt *Retrievals) Reported(zone int) iter.Seq[*overlay.Contact] { return rt.peers.reported(zone) }

// StaticRuns reports whether one for static data runs whose area is of interest.
func (rt *Retrievals) StaticRuns(of func(*overlay.Area) bool) bool {
	return slices.ContainsFunc(rt.running, func(q *Query) bool { return q.Kind.Static() && of(&q.Area) })
}

// OnTimer takes a timer of a retrieval.
func (rt *Retrievals) OnTimer(t machine.Timer) {
	q := rt.query(t.Arg)
	switch {
	case q == nil:
	case t.Kind == part.TimerQuery:
		rt.Conclude(q)
	case t.Kind == part.TimerWays:
		rt.settle(q)
	case t.Kind == part.TimerPins:
		rt.askAgain(q)
	case q.fetching:
		rt.fetcher.Late(q.Query, t.Gen)
	default: // it is time to fetch
		rt.tally(q, true)
	}
}

// OnBlocks takes contents of what was agreed on.
func (rt *Retrievals) OnBlocks(from *overlay.Contact, m *messages.Blocks) {
	rt.fetcher.OnBlocks(from, m)
}

// OnResult takes an answer. Its zone is that of the node that gives it, whose
// place is certified.
func (rt *Retrievals) OnResult(from *overlay.Contact, m *messages.Result) {
	q := rt.query(m.Query)
	if q == nil {
		return
	}
	zone := rt.Space.Zone(from.Pos)
	rt.zones.ZoneAnswered(zone)
	z := &q.Zones[zone]
	if rt.Cfg.Wire && (m.Same || m.Brief) {
		m = m.DecodeDigests(q.direct.told(zone, from.ID), &rt.World)
	}
	if m == nil || m.Around == nil || m.Around.Self.ID != from.ID || m.Around.Self.Pos != from.Pos {
		return
	}
	q.Answers++
	each := rt.Hardened
	if z.Over && !each {
		return
	}
	if z.Answered(from.ID) {
		return
	}
	z.Results = append(z.Results, m)
	q.missing[zone] = remove(q.missing[zone], from.ID)
	for i := range m.Around.Borders {
		b := &m.Around.Borders[i]
		if rt.Space.Zone(b.With.Pos) != zone || q.knows(zone, b.With.ID) || !messages.Touches(&q.keys[zone], b.A, b.B) {
			continue
		}
		q.missing[zone] = append(q.missing[zone], missing{b.With, true})
		if q.direct.isUsed(zone) {
			rt.peers.askNode(q, zone, b.With)
		}
	}
	if z.Over || !rt.isComplete(q, zone) {
		return
	}
	q.close(zone)
	if each {
		rt.tally(q, q.AllSilent(rt.zones))
		return
	}
	if out, ok := rt.ballot.Assemble(&q.Poll, z); ok {
		if won := rt.ballot.Vote(&q.results, &q.Poll, out); won != nil {
			rt.endWith(q, won)
		}
	}
	z.Results = nil
	if q.AllSilent(rt.zones) {
		rt.Conclude(q)
	}
}

// settle completes the zones in which nobody was known and of which both ways have had the
// time to bring an answer.
func (rt *Retrievals) settle(q *Query) {
	if q.Done || q.fetching {
		return
	}
	q.direct.settled = true
	before := q.full
	for zone := range q.Zones {
		if !q.Zones[zone].Over && rt.isComplete(q, zone) {
			q.close(zone)
		}
	}
	if q.full > before {
		rt.tally(q, q.AllSilent(rt.zones))
	}
}

// isComplete reports whether everybody of a zone has answered, by those who have and, in the
// hardened protocol, by what else is known of the zone. Where nobody is who is likely to have
// the area, who says to have it has to stand close, and an answer by the other way is waited
// for, too; otherwise askAgain looks for others first.
func (rt *Retrievals) isComplete(q *Query, zone int) bool {
	switch {
	case len(q.missing[zone]) > 0:
		return false
	case !rt.Hardened:
		return true
	case rt.asksDirectly(q):
		return !q.direct.isStrange(zone) && q.zoneReached(zone)
	case contradicts(&q.Zones[zone]):
		return false
	case !q.direct.isStrange(zone):
		return q.zoneReached(zone)
	}
	return q.direct.settled && slices.ContainsFunc(q.Zones[zone].Results, func(r *messages.Result) bool { return rt.peers.isLikely(r.Around, &q.keys[zone]) })
}

// continuesAlone reports whether a node to whom nobody has answered goes on with what it
// has itself.
func (rt *Retrievals) continuesAlone(q *Query) bool {
	return q.Kind == messages.ForUpdate && (rt.replica.HasRestored() || rt.replica.State != nil && rt.replica.State.Of == q.Of)
}

// tally looks whether the answers so far decide a retrieval; last: no more will
// come.
func (rt *Retrievals) tally(q *Query, last bool) {
	if q.Done || q.fetching || !last && q.full < rt.zones.VotesNeeded() {
		return
	}
	if q.Answers == 0 && !rt.continuesAlone(q) {
		rt.endWith(q, nil)
		return
	}
	if out, votes, decided := rt.ballot.Count(&q.Poll, last); decided || last {
		q.fetching = true
		rt.fetcher.Start(&q.Poll, out, votes)
	}
}

// Conclude ends a retrieval without a majority: at the timeout, or when all have
// answered. The result with most votes counts (thesis 5.2.2), of several the one
// that came first.
func (rt *Retrievals) Conclude(q *Query) {
	if q.Done || q.fetching && q.Kind.Static() {
		return
	}
	if rt.Hardened {
		rt.tally(q, true)
		if !q.Done {
			rt.fetcher.End(q.Query)
		}
		return
	}
	rt.endWith(q, q.results.Leading())
}

// end hands the result on.
func (rt *Retrievals) end(q *Query, out vote.Outcome, votes int) {
	if q.Done {
		return
	}
	q.Done = true
	rt.running = slices.DeleteFunc(rt.running, func(r *Query) bool { return r == q })
	rt.peers.record(q)
	rt.ended(q, out, votes)
}

// endWith hands a result of whole zones on; nil: there is none.
func (rt *Retrievals) endWith(q *Query, r *vote.Result) {
	if r == nil {
		rt.end(q, vote.Outcome{}, 0)
	} else {
		rt.end(q, r.Outcome, r.Votes)
	}
}
