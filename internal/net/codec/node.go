package codec

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Messages of internal/cluster/node.

const (
	maxSessions = 1 << 14 // of one node, that watch the same
	maxMembers  = 64      // of a group
)

var nodeKinds = []*kind{
	message(96, func(f *form, m *routing.Routed) {
		shard(f, &m.To)
		shard(f, &m.From)
		f.id(&m.Session)
		f.peer(&m.Gateway)
		f.message(&m.Msg)
	}),
	message(97, func(f *form, m *node.ToSessions) {
		list(f, &m.Sessions, maxSessions, id.Size, func(f *form, v *id.ID) { f.id(v) })
		f.message(&m.Msg)
	}),
	message(98, func(f *form, m *node.ToWatchers) {
		f.region(&m.Region)
		num(f, &m.Tick)
		f.bytes(&m.Cells, maxCells)
		list(f, &m.To, maxSessions, id.Size+1, func(f *form, w *node.Watcher) { f.id(&w.Session); own(f, &w.Own) })
	}),
	message(99, func(f *form, m *node.SessionEnded) { f.id(&m.Session) }),
	message(100, func(f *form, m *node.EndSession) { f.id(&m.Session); shard(f, &m.Shard) }),
	message(101, func(f *form, m *routing.LeaderQuery) { shard(f, &m.Shard) }),
	message(102, func(f *form, m *routing.LeaderReply) {
		shard(f, &m.Shard)
		f.peer(&m.Leader)
		list(f, &m.Members, maxMembers, minPeer, peer)
		num(f, &m.Term)
	}),
	message(103, func(f *form, m *routing.Generate) { shard(f, &m.Shard) }),
	message(115, func(f *form, m *node.CreateGroup) {
		shard(f, &m.Shard)
		list(f, &m.Members, maxMembers, minPeer, peer)
	}),
	message(107, func(f *form, m *node.HostQuery) { shard(f, &m.Shard) }),
	message(116, func(f *form, m *node.HostReply) {
		shard(f, &m.Shard)
		f.bools(&m.Room, &m.Stored)
		num(f, &m.Led)
		list(f, &m.Members, maxMembers, minPeer, peer)
	}),
	message(109, empty[node.Leaving]),
	message(110, func(f *form, m *node.PlayersAt) {
		num(f, &m.Port)
		f.bool(&m.Local)
		list(f, &m.Names, node.MaxPlayerNames, 1, func(f *form, s *string) { text(f, s, maxName) })
		f.exact(m.Certificate[:])
	}),
	message(118, func(f *form, m *node.OwnerPlays) { f.bool(&m.Plays) }),
	message(117, func(f *form, m *lists.AccessList) { num(f, &m.Version); f.bytes(&m.List, invitation.MaxAccess) }),
	message(119, func(f *form, m *node.Decisions) {
		f.exact(m.Digest[:])
		list(f, &m.List, node.MaxDecisions, 1, func(f *form, b *[]byte) { f.bytes(b, decision.MaxSize) })
	}),
	message(111, func(f *form, m *shardgroup.GroupStatus) {
		shard(f, &m.Shard)
		f.bools(&m.Reply, &m.Member, &m.Led, &m.Heard, &m.Refused, &m.Compared)
		gen(f, &m.Gen)
		num(f, &m.Term)
		num(f, &m.Last)
		list(f, &m.Members, maxMembers, minPeer, peer)
		f.bytes(&m.Proof, copies.CopyProofSize)
	}),
	message(135, func(f *form, m *copies.Spare) {
		shard(f, &m.Shard)
		gen(f, &m.Gen)
		num(f, &m.Term)
		num(f, &m.Index)
		num(f, &m.After)
		num(f, &m.Part)
		f.bool(&m.Last)
		f.bytes(&m.Data, copies.MaxSparePart)
		f.bytes(&m.Proof, copies.CopyProofSize)
	}),
	message(136, func(f *form, m *copies.SpareHeld) {
		shard(f, &m.Shard)
		gen(f, &m.Gen)
		num(f, &m.Term)
		num(f, &m.Index)
		num(f, &m.Parts)
		f.bool(&m.Refused)
	}),
	message(137, func(f *form, m *copies.MergeChanges) {
		shard(f, &m.Shard)
		gen(f, &m.Gen)
		num(f, &m.Term)
		num(f, &m.Index)
		f.bytes(&m.Proof, copies.CopyProofSize)
		gen(f, &m.Aside)
		num(f, &m.Number)
		list(f, &m.Changes, copies.MaxMergeChanges, 5, func(f *form, c *world.BlockChange) { f.pos(&c.At); num(f, &c.Was); num(f, &c.Now) })
		list(f, &m.Players, copies.MaxMergePlayers, 1, func(f *form, p *[]byte) { f.bytes(p, maxState) })
	}),
	message(138, func(f *form, m *copies.MergeDone) {
		shard(f, &m.Shard)
		num(f, &m.Number)
		num(f, &m.InPlace)
		f.bool(&m.Refused)
	}),
	message(186, func(f *form, m *copies.LogHeld) {
		shard(f, &m.Shard)
		gen(f, &m.Gen)
		num(f, &m.Term)
		num(f, &m.Index)
		f.exact(m.Key[:])
		f.exact(m.Sig[:])
	}),
	message(187, func(f *form, m *copies.CopyQuery) { shard(f, &m.Shard); signed(f, &m.At); num(f, &m.Part) }),
	message(183, func(f *form, m *copies.StatesQuery) { shard(f, &m.Shard) }),
	message(184, func(f *form, m *copies.States) {
		shard(f, &m.Shard)
		list(f, &m.List, copies.MaxSavedStates, 7, savedState)
	}),
	message(185, func(f *form, m *copies.RestoreState) {
		shard(f, &m.Shard)
		num(f, &m.Number)
		f.peer(&m.Holder)
		savedState(f, &m.State)
		f.bool(&m.Show)
	}),
	message(189, func(f *form, m *copies.StateRestored) {
		shard(f, &m.Shard)
		num(f, &m.Number)
		num(f, &m.Changed)
		num(f, &m.Kept)
		f.pos(&m.Low)
		f.pos(&m.High)
		f.bool(&m.Failed)
	}),
	message(188, func(f *form, m *copies.CopyPart) {
		shard(f, &m.Shard)
		signed(f, &m.At)
		gen(f, &m.Gen)
		num(f, &m.Term)
		num(f, &m.Index)
		num(f, &m.Part)
		f.bool(&m.Last)
		f.bytes(&m.Data, copies.MaxSparePart)
	}),
	message(139, func(f *form, m *accountability.FollowLog) { shard(f, &m.Shard); f.bool(&m.State) }),
	message(140, func(f *form, m *accountability.LogEntries) {
		shard(f, &m.Shard)
		num(f, &m.Number)
		f.bytes(&m.Packed, regionlog.MaxPacked)
		f.bytes(&m.Checkpoint, regionlog.MaxCheckpoint)
	}),
	message(141, func(f *form, m *accountability.LogState) {
		shard(f, &m.Shard)
		num(f, &m.Part)
		f.bytes(&m.Data, accountability.MaxLogPart)
		f.bytes(&m.Checkpoint, regionlog.MaxCheckpoint)
	}),
	message(180, func(f *form, m *accountability.Shown) { f.region(&m.Region); f.bytes(&m.Statement, regionlog.MaxShown) }),
	message(181, func(f *form, m *accountability.ShownHere) { f.region(&m.Region) }),
	message(198, func(f *form, m *accountability.Unheeded) {
		f.region(&m.Region)
		f.exact(m.Key[:])
		f.exact(m.Nonce[:])
		num(f, &m.Act)
		f.bytes(&m.Segment, inputlog.MaxSize)
	}),
	message(194, func(f *form, m *accountability.Audit) {
		f.region(&m.Region)
		f.peer(&m.Leader)
		f.bytes(&m.Checkpoint, regionlog.MaxCheckpoint)
	}),
	message(195, func(f *form, m *accountability.Challenge) {
		f.region(&m.Region)
		f.bytes(&m.Checkpoint, regionlog.MaxCheckpoint)
	}),
	message(196, func(f *form, m *accountability.Piece) {
		f.region(&m.Region)
		num(f, &m.Tick)
		num(f, &m.Part)
		f.bool(&m.Last)
		f.bytes(&m.Data, accountability.MaxLogPart)
	}),
	message(182, func(f *form, m *accountability.Evidence) {
		f.id(&m.Node)
		f.bool(&m.Ask)
		f.bytes(&m.Data, regionlog.MaxEvidence)
	}),
}

func shard(f *form, p *shards.Shard) { f.bool(&p.Lobby); f.region(&p.Region) }

func savedState(f *form, s *copies.SavedState) {
	signed(f, &s.At)
	f.bools(&s.Aside, &s.Changes)
	gen(f, &s.Gen)
	num(f, &s.Term)
	num(f, &s.Index)
	num(f, &s.Bytes)
}
