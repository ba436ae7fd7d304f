package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/audit"
)

// gatewaySessions are the sessions of players at this node, as shards of other nodes
// send to them: this node is their gateway.
type gatewaySessions struct {
	part.Part
	epoch      machine.Time // of the world's ticks
	links      *peers.Links
	routes     *routing.Routes
	local      localSessions
	audited    audited
	shown      *accountability.ShownChecking
	unanswered *accountability.Unanswered
	confirming *confirming

	entered         map[id.ID]*lobby.Enter // what sessions have asked the lobby last, to enter
	owner           *owner
	lines           *saidLines
	lagging         map[stream]*laggingSession
	frames          frame.Checker
	nextStrayNotice peers.Own[machine.Time] // when a node may be told again that a session here has gone
}

// localSessions are the sessions of this node (Node).
type localSessions interface {
	hasSession(machine.Peer) bool
	endSession(machine.Peer)
	// fromLobby is what a session hears of what another node says in the lobby's name.
	fromLobbyElsewhere(machine.Message) machine.Message
	// listed takes the players whom another node lists in the lobby's name.
	listed(*peers.Remote, *lobby.Players)
}

// audited returns what signs the acts of players at this node; nil: nothing does.
type audited interface{ Auditor() *audit.Auditor }

// HasSession reports whether there is a session here.
func (g *gatewaySessions) HasSession(session id.ID) bool {
	return g.local.hasSession(machine.Peer{ID: session})
}

// ToSession delivers a remote shard's message to a session of this node; false:
// there is no such session.
func (g *gatewaySessions) ToSession(session id.ID, m machine.Message) bool {
	if !g.HasSession(session) {
		return false
	}
	if m != nil {
		g.unanswered.Hear(session, m)
	}
	if m != nil && g.passes(session, m) {
		g.Counts.Sent++
		g.audit(session, m)
		g.confirming.see(session, m)
		g.Env.Send(machine.Peer{ID: session}, m)
	}
	return true
}

// withPass is what a session says to a region of another node: who enters shows there
// what the player has signed.
func (g *gatewaySessions) withPass(session id.ID, m machine.Message) machine.Message {
	e, enters := m.(*region.Enter)
	by := g.entered[session]
	if !enters || by == nil {
		return m
	}
	signed := *e
	signed.Pass, signed.Signed = by.Pass, by.Name
	return &signed
}

// audit shows the auditor what a session of this node is told.
func (g *gatewaySessions) audit(session id.ID, m machine.Message) {
	if x := g.audited.Auditor(); x != nil {
		x.OnResponse(session, m)
	}
}

// toSessionOrNotice delivers a node's message to a session here. If the session
// has ended, the sender is told so again: the first notice may have been lost,
// and no other node would repeat it.
func (g *gatewaySessions) toSessionOrNotice(f *peers.Remote, session id.ID, m machine.Message) {
	now := g.Env.Now()
	if g.ToSession(session, m) || now < *g.nextStrayNotice.Of(f) {
		return
	}
	*g.nextStrayNotice.Of(f) = now.Add(peers.Beat)
	g.links.Send(f.Peer, &SessionEnded{session})
}

// ended is when a session of this node has gone: nodes whose shards know it are
// told.
func (g *gatewaySessions) ended(session id.ID) {
	if x := g.audited.Auditor(); x != nil {
		x.OnSessionEnd(session)
	}
	g.owner.ended(session)
	g.unanswered.End(session)
	delete(g.entered, session)
	told := map[machine.Peer]bool{}
	g.routes.EndSession(session, func(p shards.Shard, leader machine.Peer) {
		g.CaughtUp(session, p.Region)
		if leader != (machine.Peer{}) && leader != g.Cfg.Self && !told[leader] {
			told[leader] = true
			g.links.Send(leader, &SessionEnded{session})
		}
	})
}
