package attack

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	greedy "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay/attack"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Gang is all attackers of a network and the mind that leads them. It is the
// Behaviour of each of them.
type Gang struct {
	ways     Ways
	protocol storage.Protocol
	know     Knowledge
	space    overlay.Space
	members  map[id.ID]bool
	plans    map[question]*plan
	held     map[id.ID]*state.Batch          // deposits of members that are kept back
	shown    map[id.ID]*messages.Certificate // of what players of members have done, for some readers
	late     map[machine.Message]bool        // messages that were held up
	envs     map[id.ID]machine.Env           // of members
	leaves   map[id.ID]int64                 // see Leaves
	asked    uint64                          // the number of the last question of a flood
	of       int64                           // the newest world that somebody has asked for
	// CheatFrom is the update from which members deposit otherwise than they should, and
	// CheatUntil the last one; 0: there is none.
	CheatFrom, CheatUntil int64
	// Tried counts the honest nodes' retrievals that attackers had a hand in, by
	// kind (table 6.32); Dropped are actions that they have not stored.
	Tried   [messages.Kinds]int
	Dropped int
	// Did counts how often members have acted in a way, by its name; ways of the thesis
	// are counted above.
	Did map[string]int
}

// question names a retrieval.
type question struct {
	by   id.ID
	kind messages.Kind
	n    uint64
}

// New returns a gang without members.
func New(ways Ways, protocol storage.Protocol, space overlay.Space, know Knowledge) *Gang {
	return &Gang{
		ways: ways, protocol: protocol, know: know, space: space, members: map[id.ID]bool{}, plans: map[question]*plan{}, held: map[id.ID]*state.Batch{},
		shown: map[id.ID]*messages.Certificate{}, late: map[machine.Message]bool{}, envs: map[id.ID]machine.Env{}, leaves: map[id.ID]int64{}, Did: map[string]int{},
	}
}

// Ways are those in which the gang attacks.
func (g *Gang) Ways() Ways { return g.ways }

// Turn lets the gang attack in other ways from now on.
func (g *Gang) Turn(w Ways) { g.ways = w }

// Join makes a node one of the gang.
func (g *Gang) Join(who id.ID) { g.members[who] = true }

// Has reports whether a node is one of the gang.
func (g *Gang) Has(who id.ID) bool { return g.members[who] }

// Intercept implements storage.Behaviour: what comes by on its way to others.
func (g *Gang) Intercept(n *storage.Node, from machine.Peer, m machine.Message) bool {
	if g.swallows(m) || g.misguides(n, m) || g.eclipses(m) || g.holdsUp(n, from, m) {
		return true
	}
	switch m := m.(type) {
	case *overlay.RtRequest:
		if !g.ways.Tables {
			return false
		}
		greedy.Greedy{Node: n.Overlay(), Space: g.space}.OnMessage(from, m)
		return true
	case *overlay.Areacast:
		q, ok := m.Body.(*messages.Retrieve)
		if !ok || !g.ways.Claim && !g.ways.Chorus || m.Root != nil || g.Has(m.Origin.ID) {
			return false
		}
		g.claim(n, m.Origin, q)
		return true
	case *overlay.Unicast:
		switch body := m.Body.(type) {
		case *messages.Retrieve:
			if !g.ways.Claim && !g.ways.Chorus || m.Dest == n.Self().Pos || n.Overlay().Cell(nil).Contains(m.Dest) || g.Has(m.Origin.ID) {
				return false
			}
			g.claim(n, m.Origin, body)
			return true
		case *messages.RetrieveActions:
			if !g.ways.deniesActions() || g.Has(m.Origin.ID) {
				return false
			}
			n.Overlay().Reply(m.Origin, g.lieAbout(m.Origin, body))
			return true
		case *messages.Fetch:
			return m.Dest == n.Self().Pos && (g.supply(n, m.Origin, body) || g.withhold(n, m.Origin, body))
		case *messages.Receipt:
			g.collect(n, body)
		case *messages.Blocks:
			g.Did["given"]++
		case *messages.Store:
			return !g.Keep(n, body.Action)
		case *messages.Activate:
			return g.ways.Wake && !g.Has(body.Player.ID)
		case *messages.Deposit:
			if !g.ways.Stores || g.Has(body.Batch.Player.ID) {
				return false
			}
			g.Dropped += len(body.Batch.Actions)
			return true
		case *messages.Exchange:
			return g.ways.Stores && !g.Has(body.Batch.Player.ID)
		}
	}
	return false
}

// claim answers for a whole area, as if there were no other node.
func (g *Gang) claim(n *storage.Node, by *overlay.Contact, q *messages.Retrieve) {
	p := g.plan(by, q)
	if g.ways.Chorus {
		g.sing(p, q, by)
		return
	}
	g.claimAs(n, p, by, q)
}

// claimAs lets one member claim an area.
func (g *Gang) claimAs(n *storage.Node, p *plan, by *overlay.Contact, q *messages.Retrieve) {
	if p.claimed[n.Self().ID] || len(p.targets) == 0 {
		return // once is enough; or there is nothing that can be tampered with
	}
	p.claimed[n.Self().ID] = true
	m := &messages.Result{Query: q.Query, Around: messages.NewAround(n.Self(), nil, g.space.Bounds()), Area: q.Area}
	if p.static {
		m.Static = p.tamperAll(p.objects, p.targets)
		m.Batches = g.batches(q, g.space.Zone(n.Self().Pos))
	} else {
		m.Seen = p.whole()
	}
	m.Brief = g.protocol == storage.ProtocolHardened
	p.said[n.Self().ID] = m
	n.Overlay().Reply(by, m.Seal(n.World()))
}

// Answer implements storage.Behaviour: the part of the world that the node is
// truly asked for.
func (g *Gang) Answer(n *storage.Node, by *overlay.Contact, q *messages.Retrieve, honest *messages.Result) *messages.Result {
	if g.Has(by.ID) {
		return honest
	}
	if g.saysNothing(q) {
		return nil
	}
	honest = g.guessed(n, by, q, g.mislead(n, q, g.roused(n, q, g.drowsy(n, honest))))
	if !g.ways.Claim && !g.ways.Parts && !g.ways.Chorus {
		return honest
	}
	p := g.plan(by, q)
	if g.ways.Chorus {
		g.sing(p, q, by)
	}
	if p.claimed[n.Self().ID] {
		return nil
	}
	if !g.ways.Parts {
		return honest
	}
	targets := p.targets
	zone := g.space.Zone(n.Self().Pos)
	if !p.votes(zone) {
		targets = p.spoil(n, zone)
	}
	bad := *honest
	if p.static {
		bad.Static = p.tamperAll(honest.Static, targets)
	} else if bad.Seen = p.part(n, honest.Seen, targets); bad.Seen == nil {
		return honest
	}
	p.said[n.Self().ID] = &bad
	return bad.Seal(n.World())
}

// supply sends what a member has sent digests or names of. It reports whether it has
// sent any.
func (g *Gang) supply(n *storage.Node, by *overlay.Contact, q *messages.Fetch) bool {
	p := g.plans[question{by.ID, q.Kind, q.Query}]
	if p == nil || p.said[n.Self().ID] == nil {
		return false
	}
	m := &messages.Blocks{Query: q.Query}
	said, named := p.said[n.Self().ID].Seen, p.said[n.Self().ID].Static
	if said != nil {
		named = said.Activated
	}
	for _, at := range q.Cells {
		c := said.At(at.X, at.Y)
		m.Cells = append(m.Cells, c)
		if c != nil {
			for _, o := range c.Objects {
				m.Bytes += o.Size
			}
		}
	}
	for _, o := range named {
		if slices.Contains(q.Characters, o.ID) {
			m.Characters = append(m.Characters, o)
			m.Bytes += o.Size
		}
	}
	n.Overlay().Reply(by, m)
	return true
}

// AnswerActions implements storage.Behaviour.
func (g *Gang) AnswerActions(_ *storage.Node, by *overlay.Contact, q *messages.RetrieveActions, honest *messages.ActionsResult) *messages.ActionsResult {
	switch {
	case g.Has(by.ID):
		return honest
	case g.saysNothing(q):
		return nil
	case !g.shows(q) && !g.ways.deniesActions():
		return honest
	}
	return g.lieAbout(by, q)
}

// nothing says that a player has not done anything.
func (g *Gang) nothing(by *overlay.Contact, q *messages.RetrieveActions) *messages.ActionsResult {
	g.forgetPlans(q.Of)
	k := question{by.ID, messages.ForActions, uint64(q.Of)<<32 ^ binary.BigEndian.Uint64(q.Player.ID[:])}
	if _, known := g.plans[k]; !known {
		g.plans[k] = nil
		g.Tried[messages.ForActions]++
	}
	return &messages.ActionsResult{Query: q.Query, Batch: &state.Batch{Player: q.Player, Of: q.Of}}
}

// Keep implements storage.Behaviour: the actions of honest players are dropped.
func (g *Gang) Keep(_ *storage.Node, a *state.Action) bool {
	if !g.ways.Stores || a == nil || a.Player == nil || g.Has(a.Player.ID) {
		return true
	}
	g.Dropped++
	return false
}

// Push implements storage.Behaviour. The thesis' attackers push what is true:
// a retrieval corrects it soon.
func (g *Gang) Push(n *storage.Node, to *overlay.Contact, honest *messages.Push) *messages.Push {
	if !g.ways.Push || g.Has(to.ID) {
		return honest
	}
	return g.poisoned(honest, n.World())
}

// batches are the actions that a zone's answer to a static retrieval has to hold
// if it is to be the same as the others'.
func (g *Gang) batches(q *messages.Retrieve, zone int) (out []*state.Batch) {
	for _, n := range g.know.Zone(zone) {
		if g.Has(n.Self().ID) || !q.Area.Overlaps(n.Cell()) {
			continue
		}
		for _, b := range n.Actions() {
			if q.Area.Contains(b.Player.Home) && n.Cell().Contains(b.Player.Home) {
				out = append(out, b)
			}
		}
	}
	return out
}

// plan is what the gang does about a retrieval: chosen by the first member that
// hears of it, for all.
func (g *Gang) plan(by *overlay.Contact, q *messages.Retrieve) *plan {
	g.forgetPlans(q.Of)
	k := question{by.ID, q.Kind, q.Query}
	p := g.plans[k]
	if p == nil {
		p = g.scheme(q)
		g.plans[k] = p
		g.Tried[q.Kind]++
	}
	return p
}

// forgetPlans forgets the plans of two updates ago.
func (g *Gang) forgetPlans(of int64) {
	if of <= g.of {
		return
	}
	g.of = of
	for k, p := range g.plans {
		if p == nil || p.of < of-1 {
			delete(g.plans, k)
		}
	}
}
