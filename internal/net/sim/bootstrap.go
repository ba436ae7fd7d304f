package sim

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Bootstrap is a bootstrapping service that knows zones (thesis 6.1.6): it gives
// out one registered node of each zone at random, and is a little behind the
// truth (6.2.4). T is how a node is named.
type Bootstrap[T comparable] struct {
	sim   *Sim
	zone  func(T) int
	zones [][]T
	// Answer and Register are the bounds of how long it takes to answer, and to
	// add or remove a node.
	Answer, Register [2]time.Duration
}

// NewBootstrap returns a service with the thesis' delays.
func NewBootstrap[T comparable](s *Sim, zones int, zone func(T) int) *Bootstrap[T] {
	return &Bootstrap[T]{
		sim: s, zone: zone, zones: make([][]T, zones),
		Answer:   [2]time.Duration{100 * time.Millisecond, 300 * time.Millisecond},
		Register: [2]time.Duration{200 * time.Millisecond, 500 * time.Millisecond},
	}
}

// Seek returns the job that asks for nodes; its result is a []T.
func (b *Bootstrap[T]) Seek() machine.Job {
	return &seek[T]{b, b.sim.between(b.Answer)}
}

type seek[T comparable] struct {
	b    *Bootstrap[T]
	cost time.Duration
}

func (j *seek[T]) Cost() time.Duration { return j.cost }

func (j *seek[T]) Run() (any, error) {
	var out []T
	for _, zone := range j.b.zones {
		if len(zone) > 0 {
			out = append(out, zone[j.b.sim.rand.Intn(len(zone))])
		}
	}
	return out, nil
}

// Announce returns the job that registers or removes a node. It takes effect
// even if the node has stopped meanwhile.
func (b *Bootstrap[T]) Announce(who T, on bool) machine.Job {
	d := b.sim.between(b.Register)
	b.sim.At(b.sim.now.Add(d), func() {
		b.Remove(who)
		if z := b.zone(who); on {
			b.zones[z] = append(b.zones[z], who)
		}
	})
	return told(d)
}

// Remove takes a failed node out.
func (b *Bootstrap[T]) Remove(who T) {
	z := b.zone(who)
	for i, t := range b.zones[z] {
		if t == who {
			b.zones[z] = append(b.zones[z][:i], b.zones[z][i+1:]...)
			return
		}
	}
}

type told time.Duration

func (t told) Cost() time.Duration { return time.Duration(t) }
func (t told) Run() (any, error)   { return nil, nil }

func (s *Sim) between(d [2]time.Duration) time.Duration {
	return d[0] + time.Duration(s.rand.Float64()*float64(d[1]-d[0]))
}
