package client

import (
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// hostsEvery is how old an answer to AskHosts may be: asking the node costs a
// look at everything it hosts, and many clients may have their map open.
const hostsEvery = 500 * time.Millisecond

// hostsCache is the last answer to AskHosts, encoded, for all sessions.
type hostsCache struct {
	ask func() *wire.Hosts

	mu   sync.Mutex
	made time.Time
	msg  []byte
}

// message returns the encoded answer.
func (c *hostsCache) message() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.msg == nil || time.Since(c.made) > hostsEvery {
		m := &wire.Hosts{}
		if c.ask != nil {
			m = c.ask()
		}
		c.msg, c.made = wire.Encode(m), time.Now()
	}
	return c.msg
}
