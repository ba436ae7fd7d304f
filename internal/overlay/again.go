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
type again struct {
	wait, meetWait time.Duration
	watching       bool // timerAgain is set
	timer, meeting uint32
}

const (
	firstWait   = 5 * time.Second
	maxWait     = 5 * time.Minute // of who is alone or unstable
	maxMeetWait = time.Hour
	// patience is how long neighbours may contradict each other before it is
	// disputed: longer than a message or a ping takes.
	patience = 30 * time.Second
)

// watchOver sees to it that a change ends well.
func (n *Node) watchOver() {
	if n.watching && n.wait == firstWait {
		return
	}
	n.wait = firstWait
	n.rearm()
}

func (n *Node) rearm() {
	n.watching = true
	n.timer++
	n.after(n.wait, machine.Timer{Kind: timerAgain, Gen: n.timer})
}

// after sets a timer, a little later at random so that nodes do not act in step.
func (n *Node) after(d time.Duration, t machine.Timer) {
	jitter := time.Duration(n.env.Rand().Intn(int(d / 2)))
	n.env.SetTimer(n.env.Now().Add(d+jitter), t)
}

// once is the same for a timer that is set once at a time; its handler clears set.
func (n *Node) once(set *bool, d time.Duration, kind uint16) {
	if !*set {
		*set = true
		n.after(d, machine.Timer{Kind: kind})
	}
}

// askAgain acts on what has not ended well, and waits longer the next time.
func (n *Node) askAgain() {
	n.watching = false
	n.forget()
	n.wait = min(2*n.wait, maxWait)
	switch {
	case len(n.neighbours) == 0 && len(n.pending) == 0:
		n.seek()
	case !n.Stable():
		n.reconcile()
		if len(n.pending) == 0 {
			n.askDoubtful()
		}
		if n.wait > patience {
			n.dispute()
		}
	default:
		return
	}
	n.rearm()
}

// meetSoon begins to look for strangers, at start and after a loss.
func (n *Node) meetSoon() {
	if n.meeting > 0 && n.meetWait <= 2*firstWait {
		return // soon enough
	}
	n.meetWait = firstWait
	n.meetLater()
}

func (n *Node) meetLater() {
	n.meeting++
	n.after(n.meetWait, machine.Timer{Kind: timerMeet, Gen: n.meeting})
}

func (n *Node) meet() {
	n.reconcile()
	if len(n.neighbours) > 0 {
		n.seek()
	}
	n.meetWait = min(4*n.meetWait, maxMeetWait)
	n.meetLater()
}
