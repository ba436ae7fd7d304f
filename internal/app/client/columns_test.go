package client

import (
	"sync"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

func TestColumnsAreEncodedOnce(t *testing.T) {
	c := newColumnCache(1<<20, nil)
	col := terrain.New(1).Column(world.ColumnPos{X: 3})
	var mu sync.Mutex
	first := map[*byte]bool{}
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			m := c.message(col)
			mu.Lock()
			first[&m[0]] = true
			mu.Unlock()
		})
	}
	wait.Wait()
	if len(first) != 1 {
		t.Errorf("encoded %d times", len(first))
	}
	var m wire.Column
	var u wire.Unpacker
	if err := wire.DecodeInto(c.message(col), &m); err != nil {
		t.Fatal(err)
	}
	if got, err := u.Column(&m); err != nil || !got.Equal(col) {
		t.Errorf("another column: %v", err)
	}
}

func TestColumnCacheIsBounded(t *testing.T) {
	c := newColumnCache(20<<10, nil)
	g := terrain.New(1)
	var hot *world.Column
	for i := range int32(40) {
		col := g.Column(world.ColumnPos{X: i})
		if hot == nil {
			hot = col
		}
		c.message(col)
		c.message(hot)
	}
	if c.bytes > c.limit || len(c.known) != c.used.Len() || len(c.known) == 40 {
		t.Errorf("%d bytes in %d columns", c.bytes, len(c.known))
	}
	if c.known[hot] == nil {
		t.Error("forgot what was used all the time")
	}
}
