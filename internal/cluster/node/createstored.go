package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A world that had one node only has shards on that node's disk without groups.
// Once it may be shared the node makes a group around each, few at a time, and
// the groups grow as all others do.

const (
	maxStoredAtOnce  = 4
	retryStoredAfter = 5 * rejoin // for one that could not be adopted
)

// createStoredGroups looks after shards that have no group yet.
func (w *network) createStoredGroups(now machine.Time) {
	if len(w.stored) == 0 || !w.dir.joined || w.closing || now < w.nextStored {
		return
	}
	begun := 0
	for _, p := range sortedShards(w.stored) {
		if w.hostSearches[p] != nil || w.storedRetries[p] > now {
			continue
		}
		if begun == maxStoredAtOnce {
			return
		}
		begun++
		w.storedRetries[p] = now.Add(retryStoredAfter)
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
		w.nextStored = now.Add(rejoin)
	}
}
