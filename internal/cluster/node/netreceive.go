package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// receive takes a message of another node.
func (w *network) receive(from machine.Peer, m machine.Message) {
	if w.Bars(from) {
		w.n.counts.Dropped++
		return
	}
	f := w.links.Heard(from)
	if p, ok := wakenBy(m); ok && !w.hosting.mayWake(f, p) {
		return
	}
	switch m := m.(type) {
	case *routing.Routed:
		w.onRouted(f, m)
	case *ToSessions:
		w.sessions.toSessions(f, m.Sessions, m.Msg)
	case *ToWatchers:
		w.sessions.toWatchers(f, m)
	case *accountability.Shown:
		w.shown.OnShown(f, m)
	case *SessionEnded:
		w.guests.end(f, m.Session)
	case *EndSession:
		w.sessions.endSession(f, m)
	case *routing.LeaderQuery:
		w.routes.OnLeaderQuery(f, m)
	case *routing.LeaderReply:
		w.routes.OnLeaderReply(f, m)
	case *group.Message:
		w.hosting.onGroupMessage(f, m.Space, m)
	case *group.Chunk:
		w.hosting.onGroupMessage(f, m.Space, m)
	case *group.ChunkAck:
		w.hosting.onGroupMessage(f, m.Space, m)
	case *routing.Generate, *CreateGroup, *HostQuery, *HostReply, *shardgroup.GroupStatus, *copies.Spare, *copies.SpareHeld, *copies.MergeChanges, *copies.MergeDone, *copies.LogHeld, *copies.CopyQuery, *copies.CopyPart, *copies.StatesQuery, *copies.States, *copies.RestoreState, *copies.StateRestored,
		*accountability.FollowLog, *accountability.LogEntries, *accountability.LogState, *accountability.ShownHere:
		w.receiveOfHosting(f, m)
	case *verifiedworld.OverlayShare, *verifiedworld.BootstrapQuery, *verifiedworld.BootstrapReply, *overlay.Hello, *overlay.NetworkView, *overlay.ConnectionInfo,
		*overlay.JoinRequest, *overlay.RtRequest, *overlay.RtResponse, *overlay.RtHint, *overlay.Unicast, *overlay.Areacast:
		w.verified.Receive(f, m)
	default:
		w.receiveOfNode(f, from, m)
	}
}

// receiveOfHosting takes what is said about who hosts shards.
func (w *network) receiveOfHosting(f *peers.Remote, m machine.Message) {
	switch m := m.(type) {
	case *routing.Generate:
		w.onGenerate(f, m)
	case *CreateGroup:
		w.creation.onCreateGroup(m)
	case *HostQuery:
		w.creation.onHostQuery(f, m)
	case *HostReply:
		w.creation.onHostReply(f, m)
	case *shardgroup.GroupStatus:
		w.hosting.onGroupStatus(f, m)
	case *copies.Spare:
		w.spares.Receive(f, m)
	case *accountability.FollowLog:
		if h := w.hosting.replicas[m.Shard]; h != nil {
			h.log.OnFollow(f, m)
		}
	case *accountability.LogEntries:
		if h := w.hosting.replicas[m.Shard]; h != nil {
			h.followed.OnEntries(f, m)
		}
	case *accountability.LogState:
		if h := w.hosting.replicas[m.Shard]; h != nil {
			h.followed.OnState(f, m)
		}
	case *accountability.ShownHere:
		if h := w.hosting.replicas[shards.Shard{Region: m.Region}]; h != nil {
			h.followed.OnShown()
		}
	case *copies.SpareHeld:
		if h := w.hosting.replicas[m.Shard]; h != nil && h.group.Leading {
			h.spares.Hear(f, m)
		}
	case *copies.LogHeld:
		w.words.receive(f, m)
	case *copies.CopyQuery:
		w.fetching.Serve(f, m)
	case *copies.CopyPart:
		w.fetching.Receive(f, m)
	case *copies.StatesQuery:
		w.states.Answer(f, m)
	case *copies.States:
		w.states.Hear(f, m)
	case *copies.RestoreState:
		w.restoring.Receive(f.Peer, m)
	case *copies.StateRestored:
		w.restoring.Hear(f.Peer, m)
	case *copies.MergeChanges:
		w.merges.Receive(f.Peer, m, f)
	case *copies.MergeDone:
		w.sources.OnAnswer(f.Peer, m)
	}
}

// receiveOfNode takes what a node says about itself, the lists that spread from node to
// node, and the messages of the directory.
func (w *network) receiveOfNode(f *peers.Remote, from machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case *Leaving:
		w.links.Leaves(f)
	case *PlayersAt:
		w.entries.learn(f, m)
	case *OwnerPlays:
		w.owner.receive(f, m)
	case *accountability.Audit:
		w.auditing.Receive(f, m)
	case *accountability.Unheeded:
		w.handed.Receive(f, m)
	case *accountability.Challenge:
		w.pieces.Receive(f, m)
	case *accountability.Piece:
		w.auditing.OnPiece(f, m)
	case *accountability.Evidence:
		w.evidence.Receive(f, m)
	case *Decisions:
		w.n.decisions.receive(f, m)
	case *verifiedworld.Revoked:
		w.verified.Lists().Received(f, m.Version, m.List)
	case *lists.AccessList:
		w.access.Lists().Received(f, m.Version, m.List)
	case *verifiedworld.Renewed:
		w.verified.OnRenewed(f, m)
	default:
		w.dir.OnMessage(from, m)
	}
}

// onGenerate finds hosts for a shard that another node needs.
func (w *network) onGenerate(f *peers.Remote, m *routing.Generate) {
	if !m.Shard.InWorld() || !w.dir.HasJoined() {
		return
	}
	w.creation.Coordinate(m.Shard, nil)
	w.routes.SendLeaderReply(f.Peer, m.Shard)
}
