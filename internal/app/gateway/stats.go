package gateway

import (
	"context"
	"sync"
	"time"
)

// statsFresh is for how long the node's figures are shown again. Reading them
// interrupts the node, and /healthz may be asked by anybody, as often as they like.
const statsFresh = time.Second

// statsCache reads the node's figures at most once in statsFresh.
type statsCache struct {
	read func(context.Context) (Stats, error)

	mu    sync.Mutex
	at    time.Time
	stats Stats
	err   error
}

// get returns figures that are at most statsFresh old. Those who ask meanwhile
// wait for the same answer, so whoever asked first does not take it along by leaving.
func (c *statsCache) get() (Stats, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || time.Since(c.at) > statsFresh {
		ctx, cancel := context.WithTimeout(context.Background(), statsTime)
		defer cancel()
		c.stats, c.err = c.read(ctx)
		c.at = time.Now()
	}
	return c.stats, c.err
}
