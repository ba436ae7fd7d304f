package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// outbox holds what shards say to sessions of other nodes until the handler has
// ended. What several sessions of one node are told alike travels once, as long
// as each session gets its messages in the order in which they were sent.
type outbox struct {
	list  []outgoingMessage
	index map[outKey]int       // the last letter of its kind
	last  map[machine.Peer]int // the last letter to a session, from 1
}

// outgoingMessage is a message for a node: one of the two is set.
type outgoingMessage struct {
	to      machine.Peer
	all     *ToSessions
	watcher *ToWatchers
}

// outKey is equal for what may travel as one.
type outKey struct {
	node  id.ID
	m     machine.Message // a pointer; not for frames
	cells *byte           // of frames
	at    world.RegionPos
}

func newOutbox() outbox {
	return outbox{index: map[outKey]int{}, last: map[machine.Peer]int{}}
}

// send sends a shard's message to a session of another node.
func (s *remoteSessions) send(session machine.Peer, m machine.Message) {
	f := s.links.ByTag(session.Addr)
	if f == nil {
		s.Counts.Dropped++
		return
	}
	o := &s.out
	key := outKey{node: f.Peer.ID, m: m}
	frame, isFrame := m.(*region.Frame)
	if isFrame && len(frame.Cells) > 0 {
		key = outKey{node: f.Peer.ID, cells: &frame.Cells[0], at: frame.Region}
	}
	i, ok := o.index[key]
	if !ok || o.last[session] > i {
		i = len(o.list)
		o.index[key] = i
		o.list = append(o.list, outgoingMessage{to: f.Peer})
	}
	o.last[session] = i + 1
	l := &o.list[i]
	switch {
	case !isFrame && l.all == nil:
		l.all = &ToSessions{Sessions: []id.ID{session.ID}, Msg: m}
	case !isFrame:
		l.all.Sessions = append(l.all.Sessions, session.ID)
	default:
		if l.watcher == nil {
			l.watcher = &ToWatchers{Region: frame.Region, Tick: frame.Tick, Cells: frame.Cells}
		}
		l.watcher.To = append(l.watcher.To, Watcher{session.ID, frame.Own})
	}
}

// flush sends what has gathered.
func (s *remoteSessions) flush() {
	o := &s.out
	if len(o.list) == 0 {
		return
	}
	for i := range o.list {
		l := &o.list[i]
		if l.all != nil {
			s.signs.NoteMessage(l.to, l.all.Sessions, l.all.Msg)
			s.links.Send(l.to, l.all)
		} else {
			s.signs.NoteFrame(l.to, l.watcher.Region, l.watcher.Tick, l.watcher.sessions(), l.watcher.Cells)
			s.links.Send(l.to, l.watcher)
		}
		o.list[i] = outgoingMessage{}
	}
	o.list = o.list[:0]
	clear(o.index)
	clear(o.last)
}
