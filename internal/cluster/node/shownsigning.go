package node

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// shownTo is what sessions of another node were shown of a region that is led here.
type shownTo struct {
	pieces regionlog.Pieces
	had    *regionlog.Hashes // of the last checkpoint that the node was sent
	said   int               // statements
}

const (
	maxColumnHashes = 256
	// allHashesEvery is after how many statements one has all hashes again, for a node that
	// could not use the one before.
	allHashesEvery = 8
)

// noteShown adds to the chain what a message shows a node of a region, if the node is told
// such chains.
func (s *remoteSessions) noteShown(l *outgoingMessage) {
	f := s.links.ByID(l.to.ID)
	if f == nil {
		return
	}
	shown := s.sessionsOf(f).shown
	if l.watcher != nil {
		if x := shown[l.watcher.Region]; x != nil {
			x.pieces.Add(regionlog.FramePiece(l.watcher.Tick, l.watcher.Cells))
		}
		return
	}
	if m, ok := l.all.Msg.(*region.Columns); ok && shown[m.Region] != nil {
		shown[m.Region].pieces.Add(regionlog.ColumnsPiece(m.Tick, columnsOf(m), s.columnHash))
	}
}

// columnsOf are the columns of a message.
func columnsOf(m *region.Columns) (out []*world.Column) {
	for i := range m.Columns {
		if c := m.Columns[i].Column; c != nil {
			out = append(out, c)
		}
	}
	return out
}

// columnHash is the hash of a frozen column.
func (s *remoteSessions) columnHash(c *world.Column) [32]byte {
	h, ok := s.hashes.Get(c)
	if !ok {
		h = regionlog.ColumnHash(c)
		s.hashes.Put(c, h)
	}
	return h
}

// signShown tells each node whose sessions watch a region what it has been shown of it
// until a checkpoint.
func (s *remoteSessions) signShown(areas areaFinder, c *regionlog.Checkpoint, by *regionlog.Signing) {
	s.flush()
	columns := map[machine.Addr]uint16{}
	areas.current(c.Region, func(session machine.Peer, which uint16) {
		if session.Addr != s.tag && session.Addr != (machine.Addr{}) {
			columns[session.Addr] |= which
		}
	})
	for _, tag := range slices.SortedFunc(maps.Keys(columns), func(a, b machine.Addr) int { return slices.Compare(a[:], b[:]) }) {
		f := s.links.ByTag(tag)
		if f == nil || !f.IsUp() {
			continue
		}
		of := s.sessionsOf(f)
		if of.shown == nil {
			of.shown = map[world.RegionPos]*shownTo{}
		}
		x := of.shown[c.Region]
		if x == nil && columns[tag] == 0 {
			continue
		}
		if x == nil {
			x = &shownTo{pieces: regionlog.BeginPieces(f.Peer.ID, s.Env.Now())}
			of.shown[c.Region] = x
		}
		if x.said++; x.said <= 2 || x.said%allHashesEvery == 0 {
			x.had = nil
		}
		statement := &regionlog.Shown{Checkpoint: c, To: f.Peer.ID, Number: x.pieces.Number, Head: x.pieces.Head, Current: columns[tag]}
		statement.Sign(by)
		s.links.Send(f.Peer, &Shown{Region: c.Region, Statement: statement.AppendAfter(nil, x.had)})
		x.had = &c.Hashes
	}
}
