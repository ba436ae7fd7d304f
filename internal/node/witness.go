package node

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/audit"
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// LeaderCharge is a charge and the node that led the region when it was brought.
type LeaderCharge struct {
	audit.Accusation
	Leader machine.Peer
	When   machine.Time
}

const (
	// interest is how far around the witness the storage is looked at: its region
	// and most of those around.
	interest = 192 << 6
	// maxCharges is how many charges are kept to be shown.
	maxCharges = 32
)

// witness makes the one that signs what players at this node do.
func (k *keeper) witness(self *storage.Player) {
	if k.Played == nil {
		return
	}
	k.watch = audit.New(audit.Config{Rules: k.Played, Self: self, Begin: k.Begin, Every: k.stats.Every}, witnessEnv{k})
}

// witness is the one that signs what is played at the node; nil: nobody does.
func (w *network) witness() *audit.Auditor {
	if w.layer == nil || w.layer.keeper == nil {
		return nil
	}
	return w.layer.keeper.watch
}

// told lets the witness see what a session of this node is told.
func (w *network) told(session id.ID, m machine.Message) {
	if x := w.witness(); x != nil {
		x.OnResponse(session, m)
	}
}

// where is around what the node looks at the storage.
func (k *keeper) where() (geom.Point, bool) {
	if k.watch == nil {
		return geom.Point{}, false
	}
	return k.watch.Place()
}

// witnessEnv is what the witness sees of the node.
type witnessEnv struct{ k *keeper }

func (e witnessEnv) Now() machine.Time { return e.k.l.w.n.env.Now() }

func (e witnessEnv) Act(a *storage.Action) {
	e.k.SignAction(a)
	e.k.node.Act(a)
}

func (e witnessEnv) Activate(p geom.Point) {
	if k := e.k; k.Came != nil {
		after, _ := k.node.Activation()
		k.Came(*k.node.Player(), int64(after.Sub(k.Begin)/k.stats.Every), p)
	}
	e.k.node.Activate(p)
}

func (e witnessEnv) Activation() (after, until machine.Time) { return e.k.node.Activation() }

// Accuse brings a charge against the leader of a region to the people: those who
// run the node, and those who play here. What a leader shows bears no signature,
// so nobody else need believe it.
func (e witnessEnv) Accuse(c audit.Accusation) {
	k, now := e.k, e.Now()
	part := Part{Region: c.Region}
	var leader machine.Peer
	if r := k.l.w.routes[part]; r != nil {
		leader = r.leader
	}
	if len(k.stats.Charges) == maxCharges {
		k.stats.Charges = append(k.stats.Charges[:0:0], k.stats.Charges[1:]...)
	}
	said := LeaderCharge{c, leader, now}
	k.stats.Charges = append(k.stats.Charges, said)
	if last, told := k.shown[part]; told && now.Sub(last) < noteEvery {
		return
	}
	k.shown[part] = now
	text := fmt.Sprintf("The node %s, which runs %v, %s.", leader.ID.Short(), part, said.What())
	k.l.w.note(text)
	for _, s := range k.watch.Sessions() {
		k.l.w.toLocal(s, &region.Notice{Region: c.Region, Code: "differs", Text: text})
	}
}

// What says it to a person.
func (c *LeaderCharge) What() string {
	switch c.Kind {
	case audit.NotRequested:
		return fmt.Sprintf("says that a player here has changed the block at %v, which it has not asked for", c.At)
	case audit.NotEarned:
		return fmt.Sprintf("gives a player here %v that nobody has dug", c.Shown)
	}
	return fmt.Sprintf("shows %v at %v, where by the votes of the other nodes is %v (update %d)", c.Shown, c.At, c.Voted, c.Of)
}
