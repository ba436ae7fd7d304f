package accountability

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// ShownSigning signs what sessions of other nodes are shown of regions that are led here.
type ShownSigning struct {
	part.Part
	tag   machine.Addr // of this node
	links *peers.Links
	flush func()                                  // sends what is gathered for other nodes
	to    peers.Own[map[world.RegionPos]*shownTo] // what a node's sessions were shown of regions here

	hashes recent.Map[*world.Column, [32]byte] // of columns that were sent
}

// NewShownSigning returns what signs what is shown; flush sends what is gathered.
func NewShownSigning(c part.Part, l *peers.Links, flush func()) *ShownSigning {
	return &ShownSigning{
		Part: c, tag: peers.TagOf(c.Cfg.Self.ID), links: l, flush: flush, to: peers.NewOwn[map[world.RegionPos]*shownTo](l),
		hashes: recent.New[*world.Column, [32]byte](maxColumnHashes),
	}
}

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

// NoteFrame adds a frame for sessions of a node to the chain of what the node is shown, if it
// is told such chains.
func (s *ShownSigning) NoteFrame(to machine.Peer, pos world.RegionPos, tick uint64, sessions []id.ID, cells []byte) {
	if x := s.shownTo(to)[pos]; x != nil {
		x.pieces.Add(regionlog.FramePiece(tick, sessions, cells))
	}
}

// NoteMessage adds the columns of a message to it.
func (s *ShownSigning) NoteMessage(to machine.Peer, sessions []id.ID, m machine.Message) {
	c, ok := m.(*region.Columns)
	if !ok {
		return
	}
	if x := s.shownTo(to)[c.Region]; x != nil {
		x.pieces.Add(regionlog.ColumnsPiece(c.Tick, sessions, columnsOf(c), s.columnHash))
	}
}

// shownTo is what a node was shown of regions here.
func (s *ShownSigning) shownTo(to machine.Peer) map[world.RegionPos]*shownTo {
	if f := s.links.ByID(to.ID); f != nil {
		return *s.to.Of(f)
	}
	return nil
}

// LinkDown is when the link to a node has ended: it begins another chain.
func (s *ShownSigning) LinkDown(f *peers.Remote) { *s.to.Of(f) = nil }

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
func (s *ShownSigning) columnHash(c *world.Column) [32]byte {
	h, ok := s.hashes.Get(c)
	if !ok {
		h = regionlog.ColumnHash(c)
		s.hashes.Put(c, h)
	}
	return h
}

// sign tells each node whose sessions watch a region what it has been shown of it
// until a checkpoint.
func (s *ShownSigning) sign(areas areaFinder, c *regionlog.Checkpoint, by *regionlog.Signing) {
	s.flush()
	current := map[machine.Addr][]regionlog.Known{}
	areas.Current(c.Region, func(session machine.Peer, which uint16) {
		if session.Addr == s.tag || session.Addr == (machine.Addr{}) {
			return
		}
		list := current[session.Addr]
		if which != 0 && len(list) < regionlog.MaxKnown {
			list = append(list, regionlog.Known{Session: session.ID, Columns: which})
		}
		current[session.Addr] = list
	})
	for _, tag := range slices.SortedFunc(maps.Keys(current), func(a, b machine.Addr) int { return slices.Compare(a[:], b[:]) }) {
		f := s.links.ByTag(tag)
		if f == nil || !f.IsUp() {
			continue
		}
		shown := s.to.Of(f)
		if *shown == nil {
			*shown = map[world.RegionPos]*shownTo{}
		}
		x := (*shown)[c.Region]
		if x == nil && len(current[tag]) == 0 {
			continue
		}
		if x == nil {
			x = &shownTo{pieces: regionlog.BeginPieces(f.Peer.ID, s.Env.Now())}
			(*shown)[c.Region] = x
		}
		if x.said++; x.said <= 2 || x.said%allHashesEvery == 0 {
			x.had = nil
		}
		slices.SortFunc(current[tag], regionlog.Known.Compare)
		statement := &regionlog.Shown{Checkpoint: c, To: f.Peer.ID, Number: x.pieces.Number, Head: x.pieces.Head, Current: current[tag]}
		statement.Sign(by)
		s.links.Send(f.Peer, &Shown{Region: c.Region, Statement: statement.AppendAfter(nil, x.had)})
		x.had = &c.Hashes
	}
}
