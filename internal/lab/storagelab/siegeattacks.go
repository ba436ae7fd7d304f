package storagelab

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What attackers do at times of their own: everything else they do when something
// reaches them.

// scheduleAttacks lets members act in each interval.
func (s *siege) scheduleAttacks() {
	for of := int64(1); of <= int64(s.run.updates()); of++ {
		ask := s.update(of).Add(storage.DefaultLMax + storage.DefaultDeviation) // t^a
		vote := s.update(of).Add(3*storage.DefaultLMax + storage.DefaultDeviation)
		// The first time opens the links.
		s.eachMember(ask.Add(-time.Second), func(m *storage.Node) { s.gang.Shout(m, of) })
		s.eachMember(ask.Add(storage.DefaultDeviation), func(m *storage.Node) { s.gang.Shout(m, of) })
		s.eachMember(ask.Add(lateBy), s.gang.Release)
		s.eachMember(s.update(of).Add(time.Second), func(m *storage.Node) { s.gang.Batches(m, of) })
		for _, wait := range floodsAt {
			s.eachMember(vote.Add(wait), func(m *storage.Node) {
				s.gang.Flood(m, of)
				s.gang.Digests(m, of)
				s.gang.Crowd(m, of)
			})
		}
	}
	s.scheduleTurns()
	if s.settings.Coming {
		s.scheduleComing()
	}
	ways := s.gang.Ways()
	if ways.Join {
		s.sim.At(s.update(joinAt).Add(storageInterval/2), func() {
			s.massJoin = true
			for range s.settings.Malicious {
				s.start()
			}
			s.massJoin = false
		})
	}
	if ways.Leave {
		at := s.update(leaveAt).Add(3*storage.DefaultLMax + time.Second/2)
		s.sim.At(at, func() {
			for _, node := range s.live() {
				if s.gang.Has(node.self.ID) {
					s.storageNet.leave(node.Node)
					s.sim.At(at+1, func() { node.Stop() })
				}
			}
		})
	}
}

const (
	// lateBy is how long after t^a members deposit what they have held back.
	lateBy = 20 * time.Millisecond
	// cheatFrom is the update from which members deposit otherwise than they should:
	// before that they come into the world.
	cheatFrom = 3
	// joinAt is the update after which members come in at once.
	joinAt = 1
	// leaveAt is the update about whose state members are asked when they leave at once.
	leaveAt = 2
)

// floodsAt are the times after the one at which states are voted on when members ask for
// everything.
var floodsAt = []time.Duration{0, time.Second, 2 * time.Second}

// disowned reports whether an action is one that its player takes back: in the same
// interval it signs another batch, or it signs too late. It should count for nobody.
func (s *siege) disowned(a *state.Action) bool {
	ways := s.gang.Ways()
	return (ways.Twice || ways.Late || ways.Chosen || ways.Batches) && s.gang.Has(a.Player.ID) && s.gang.Cheats(a.Player.ID, s.intervalOf(a.At))
}

// intervalOf is the update that an action of a time is for.
func (s *siege) intervalOf(at machine.Time) int64 {
	return int64((at.Sub(s.begin) + storageInterval - 1) / storageInterval)
}

// eachMember calls f for each member at a time, like a handler of the member.
func (s *siege) eachMember(at machine.Time, f func(*storage.Node)) {
	s.sim.At(at, func() {
		for _, node := range s.live() {
			if s.gang.Has(node.self.ID) {
				node.Call(func() { f(node.machine()) })
			}
		}
	})
}
