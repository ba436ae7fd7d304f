package node

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/audit"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// storageAdapter is the storage of a node: it signs the node's answers, keeps those of
// others until the state is voted on, and compares them.
type storageAdapter struct {
	StorageConfig
	l         *overlayAdapter
	space     overlay.Space
	node      *storage.Node
	heard     []heard       // answers of the update that is voted on
	saved     *storage.Push // what is on the disk
	stats     StorageStats
	accusedAt map[id.ID]machine.Time // when a node was accused to the people

	audit *audit.Auditor         // nil: nobody signs what is played
	shown map[Shard]machine.Time // when players were told of a region's leader
}

// heard is an answer of another node.
type heard struct {
	answer *Answer
	zone   int
}

// maxAnswers bounds the answers that are kept for comparing.
const maxAnswers = 1 << 12

// newStorageAdapter makes the storage beside the overlay's settings.
func newStorageAdapter(l *overlayAdapter, t *StorageConfig, oc overlay.Config) *storageAdapter {
	k := &storageAdapter{StorageConfig: *t, l: l, space: oc.Space, accusedAt: map[id.ID]machine.Time{}, shown: map[Shard]machine.Time{}}
	lmax := t.LMax
	if lmax == 0 {
		lmax = storage.DefaultLMax
	}
	k.stats = StorageStats{Begin: t.Begin, Every: 5 * lmax, Of: -1, Zone: oc.Space.Zone(oc.Self.Pos), Zones: oc.Space.Zones(), Accused: map[id.ID]StorerAccusation{}}
	player := &storage.Player{ID: oc.Self.ID, Home: storage.Home(oc.Space, t.Rules.World(), oc.Self.Pos)}
	k.startAudit(player)
	k.node = storage.New(storage.Config{
		Where: k.auditedPlace, Interest: interest,
		Overlay: oc, Rules: t.Rules, Protocol: t.Protocol, Wire: true, Secret: t.Secret, Begin: t.Begin, LMax: t.LMax, Deviation: t.Deviation,
		Player:      player,
		SignReceipt: t.SignReceipt, CheckReceipt: t.CheckReceipt, SignBatch: t.SignBatch, CheckBatch: t.CheckBatch,
		Behaviour: t.Behaviour, Events: k, Probe: k, Fault: k.takeFault,
	}, overlayEnv{l})
	return k
}

// sign makes answers of the node evidence, on their way out.
func (k *storageAdapter) sign(m machine.Message) machine.Message {
	u, ok := m.(*overlay.Unicast)
	if !ok || u.Origin.ID != k.l.cfg.Self.ID {
		return m
	}
	switch u.Body.(type) {
	case *storage.Result, *storage.ActionsResult:
	default:
		return m
	}
	a := &Answer{Certificate: k.l.cfg.Verified.Certificate, Result: u.Body}
	if err := k.Sign(a); err != nil {
		k.l.note("An answer cannot be signed: " + err.Error())
		return nil
	}
	out := *u
	out.Body = a
	return &out
}

// open takes the signature off an answer for this node; nil: it is refused. What
// is for others goes on as it is.
func (k *storageAdapter) open(m machine.Message) machine.Message {
	u, ok := m.(*overlay.Unicast)
	if !ok || u.Dest != k.node.Self().Pos || u.Origin == nil {
		return m
	}
	switch body := u.Body.(type) {
	case *storage.Result, *storage.ActionsResult:
		return nil // who gives it does not stand by it
	case *Answer:
		c := body.Certificate
		if c == nil || c.ID() != u.Origin.ID || c.Pos != u.Origin.Pos || !k.Signed(body) {
			return nil // it may not be of the zone that it counts for
		}
		r, ok := body.Result.(*storage.Result)
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

// takeFault tells people of what somebody has proven against itself.
func (k *storageAdapter) takeFault(f *storage.Fault) {
	k.stats.Faults++
	what := "A player has signed two different batches of actions for one interval"
	if f.Storer != nil {
		what = "A node has signed receipts for two different batches of one player"
	}
	k.l.note(fmt.Sprintf("%s: node %s, interval %d. Neither batch counts unless one was certified.", what, f.By().Short(), f.Of()))
}

// Looked implements storage.Events.
func (k *storageAdapter) Looked(s *storage.Snapshot, _ float64) {
	if k.audit != nil {
		k.audit.OnSnapshot(s)
	}
}

// Updated implements storage.Events: all answers about the state before have
// come.
func (k *storageAdapter) Updated(s *storage.Snapshot) {
	k.stats.Updates++
	k.compareAnswers(s.Of - 1)
	k.saveCheckpoint()
}

// Retrieved implements storage.Probe.
func (k *storageAdapter) Retrieved(r storage.Report) {
	if r.Kind == storage.ForUpdate {
		k.stats.Votes = r.Votes
	}
	if k.Probe != nil {
		k.Probe.Retrieved(r)
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
