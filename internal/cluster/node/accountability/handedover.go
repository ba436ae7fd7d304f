package accountability

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// HandedOver takes what players have signed and the leader of their region is said not to
// do (Unanswered): from their nodes, for a replica that follows the leader, and from such
// members, for the region that is led here.
type HandedOver struct {
	part.Part
	budgets *peers.Budgets
	groups  heedingGroups
}

// heedingGroups are the replicas of regions here (hosting).
type heedingGroups interface {
	followingGroups
	// Heed lets a region that is led here do what a player has signed, which another node
	// hands over; false: it is not led here, or not by a group with that node.
	Heed(by machine.Peer, at world.RegionPos, of *inputlog.Session, signed []byte, act uint32) bool
}

// followingGroups are the replicas of regions that others lead.
type followingGroups interface {
	// Follows is what follows the log of a region; nil: nothing does.
	Follows(world.RegionPos) *LogFollowing
}

const (
	// handedPerSecond and handedBurst are how much one node may hand over: each costs a
	// signature.
	handedPerSecond = 8
	handedBurst     = 64
)

// NewHandedOver returns what takes what is handed over.
func NewHandedOver(c part.Part, l *peers.Links, groups heedingGroups) *HandedOver {
	return &HandedOver{Part: c, budgets: peers.NewBudgets(c, l, handedPerSecond, handedBurst), groups: groups}
}

// Receive takes it from another node.
func (h *HandedOver) Receive(f *peers.Remote, m *Unheeded) {
	if h.budgets.Take(f, 1) {
		h.take(f.Peer, m)
	}
}

// Own takes it from this node.
func (h *HandedOver) Own(m *Unheeded) { h.take(h.Cfg.Self, m) }

func (h *HandedOver) take(by machine.Peer, m *Unheeded) {
	of := inputlog.Session{World: h.Cfg.World, Key: m.Key, Nonce: m.Nonce}
	s, err := inputlog.Decode(m.Segment)
	if err != nil || m.Act != 0 && s.Act(m.Act) == nil || m.Act == 0 && len(s.Steps) == 0 || !s.Verify(&of) {
		h.Counts.Dropped++
		return
	}
	if h.groups.Heed(by, m.Region, &of, m.Segment, m.Act) {
		return
	}
	if l := h.groups.Follows(m.Region); l != nil && l.replayer != nil {
		l.heeding.take(m, &of, s, l.replayer)
	}
}
