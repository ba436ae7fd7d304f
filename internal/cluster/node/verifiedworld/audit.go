package verifiedworld

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/audit"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// LeaderAccusation is a charge and the node that led the region when it was brought.
type LeaderAccusation struct {
	audit.Accusation
	Leader machine.Peer
	When   machine.Time
}

const (
	// interest is how far around the witness the storage is looked at: its region
	// and most of those around.
	interest = 192 << 6
	// maxLeaderAccusations is how many charges are kept to be shown.
	maxLeaderAccusations = 32
)

// startAudit makes the one that signs what players at this node do.
func (k *storageAdapter) startAudit(self *state.Player) {
	if k.Played == nil {
		return
	}
	k.audit = audit.New(audit.Config{Rules: k.Played, Self: self, Begin: k.Begin, Every: k.stats.Every}, auditEnv{k})
}

// auditedPlace is around what the node looks at the storage.
func (k *storageAdapter) auditedPlace() (geom.Point, bool) {
	if k.audit == nil {
		return geom.Point{}, false
	}
	return k.audit.Place()
}

// auditEnv is what the witness sees of the node.
type auditEnv struct{ k *storageAdapter }

func (e auditEnv) Now() machine.Time { return e.k.l.Env.Now() }

func (e auditEnv) Act(a *state.Action) {
	e.k.SignAction(a)
	e.k.node.Act(a)
}

func (e auditEnv) Activate(p geom.Point) {
	if k := e.k; k.Came != nil {
		after, _ := k.node.Activation()
		k.Came(*k.node.Player(), int64(after.Sub(k.Begin)/k.stats.Every), p)
	}
	e.k.node.Activate(p)
}

func (e auditEnv) Activation() (after, until machine.Time) { return e.k.node.Activation() }

// Accuse brings a charge against the leader of a region to the people: those who
// run the node, and those who play here. What a leader shows bears no signature,
// so nobody else need believe it.
func (e auditEnv) Accuse(c audit.Accusation) {
	k, now := e.k, e.Now()
	shard := shards.Shard{Region: c.Region}
	leader := k.l.node.LeaderOf(shard)
	if len(k.stats.LeaderAccusations) == maxLeaderAccusations {
		k.stats.LeaderAccusations = append(k.stats.LeaderAccusations[:0:0], k.stats.LeaderAccusations[1:]...)
	}
	said := LeaderAccusation{c, leader, now}
	k.stats.LeaderAccusations = append(k.stats.LeaderAccusations, said)
	if last, told := k.shown[shard]; told && now.Sub(last) < noteEvery {
		return
	}
	k.shown[shard] = now
	text := fmt.Sprintf("The node %s, which runs %v, %s.", leader.ID.Short(), shard, said.What())
	k.l.Note(text)
	for _, s := range k.audit.Sessions() {
		k.l.node.ToSession(s, &region.Notice{Region: c.Region, Code: "differs", Text: text})
	}
}

// What says it to a person.
func (c *LeaderAccusation) What() string {
	switch c.Kind {
	case audit.NotRequested:
		return fmt.Sprintf("says that a player here has changed the block at %v, which it has not asked for", c.At)
	case audit.NotEarned:
		return fmt.Sprintf("gives a player here %v that nobody has dug", c.Shown)
	}
	return fmt.Sprintf("shows %v at %v, where by the votes of the other nodes is %v (update %d)", c.Shown, c.At, c.Voted, c.Of)
}
