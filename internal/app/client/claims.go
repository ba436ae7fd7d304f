package client

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// claims remembers where a client said it was after its last inputs, until the
// home acknowledges them: an input that is acknowledged without a correction was
// right. Only what the home compares counts, so a claim is kept once, for an input
// that is newer than all before, and only the last of what travels together.
type claims struct {
	ring  [64]claim
	next  int
	acked uint32 // up to which a claim was believed
}

type claim struct {
	seq uint32
	pos world.Vec
}

// stepAtMost is how far a body comes in a step along one axis of the ground; the
// fastest, who flies and sprints, comes half as far. stepsAtMost bounds what may have
// gathered since a claim was last believed.
const (
	stepAtMost  = 2 * fixed.One
	stepsAtMost = 64
)

// add notes a claim. behind: the input travels together with the one before, of
// which the home compares nothing then.
func (c *claims) add(seq uint32, pos world.Vec, behind bool) {
	if c.next > 0 && seq <= c.ring[(c.next-1)%len(c.ring)].seq {
		return // the home has had it, and does nothing with it
	}
	if behind && c.next > 0 {
		c.next--
	}
	c.ring[c.next%len(c.ring)] = claim{seq, pos}
	c.next++
}

// at returns where the client was after input seq, or after the last one of
// its message before that, if it can have come there from where it was before.
func (c *claims) at(seq uint32, before world.Vec) (pos world.Vec, ok bool) {
	for i := 1; i <= len(c.ring) && i <= c.next; i++ {
		e := &c.ring[(c.next-i)%len(c.ring)]
		if e.seq > seq {
			continue
		}
		if e.seq <= c.acked {
			return world.Vec{}, false
		}
		d := e.pos.Sub(before)
		if far := fixed.Num(min(e.seq-c.acked, stepsAtMost)) * stepAtMost; d.X.Abs() > far || d.Z.Abs() > far {
			return world.Vec{}, false
		}
		c.acked = e.seq
		return e.pos, true
	}
	return world.Vec{}, false
}
