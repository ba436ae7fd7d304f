package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// component is what each part of a network has: the way out, the configuration, where
// it counts what it does, and whether the node is about to stop.
type component struct {
	env     machine.Env
	cfg     *PartConfig
	counts  *Counts
	queue   upcalls
	accused *accused
	phase   *phase
}

// upcall is a message or a link event on its way to a shard.
type upcall struct {
	to, from machine.Peer
	m        machine.Message
	link     machine.LinkEvent // not 0: this, not a message
	do       func()            // not nil: this, not a message
}

// upcalls is the node's queue of what goes to its shards after the handler (Node).
type upcalls interface{ push(upcall) }

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

// phase is whether the node runs or hands over what it hosts before it stops. Only
// departure changes it.
type phase struct{ leaving bool }

// note tells the person who runs the node something.
func (c *component) note(text string) {
	if c.cfg.Note != nil {
		c.cfg.Note(text)
	}
}

// isLeaving reports whether the node hands over what it hosts: it accepts nothing new.
func (c *component) isLeaving() bool { return c.phase.leaving }
