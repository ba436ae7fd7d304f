package part

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// NodeSpace is the space on the disk of what a node keeps for itself.
const NodeSpace = "node"

// Config is the configuration that several parts read.
type Config struct {
	Self machine.Peer
	// World is the world's id: keys of its shards are made from it.
	World id.ID
	// Known are nodes to join by. A node that knows none begins the world.
	Known []machine.Peer
	// Founder is the node of the world's founder, whose own player becomes the
	// first operator.
	Founder id.ID
	// Replicas is how many nodes a shard should have; 0: DefaultReplicas.
	Replicas int
	// MaxHosted is how many shards this node hosts; 0: DefaultMaxHosted. More
	// are refused, and the next nearest node is asked.
	MaxHosted int
	// CopiesDisk is how many bytes of its disk a node gives to copies of shards that it does
	// not host, for each kind of them; CopiesUpload how many bytes a second it sends for
	// copies of those that it leads. 0: DefaultCopiesDisk, DefaultCopiesUpload; below 0: none.
	CopiesDisk, CopiesUpload int
	// MaxPlayers: the node accepts no more shards while so many players are at
	// home in regions that it leads; 0: any number.
	MaxPlayers int
	// Full reports whether this node should accept no more shards at the
	// moment, for example because it is short of memory. nil: never.
	Full func() bool
	// GoneAfter is how long all hosts of a shard must have been silent before
	// the shard is created anew; 0: DefaultGoneAfter.
	GoneAfter time.Duration
	// RenewAfter is the age at which a group member publishes the record of a
	// shard without a leader again; 0: DefaultRenewAfter.
	RenewAfter time.Duration
	// Stored are the spaces that are on the disk.
	Stored []string
	// Note receives messages for the person who runs the node; may be nil.
	Note func(text string)
	// CheckPass says why a node may not speak for a player with the pass that
	// it shows (nil: none). A nil CheckPass accepts every node.
	CheckPass func(pass *identity.Pass, player id.ID, name string, gateway id.ID) error
	// Refusals is the computation which of some nodes have ended: their machines answer that
	// nothing listens at the nodes' ports any more. Its result is a bool for each. nil: nobody
	// can tell.
	Refusals func(nodes []machine.Peer) machine.Work
	// Sign signs a record with the node's key, Verify is the job that checks one;
	// nil: records are not signed (a simulation that does not look at signatures).
	Sign   func(*kademlia.Record)
	Verify func(*kademlia.Record) machine.Job
}

// Defaults of Config.
const (
	DefaultReplicas  = 3
	DefaultMaxHosted = 1 << 14
	DefaultGoneAfter = 6 * time.Hour

	DefaultCopiesDisk   = 128 << 20
	DefaultCopiesUpload = 128 << 10
	// DefaultRenewAfter leaves time for the members that renew later: a record
	// expires a day after it was published.
	DefaultRenewAfter = 12 * time.Hour
)

// WithDefaults fills in what is not set.
func (cfg Config) WithDefaults() Config {
	if cfg.Replicas <= 0 {
		cfg.Replicas = DefaultReplicas
	}
	if cfg.CopiesDisk == 0 {
		cfg.CopiesDisk = DefaultCopiesDisk
	}
	if cfg.CopiesUpload == 0 {
		cfg.CopiesUpload = DefaultCopiesUpload
	}
	if cfg.GoneAfter <= 0 {
		cfg.GoneAfter = DefaultGoneAfter
	}
	if cfg.RenewAfter <= 0 {
		cfg.RenewAfter = DefaultRenewAfter
	}
	if cfg.MaxHosted <= 0 {
		cfg.MaxHosted = DefaultMaxHosted
	}
	return cfg
}
