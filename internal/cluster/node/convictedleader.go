package node

import (
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A replica that has evidence against its leader follows it no more. If the others do the
// same, one of them is elected. If they go on following it (they are its accomplices, or
// have not checked the evidence), the honest replica has no leader, although its group has
// one. It goes on without them, as the group's next generation (decision 96). Anybody can
// check the evidence, so nobody has to believe that replica.

// hasConvicted reports whether a member of the group was convicted.
func (g *quorumLoss) hasConvicted() bool {
	return slices.ContainsFunc(g.group.Voters(), func(p machine.Peer) bool { return g.convicted.Has(p.ID) })
}

// replace continues the group here without a convicted leader and those that follow it.
func (g *quorumLoss) replace(st *group.Status, now machine.Time) {
	r := hostpolicy.Replacement{Leaderless: g.leaderlessFor(now)}
	r.Near, r.Answered = g.near()
	own := shardgroup.EndOf(st)
	for who, s := range g.heard { // the order does not matter
		switch {
		case !s.Member:
		case s.Led && s.Gen.Compare(st.Gen) > 0:
			r.Newer = true
		case !peers.Among(g.group.Voters(), who):
		case s.Led:
			r.Follow++
		case s.End().Compare(own) <= 0:
			r.Idle++
		}
	}
	var others []id.ID
	for _, p := range g.group.Voters() {
		if others = append(others, p.ID); p.ID != g.Cfg.Self.ID && !g.convicted.Has(p.ID) {
			r.Others++
		}
	}
	g.next = now.Add(replaceRetry)
	if !r.MayReplace() || g.group.Raft.Recover([]machine.Peer{g.Cfg.Self}) != nil {
		return
	}
	g.group.Left = map[id.ID]machine.Time{}
	for _, who := range others {
		g.group.Left[who] = now
	}
	g.Note(fmt.Sprintf("A node that hosts %s was convicted, and others follow it as their leader: this node goes on without them.", g.group.Shard))
}
