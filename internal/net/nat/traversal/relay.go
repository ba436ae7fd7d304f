package traversal

import (
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Errors: why a packet was not forwarded.
var (
	ErrNoCapacity   = errors.New("the relay has no allocation left")
	ErrNoPermission = errors.New("the other end has not asked for this allocation")
	ErrQuota        = errors.New("the allocation's limit of bytes or time is reached")
	ErrPacketSize   = errors.New("the packet is too large")
)

// MaxRelayedPacket is the largest packet that is forwarded: more than any path carries.
const MaxRelayedPacket = 1500

// RelayLimits bound what a relay does for others.
type RelayLimits struct {
	Allocations int           // at a time
	PerNode     int           // allocations of one node
	Rate        int           // bytes a second of an allocation, both directions together
	Total       int           // bytes a second of the relay
	Bytes       int64         // of an allocation, altogether
	Lifetime    time.Duration // of an allocation
	Idle        time.Duration // an allocation that nobody uses or renews for so long is gone
}

// DefaultRelayLimits are what a public node gives away: about that much of a home
// line's upstream.
var DefaultRelayLimits = RelayLimits{
	Allocations: 64, PerNode: 8, Rate: 128 << 10, Total: 1 << 20,
	Bytes: 2 << 30, Lifetime: 6 * time.Hour, Idle: time.Minute,
}

// allocationKey names an allocation: the lesser id first.
type allocationKey struct{ a, b id.ID }

func allocationKeyOf(x, y id.ID) allocationKey {
	for i := range x {
		if x[i] != y[i] {
			if x[i] > y[i] {
				x, y = y, x
			}
			break
		}
	}
	return allocationKey{x, y}
}

type allocation struct {
	permitted [2]bool // by a, by b
	since     machine.Time
	used      machine.Time
	bytes     int64
	budget    bucket
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

// Relay is the state of the allocations at a public node.
type Relay struct {
	limits      RelayLimits
	allocations map[allocationKey]*allocation
	perNode     map[id.ID]int
	total       bucket
}

// NewRelay returns a relay.
func NewRelay(l RelayLimits) *Relay {
	return &Relay{limits: l, allocations: map[allocationKey]*allocation{}, perNode: map[id.ID]int{}, total: bucket{left: float64(l.Total)}}
}

// Allocations returns their number.
func (r *Relay) Allocations() int { return len(r.allocations) }

// Allocate notes that a linked node permits packets from another. The allocation is
// ready once both have permitted it; repeating the request refreshes it.
func (r *Relay) Allocate(from, peer id.ID, now machine.Time) (open bool, err error) {
	if from == peer {
		return false, ErrNoPermission
	}
	r.expire(now)
	p := allocationKeyOf(from, peer)
	al := r.allocations[p]
	if al == nil {
		if len(r.allocations) >= r.limits.Allocations || r.perNode[from] >= r.limits.PerNode {
			return false, ErrNoCapacity
		}
		al = &allocation{since: now, budget: bucket{left: float64(r.limits.Rate), at: now}}
		r.allocations[p] = al
	}
	side := al.side(p, from)
	if !al.permitted[side] {
		if r.perNode[from] >= r.limits.PerNode {
			return false, ErrNoCapacity
		}
		r.perNode[from]++
		al.permitted[side] = true
	}
	al.used = now
	return al.permitted[0] && al.permitted[1], nil
}

func (al *allocation) side(p allocationKey, who id.ID) int {
	if who == p.b {
		return 1
	}
	return 0
}

// Forward checks whether a packet of n bytes may be forwarded between two nodes. If
// the error is nil the packet is counted, and the caller sends it.
func (r *Relay) Forward(from, to id.ID, n int, now machine.Time) error {
	if n < 1 || n > MaxRelayedPacket {
		return fmt.Errorf("%w: %d bytes", ErrPacketSize, n)
	}
	p := allocationKeyOf(from, to)
	al := r.allocations[p]
	if al == nil || !al.permitted[0] || !al.permitted[1] {
		return ErrNoPermission
	}
	if r.expired(al, now) {
		r.remove(p)
		return ErrQuota
	}
	if al.bytes+int64(n) > r.limits.Bytes || !al.budget.take(n, r.limits.Rate, now) || !r.total.take(n, r.limits.Total, now) {
		return ErrQuota
	}
	al.bytes += int64(n)
	al.used = now
	return nil
}

func (r *Relay) expired(al *allocation, now machine.Time) bool {
	return now.Sub(al.since) > r.limits.Lifetime || now.Sub(al.used) > r.limits.Idle
}

func (r *Relay) expire(now machine.Time) {
	for p, al := range r.allocations { // the order does not matter: each is looked at alone
		if r.expired(al, now) {
			r.remove(p)
		}
	}
}

func (r *Relay) remove(p allocationKey) {
	al := r.allocations[p]
	delete(r.allocations, p)
	for side, who := range [2]id.ID{p.a, p.b} {
		if !al.permitted[side] {
			continue
		}
		if r.perNode[who]--; r.perNode[who] == 0 {
			delete(r.perNode, who)
		}
	}
}

// Alive reports whether there is an allocation between two nodes.
func (r *Relay) Alive(x, y id.ID, now machine.Time) bool {
	al := r.allocations[allocationKeyOf(x, y)]
	return al != nil && !r.expired(al, now)
}

// End ends the allocation between two nodes, if there is one.
func (r *Relay) End(x, y id.ID) {
	if p := allocationKeyOf(x, y); r.allocations[p] != nil {
		r.remove(p)
	}
}

// Release ends all allocations of a node whose link is down.
func (r *Relay) Release(who id.ID) {
	for p := range r.allocations {
		if p.a == who || p.b == who {
			r.remove(p)
		}
	}
}
