package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// component is what each part of a network has: the way out, the configuration, where
// it counts what it does, and whether the node is about to stop.
type component struct {
	env     machine.Env
	cfg     *Net
	counts  *Counts
	queue   upcalls
	accused *accused
	phase   *phase
}

// upcalls is the node's queue of what goes to its shards after the handler (Node).
type upcalls interface{ push(upcall) }

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
