package storagelab

import (
	"math"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
)

// Attackers of a long siege come and go: places that they keep change hands all the time,
// so that hand-offs, joins and the waking of their characters happen around liars. Each
// stays for some minutes, leaves in order or fails silently, and comes back with the same
// certificate. Again and again all leave at once while a state is voted on, and come back
// at once. In what way they attack changes each minute.

const (
	// turnOf is for how many updates members attack in the same ways.
	turnOf = 6
	// stayMean and awayMean are how long a member stays and is away, exponentially
	// distributed, and these at least.
	stayMean  = 2 * time.Minute
	stayLeast = 40 * time.Second
	awayMean  = time.Minute
	awayLeast = 4 * storageInterval
	// exodusEvery is after how many updates all leave at once, and exodusFor for how long.
	exodusEvery = 18
	exodusFor   = 4 * storageInterval
)

// turns are the mixtures in which members attack.
func (o siegeRun) turns() (out []attack.Ways, err error) {
	for text := range strings.SplitSeq(o.Ways, "/") {
		w, err := attack.ParseWays(text)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// allTurns are the thesis' attackers with each of the other ways in turn. Left out are
// those that are about who is there at the beginning, and chosen: what comes of it only the
// votes decide, so that the truth is not known afterwards.
func allTurns() string {
	var turns []string
	for _, w := range allWays() {
		switch w {
		case "join", "leave", "places", "chosen":
		default:
			turns = append(turns, "thesis+"+w)
		}
	}
	return strings.Join(turns, "/")
}

// scheduleTurns changes the ways. Members sign otherwise than they should in those
// intervals only that lie within a turn as a whole.
func (s *siege) scheduleTurns() {
	if len(s.turns) == 1 {
		return
	}
	for k := int64(0); k*turnOf < int64(s.run.updates()); k++ {
		s.sim.At(s.update(k*turnOf).Add(storageInterval/2), func() {
			s.gang.Turn(s.turns[k%int64(len(s.turns))])
			s.gang.CheatFrom, s.gang.CheatUntil = max(cheatFrom, k*turnOf+2), (k+1)*turnOf
		})
	}
}

// scheduleComing lets members come and go until the quiet end.
func (s *siege) scheduleComing() {
	s.sim.At(s.begin, func() {
		for _, node := range s.live() {
			if s.gang.Has(node.self.ID) {
				s.stay(node)
			}
		}
	})
	for of := int64(exodusEvery); of <= s.lastComing(); of += exodusEvery {
		s.sim.At(s.update(of)-1, func() {
			for _, node := range s.live() {
				if s.gang.Has(node.self.ID) {
					s.goAway(node, exodusFor, false)
				}
			}
		})
	}
}

// lastComing is the last update at which members come or go.
func (s *siege) lastComing() int64 { return int64(s.run.updates()) - storageQuiet - 4 }

func (s *siege) draw(mean, least time.Duration) time.Duration {
	return least + time.Duration(-math.Log(1-s.sim.Rand().Float64())*float64(mean-least))
}

// stay lets a member leave after a while.
func (s *siege) stay(node *storageNode) {
	came := node.came
	silently := s.sim.Rand().Float64() < 0.5
	s.sim.At(s.sim.Now().Add(s.draw(stayMean, stayLeast)), func() {
		if node.came == came { // otherwise it has left with the others
			s.goAway(node, s.draw(awayMean, awayLeast), silently)
		}
	})
}

// goAway lets a member leave in the next interval, while a state is voted on, or fail two
// updates after its player has left, and come back.
func (s *siege) goAway(node *storageNode, away time.Duration, silently bool) {
	last := s.intervalOf(s.sim.Now()) // the last interval in which it may cheat
	at := s.update(last).Add(3*storage.DefaultLMax + time.Second/2)
	end := at + 1
	if silently {
		end = at.Add(2 * storageInterval)
	}
	if end.Add(away) > s.update(s.lastComing()) || s.away[node] {
		return
	}
	s.away[node] = true
	s.gang.Leaves(node.self.ID, last+1)
	s.sim.At(at, func() {
		if !node.gone {
			s.result.Left++
			s.storageNet.leave(node.Node)
		}
	})
	s.sim.At(end, func() {
		if silently {
			node.Crash()
		} else {
			node.Stop()
		}
	})
	s.sim.At(end.Add(away), func() {
		s.result.Back++
		s.comeBack(node)
		s.gang.Returns(node.self.ID)
		delete(s.away, node)
		s.stay(node)
	})
}
