package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// A world that had one node only has parts on that node's disk without groups.
// Once it may be shared the node makes a group around each, few at a time, and
// the groups grow as all others do.

const (
	adoptAtOnce = 4
	adoptAgain  = 5 * rejoin // for one that could not be adopted
)

// adopt looks after parts that have no group yet.
func (w *network) adopt(now machine.Time) {
	if len(w.stored) == 0 || !w.dir.joined || w.closing || now < w.adoptAt {
		return
	}
	begun := 0
	for _, p := range sortedParts(w.stored) {
		if w.making[p] != nil || w.adopting[p] > now {
			continue
		}
		if begun == adoptAtOnce {
			return
		}
		begun++
		w.adopting[p] = now.Add(adoptAgain)
		w.dir.look(p, func(r kademlia.Result) {
			if r.Record == nil {
				w.coordinate(p)
				return
			}
			delete(w.stored, p)
			w.note(p.String() + " is hosted by others already: what this node had of it is left aside on its disk.")
		})
	}
	if begun == 0 {
		w.adoptAt = now.Add(rejoin)
	}
}
