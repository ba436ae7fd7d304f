package region

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/timing"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// watchSet is a rate for each column.
type watchSet = [world.Columns]uint8

// subscriber is a session that hears of the region: because it watches columns,
// because its player is at home here, or both.
type subscriber struct {
	peer   machine.Peer
	place  int // in interest.subs
	player *playerSession
	asked  watchSet // what it wants to hear of
	set    watchSet // what it is told, which is less often under strain
	group  *watchGroup

	fresh  uint16 // cells whose column and keyframe it has to get
	rekey  uint16 // cells whose keyframe it has to get
	missed uint16 // cells of which it missed block changes while it was crowded
	behind bool   // it was crowded: keyframes of all it watches are due
	told   uint64 // tick of the last frame
}

// interest is the interest management of a region: who is told what, at which
// rate (docs/protocols/region.md, "Watching"). It encodes each cell at most once
// for each tick and rate, and shares the bytes of a frame among all who watch the
// same cells.
type interest struct {
	component
	columns  *columns
	entities *entities
	subs     []*subscriber
	subOf    map[machine.Peer]*subscriber
	groups   map[watchSet]*watchGroup
	strain   timing.Strain // of ticks that are late

	enc   frame.CellEncoder // scratch of a tick
	mixed map[mix][]byte
	room  []byte
}

func newInterest(c component, cols *columns, e *entities) *interest {
	return &interest{
		component: c, columns: cols, entities: e,
		subOf: map[machine.Peer]*subscriber{}, groups: map[watchSet]*watchGroup{}, mixed: map[mix][]byte{},
	}
}

// watchGroup is all subscribers with the same watchSet. Their frames share the bytes.
type watchGroup struct {
	set   watchSet
	size  int
	tick  uint64 // when bytes was put together
	bytes []byte
}

// subscriber returns the subscriber at a peer, a new one if there is none.
func (n *interest) subscriber(peer machine.Peer) *subscriber {
	s := n.subOf[peer]
	if s == nil {
		s = &subscriber{peer: peer, place: len(n.subs)}
		n.subOf[peer] = s
		n.subs = append(n.subs, s)
		n.joinGroup(s)
	}
	return s
}

// dropIfIdle forgets a subscriber who neither watches nor is at home here.
func (n *interest) dropIfIdle(s *subscriber) {
	if s.player != nil || s.set != (watchSet{}) {
		return
	}
	n.leaveGroup(s)
	last := n.subs[len(n.subs)-1]
	n.subs[s.place], last.place = last, s.place
	n.subs[len(n.subs)-1] = nil
	n.subs = n.subs[:len(n.subs)-1]
	delete(n.subOf, s.peer)
}

func (n *interest) joinGroup(s *subscriber) {
	g := n.groups[s.set]
	if g == nil {
		g = &watchGroup{set: s.set}
		n.groups[s.set] = g
	}
	g.size++
	s.group = g
}

func (n *interest) leaveGroup(s *subscriber) {
	if s.group.size--; s.group.size == 0 {
		delete(n.groups, s.set)
	}
	s.group = nil
}

// validRates reports whether a Watch asks for rates that there are.
func validRates(set *watchSet) bool {
	for _, rate := range set {
		if rate > RateQuart || rate != 0 && streamOf[rate] < 0 {
			return false
		}
	}
	return true
}

// Columns has a bit for each column that a session watches; none if the region does nothing
// for such a Watch of a session.
func (w *Watch) Columns() uint16 {
	if w.BlocksOnly || !validRates(&w.Rates) {
		return 0
	}
	return watched(&w.Rates)
}

// watch replaces what a session watches; it reports whether that changes what
// the session is sent.
func (n *interest) watch(from machine.Peer, w *Watch, tick uint64) bool {
	if w.Rates == (watchSet{}) && n.subOf[from] == nil {
		return false
	}
	s := n.subscriber(from)
	s.asked = w.Rates
	if w.Missed {
		s.behind = true
		s.missed |= n.columns.changed(tick, missedTicks)
	}
	return n.setWatch(s, n.reducedRates(s))
}

// missedTicks is how long ago the frame was sent that a session has missed, at most:
// two round trips, and what the client waits for a frame that is late.
const missedTicks = 40

// Under strain those whose players are not at home here are told half as often
// as they want to be: they are the most, each frame to them is a packet of its
// own, and what they see is across the border.
const (
	reducedFor       = 400 // ticks, at least
	updateRatesEvery = 20  // ticks: how often it is looked who is at home
)

// reducedRates is what a subscriber is to be told.
func (n *interest) reducedRates(s *subscriber) watchSet {
	set := s.asked
	if !n.strain.On() || s.player != nil {
		return set
	}
	for i, rate := range set {
		set[i] = min(2*rate, RateQuart)
	}
	return set
}

// noteLate notes by how much a tick was late, and brings all subscribers to the
// rates that they are to be told at.
func (n *interest) noteLate(late time.Duration, tick uint64) (changed bool) {
	if n.strain.Note(late, reducedFor) || n.strain.On() && tick%updateRatesEvery == 0 {
		for _, s := range slices.Clone(n.subs) {
			if set := n.reducedRates(s); set != s.set {
				changed = n.setWatch(s, set) || changed
			}
		}
	}
	return changed
}

// setWatch moves a subscriber from its streams to others, if they are others.
func (n *interest) setWatch(s *subscriber, set watchSet) (changed bool) {
	if s.set == set {
		n.dropIfIdle(s)
		return false
	}
	for i, now := range set {
		n.switchStream(s, i, s.set[i], now)
	}
	n.leaveGroup(s)
	s.set = set
	n.joinGroup(s)
	n.dropIfIdle(s)
	return true
}

// switchStream moves a subscriber to another stream of a cell.
func (n *interest) switchStream(s *subscriber, cell int, was, now uint8) {
	c, bit := &n.entities.cells[cell], uint16(1)<<cell
	switch {
	case was == now:
		return
	case now == RateNone:
		s.fresh &^= bit
		s.rekey &^= bit
		s.missed &^= bit
	case was == RateNone:
		s.fresh |= bit
	default:
		s.rekey |= bit
	}
	if now != RateNone {
		c.watch(streamOf[now])
	}
	if was != RateNone {
		c.unwatch(streamOf[was])
	}
}

// drop forgets what a peer watches, when its link is gone.
func (n *interest) drop(s *subscriber) (changed bool) {
	s.asked = watchSet{}
	return n.setWatch(s, s.asked)
}
