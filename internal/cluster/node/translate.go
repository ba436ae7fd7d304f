package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// The lobby and the regions stand on one floor and do not know each other: the
// node translates between their messages.

// toLobby turns a region's message into the lobby's, nil if it is none for it.
func toLobby(m machine.Message) machine.Message {
	switch m := m.(type) {
	case *region.Awake:
		return &lobby.Awake{Region: m.Region}
	case *region.Asleep:
		return &lobby.Asleep{Region: m.Region}
	case *region.Arrived:
		return &lobby.Arrived{Region: m.Region, Player: m.Player, Epoch: m.Epoch}
	case *region.Departed:
		return &lobby.Departed{Region: m.Region, Player: m.Player, Epoch: m.Epoch}
	case *region.Died:
		return &lobby.Died{Region: m.Region, Player: m.Player, Cause: m.Cause}
	case *region.Sleeping:
		return &lobby.Sleeping{Region: m.Region, Players: m.Players}
	case *region.Located:
		return &lobby.Located{Region: m.Region, Player: m.Player, Tag: m.Tag, Found: m.Found, Stored: m.Stored, Epoch: m.Epoch, Position: m.Position}
	case *region.NotHere:
		return &lobby.NotHere{Region: m.Region, Player: m.Player, Tag: m.Tag, To: m.To}
	case *region.Claim:
		return &lobby.Claim{Region: m.Region, From: m.From, Player: m.Player, Epoch: m.Epoch}
	case *region.Undone:
		return &lobby.Undone{Region: m.Region, Tag: m.Tag, OK: m.OK, Count: m.Count, Edits: m.Edits, Owed: m.Owed, Looted: m.Looted, Put: m.Put, Blocks: m.Blocks}
	case *region.Saved:
		return &lobby.Saved{Region: m.Region, Tag: m.Tag, Err: m.Err}
	}
	return nil
}

// fromLobby brings a message of the lobby to the region it names.
func (n *Node) fromLobby(m machine.Message) {
	switch m := m.(type) {
	case *lobby.Order:
		n.toRegion(m.Region, order(m))
	case *lobby.Vouched:
		n.toRegion(m.Region, m)
	case *lobby.Locate:
		n.toRegion(m.Region, &region.Locate{Player: m.Player, Tag: m.Tag})
	case *lobby.Claimed:
		n.toRegion(m.Region, &region.Claimed{Player: m.Player, From: m.From, Epoch: m.Epoch, OK: m.OK, Visitor: m.Visitor})
	case *lobby.Undo:
		n.toRegion(m.Region, &region.Undo{Tag: m.Tag, Signed: m.Signed, Blocks: m.Blocks, Take: m.Take, Give: m.Give})
	case *lobby.SaveAll:
		n.toRegion(m.Region, &region.SaveAll{Tag: m.Tag})
	}
}

// saidBy reports whether what a region tells the lobby comes from the region that it
// names: another one, or a session, must not speak for it.
func saidBy(from machine.Peer, m machine.Message) bool {
	var of world.RegionPos
	switch m := m.(type) {
	case *lobby.Awake:
		of = m.Region
	case *lobby.Asleep:
		of = m.Region
	case *lobby.Arrived:
		of = m.Region
	case *lobby.Departed:
		of = m.Region
	case *lobby.Located:
		of = m.Region
	case *lobby.NotHere:
		of = m.Region
	case *lobby.Claim:
		of = m.Region
	case *lobby.Died:
		of = m.Region
	case *lobby.Sleeping:
		of = m.Region
	case *lobby.Saved:
		of = m.Region
	case *lobby.Undone:
		of = m.Region
	case *lobby.Vouch:
		of = m.Region
	default:
		return true
	}
	return from == region.PeerOf(of)
}

func (n *Node) toRegion(pos world.RegionPos, m machine.Message) {
	n.Push(part.Call{To: region.PeerOf(pos), From: region.Lobby, Msg: m})
}

// order turns an order of the lobby into a region's.
func order(m *lobby.Order) *region.Order {
	return &region.Order{Tag: m.Tag, Player: m.Player, Signed: m.Signed, Near: m.Near, Line: m.Line, Owed: m.Owed}
}

// answerAsleep answers for a region that sleeps, where that need not wake it;
// it reports whether the message is dealt with.
func (n *Node) answerAsleep(pos world.RegionPos, u part.Call) bool {
	switch m := u.Msg.(type) {
	case *region.NearChat:
		return true // nobody is there
	case *region.Claimed:
		return true // it has forgotten what it asked
	case *region.SaveAll:
		n.Push(part.Call{To: region.Lobby, From: u.To, Msg: &lobby.Saved{Region: pos, Tag: m.Tag}})
		return true
	case *region.Columns, *region.Blocks:
		if _, ok := region.RegionOf(u.From); ok { // it watches no longer
			n.Push(part.Call{To: u.From, From: u.To, Msg: &region.Watch{BlocksOnly: true}})
		}
		return true
	case *region.Watch:
		return m.Rates == [world.Columns]uint8{}
	}
	return false
}
