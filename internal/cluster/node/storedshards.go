package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

const (
	maxStoredAtOnce  = 4
	retryStoredAfter = 5 * directory.Rejoin // for one that could not be adopted
)

// storedShards are shards that are on this node's disk without groups, from when it was
// the world's only node. Once the world may be shared the node creates a group around
// each, few at a time, and the groups grow as all others do.
type storedShards struct {
	part.Part
	dir      *directory.Directory
	creation *groupCreation

	shards  map[shards.Shard]bool
	retries map[shards.Shard]machine.Time // when to try again
	next    machine.Time
}

func newStoredShards(c part.Part, dir *directory.Directory, creation *groupCreation, stored []shards.Shard) *storedShards {
	s := &storedShards{Part: c, dir: dir, creation: creation, shards: map[shards.Shard]bool{}, retries: map[shards.Shard]machine.Time{}}
	for _, p := range stored {
		s.shards[p] = true
	}
	return s
}

// has reports whether a shard is on the disk without a group.
func (s *storedShards) has(p shards.Shard) bool { return s.shards[p] }

// remove is when a shard has a group.
func (s *storedShards) remove(p shards.Shard) { delete(s.shards, p) }

// beat looks after shards that have no group yet.
func (s *storedShards) beat(now machine.Time) {
	if len(s.shards) == 0 || !s.dir.HasJoined() || s.IsLeaving() || now < s.next {
		return
	}
	begun := 0
	for _, p := range shards.Sorted(s.shards) {
		if s.creation.isSearching(p) || s.retries[p] > now {
			continue
		}
		if begun == maxStoredAtOnce {
			return
		}
		begun++
		s.retries[p] = now.Add(retryStoredAfter)
		s.dir.Find(p, func(r kademlia.Result) {
			if r.Record == nil {
				s.creation.Coordinate(p, nil)
				return
			}
			delete(s.shards, p)
			s.Note(p.String() + " is hosted by others already: what this node had of it is left aside on its disk.")
		})
	}
	if begun == 0 {
		s.next = now.Add(directory.Rejoin)
	}
}
