package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
)

// heartbeat is how many ticks pass at most until a subscriber gets a frame,
// even if nothing happens.
const heartbeat = 20

// broadcast encodes what happened in a tick and sends it to all who watch.
func (r *Region) broadcast(tick uint64) {
	r.encodeCells(tick)
	clear(r.mixed)
	slab := make([]Frame, len(r.subs))
	for i, s := range r.subs {
		r.tell(s, tick, &slab[i])
	}
}

// encodeCells encodes the streams that are due, each once.
func (r *Region) encodeCells(tick uint64) {
	r.enc.Buf = r.enc.Buf[:0]
	for i := range r.entities.cells {
		c := &r.entities.cells[i]
		if c.live == 0 {
			continue
		}
		for s := range c.streams {
			st := &c.streams[s]
			st.diff, st.key = span{}, span{}
			if c.live>>s&1 == 1 && r.due(s, tick) {
				st.diff = c.encode(&r.enc, s)
				r.stats.CellsEncoded++
			}
		}
	}
	r.stats.CellBytes += uint64(len(r.enc.Buf))
}

// tell sends one subscriber its frame of a tick. A subscriber whose queue is
// crowded gets none; once there is room it gets columns that it missed changes
// of and keyframes of everything.
func (r *Region) tell(s *subscriber, tick uint64, f *Frame) {
	if r.nothingFor(s, tick) {
		return
	}
	if machine.Crowded(r.env, s.peer) {
		r.stats.FramesSkipped++
		s.behind = true
		s.missed |= r.recentBlocks(tick)
		return
	}
	if s.behind {
		s.behind = false
		s.rekey = watched(&s.set) &^ s.fresh
		s.fresh |= s.missed & watched(&s.set)
		s.rekey &^= s.fresh
		s.missed = 0
	}
	cells := r.cellsFor(s, tick)
	f.Region, f.Tick, f.Cells = r.cfg.Pos, tick, cells
	if s.home != nil && s.home.out == nil {
		s.home.own(&f.Own)
	}
	if len(cells) == 1 && s.home == nil && tick < s.told+heartbeat {
		return
	}
	s.told = tick
	r.stats.FramesSent++
	r.stats.FrameBytes += uint64(len(cells))
	r.env.Send(s.peer, f)
}

// nothingFor reports whether a tick has nothing for a subscriber who does not wait
// for anything: so it is for most in most ticks.
func (r *Region) nothingFor(s *subscriber, tick uint64) bool {
	return s.home == nil && !s.behind && s.fresh|s.rekey == 0 && tick < s.told+heartbeat && len(r.cellsFor(s, tick)) == 1
}

// cellsFor returns the cells part of a subscriber's frame, shared where others
// see the same.
func (r *Region) cellsFor(s *subscriber, tick uint64) []byte {
	if s.fresh|s.rekey == 0 {
		if g := s.group; g.tick != tick || g.bytes == nil {
			g.tick, g.bytes = tick, r.compose(mix{set: g.set}, tick)
		}
		return s.group.bytes
	}
	// A keyframe comes in the place of the stream, so block changes that the
	// stream has not told yet would be lost: the column comes again.
	recent := s.rekey & r.recentBlocks(tick)
	s.fresh |= recent
	s.rekey &^= recent
	m := mix{set: s.set}
	ready := s.fresh & r.loaded
	m.key = s.rekey | ready
	for i := range m.set {
		if (s.fresh&^ready)>>i&1 == 1 {
			m.set[i] = RateNone // its column comes first
		}
	}
	if ready != 0 {
		r.sendColumns(s.peer, ready, tick, 0)
	}
	s.fresh &^= ready
	s.rekey = 0
	bytes := r.mixed[m]
	if bytes == nil {
		bytes = r.compose(m, tick)
		r.mixed[m] = bytes
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
func (r *Region) compose(m mix, tick uint64) []byte {
	var parts [16]span
	n, size := 0, 1
	for i, rate := range m.set {
		if rate == RateNone {
			continue
		}
		c := &r.entities.cells[i]
		st := &c.streams[streamOf[rate]]
		part := st.diff
		if m.key>>i&1 == 1 {
			if st.key == (span{}) {
				st.key = c.keyframe(&r.enc, int(streamOf[rate]))
				r.stats.Keyframes++
			}
			part = st.key
		}
		if part != (span{}) {
			parts[n] = part
			n++
			size += part.to - part.from
		}
	}
	if n == 0 {
		return frame.NoCells
	}
	r.stats.Composed++
	out := frame.AppendCount(r.slab(size), n)
	for _, p := range parts[:n] {
		out = append(out, r.enc.Buf[p.from:p.to]...)
	}
	return out
}

// slab returns an empty slice with room for n bytes, cut from a larger piece so
// that a tick with many sets allocates little.
func (r *Region) slab(n int) []byte {
	const piece = 16 << 10
	if n > cap(r.room)-len(r.room) {
		r.room = make([]byte, 0, max(n, piece))
	}
	from := len(r.room)
	r.room = r.room[:from+n]
	return r.room[from : from : from+n]
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

// sendColumns sends the blocks of columns, as they are after a tick.
func (r *Region) sendColumns(to machine.Peer, which uint16, tick uint64, number uint32) {
	out := &Columns{Region: r.cfg.Pos, Tick: tick, Number: number}
	for i := range r.version {
		if which>>i&1 == 1 {
			out.Columns = append(out.Columns, Column{r.area.Share(i), r.version[i]})
			r.stats.ColumnsSent++
		}
	}
	r.env.Send(to, out)
}

// recentBlocks returns a bit for each column whose blocks changed so lately
// that a stream may be telling of it in this tick.
func (r *Region) recentBlocks(tick uint64) (bits uint16) {
	for i, at := range r.blocksAt {
		if at != 0 && at+RateQuart > tick {
			bits |= 1 << i
		}
	}
	return bits
}
