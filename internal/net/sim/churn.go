package sim

import (
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Stopper is a machine that can be stopped in an orderly way: the user leaves.
type Stopper interface{ Stop() }

// Stop ends a node as its user does: the machine is told, then the system closes
// all links.
func (n *Node) Stop() {
	if n.m == nil {
		return
	}
	if m, ok := n.m.(Stopper); ok {
		m.Stop()
	}
	if n.sim.cfg.Internet != nil {
		for _, c := range append([]*conn(nil), n.order...) {
			n.disconnect(c.ends[1-c.side(n)].node.peer)
		}
	} else {
		for _, peer := range sortedPeers(n.links) {
			n.dropLink(peer, machine.LinkClosed)
		}
	}
	n.end()
}

// end is what stopping and crashing have in common: nothing reaches the node any
// more.
func (n *Node) end() {
	n.Thaw()
	n.life++
	n.m, n.held = nil, nil
	n.conns, n.order = id.Table[conn]{}, nil
}

// At calls fn at a time, outside all machines: for scripts.
func (s *Sim) At(t machine.Time, fn func()) {
	s.at(t, event{do: evScript, node: -1, body: fn})
}

// Churn lets nodes come and go (thesis 6.1.5, 6.2.3): two exponential
// distributions, of the time between two arrivals and of the session.
type Churn struct {
	Arrival, Session time.Duration // means
	// Swing is by which share arrivals become more and fewer in the course of a
	// Day, as a sine from its beginning on: 0.5 is from half of the mean to half
	// as much again.
	Swing float64
	Day   time.Duration
	// Until ends it: nobody comes or goes from then on.
	Until machine.Time
	// Come starts the next node, or returns nil if there is none.
	Come func() *Node
	// Fail is the share of nodes that fail silently instead of leaving, Idle after
	// their users have left.
	Fail float64
	Idle time.Duration
	// Leave is what a node's user does before the node ends; nil: nothing.
	Leave func(*Node)
}

// Churn begins.
func (s *Sim) Churn(c Churn) {
	c.Day = or(c.Day, 24*time.Hour)
	t := s.now.Add(s.exponential(time.Duration(float64(c.Arrival) / (1 + c.Swing))))
	if t >= c.Until {
		return
	}
	s.At(t, func() {
		// Arrivals at the highest rate, of which some are left out (Lewis and
		// Shedler 1979).
		if c.Swing > 0 && s.rand.Float64()*(1+c.Swing) > 1+c.Swing*math.Sin(2*math.Pi*s.now.Sub(s.cfg.Start).Seconds()/c.Day.Seconds()) {
			s.Churn(c)
			return
		}
		if n := c.Come(); n != nil {
			s.leaveLater(n, c)
			s.Churn(c)
		}
	})
}

// Session lets a node leave after an exponentially distributed time, as those do
// that come by churn, unless that is after its end.
func (s *Sim) Session(n *Node, c Churn) { s.leaveLater(n, c) }

func (s *Sim) leaveLater(n *Node, c Churn) {
	t := s.now.Add(s.exponential(c.Session))
	fail, end := s.rand.Float64() < c.Fail, t
	if fail {
		end = t.Add(c.Idle)
	}
	if end >= c.Until {
		return
	}
	s.At(t, func() {
		if c.Leave != nil && n.m != nil {
			c.Leave(n)
		}
		if fail {
			s.At(end, n.Crash)
			return
		}
		s.At(s.now, n.Stop) // after what Leave has called
	})
}

func (s *Sim) exponential(mean time.Duration) time.Duration {
	return time.Duration(-math.Log(1-s.rand.Float64()) * float64(mean))
}
