package client

import (
	"container/list"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// cacheBytes bounds the encoded columns that a node keeps: about ten thousand
// columns of usual terrain.
const cacheBytes = 64 << 20

// columnCache encodes each frozen column version once for all sessions.
type columnCache struct {
	pack    func(*world.Column) *wire.Column
	packers sync.Pool // *wire.Packer

	mu    sync.Mutex
	known map[*world.Column]*list.Element // of *packed
	used  list.List                       // front: last used
	bytes int
	limit int
}

type packed struct {
	column *world.Column
	once   sync.Once
	msg    []byte
}

func newColumnCache(limit int, pack func(*world.Column) *wire.Column) *columnCache {
	c := &columnCache{pack: pack, known: map[*world.Column]*list.Element{}, limit: limit}
	c.packers.New = func() any { return new(wire.Packer) }
	if pack == nil {
		c.pack = c.packOwn
	}
	return c
}

// packOwn packs a column, several at the same time.
func (c *columnCache) packOwn(col *world.Column) *wire.Column {
	packer := c.packers.Get().(*wire.Packer)
	defer c.packers.Put(packer)
	return packer.Column(col)
}

// message returns the encoded Column message of a frozen column. Sessions that
// ask for the same column at the same time wait for one encoding.
func (c *columnCache) message(col *world.Column) []byte {
	c.mu.Lock()
	e := c.known[col]
	if e == nil {
		e = c.used.PushFront(&packed{column: col})
		c.known[col] = e
	} else {
		c.used.MoveToFront(e)
	}
	c.mu.Unlock()
	p := e.Value.(*packed)
	p.once.Do(func() {
		p.msg = wire.Encode(c.pack(col))
		c.account(len(p.msg))
	})
	return p.msg
}

// account notes n more bytes and forgets what was not used for the longest.
func (c *columnCache) account(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += n
	for c.bytes > c.limit && c.used.Len() > 1 {
		old := c.used.Remove(c.used.Back()).(*packed)
		delete(c.known, old.column)
		c.bytes -= len(old.msg)
	}
}
