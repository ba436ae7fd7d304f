package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// What makes the overlay stabilise from any state, whatever was lost (the thesis
// rests on no message being lost, 4.3.1):
//   - who is alone looks for the network, who does not become stable asks its
//     neighbours for their views;
//   - even who is content looks for somebody to meet once in a while, because two
//     overlays that do not know of each other are content as well: two first
//     nodes, or the parts of a network that was cut. After a loss it looks soon,
//     then ever more rarely, so that what was cut for long takes as long to heal.
type stabilization struct {
	wait, discoverWait   time.Duration
	watching             bool // timerStabilize is set
	timer, discoverTimer uint32
}

const (
	firstWait       = 5 * time.Second
	maxWait         = 5 * time.Minute // of who is alone or unstable
	maxDiscoverWait = time.Hour
	// disputeAfter is how long neighbours may contradict each other before it is
	// disputed: longer than a message or a ping takes.
	disputeAfter = 30 * time.Second
)

// scheduleStabilize sees to it that a change ends well.
func (n *Node) scheduleStabilize() {
	if n.watching && n.wait == firstWait {
		return
	}
	n.wait = firstWait
	n.rearmStabilize()
}

func (n *Node) rearmStabilize() {
	n.watching = true
	n.timer++
	n.setTimerJittered(n.wait, machine.Timer{Kind: timerStabilize, Gen: n.timer})
}

// setTimerJittered sets a timer, a little later at random so that nodes do not act in step.
func (n *Node) setTimerJittered(d time.Duration, t machine.Timer) {
	jitter := time.Duration(n.env.Rand().Intn(int(d / 2)))
	n.env.SetTimer(n.env.Now().Add(d+jitter), t)
}

// setTimerOnce is the same for a timer that is set once at a time; its handler clears set.
func (n *Node) setTimerOnce(set *bool, d time.Duration, kind uint16) {
	if !*set {
		*set = true
		n.setTimerJittered(d, machine.Timer{Kind: kind})
	}
}

// stabilize acts on what has not ended well, and waits longer the next time.
func (n *Node) stabilize() {
	n.watching = false
	n.expireDeparted()
	n.wait = min(2*n.wait, maxWait)
	switch {
	case len(n.neighbours) == 0 && len(n.pending) == 0:
		n.findBootstrapNode()
	case !n.Stable():
		n.reconcile()
		if len(n.pending) == 0 {
			n.requestInconsistentViews()
		}
		if n.wait > disputeAfter {
			n.reportOmissions()
		}
	default:
		return
	}
	n.rearmStabilize()
}

// discoverSoon begins to look for strangers, at start and after a loss.
func (n *Node) discoverSoon() {
	if n.discoverTimer > 0 && n.discoverWait <= 2*firstWait {
		return // soon enough
	}
	n.discoverWait = firstWait
	n.discoverLater()
}

func (n *Node) discoverLater() {
	n.discoverTimer++
	n.setTimerJittered(n.discoverWait, machine.Timer{Kind: timerDiscover, Gen: n.discoverTimer})
}

func (n *Node) discover() {
	n.reconcile()
	if len(n.neighbours) > 0 {
		n.findBootstrapNode()
	}
	n.discoverWait = min(4*n.discoverWait, maxDiscoverWait)
	n.discoverLater()
}
