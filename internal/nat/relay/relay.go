// Package relay lets two nodes that cannot reach each other do so by a third
// that both have a link to: it passes on the offers with which they try to reach
// each other directly (package nat), and, if that fails, their packets.
//
// Invariants:
//   - what is passed on goes to a node that has asked for exactly this peer, over
//     a link that it has opened itself: a relay never sends to somebody who did
//     not ask, and it sends one packet of the same size for each that it gets;
//   - a circuit has limits of bytes, of bytes a second and of time, a node one of
//     circuits, the relay one of circuits and of bytes a second altogether;
//   - the packets are those of sealed connections between the two: the relay
//     can read and forge nothing.
//
// It is pure: time is passed in.
package relay

import (
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Errors: why something was not passed on.
var (
	ErrFull    = errors.New("the relay has no circuit left")
	ErrNoPeer  = errors.New("the other end has not asked for this circuit")
	ErrTooMuch = errors.New("the circuit's limit of bytes or time is reached")
	ErrTooBig  = errors.New("the packet is too large")
)

// MaxPacket is the largest packet that is passed on: more than any path carries.
const MaxPacket = 1500

// Limits are a relay's.
type Limits struct {
	Circuits int           // at a time
	PerNode  int           // circuits of one node
	Rate     int           // bytes a second of a circuit, both directions together
	Total    int           // bytes a second of the relay
	Bytes    int64         // of a circuit, altogether
	Life     time.Duration // of a circuit
	Idle     time.Duration // a circuit that nobody uses or renews for so long is gone
}

// DefaultLimits are what a public node gives away: about that much of a home
// line's upstream.
var DefaultLimits = Limits{
	Circuits: 64, PerNode: 8, Rate: 128 << 10, Total: 1 << 20,
	Bytes: 2 << 30, Life: 6 * time.Hour, Idle: time.Minute,
}

// pair names a circuit: the lesser id first.
type pair struct{ a, b id.ID }

func pairOf(x, y id.ID) pair {
	for i := range x {
		if x[i] != y[i] {
			if x[i] > y[i] {
				x, y = y, x
			}
			break
		}
	}
	return pair{x, y}
}

type circuit struct {
	asked [2]bool // by a, by b
	since machine.Time
	used  machine.Time
	bytes int64
	fill  bucket
}

// bucket is a token bucket: a second's worth of bytes may come at once.
type bucket struct {
	left float64
	at   machine.Time
}

func (b *bucket) take(n, rate int, now machine.Time) bool {
	b.left = min(float64(rate), b.left+float64(rate)*now.Sub(b.at).Seconds())
	b.at = now
	if b.left < float64(n) {
		return false
	}
	b.left -= float64(n)
	return true
}

// Relay is what a public node keeps.
type Relay struct {
	limits   Limits
	circuits map[pair]*circuit
	nodes    map[id.ID]int
	total    bucket
}

// New returns a relay.
func New(l Limits) *Relay {
	return &Relay{limits: l, circuits: map[pair]*circuit{}, nodes: map[id.ID]int{}, total: bucket{left: float64(l.Total)}}
}

// Circuits is how many there are.
func (r *Relay) Circuits() int { return len(r.circuits) }

// Ask notes that a linked node wants to hear from another. The circuit is open
// once both have asked; asking again keeps it from becoming idle.
func (r *Relay) Ask(from, peer id.ID, now machine.Time) (open bool, err error) {
	if from == peer {
		return false, ErrNoPeer
	}
	r.expire(now)
	p := pairOf(from, peer)
	c := r.circuits[p]
	if c == nil {
		if len(r.circuits) >= r.limits.Circuits || r.nodes[from] >= r.limits.PerNode {
			return false, ErrFull
		}
		c = &circuit{since: now, fill: bucket{left: float64(r.limits.Rate), at: now}}
		r.circuits[p] = c
	}
	side := c.side(p, from)
	if !c.asked[side] {
		if r.nodes[from] >= r.limits.PerNode {
			return false, ErrFull
		}
		r.nodes[from]++
		c.asked[side] = true
	}
	c.used = now
	return c.asked[0] && c.asked[1], nil
}

func (c *circuit) side(p pair, who id.ID) int {
	if who == p.b {
		return 1
	}
	return 0
}

// Pass reports whether a packet of n bytes may be passed on between two nodes;
// nil: it is counted, and sent by the caller.
func (r *Relay) Pass(from, to id.ID, n int, now machine.Time) error {
	if n < 1 || n > MaxPacket {
		return fmt.Errorf("%w: %d bytes", ErrTooBig, n)
	}
	p := pairOf(from, to)
	c := r.circuits[p]
	if c == nil || !c.asked[0] || !c.asked[1] {
		return ErrNoPeer
	}
	if r.over(c, now) {
		r.remove(p)
		return ErrTooMuch
	}
	if c.bytes+int64(n) > r.limits.Bytes || !c.fill.take(n, r.limits.Rate, now) || !r.total.take(n, r.limits.Total, now) {
		return ErrTooMuch
	}
	c.bytes += int64(n)
	c.used = now
	return nil
}

func (r *Relay) over(c *circuit, now machine.Time) bool {
	return now.Sub(c.since) > r.limits.Life || now.Sub(c.used) > r.limits.Idle
}

func (r *Relay) expire(now machine.Time) {
	for p, c := range r.circuits { // the order does not matter: each is looked at alone
		if r.over(c, now) {
			r.remove(p)
		}
	}
}

func (r *Relay) remove(p pair) {
	c := r.circuits[p]
	delete(r.circuits, p)
	for side, who := range [2]id.ID{p.a, p.b} {
		if !c.asked[side] {
			continue
		}
		if r.nodes[who]--; r.nodes[who] == 0 {
			delete(r.nodes, who)
		}
	}
}

// Gone ends all circuits of a node whose link is down.
func (r *Relay) Gone(who id.ID) {
	for p := range r.circuits {
		if p.a == who || p.b == who {
			r.remove(p)
		}
	}
}
