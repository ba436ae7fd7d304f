package storage

import "github.com/voxelpopuli/voxelpopuli/internal/overlay"

// Ask lets a node retrieve any area, whether or not it is its business.
func (n *Node) Ask(k Kind, area overlay.Area, of int64) {
	n.retrieve(k, area, of)
	n.drain()
}
