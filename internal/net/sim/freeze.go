package sim

import "slices"

// Freeze stops a node as SIGSTOP stops a process, or a machine that is
// suspended: nothing happens on it, but what comes for it waits, and its
// clock, the clock of the world, goes on.
func (n *Node) Freeze() { n.frozen = n.m != nil }

// Frozen reports whether the node is frozen.
func (n *Node) Frozen() bool { return n.frozen }

// Thaw lets a frozen node go on: all that has come, and all timers that have
// become due, happen now. Which of the two is first is drawn, as it is up to
// the scheduler of a real machine.
func (n *Node) Thaw() {
	if !n.frozen {
		return
	}
	n.frozen = false
	waited := n.stopped
	n.stopped = nil
	if n.sim.rand.OneIn(2) {
		slices.SortStableFunc(waited, func(a, b due) int { return b2i(n.sim.isTimer(a)) - b2i(n.sim.isTimer(b)) })
	}
	for _, d := range waited {
		d.at = n.sim.now
		n.sim.add(d)
	}
}

func (s *Sim) isTimer(d due) bool { return !d.isPacket() && s.made.at(^d.what).do == evTimer }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
