// Package verifiedworld is the part of a node that exists only in a world with an
// authority. It refuses nodes without a valid certificate and spreads the authority's
// revocations (docs/protocols/overlay.md), gives the node its place in the overlay, joins
// the replicated storage to it, signs what players here do, and proves false answers
// (docs/protocols/storage.md "In real nodes").
//
// Source: the overlay and the storage are those of the dissertation (Schuster 2013,
// chapters 4 and 5); packages overlay, storage and audit have their rules.
//
// Where to start: World is what the node calls; Surroundings is what it calls of the node.
// overlayAdapter drives overlay.Node over shares of the node's links, storageAdapter signs,
// opens and compares the answers of storage.Node.
//
// Invariants:
//   - the overlay receives only what was sent within a share that both ends have open;
//   - the storage receives only answers that their nodes have signed, with a certificate
//     for the place that they answer from;
//   - a node whose own certificate is revoked or has ended leaves the overlay and does not
//     return before it is started anew.
package verifiedworld

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/audit"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// Config is the configuration of a node in a world with an authority.
type Config struct {
	Zones    int // of the overlay
	Verifier CertificateVerifier
	// Certificate gives the node its place in the overlay; nil: it has none, and
	// no other node lets it in.
	Certificate *identity.Certificate
	// Sign signs a view of the neighbourhood with the node's key, which makes it
	// evidence; nil: views are not signed.
	Sign func(*overlay.NetworkView)
	// Report takes evidence against other nodes; may be nil.
	Report func(overlay.Evidence)
	// Storage is the world's replicated storage; nil: it has none.
	Storage *StorageConfig
}

// CertificateVerifier decides which nodes may take part. Any goroutine may call
// it (keyring.Verifier).
type CertificateVerifier interface {
	// Verify is the job that checks a certificate.
	Verify(of id.ID, c *identity.Certificate) machine.Job
	// Renew takes a newer list of revocations; an error says why not.
	Renew(*identity.Revocations) error
	// Seen is the newest certificate that a node has shown; nil: it never was.
	Seen(id.ID) *identity.Certificate
	// Reissued takes the certificate that a node has now; an error says why not.
	// One that is no newer than that which was seen changes nothing.
	Reissued(*identity.Certificate) error
	// Revoked is the list in force; nil: none.
	Revoked() *identity.Revocations
	// Bars reports whether a node's certificate was seen and is revoked, or has
	// ended.
	Bars(id.ID) bool
}

// HostOrder is the order in which nodes host shards: by the places that the authority has
// given them, if there is one.
func (cfg *Config) HostOrder() hostpolicy.Order {
	if cfg == nil {
		return hostpolicy.Nearest
	}
	own, self := cfg.Certificate, id.ID{}
	if own != nil {
		self = own.ID()
	}
	return hostpolicy.ByPlace(func(node id.ID) (geom.Point, bool) {
		c := own
		if c == nil || node != self {
			c = cfg.Verifier.Seen(node)
		}
		if c == nil {
			return geom.Point{}, false
		}
		return c.Pos, true
	})
}

// World is the part of a node that exists only in a world with an authority. It applies
// the authority's revocations to the node's links and spreads them, and has the overlay
// and the storage. A nil one is that of an open world.
type World struct {
	Config
	*lists.Sync
	disconnectBarred func()
	overlay          *overlayAdapter // nil: this node has no place

	next   machine.Time // to look whether certificates have ended
	out    bool         // this node's own does not count any more
	warned machine.Time // that it is about to end
}

// Surroundings is what the verified world needs of the other parts of the node.
type Surroundings struct {
	Disk lists.Disk
	// Contacts appends the nodes that the directory knows, HasJoined reports whether
	// this node has entered it.
	Contacts  func(to []machine.Peer) []machine.Peer
	HasJoined func() bool
	// Bars reports whether a node is refused, DisconnectBarred ends the links to all
	// nodes that are.
	Bars             func(machine.Peer) bool
	DisconnectBarred func()
	// LeaderOf returns which node leads a shard; zero: it is not known.
	LeaderOf func(shards.Shard) machine.Peer
	// ToSession sends a session at this node a message; false: there is no such session.
	ToSession func(session id.ID, m machine.Message) bool
}

// New returns nil if the world has no authority.
func New(c part.Part, cfg *Config, l *peers.Links, overlaySeat part.Seat, node Surroundings) *World {
	if cfg == nil {
		return nil
	}
	v := &World{Config: *cfg, disconnectBarred: node.DisconnectBarred}
	v.Sync = &lists.Sync{
		Part: c, Links: l, Disk: node.Disk, List: revocationList{v.Verifier}, Name: "list of revocations", Key: revokedKey, Enforce: v.enforceList,
		Message: func(version uint64, list []byte) machine.Message { return &Revoked{version, list} },
	}
	v.overlay = newOverlayAdapter(v, overlaySeat, node)
	return v
}

// Bars reports whether the authority has revoked a node's certificate, or it has ended.
func (v *World) Bars(who id.ID) bool { return v != nil && v.Verifier.Bars(who) }

// Lists is nil if v is.
func (v *World) Lists() *lists.Sync {
	if v == nil {
		return nil
	}
	return v.Sync
}

// Start begins to look for the node's place in the overlay.
func (v *World) Start() {
	if v != nil && v.overlay != nil {
		v.overlay.machine.Start()
	}
}

// Stop leaves the overlay in good order.
func (v *World) Stop() {
	if v != nil && v.overlay != nil {
		v.overlay.stop()
	}
}

// Beat does what is due.
func (v *World) Beat(now machine.Time) {
	if v == nil {
		return
	}
	if v.overlay != nil {
		v.overlay.beat(now)
	}
	if x := v.Auditor(); x != nil {
		x.Tick(now)
	}
	v.checkEnds(now)
}

// Recall takes a value of the node's own space on the disk; false: it is not of the
// verified world.
func (v *World) Recall(kv machine.KV) bool {
	switch string(kv.Key) {
	case revokedKey:
		v.Lists().Recall(kv.Value)
	case checkpointKey:
		if v != nil && v.overlay != nil {
			v.overlay.recall(kv.Value)
		}
	default:
		return false
	}
	return true
}

// Receive handles a message of the overlay or about its share of a link.
func (v *World) Receive(f *peers.Remote, m machine.Message) {
	if v != nil && v.overlay != nil {
		v.overlay.receive(f, m)
	}
}

// Greet requests the overlay's share of a link that has come up.
func (v *World) Greet(f *peers.Remote) {
	if v != nil && v.overlay != nil {
		v.overlay.greet(f)
	}
}

// Lost handles a link that has ended or could not be opened.
func (v *World) Lost(f *peers.Remote, ev machine.LinkEvent) {
	if v != nil && v.overlay != nil {
		v.overlay.lost(f, ev)
	}
}

// Uses reports whether the overlay wants a share of the link to a node.
func (v *World) Uses(f *peers.Remote) bool {
	return v != nil && v.overlay != nil && v.overlay.shares.Of(f).on
}

// adapter returns the storage's adapter; nil: the node has none.
func (v *World) adapter() *storageAdapter {
	if v == nil || v.overlay == nil {
		return nil
	}
	return v.overlay.storage
}

// Auditor returns what signs the acts of players at the node; nil: nothing does.
func (v *World) Auditor() *audit.Auditor {
	if k := v.adapter(); k != nil {
		return k.audit
	}
	return nil
}

// StorageNode returns the node's storage; nil: it has none.
func (v *World) StorageNode() *storage.Node {
	if k := v.adapter(); k != nil {
		return k.node
	}
	return nil
}
