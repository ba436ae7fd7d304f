package node

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
)

const (
	// accuseEvery is how often people are told of the same node at most: a node that
	// was cut off comes back and sends the same again.
	accuseEvery = 10 * time.Minute
	// accusedKept is of how many nodes this is remembered.
	accusedKept = 256
)

// accused remembers of which nodes people were told.
type accused struct {
	last recent.Map[id.ID, machine.Time]
}

func newAccused() accused { return accused{recent.New[id.ID, machine.Time](accusedKept)} }

// accuse tells people that a node has sent something false, which was refused.
func (w *network) accuse(f *remoteNode, format string, args ...any) {
	now := w.n.env.Now()
	if last, ok := w.accused.last.Get(f.peer.ID); ok && now.Sub(last) < accuseEvery {
		return
	}
	w.accused.last.Put(f.peer.ID, now)
	w.note(fmt.Sprintf("Node %s has sent ", f.peer.ID.Short()) + fmt.Sprintf(format, args...))
}
