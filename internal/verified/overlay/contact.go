package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Contact is a node as others name it. It is frozen; contacts are shared between
// messages. What it says is a claim until there is a link to the node and its
// certificate was seen: nobody acts on a contact but by connecting to it.
type Contact struct {
	ID   id.ID // of the node's public key
	Addr machine.Addr
	Pos  geom.Point
}

// Peer is the contact for the driver.
func (c *Contact) Peer() machine.Peer { return machine.Peer{ID: c.ID, Addr: c.Addr} }
