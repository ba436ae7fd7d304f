package sim_test

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// counter answers each number with the next one, up to three.
type counter struct{ env machine.Env }

func (c *counter) Start() {}
func (c *counter) OnMessage(from machine.Peer, m machine.Message) {
	fmt.Println("received", m)
	if n := m.(int); n < 3 {
		c.env.Send(from, n+1)
	}
}
func (c *counter) OnTimer(machine.Timer)                  {}
func (c *counter) OnLink(machine.Peer, machine.LinkEvent) {}
func (c *counter) OnDone(uint64, any, error)              {}

// Two nodes run the same machine; the simulator carries their messages and moves
// the time. The same seed gives the same run.
func Example() {
	s := sim.New(1)
	build := func(env machine.Env) machine.Machine { return &counter{env} }
	a, b := s.Add(build), s.Add(build)
	a.Call(func() {
		env := a.Machine().(*counter).env
		env.Open(b.Peer())
		env.Send(b.Peer(), 1)
	})
	s.Run(time.Second)
	// Output:
	// received 1
	// received 2
	// received 3
}
