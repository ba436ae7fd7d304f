// Package codectest lets what machines say to each other in a simulation travel
// as it does between real nodes: as bytes. Simulations pass Go values, so that a
// message without a number, or a field that its codec forgets, would be missed
// by real nodes alone.
package codectest

import (
	"fmt"
	"reflect"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
)

// Carry returns what turns a message into what another node reads of it, for
// sim.Config and beds like it. It panics where a message cannot travel, so that
// the trace shows who has sent it.
func Carry(c *codec.Codec) func(machine.Message) machine.Message {
	var b []byte
	return func(m machine.Message) machine.Message {
		var err error
		if b, err = c.Append(b[:0], m); err != nil {
			panic(fmt.Sprintf("nodes cannot say this to each other: %v", err))
		}
		read, err := c.Decode(b)
		if err != nil {
			panic(fmt.Sprintf("what is written of a %v cannot be read: %v", reflect.TypeOf(m), err))
		}
		return read
	}
}
