package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
)

// heartbeat is how many ticks pass at most until a subscriber gets a frame,
// even if nothing happens.
const heartbeat = 20

// broadcast encodes what happened in a tick and sends it to all who watch.
func (n *interest) broadcast(tick uint64) {
	n.encodeCells(tick)
	clear(n.mixed)
	slab := make([]Frame, len(n.subs))
	for i, s := range n.subs {
		n.sendFrame(s, tick, &slab[i])
	}
}

// encodeCells encodes the streams that are due, each once.
func (n *interest) encodeCells(tick uint64) {
	n.enc.Buf = n.enc.Buf[:0]
	for i := range n.entities.cells {
		c := &n.entities.cells[i]
		if c.live == 0 {
			continue
		}
		for s := range c.streams {
			st := &c.streams[s]
			st.diff, st.key = span{}, span{}
			if c.live>>s&1 == 1 && n.due(s, tick) {
				st.diff = c.encode(&n.enc, s)
				n.stats.CellsEncoded++
			}
		}
	}
	n.stats.CellBytes += uint64(len(n.enc.Buf))
}

// due reports whether a stream is told in a tick. All cells of a region are due
// in the same tick, so a distant watcher gets one message every 2nd or 4th
// tick; regions take turns.
func (n *interest) due(stream int, tick uint64) bool {
	return (tick+regionlog.Turn(n.cfg.Pos))%rateTicks[stream] == 0
}

// current calls do for those who watch, with the columns whose blocks they have been told
// as they are, after the frames of a tick.
func (n *interest) current(tick uint64, do func(to machine.Peer, columns uint16)) {
	for _, s := range n.subs {
		columns := watched(&s.set) &^ s.fresh & n.columns.loaded
		for i, rate := range s.set {
			if rate != RateNone {
				if st := streamOf[rate]; !n.due(int(st), tick) || len(n.entities.cells[i].streams[st].blocks) > 0 {
					columns &^= 1 << i
				}
			}
		}
		if s.behind {
			columns = 0
		}
		do(s.peer, columns)
	}
}

// sendFrame sends one subscriber its frame of a tick. A subscriber whose queue is
// crowded gets none; once there is room it gets columns that it missed changes
// of and keyframes of everything.
func (n *interest) sendFrame(s *subscriber, tick uint64, f *Frame) {
	if n.nothingFor(s, tick) {
		return
	}
	if machine.Crowded(n.env, s.peer) {
		n.stats.FramesSkipped++
		s.behind = true
		s.missed |= n.columns.recent(tick)
		return
	}
	if s.behind {
		s.behind = false
		s.rekey = watched(&s.set) &^ s.fresh
		s.fresh |= s.missed & watched(&s.set)
		s.rekey &^= s.fresh
		s.missed = 0
	}
	cells := n.cellsFor(s, tick)
	f.Region, f.Tick, f.Cells = n.cfg.Pos, tick, cells
	if s.player != nil && s.player.handover == nil {
		s.player.own(&f.Own)
	}
	if len(cells) == 1 && s.player == nil && tick < s.told+heartbeat {
		return
	}
	s.told = tick
	n.stats.FramesSent++
	n.stats.FrameBytes += uint64(len(cells))
	n.env.Send(s.peer, f)
}

// nothingFor reports whether a tick has nothing for a subscriber who does not wait
// for anything: so it is for most in most ticks.
func (n *interest) nothingFor(s *subscriber, tick uint64) bool {
	return s.player == nil && !s.behind && s.fresh|s.rekey == 0 && tick < s.told+heartbeat && len(n.cellsFor(s, tick)) == 1
}

// cellsFor returns the cells part of a subscriber's frame, shared where others
// see the same.
func (n *interest) cellsFor(s *subscriber, tick uint64) []byte {
	if s.fresh|s.rekey == 0 {
		if g := s.group; g.tick != tick || g.bytes == nil {
			g.tick, g.bytes = tick, n.compose(mix{set: g.set}, tick)
		}
		return s.group.bytes
	}
	// A keyframe comes in the place of the stream, so block changes that the
	// stream has not told yet would be lost: the column comes again.
	recent := s.rekey & n.columns.recent(tick)
	s.fresh |= recent
	s.rekey &^= recent
	m := mix{set: s.set}
	ready := s.fresh & n.columns.loaded
	m.key = s.rekey | ready
	for i := range m.set {
		if (s.fresh&^ready)>>i&1 == 1 {
			m.set[i] = RateNone // its column comes first
		}
	}
	if ready != 0 {
		n.columns.send(s.peer, ready, tick, 0)
		for i := range m.set {
			if ready>>i&1 == 1 && len(n.columns.area.Texts(i)) > 0 {
				n.columns.sendSigns(s.peer, i)
			}
		}
	}
	s.fresh &^= ready
	s.rekey = 0
	bytes := n.mixed[m]
	if bytes == nil {
		bytes = n.compose(m, tick)
		n.mixed[m] = bytes
	}
	return bytes
}

// mix is what a frame is put together from: streams of cells, some of them as
// keyframes.
type mix struct {
	set watchSet
	key uint16
}

// compose puts cells together, into bytes that are never written again.
func (n *interest) compose(m mix, tick uint64) []byte {
	var parts [16]span
	count, size := 0, 1
	for i, rate := range m.set {
		if rate == RateNone {
			continue
		}
		c := &n.entities.cells[i]
		st := &c.streams[streamOf[rate]]
		part := st.diff
		if m.key>>i&1 == 1 {
			if st.key == (span{}) {
				st.key = c.keyframe(&n.enc, int(streamOf[rate]))
				n.stats.Keyframes++
			}
			part = st.key
		}
		if part != (span{}) {
			parts[count] = part
			count++
			size += part.to - part.from
		}
	}
	if count == 0 {
		return frame.NoCells
	}
	n.stats.Composed++
	out := frame.AppendCount(n.slab(size), count)
	for _, p := range parts[:count] {
		out = append(out, n.enc.Buf[p.from:p.to]...)
	}
	return out
}

// slab returns an empty slice with room for size bytes, cut from a larger piece so
// that a tick with many sets allocates little.
func (n *interest) slab(size int) []byte {
	const piece = 16 << 10
	if size > cap(n.room)-len(n.room) {
		n.room = make([]byte, 0, max(size, piece))
	}
	from := len(n.room)
	n.room = n.room[:from+size]
	return n.room[from : from : from+size]
}

// watched returns a bit for each column that a set watches.
func watched(set *watchSet) (bits uint16) {
	for i, rate := range set {
		if rate != RateNone {
			bits |= 1 << i
		}
	}
	return bits
}
