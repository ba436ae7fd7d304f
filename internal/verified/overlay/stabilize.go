package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// What makes the overlay stabilise from any state, whatever was lost (the thesis
// rests on no message being lost, 4.3.1):
//   - who is alone looks for the network, who does not become stable asks its
//     neighbours for their views;
//   - even who is content looks for somebody to meet once in a while, because two
//     overlays that do not know of each other are content as well: two first
//     nodes, or the parts of a network that was cut. After a loss it looks soon,
//     then ever more rarely, so that what was cut for long takes as long to heal.
type stabilizer struct {
	*core
	hood       *neighbourhood
	departures *departures
	falseViews *viewRecords
	joins      *joiner

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
func (st *stabilizer) scheduleStabilize() {
	if st.watching && st.wait == firstWait {
		return
	}
	st.wait = firstWait
	st.rearmStabilize()
}

func (st *stabilizer) rearmStabilize() {
	st.watching = true
	st.timer++
	st.setTimerJittered(st.wait, machine.Timer{Kind: timerStabilize, Gen: st.timer})
}

// setTimerJittered sets a timer, a little later at random so that nodes do not act in step.
func (co *core) setTimerJittered(d time.Duration, t machine.Timer) {
	jitter := time.Duration(co.env.Rand().Intn(int(d / 2)))
	co.env.SetTimer(co.env.Now().Add(d+jitter), t)
}

// setTimerOnce is the same for a timer that is set once at a time; its handler clears set.
func (co *core) setTimerOnce(set *bool, d time.Duration, kind uint16) {
	if !*set {
		*set = true
		co.setTimerJittered(d, machine.Timer{Kind: kind})
	}
}

// stabilize acts on what has not ended well, and waits longer the next time.
func (st *stabilizer) stabilize() {
	st.watching = false
	st.departures.expireDeparted()
	st.wait = min(2*st.wait, maxWait)
	switch {
	case len(st.hood.neighbours) == 0 && len(st.hood.pending) == 0:
		st.joins.findBootstrapNode()
	case !st.hood.Stable():
		st.hood.reconcile()
		if len(st.hood.pending) == 0 {
			st.hood.requestInconsistentViews()
		}
		if st.wait > disputeAfter {
			st.falseViews.reportOmissions()
		}
	default:
		return
	}
	st.rearmStabilize()
}

// discoverSoon begins to look for strangers, at start and after a loss.
func (st *stabilizer) discoverSoon() {
	if st.discoverTimer > 0 && st.discoverWait <= 2*firstWait {
		return // soon enough
	}
	st.discoverWait = firstWait
	st.discoverLater()
}

func (st *stabilizer) discoverLater() {
	st.discoverTimer++
	st.setTimerJittered(st.discoverWait, machine.Timer{Kind: timerDiscover, Gen: st.discoverTimer})
}

func (st *stabilizer) discover() {
	st.hood.reconcile()
	if len(st.hood.neighbours) > 0 {
		st.joins.findBootstrapNode()
	}
	st.discoverWait = min(4*st.discoverWait, maxDiscoverWait)
	st.discoverLater()
}
