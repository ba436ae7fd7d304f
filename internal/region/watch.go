package region

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// watchSet is a rate for each column.
type watchSet = [world.Columns]uint8

// subscriber is a session that hears of the region: because it watches columns,
// because its player is at home here, or both.
type subscriber struct {
	peer  machine.Peer
	place int // in Region.subs
	home  *home
	asked watchSet // what it wants to hear of
	set   watchSet // what it is told, which is less often under strain
	group *group

	fresh  uint16 // cells whose column and keyframe it has to get
	rekey  uint16 // cells whose keyframe it has to get
	missed uint16 // cells of which it missed block changes while it was crowded
	behind bool   // it was crowded: keyframes of all it watches are due
	told   uint64 // tick of the last frame
}

// group is all subscribers with the same watchSet. Their frames share the bytes.
type group struct {
	set   watchSet
	size  int
	tick  uint64 // when bytes was put together
	bytes []byte
}

func (r *Region) subscriber(peer machine.Peer) *subscriber {
	s := r.subOf[peer]
	if s == nil {
		s = &subscriber{peer: peer, place: len(r.subs)}
		r.subOf[peer] = s
		r.subs = append(r.subs, s)
		r.join(s)
	}
	return s
}

// settle forgets a subscriber who neither watches nor is at home here.
func (r *Region) settle(s *subscriber) {
	if s.home != nil || s.set != (watchSet{}) {
		return
	}
	r.part(s)
	last := r.subs[len(r.subs)-1]
	r.subs[s.place], last.place = last, s.place
	r.subs[len(r.subs)-1] = nil
	r.subs = r.subs[:len(r.subs)-1]
	delete(r.subOf, s.peer)
}

func (r *Region) join(s *subscriber) {
	g := r.groups[s.set]
	if g == nil {
		g = &group{set: s.set}
		r.groups[s.set] = g
	}
	g.size++
	s.group = g
}

func (r *Region) part(s *subscriber) {
	if s.group.size--; s.group.size == 0 {
		delete(r.groups, s.set)
	}
	s.group = nil
}

// onWatch replaces what somebody watches.
func (r *Region) onWatch(from machine.Peer, w *Watch) {
	for _, rate := range w.Rates {
		if rate > RateQuart || rate != 0 && streamOf[rate] < 0 {
			r.stats.Refused++
			return
		}
	}
	if pos, ok := RegionOf(from); ok {
		r.onNeighbourWatch(from, pos, w)
		return
	}
	if from == Hall || w.BlocksOnly || w.Rates == (watchSet{}) && r.subOf[from] == nil {
		return
	}
	s := r.subscriber(from)
	s.asked = w.Rates
	r.setWatch(s, r.eased(s))
}

// Under strain those whose players are not at home here are told half as often
// as they want to be: they are the most, each frame to them is a packet of its
// own, and what they see is across the border.
const (
	easedFor  = 400 // ticks, at least
	easeEvery = 20  // ticks: how often it is looked who is at home
)

// eased is what a subscriber is to be told.
func (r *Region) eased(s *subscriber) watchSet {
	set := s.asked
	if !r.strain.On() || s.home != nil {
		return set
	}
	for i, rate := range set {
		set[i] = min(2*rate, RateQuart)
	}
	return set
}

// ease brings all subscribers to the rates that they are to be told at.
func (r *Region) ease() {
	for _, s := range slices.Clone(r.subs) {
		if set := r.eased(s); set != s.set {
			r.setWatch(s, set)
		}
	}
}

// setWatch moves a subscriber from its streams to others.
func (r *Region) setWatch(s *subscriber, set watchSet) {
	if s.set == set {
		r.settle(s)
		return
	}
	for i, now := range set {
		was, bit := s.set[i], uint16(1)<<i
		if was == now {
			continue
		}
		c := &r.entities.cells[i]
		switch {
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
	r.part(s)
	s.set = set
	r.join(s)
	r.touch()
	r.settle(s)
	r.wake()
}

// drop forgets what a peer watches, when its link is gone.
func (r *Region) dropWatch(peer machine.Peer) {
	if s := r.subOf[peer]; s != nil {
		s.asked = watchSet{}
		r.setWatch(s, s.asked)
	}
}
