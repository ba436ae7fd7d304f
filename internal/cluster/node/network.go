package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/names"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
)

// network is the part of a node that exists only with several nodes. Its components
// have the state (assemble.go shows which knows which); network dispatches messages and
// the events of links to them, and runs what is due.
type network struct {
	n     *Node
	cfg   Net
	tag   machine.Addr // stands for this node in the peers of sessions
	phase part.Phase

	accused   *part.Accused
	convicted *accountability.Convictions
	jobs      *part.Runner
	seen      *peers.Sightings
	links     *peers.Links
	dir       *directory.Directory
	store     *nodeStore

	routes *routing.Routes // to shards

	hosting     *hosting // of shards here
	refusals    *refusals
	copies      *copies.Store // of shards that are hosted elsewhere
	signatures  copies.Signatures
	spares      *copies.SpareKeeping
	spareUpload limit.Budget
	packer      regionlog.Packer
	words       *words
	fetching    *copies.Fetching
	states      *copies.SavedStates
	restoring   *copies.StateRestoring
	restoration *restoration
	confirming  *confirming
	merges      *copies.Merges
	sources     *copies.MergeSources
	creation    *groupCreation
	stored      *storedShards
	invitations *invitations
	offers      *offers
	votes       *votePlacement
	departure   *departure

	sessions  *gatewaySessions // of players here
	owner     *owner
	entries   *entries
	guests    *remoteSessions // of players at other nodes
	admission *admission
	names     *names.Names

	verified *verifiedworld.World // nil: the world has no authority
	access   *lists.AccessSync    // nil: in a simulation

	evidence   *accountability.EvidenceSpreading
	shown      *accountability.ShownChecking
	auditing   *accountability.Auditing
	pieces     *accountability.PieceSending
	handed     *accountability.HandedOver
	unanswered *accountability.Unanswered
}

// Timers of the network and of a shutdown. Those of shards are timerSubmachine.
const (
	timerNetwork = timerSubmachine + 1
	timerClosing = timerSubmachine + 2
)

// inner is the peer by which shards know a session of this node; the driver knows it
// without an address.
func (w *network) inner(session machine.Peer) machine.Peer {
	return machine.Peer{ID: session.ID, Addr: w.tag}
}

func (w *network) start() {
	w.dir.Start()
	w.store.Start()
	w.verified.Start()
	w.n.env.SetTimer(w.n.env.Now().Add(peers.Beat), machine.Timer{Kind: timerNetwork})
}

// onBeat handles everything that is due: searches, replicas, links, records.
func (w *network) onBeat() {
	w.n.env.SetTimer(w.n.env.Now().Add(peers.Beat), machine.Timer{Kind: timerNetwork})
	now := w.n.env.Now()
	w.dir.Beat(now)
	w.store.beat(now)
	w.verified.Beat(now)
	w.access.Beat(now)
	w.n.decisions.beat(now)
	w.creation.beat()
	w.invitations.beat(now)
	w.admission.beat(now)
	w.stored.beat(now)
	w.copies.Beat(now)
	w.spares.Beat(now)
	w.fetching.Beat(now)
	w.states.Beat(now)
	w.restoring.Beat(now)
	w.restoration.beat(now)
	w.confirming.beat(now)
	w.merges.Beat(now)
	w.sources.Beat(now)
	w.hosting.readDormant(now)
	w.owner.beat(now)
	w.votes.beat(now)
	w.hosting.beat(now)
	w.shown.Beat(now)
	w.unanswered.Beat(now)
	w.auditing.Beat(now)
	w.departure.beat()
	w.routes.Continue()
	w.links.Maintain()
}

// beginLeave begins to hand over what this node hosts.
func (w *network) beginLeave() { w.departure.begin() }

// announceLeaving tells the other nodes that this one stops.
func (w *network) announceLeaving() {
	w.guests.flush()
	w.verified.Stop()
	w.departure.announce()
}

// recall gives components what the node's own space has of them.
func (w *network) recall(kvs []machine.KV) {
	for _, kv := range kvs {
		switch {
		case w.verified.Recall(kv):
		case string(kv.Key) == lists.AccessKey:
			w.access.Lists().Recall(kv.Value)
		default:
			w.copies.Recall(kv)
		}
	}
}

// tellSession tells a session of this node something.
func (w *network) tellSession(session id.ID, m machine.Message) {
	if peer := (machine.Peer{ID: session}); w.n.hasSession(peer) {
		w.n.env.Send(peer, m)
	}
}
