package verifiedworld

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/audit"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// storageAdapter joins the storage to the node: it signs the node's answers, stores
// those of others until the vote on the state, and compares them with its result.
type storageAdapter struct {
	StorageConfig
	l         *overlayAdapter
	space     overlay.Space
	node      *storage.Node
	heard     []heard        // answers about the update that is being voted on
	saved     *messages.Push // the checkpoint on the disk
	stats     StorageStats
	accusedAt map[id.ID]machine.Time // when the log last named an accused node

	audit *audit.Auditor                // nil: edits are not signed, and regions not audited
	shown map[shards.Shard]machine.Time // when players were last told about a region's leader
}

// heard is an answer of another node.
type heard struct {
	answer *Answer
	zone   int
}

// maxAnswers bounds the answers that are stored for comparison.
const maxAnswers = 1 << 12

// newStorageAdapter creates the storage over an overlay with these settings.
func newStorageAdapter(l *overlayAdapter, t *StorageConfig, oc overlay.Config) *storageAdapter {
	k := &storageAdapter{StorageConfig: *t, l: l, space: oc.Space, accusedAt: map[id.ID]machine.Time{}, shown: map[shards.Shard]machine.Time{}}
	lmax := t.LMax
	if lmax == 0 {
		lmax = storage.DefaultLMax
	}
	k.stats = StorageStats{Begin: t.Begin, Every: 5 * lmax, Of: -1, Zone: oc.Space.Zone(oc.Self.Pos), Zones: oc.Space.Zones(), Accused: map[id.ID]StorerAccusation{}}
	player := &state.Player{ID: oc.Self.ID, Home: state.Home(oc.Space, t.Rules.World(), oc.Self.Pos)}
	k.startAudit(player)
	k.node = storage.New(storage.Config{
		Where: k.auditedPlace, Interest: interest,
		Overlay: oc, Protocol: t.Protocol, Begin: t.Begin, LMax: t.LMax, Deviation: t.Deviation,
		Settings: part.Settings{
			Rules: t.Rules, Wire: true, Secret: t.Secret, Player: player,
			SignReceipt: t.SignReceipt, CheckReceipt: t.CheckReceipt, SignBatch: t.SignBatch, CheckBatch: t.CheckBatch,
		},
		Behaviour: t.Behaviour, Events: k, Probe: k, Fault: k.takeFault,
	}, overlayEnv{l})
	return k
}

// sign wraps the node's own outgoing answers with its certificate and signature.
func (k *storageAdapter) sign(m machine.Message) machine.Message {
	u, ok := m.(*overlay.Unicast)
	if !ok || u.Origin.ID != k.l.Cfg.Self.ID {
		return m
	}
	switch u.Body.(type) {
	case *messages.Result, *messages.ActionsResult:
	default:
		return m
	}
	a := &Answer{Certificate: k.l.world.Certificate, Result: u.Body}
	if err := k.Sign(a); err != nil {
		k.l.Note("An answer cannot be signed: " + err.Error())
		return nil
	}
	out := *u
	out.Body = a
	return &out
}

// open verifies and unwraps an answer for this node; nil: it is refused. Messages for
// other nodes are returned unchanged.
func (k *storageAdapter) open(m machine.Message) machine.Message {
	u, ok := m.(*overlay.Unicast)
	if !ok || u.Dest != k.node.Self().Pos || u.Origin == nil {
		return m
	}
	switch body := u.Body.(type) {
	case *messages.Result, *messages.ActionsResult:
		return nil // unsigned
	case *Answer:
		c := body.Certificate
		if c == nil || c.ID() != u.Origin.ID || c.Pos != u.Origin.Pos || !k.Signed(body) {
			return nil // its sender may stand in another zone than the one that it counts for
		}
		r, ok := body.Result.(*messages.Result)
		if ok && !r.Same && (r.Around == nil || r.Around.Self.ID != u.Origin.ID) {
			return nil
		}
		if _, dynamic := body.of(); dynamic && len(k.heard) < maxAnswers {
			k.heard = append(k.heard, heard{body, k.space.Zone(c.Pos)})
		}
		out := *u
		out.Body = body.Result
		return &out
	}
	return m
}

// takeFault logs and counts a fault that two signatures of one node or player prove.
func (k *storageAdapter) takeFault(f *actions.Fault) {
	k.stats.Faults++
	what := "A player has signed two different batches of actions for one interval"
	if f.Storer != nil {
		what = "A node has signed receipts for two different batches of one player"
	}
	k.l.Note(fmt.Sprintf("%s: node %s, interval %d. Neither batch counts unless one was certified.", what, f.By().Short(), f.Of()))
}

// Looked implements storage.Events.
func (k *storageAdapter) Looked(s *state.Snapshot, _ float64) {
	if k.audit != nil {
		k.audit.OnSnapshot(s)
	}
}

// Updated implements storage.Events: all answers about the previous state have come.
func (k *storageAdapter) Updated(s *state.Snapshot) {
	k.stats.Updates++
	k.compareAnswers(s.Of - 1)
	k.saveCheckpoint()
}

// Retrieved implements storage.Probe.
func (k *storageAdapter) Retrieved(r storage.Report) {
	if r.Kind == messages.ForUpdate {
		k.stats.Votes = r.Votes
	}
	if k.Probe != nil {
		k.Probe.Retrieved(r)
	}
}

// BatchSigned implements storage.Probe.
func (k *storageAdapter) BatchSigned(b *state.Batch) {
	if k.Probe != nil {
		k.Probe.BatchSigned(b)
	}
}

// Arrived implements storage.Probe.
func (k *storageAdapter) Arrived(a storage.Arrival, hops int) {
	if k.Probe != nil {
		k.Probe.Arrived(a, hops)
	}
}

// Failed implements storage.Probe.
func (k *storageAdapter) Failed(n *storage.Node, of int64) {
	k.stats.Failed++
	k.compareAnswers(of - 1)
	if k.Probe != nil {
		k.Probe.Failed(n, of)
	}
}
