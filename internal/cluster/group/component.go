package group

import (
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// component is what all components of a replica have. Only the methods of state
// change st.
type component struct {
	cfg    *Config
	env    machine.Env
	events *eventQueue
	st     *state
}

// failer ends the replica. Replica implements it.
type failer interface{ fail(why error) }

func (c *component) now() machine.Time { return c.env.Now() }

// jitter is a random duration of at most d.
func (c *component) jitter(d time.Duration) time.Duration {
	return time.Duration(c.env.Rand().Intn(int(d) + 1))
}

// Tags of disk jobs; reads have those from tagReads on.
const (
	tagLoad = iota + 1
	tagWrite
	tagMoved
	tagIgnored
	tagReads
)

const (
	forever   = machine.Time(math.MaxInt64)
	retryDisk = 250 * time.Millisecond
)
