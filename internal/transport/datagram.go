package transport

import "github.com/voxelpopuli/voxelpopuli/internal/machine"

// sendLoose sends a message without a link.
func (n *network) sendLoose(to machine.Peer, m machine.Message) {
	n.tally.fail("no link")
}
