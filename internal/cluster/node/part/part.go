// Package part is what the parts of a node have in common (decision 87): the way
// out, the configuration, counts, the queue to the shards, and whether the node is about
// to stop. A part is a struct that embeds Part and has state of its own.
package part

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Part is what each part of a network has: the way out, the configuration, where
// it counts what it does, and whether the node is about to stop.
type Part struct {
	Env     machine.Env
	Cfg     *Config
	Counts  *Counts
	Queue   Queue
	Accused *Accused
	Phase   *Phase
}

// Call is a message or a link event on its way to a shard.
type Call struct {
	To, From machine.Peer
	Msg      machine.Message
	Link     machine.LinkEvent // not 0: this, not a message
	Do       func()            // not nil: this, not a message
}

// Queue is the node's queue of what goes to its shards after the handler (Node).
type Queue interface{ Push(Call) }

// Jobs runs jobs on the worker pool, and tells the part that has asked when they are done.
type Jobs interface {
	Do(queue string, tag uint64, job machine.Job)
}

// Seat is a place for a machine of a part among those of the node: timers and jobs of its
// own.
type Seat interface {
	Jobs
	SetTimer(at machine.Time, t machine.Timer)
	// Put puts the machine there, or another one.
	Put(machine.Machine)
	// Leave lets go of it: its timers and jobs reach nobody any more.
	Leave()
	HasLeft() bool
}

// Phase is whether the node runs or hands over what it hosts before it stops. Only
// departure changes it.
type Phase struct{ Leaving bool }

// Note tells the person who runs the node something.
func (c *Part) Note(text string) {
	if c.Cfg.Note != nil {
		c.Cfg.Note(text)
	}
}

// Clock is a time as people read it.
func Clock(t machine.Time) string { return time.Unix(0, int64(t)).UTC().Format("15:04:05") }

// IsLeaving reports whether the node hands over what it hosts: it accepts nothing new.
func (c *Part) IsLeaving() bool { return c.Phase.Leaving }
