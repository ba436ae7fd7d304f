package client

import "github.com/voxelpopuli/voxelpopuli/internal/world"

// claims remembers where a client said it was after its last inputs, until the
// home acknowledges them: an input that is acknowledged without a correction
// was right.
type claims struct {
	ring [64]claim
	next int
}

type claim struct {
	seq uint32
	pos world.Vec
}

func (c *claims) add(seq uint32, pos world.Vec) {
	c.ring[c.next%len(c.ring)] = claim{seq, pos}
	c.next++
}

// at returns where the client was after input seq, or after the last one of
// its message before that.
func (c *claims) at(seq uint32) (pos world.Vec, ok bool) {
	for i := 1; i <= len(c.ring) && i <= c.next; i++ {
		if e := &c.ring[(c.next-i)%len(c.ring)]; e.seq <= seq {
			return e.pos, true
		}
	}
	return world.Vec{}, false
}
