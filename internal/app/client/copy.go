package client

import (
	"hash/maphash"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Copy is a client's copy of the blocks around it. Several mirrors of one world
// in one process may share a Copy, which then holds what any of them has seen.
// It is safe for concurrent use.
type Copy struct {
	seed maphash.Seed

	mu      sync.RWMutex
	columns map[world.ColumnPos]*copied
	unpack  wire.Unpacker
}

type copied struct {
	column *world.Column
	sum    uint64 // of the message it came from, 0 once it has changed
	users  int
}

// NewCopy returns an empty copy.
func NewCopy() *Copy {
	return &Copy{seed: maphash.MakeSeed(), columns: map[world.ColumnPos]*copied{}}
}

// put takes a column for one user. What is there already, to the byte, is not
// unpacked again.
func (c *Copy) put(m *wire.Column, first bool) error {
	sum := maphash.Bytes(c.seed, m.Deflated)
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.columns[m.Pos]
	if have == nil || have.sum != sum {
		col, err := c.unpack.Column(m)
		if err != nil {
			return err
		}
		if have == nil {
			have = &copied{}
			c.columns[m.Pos] = have
		}
		have.column, have.sum = col, sum
	}
	if first {
		have.users++
	}
	return nil
}

// drop forgets a column for one user.
func (c *Copy) drop(p world.ColumnPos) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have := c.columns[p]; have != nil {
		if have.users--; have.users <= 0 {
			delete(c.columns, p)
		}
	}
}

// set changes a block.
func (c *Copy) set(p world.Pos, b world.Block) {
	c.mu.RLock()
	old, ok := c.at(p)
	c.mu.RUnlock()
	if !ok || old == b {
		return // another mirror was faster
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if have := c.columns[p.Column()]; have != nil {
		o := p.Column().Origin()
		have.column.Set(int(p.X-o.X), int(p.Y), int(p.Z-o.Z), b)
		have.sum = 0
	}
}

// Block implements world.Blocks.
func (c *Copy) Block(p world.Pos) (world.Block, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.at(p)
}

// Read lets do read many blocks with one lock. It must not call c.
func (c *Copy) Read(do func(world.Blocks)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	do((*locked)(c))
}

// locked is a Copy whose lock is held.
type locked Copy

// Block implements world.Blocks.
func (l *locked) Block(p world.Pos) (world.Block, bool) { return (*Copy)(l).at(p) }

func (c *Copy) at(p world.Pos) (world.Block, bool) {
	switch {
	case p.Y < 0:
		return world.Bedrock, true
	case p.Y >= world.Height:
		return world.Air, true
	}
	have := c.columns[p.Column()]
	if have == nil {
		return world.Air, false
	}
	o := p.Column().Origin()
	return have.column.At(int(p.X-o.X), int(p.Y), int(p.Z-o.Z)), true
}
