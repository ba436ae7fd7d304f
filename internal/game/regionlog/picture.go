package regionlog

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// picture is a column as it was shown to sessions. Sessions that were shown the same have
// the same one, so that it costs little to know it of each session. A picture does not
// change: a frame with blocks leads to another one.
type picture struct {
	column *world.Column // frozen; nil: that of before, with the blocks that changed
	before *picture
	change []blockAt
	depth  int // pictures before it without a column of their own
	next   []*picture
	hash   [32]byte
	hashed bool
}

// blockAt is a block that a frame has.
type blockAt struct {
	at    world.Pos
	block world.Block
}

// put puts it into its column.
func (b blockAt) put(c *world.Column) {
	c.Set(int(b.at.X&(world.ChunkSize-1)), int(b.at.Y), int(b.at.Z&(world.ChunkSize-1)), b.block)
}

const (
	// maxDepth is how many changes are kept as such, before a column is made of them.
	maxDepth = 64
	// maxNext is how many different frames after a picture are looked for: a session at each
	// rate, and some that were crowded, get different ones.
	maxNext = 8
)

// pictureOf is a whole column.
func pictureOf(c *world.Column, hash [32]byte) *picture {
	return &picture{column: c, hash: hash, hashed: true}
}

// after is the picture after blocks have changed; made: nobody had it yet.
func (p *picture) after(change []blockAt) (q *picture, made bool) {
	for _, q := range p.next {
		if slices.Equal(q.change, change) {
			return q, false
		}
	}
	q = &picture{before: p, change: slices.Clone(change), depth: p.depth + 1}
	if q.depth >= maxDepth {
		q.content()
	}
	if len(p.next) < maxNext {
		p.next = append(p.next, q)
	}
	return q, true
}

// content is the column.
func (p *picture) content() *world.Column {
	if p.column != nil {
		return p.column
	}
	var changes [][]blockAt
	q := p
	for ; q.column == nil; q = q.before {
		changes = append(changes, q.change)
	}
	c := q.column.Clone()
	for _, change := range slices.Backward(changes) {
		for _, b := range change {
			b.put(c)
		}
	}
	p.column, p.before, p.depth = c, nil, 0
	return c
}

// sum is the hash of the column.
func (p *picture) sum() [32]byte {
	if !p.hashed {
		p.hash, p.hashed = hashColumn(p.content()), true
	}
	return p.hash
}
