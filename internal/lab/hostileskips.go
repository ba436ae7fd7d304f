package lab

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/node"
)

// notPrevented reports whether a message does what docs/security.md says is not
// prevented: hostile-node does not send it. What is mended leaves here.
func notPrevented(m machine.Message) bool {
	if m, ok := m.(*node.Standing); ok {
		// A member, or a node near a part's key, says that a newer generation of the
		// part's group goes on: the others put theirs aside.
		return m.Member && m.Led
	}
	return false
}
