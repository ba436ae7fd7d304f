package accountability

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// copyChecking compares the blocks that a region's leader has its group write, which is
// what counts when another leads, with those that its log leads to. A leader that begins
// its log anew with a false state, or writes something else than it shows, must do both
// alike from then on. A difference is no proof, for what is written is not signed.
type copyChecking struct {
	part.Part
	group   *shardgroup.Group
	jobs    *part.Runner
	terrain *terrain.Generator
	suspect func(copyDifference)

	led   machine.Time // when this node led the group last
	stuck uint64       // what its replica had applied after that; 0: it was not looked at yet

	leader  machine.Peer
	round   uint64 // results of former leaders do not count
	busy    bool
	begun   machine.Time // of the comparison
	next    machine.Time
	agreed  [world.Columns]*world.Column // as the log led to them, when they were written so
	records region.BlockRecords          // of what was written then
	stands  map[world.Pos]copyDifference
}

// copyDifference is a block that the log and what is written differ in.
type copyDifference struct {
	world.BlockChange // Was: as it is written, Now: as the log leads to it
	since             machine.Time
	seen              int // in so many comparisons in a row
}

const (
	compareCopyEvery  = 5 * time.Second
	compareCopyAgain  = 2 * time.Second // while something differs
	maxCopyDifference = 64
	// standsFor and standsSeen are how long the same block must differ in the same way.
	// What is written comes a little later than the log, or earlier.
	standsFor  = 6 * time.Second
	standsSeen = 4
	// copyReadTime is when a comparison that has not ended is given up: the replica had to
	// begin anew.
	copyReadTime = time.Minute
)

// reset forgets what was compared.
func (k *copyChecking) reset(leader machine.Peer) {
	k.leader, k.busy, k.stands, k.agreed = leader, false, nil, [world.Columns]*world.Column{}
	k.round++
}

// leads is when this node leads the group.
func (k *copyChecking) leads(now machine.Time) { k.led, k.stuck = now, 0 }

// isBehind reports whether the replica here may have been left behind: other members ignore for
// a while a leader that they have suspected, and then it hears of no write.
func (k *copyChecking) isBehind(applied uint64) bool {
	if k.led == 0 || k.Env.Now().Sub(k.led) >= suspectedFor {
		return false
	}
	if k.stuck == 0 {
		k.stuck = applied
	}
	return k.stuck == applied
}

// beat compares from time to time. replayed is the area as the leader's log has led to it
// until a moment ago; nil: it is not known.
func (k *copyChecking) beat(now machine.Time, leader machine.Peer, replayed func() *world.Area) {
	if leader != k.leader || k.busy && now.Sub(k.begun) >= copyReadTime {
		k.reset(leader)
	}
	if leader == (machine.Peer{}) || k.busy || now < k.next || replayed() == nil {
		return
	}
	k.busy, k.begun, k.next = true, now, now.Add(compareCopyEvery)
	round := k.round
	k.group.Raft.ReadState(func(st group.State, err error) {
		if round != k.round {
			return
		}
		area := replayed()
		if k.busy = err == nil && area != nil && !k.isBehind(st.Index); k.busy {
			k.compare(st.Content, area)
		}
	})
}

// compare compares the columns that have changed, in a job.
func (k *copyChecking) compare(kvs []machine.KV, area *world.Area) {
	records, err := region.ReadBlockRecords(area.Pos(), kvs)
	if err != nil {
		k.busy = false
		return
	}
	job := compareCopy{kvs: kvs, columns: make([]*world.Column, world.Columns), made: map[world.ColumnPos]*world.Column{}}
	for i := range job.columns {
		if c := area.Share(i); c != k.agreed[i] || records.Digest[i] != k.records.Digest[i] {
			job.columns[i] = c
		}
	}
	k.records = records
	k.generate(job)
}

// generate makes the columns of which there are only changes, one after the other, and then
// compares.
func (k *copyChecking) generate(job compareCopy) {
	round := k.round
	for i, c := range job.columns {
		if c == nil || k.records.Whole>>i&1 == 1 || job.made[c.Pos] != nil {
			continue
		}
		k.jobs.Do(region.Generate{Terrain: k.terrain, Column: c.Pos}, func(result any, err error) {
			if round != k.round {
				return
			}
			if job.made[c.Pos], k.busy = result.(*world.Column); k.busy {
				k.generate(job)
			}
		})
		return
	}
	k.jobs.Do(job, func(result any, err error) {
		if round != k.round {
			return
		}
		k.busy = false
		if list, ok := result.([]world.BlockChange); ok && err == nil {
			k.take(job.columns, list)
		}
	})
}

// compareCopy implements machine.Work.
type compareCopy struct {
	kvs     []machine.KV
	columns []*world.Column // nil: not compared
	made    map[world.ColumnPos]*world.Column
}

// Cost is what the comparison takes on an ordinary machine, for simulations.
func (compareCopy) Cost() time.Duration { return 20 * time.Millisecond }

// Run compares.
func (j compareCopy) Run() (any, error) {
	return region.CompareBlocks(j.kvs, j.columns, func(c world.ColumnPos) *world.Column { return j.made[c].Clone() }, maxCopyDifference)
}

// take takes which blocks differ.
func (k *copyChecking) take(columns []*world.Column, list []world.BlockChange) {
	k.Counts.CopiesCompared++
	now, before := k.Env.Now(), k.stands
	k.stands = map[world.Pos]copyDifference{}
	for i, c := range columns {
		if c != nil && len(list) < maxCopyDifference { // otherwise not all were compared
			k.agreed[i] = c
		}
	}
	for _, b := range list {
		k.agreed[b.At.Column().Index()] = nil
		d := before[b.At]
		if d.BlockChange != b {
			d = copyDifference{BlockChange: b, since: now}
		}
		d.seen++
		k.stands[b.At] = d
		if d.seen >= standsSeen && now.Sub(d.since) >= standsFor {
			k.reset(k.leader)
			k.suspect(d)
			return
		}
	}
	if len(list) > 0 {
		k.next = min(k.next, now.Add(compareCopyAgain))
	}
}

// String says which block differs, and how.
func (d copyDifference) String() string {
	return fmt.Sprintf("the block at x %d, y %d, z %d is %v in its log and %v in what it lets others keep", d.At.X, d.At.Y, d.At.Z, d.Now, d.Was)
}
