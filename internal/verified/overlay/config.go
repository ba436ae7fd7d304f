package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Constants of the implementation; the thesis leaves them open.
const (
	// FailedFor is how long a failed node is remembered (4.3.5).
	FailedFor = time.Minute
	// maxHops ends a message that has lost its way.
	maxHops = 64
	// maxWaiting bounds a buffer of messages that cannot be passed on yet.
	maxWaiting = 4096
)

// Config is a node's settings.
type Config struct {
	Self  *Contact
	Space Space
	// Seek returns the job that asks the bootstrapping service for nodes, at
	// best one of each zone (thesis 4.4). Its result: []*Contact. It is asked
	// again while the node is alone.
	Seek func() machine.Job
	// Announce returns the job that (de)registers the node there; nil: none.
	Announce func(on bool) machine.Job
	// Verify returns the job that checks that a certificate is the authority's,
	// in force and of the node with this id (identity.Gate); nil: certificates are
	// not exchanged.
	Verify func(of id.ID, c *identity.Certificate) machine.Job
	// Certificate is the node's own.
	Certificate *identity.Certificate
	// Sign signs a view, which makes it evidence (4.8); nil: views are not
	// signed. The links are authenticated in any case.
	Sign func(*NetworkView)
	// Events hears what happens; nil: nobody.
	Events Events
}

// Events are the results that go up. They are called inside a handler and must
// not call the node.
type Events interface {
	// Joined: the node is stable for the first time.
	Joined()
	// Neighbourhood: the set of neighbours has changed.
	Neighbourhood()
	// Received: a message for a place that this node is responsible for, or a
	// reply to this node. It came at a time; since then it has waited here for the
	// node to have its place.
	Received(m *Unicast, came machine.Time)
	// ReceivedArea: a message for an area that the node's cell overlaps.
	ReceivedArea(m *Areacast)
	// Report: a view that was false, for the authority.
	Report(e Evidence)
}
