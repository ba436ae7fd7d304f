package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Waking (thesis 5.4.1). A player who comes back says so in all zones, where the
// character sleeps; who keeps it there lets it take part in the next step. It does if a
// majority of the zones has heard of it.

// Activate tells those who hold the static character of the node's player that
// it is back (thesis 5.4.1). It counts for the update after the next t^s; by
// then an action of the player has to be stored that makes it last.
func (n *Node) Activate(place geom.Point) {
	of := n.nextActivation()
	if n.cfg.Protocol.Receipts {
		n.armDeposit(of + 1) // that the player does nothing is certified, too
	}
	n.lastActivation = &Activate{n.cfg.Player, place, of}
	n.sendActivate()
	if n.cfg.Protocol.Majority {
		again := max(n.env.Now().Add(n.time.lmax/2), n.time.state(of).Add(-n.time.lmax*3/2))
		n.env.SetTimer(again, machine.Timer{Kind: timerWake, Arg: uint64(of)})
	}
	n.drain()
}

// sendActivate tells all zones that the player is back. With Protocol.Majority it is said
// twice, the second time shortly before it counts: somebody who leaves meanwhile takes
// with it whom it has woken, or what it was to pass on, and it takes more than half of
// the zones to wake somebody.
func (n *Node) sendActivate() {
	for z := range n.space.Zones() {
		n.overlay.Unicast(n.places.key(n.lastActivation.Place, z), n.lastActivation)
	}
}

// Activation is when an action of a player whose node calls Activate now has to
// take effect to make its character stay: after the first, until the second.
func (n *Node) Activation() (after, until machine.Time) {
	of := n.nextActivation()
	return n.time.update(of), n.time.update(of + 1)
}

// nextActivation is for which update the player's character can be woken now. It often
// sleeps where its own node stands, and who has just come has no state yet to say so in:
// with Protocol.Majority it is woken an update later.
func (n *Node) nextActivation() int64 {
	of := max(n.time.of(n.env.Now())-1, 0)
	if n.env.Now().Add(n.time.lmax) > n.time.state(of) {
		of++
	}
	if n.cfg.Protocol.Majority && !n.willCompute(of) {
		of++
	}
	return of
}

// onActivate wakes a character for one update. If the place was somebody else's a
// moment ago it waits: until the node has measured what is its own now, and until
// it has been told who lies there.
func (n *Node) onActivate(by *overlay.Contact, m *Activate) {
	if m.Player == nil || m.Player.ID != by.ID || n.env.Now() > n.time.state(m.Of) {
		return
	}
	if !n.responsible(m.Place) {
		if n.neighbourhoodChanged {
			n.deferActivation(by, m)
		}
		return
	}
	var found *Object
	for _, o := range n.static {
		if o.Player != nil && o.Player.ID == by.ID && o.Pos == m.Place && (found == nil || o.ID < found.ID) {
			found = o
		}
	}
	if found == nil && n.fetching(m.Place) {
		n.deferActivation(by, m)
		return
	}
	o := n.cfg.Rules.Wake(m.Player, m.Place, found)
	if o == nil || slices.ContainsFunc(n.activated, func(w activation) bool { return w.of == m.Of && w.object.ID == o.ID }) {
		return
	}
	n.activated = append(n.activated, activation{m.Of, o})
	n.cache.noteActivation(m.Of, o)
	if n.state != nil && n.state.Of == m.Of {
		n.addActivated()
	}
}

// addActivated puts those who were woken for the state's time into it.
func (n *Node) addActivated() {
	s := *n.state
	s.Woken = nil
	for _, w := range n.activated {
		if w.of == s.Of {
			s.Woken = append(s.Woken, w.object)
		}
	}
	slices.SortFunc(s.Woken, byID)
	n.state = &s
}

// dropActivated ends the wakening of those who took part in a step: from now on they
// are what the step has made of them. With Protocol.Majority who took no part, for
// the other zones knew nothing of it, sleeps on.
func (n *Node) dropActivated(from *Snapshot) {
	of := from.Of
	n.activated = slices.DeleteFunc(n.activated, func(w activation) bool {
		if w.of == of && (!n.cfg.Protocol.Majority || among(from.Woken, w.object)) {
			delete(n.static, w.object.ID)
		}
		return w.of <= of
	})
}

// lateActivation is a character that is woken as soon as it is known.
type lateActivation struct {
	by   *overlay.Contact
	wake *Activate
}

// deferActivation keeps what a player's node has asked for last.
func (n *Node) deferActivation(by *overlay.Contact, m *Activate) {
	n.lateActivations = slices.DeleteFunc(n.lateActivations, func(l lateActivation) bool { return l.by.ID == by.ID })
	n.lateActivations = append(n.lateActivations, lateActivation{by, m})
}

// activateLate wakes those who were waited for.
func (n *Node) activateLate() {
	waiting := n.lateActivations
	n.lateActivations = nil
	for _, l := range waiting {
		n.onActivate(l.by, l.wake)
	}
}

// countActivated are the woken characters that enough zones report, and the node's
// own ones if there may be enough. Open are those of whom the zones that have not
// finished may make a majority: who is forgotten now may be forgotten for ever.
func (n *Node) countActivated(q *query) (out, open []*Object) {
	var all, own []*Object
	if n.state != nil && n.state.Of == q.Of {
		own = n.state.Woken
	}
	coming := 0
	for i := range q.zones {
		coming += bit(!n.silent(q, i))
		var zone []*Object
		for _, r := range q.zones[i].results {
			if !n.fits(q, r) {
				continue
			}
			for _, o := range r.Seen.Woken {
				if contains(&q.Area, o.Pos) && !slices.ContainsFunc(zone, func(p *Object) bool { return sameActivated(p, o) }) {
					zone = append(zone, o)
				}
			}
		}
		all = append(all, zone...)
	}
	slices.SortStableFunc(all, byID)
	for i, o := range all {
		votes := 0
		for _, p := range all[i:] {
			votes += bit(p.ID == o.ID && sameActivated(p, o))
		}
		if votes >= n.votesNeeded() {
			out = append(out, o)
		} else if votes+coming >= n.votesNeeded() && !among(out, o) && !among(own, o) {
			open = append(open, o)
		}
	}
	for _, o := range own {
		if contains(&q.Area, o.Pos) && !n.mayBeActivated(q, o) {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, byID)
	return slices.CompactFunc(out, func(a, b *Object) bool { return a.ID == b.ID }), open
}

// sameActivated compares two woken characters; where one that is only named is, its
// digest does not show to somebody who does not have it.
func sameActivated(a, b *Object) bool { return sameObject(a, b) && a.Pos == b.Pos }

// mayBeActivated reports whether so many zones have answered and do not know that somebody
// was woken that no majority does: all leave him asleep (Protocol.Majority).
func (n *Node) mayBeActivated(q *query, o *Object) bool {
	if !n.cfg.Protocol.Majority {
		return false
	}
	without := 0
	for i := range q.zones {
		z := &q.zones[i]
		without += bit(z.over && !slices.ContainsFunc(z.results, func(r *Result) bool { return n.fits(q, r) && among(r.Seen.Woken, o) }))
	}
	return without > n.voters()-n.votesNeeded()
}

// markWokenUnsure makes the cells unsure in which somebody may have been woken who is not
// known: a step without him would be a wrong one, and nobody would tell.
func (s *Snapshot) markWokenUnsure(them []*Object, w *World) {
	for _, o := range them {
		if x, y := o.Pos.X/w.Cell, o.Pos.Y/w.Cell; x >= s.X && y >= s.Y && x < s.X+s.W && y < s.Y+s.H {
			s.markUnsure(x, y)
		}
	}
}
