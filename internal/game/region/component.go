package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// component is what each part of a Region has: the configuration, the way out,
// and where it counts what it does.
type component struct {
	cfg   *Config
	env   machine.Env
	stats *Stats
}

// after sets a timer.
func (c *component) after(d time.Duration, t machine.Timer) {
	c.env.SetTimer(c.env.Now().Add(d), t)
}

// Kinds of jobs, in the high byte of a tag.
const (
	jobRead = iota + 1
	jobWrite
	jobGenerate
	jobVerify
)

// jobTags numbers the jobs of a region.
type jobTags struct{ last uint64 }

// next returns a new tag for a job of a kind. The low byte is free for the
// job's own use.
func (t *jobTags) next(kind uint64) uint64 {
	t.last++
	return kind<<56 | t.last<<8
}

// Kinds of timers.
const (
	timerTick = iota + 1
	timerRead
	timerRetry
	timerHandover
	timerEdit
	timerMob
	timerBorder
	timerClaim
)
