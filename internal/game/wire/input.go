package wire

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var (
	errKind = errors.New("unknown kind")
	errLong = errors.New("too long")
)

// Buttons are the keys held during a body step.
type Buttons uint16

// The buttons of a step.
const (
	Forward Buttons = 1 << iota
	Back
	Left
	Right
	Jump
	Sneak
	Sprint
	Fly
	AllButtons Buttons = 1<<iota - 1
)

// Step is one body step (1/20 s) as a player steered it.
type Step struct {
	Buttons Buttons `json:"buttons"`
	Yaw     uint16  `json:"yaw"`
	Pitch   int16   `json:"pitch"`
}

// Input is one or several body steps that follow each other. It has a layout
// of its own, because it is by far the most frequent message of a client.
type Input struct {
	Seq   uint32    `json:"seq"` // of the first step; the others count on
	Steps []Step    `json:"steps"`
	Pos   world.Vec `json:"pos"` // where the client is after them, by its own count
}

// Type is the message's first byte.
func (*Input) Type() Type { return TypeInput }

func (m *Input) append(b []byte) []byte {
	b = append(b, byte(len(m.Steps)))
	b = binary.AppendUvarint(b, uint64(m.Seq))
	for _, s := range m.Steps {
		b = binary.LittleEndian.AppendUint16(b, uint16(s.Buttons))
		b = binary.LittleEndian.AppendUint16(b, s.Yaw)
		b = binary.LittleEndian.AppendUint16(b, uint16(s.Pitch))
	}
	return appendVec(b, m.Pos)
}

func (m *Input) read(r *reader) {
	n := r.byte()
	if r.err == nil && (n == 0 || n > MaxSteps) {
		r.fail(fmt.Errorf("%d steps, want 1 to %d", n, MaxSteps))
		return
	}
	m.Seq = uint32(r.uvarint(1<<32 - 1 - MaxSteps))
	m.Steps = m.Steps[:0]
	for range n {
		s := Step{Buttons(r.u16()) & AllButtons, r.u16(), int16(r.u16())}
		if r.err != nil {
			return
		}
		m.Steps = append(m.Steps, s)
	}
	m.Pos = r.vec()
}

func (r *reader) vec() world.Vec {
	x, y, z := r.svarint(maxVec), r.svarint(maxVec), r.svarint(maxVec)
	return world.Vec{X: fixed.Num(x), Y: fixed.Num(y), Z: fixed.Num(z)}
}
