package region

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// overBytes is what another node reads of a message: in these tests regions are on
// nodes of their own.
var overBytes func(machine.Message) machine.Message

// OverBytes sets it; the codec imports this package.
func OverBytes(f func(machine.Message) machine.Message) { overBytes = f }
