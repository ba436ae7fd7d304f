package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A cell is a column as the unit of interest: the entities in it and what
// happens to its blocks. Each rate at which somebody watches it is a stream
// with a state of its own, encoded once a tick when it is due.
type cell struct {
	index   uint8
	slots   []slot // by handle
	free    []uint16
	streams [rates]stream
	live    uint8 // bit n: stream n has watchers
}

// rates is the number of streams of a cell: each tick, every 2nd, every 4th.
const rates = 3

var (
	rateTicks = [rates]uint64{RateEvery, RateHalf, RateQuart}
	// streamOf gives the stream of a rate, −1 for not watching and for what is
	// no rate.
	streamOf = [RateQuart + 1]int8{-1, 0, 1, -1, 2}
)

// stream is one rate of a cell. What happens between two of its ticks waits in
// its lists.
type stream struct {
	watchers int
	changed  bool // entities entered, left or changed state
	blocks   []frame.Block
	events   []frame.Event
	cracks   []frame.Crack

	diff, key span // encoded in this tick
}

// span is a part of the tick's scratch buffer; empty if nothing is there.
type span struct{ from, to int }

// slot is what a cell knows of an entity, by its handle in the cell. A slot is
// given away again when the last stream has told that the entity is gone.
type slot struct {
	now    frame.Motion
	entity uint64
	name   []byte
	held   world.Block
	worn   frame.Worn
	kind   uint8
	pose   uint8
	state  uint8
	reason uint8 // why it is gone
	known  uint8 // bit n: the watchers of stream n know it
	stale  uint8 // bit n: stream n has to tell pose and held
	ragged uint8 // bit n: stream n has to tell what is worn
	sent   [rates]frame.Motion
}

const (
	slotFree = iota
	slotHere
	slotGone
)

// put adds an entity and returns its handle.
func (c *cell) put(s slot) uint16 {
	s.state = slotHere
	c.mark()
	if n := len(c.free); n > 0 {
		h := c.free[n-1]
		c.free = c.free[:n-1]
		c.slots[h] = s
		return h
	}
	c.slots = append(c.slots, s)
	return uint16(len(c.slots) - 1)
}

// drop takes an entity away.
func (c *cell) drop(h uint16, reason uint8) {
	s := &c.slots[h]
	s.state, s.reason = slotGone, reason
	c.mark()
	c.release(h)
}

// release frees the slot of an entity that is gone if no stream knows it.
func (c *cell) release(h uint16) {
	if s := &c.slots[h]; s.state == slotGone && s.known == 0 {
		*s = slot{}
		c.free = append(c.free, h)
	}
}

func (c *cell) mark() {
	for i := range c.streams {
		c.streams[i].changed = true
	}
}

// look updates what an entity looks like apart from its motion.
func (c *cell) look(h uint16, l *look) {
	s := &c.slots[h]
	if s.pose != l.pose || s.held != l.held {
		s.pose, s.held, s.stale = l.pose, l.held, s.known
		c.mark()
	}
	if s.worn != l.worn {
		s.worn, s.ragged = l.worn, s.known
		c.mark()
	}
}

func (c *cell) block(p world.Pos, b world.Block) {
	for i := range c.streams {
		if c.live>>i&1 == 1 {
			c.streams[i].blocks = append(c.streams[i].blocks, frame.Block{Place: frame.Place(p), Block: b})
		}
	}
}

func (c *cell) event(h uint16, kind uint8) {
	for i := range c.streams {
		if c.live>>i&1 == 1 {
			c.streams[i].events = append(c.streams[i].events, frame.Event{Handle: uint32(h), Event: kind})
		}
	}
}

func (c *cell) crack(p world.Pos, stage uint8) {
	for i := range c.streams {
		if c.live>>i&1 == 1 {
			c.streams[i].cracks = append(c.streams[i].cracks, frame.Crack{Place: frame.Place(p), Stage: stage})
		}
	}
}

// watch counts a watcher of a stream. The first one makes it live: from then on
// it knows all entities of the cell where they are now, which the watcher
// learns by a keyframe.
func (c *cell) watch(stream int8) {
	st := &c.streams[stream]
	st.watchers++
	bit := uint8(1) << stream
	if c.live&bit != 0 {
		return
	}
	c.live |= bit
	st.changed = false
	for h := range c.slots {
		if s := &c.slots[h]; s.state == slotHere {
			s.known |= bit
			s.stale &^= bit
			s.ragged &^= bit
			s.sent[stream] = s.now
		}
	}
}

// unwatch counts a watcher less. The last one ends the stream.
func (c *cell) unwatch(stream int8) {
	st := &c.streams[stream]
	if st.watchers--; st.watchers > 0 {
		return
	}
	bit := uint8(1) << stream
	c.live &^= bit
	st.blocks, st.events, st.cracks = st.blocks[:0], st.events[:0], st.cracks[:0]
	for h := range c.slots {
		c.slots[h].known &^= bit
		c.release(uint16(h))
	}
}

// encode appends what happened since the stream's last tick.
func (c *cell) encode(e *frame.CellEncoder, stream int) span {
	st, bit := &c.streams[stream], uint8(1)<<stream
	from := len(e.Buf)
	e.Begin(c.index, false)
	if st.changed {
		c.encodeLeaves(e, bit)
		c.encodeEnters(e, stream)
	}
	for h := range c.slots {
		if s := &c.slots[h]; s.known&bit != 0 {
			e.Move(uint32(h), &s.sent[stream], &s.now)
		}
	}
	if st.changed {
		c.encodeStates(e, bit)
		c.encodeWears(e, bit)
		st.changed = false
	}
	for _, b := range st.blocks {
		e.Block(b)
	}
	for _, v := range st.events {
		if c.slots[v.Handle].known&bit != 0 {
			e.Event(v)
		}
	}
	for _, k := range st.cracks {
		e.Crack(k)
	}
	st.blocks, st.events, st.cracks = st.blocks[:0], st.events[:0], st.cracks[:0]
	if !e.End() {
		return span{}
	}
	return span{from, len(e.Buf)}
}

func (c *cell) encodeLeaves(e *frame.CellEncoder, bit uint8) {
	for h := range c.slots {
		if s := &c.slots[h]; s.state == slotGone && s.known&bit != 0 {
			e.Leave(frame.Leave{Handle: uint32(h), Reason: s.reason})
			s.known &^= bit
			c.release(uint16(h))
		}
	}
}

func (c *cell) encodeEnters(e *frame.CellEncoder, stream int) {
	bit := uint8(1) << stream
	for h := range c.slots {
		if s := &c.slots[h]; s.state == slotHere && s.known&bit == 0 {
			s.known |= bit
			s.stale &^= bit
			s.sent[stream] = s.now
			if s.worn != (frame.Worn{}) {
				s.ragged |= bit
			}
			enter(e, h, s, &s.now)
		}
	}
}

func (c *cell) encodeStates(e *frame.CellEncoder, bit uint8) {
	for h := range c.slots {
		if s := &c.slots[h]; s.state == slotHere && s.stale&bit != 0 {
			s.stale &^= bit
			e.State(frame.State{Handle: uint32(h), Pose: s.pose, Held: s.held})
		}
	}
}

func (c *cell) encodeWears(e *frame.CellEncoder, bit uint8) {
	for h := range c.slots {
		if s := &c.slots[h]; s.state == slotHere && s.ragged&bit != 0 {
			s.ragged &^= bit
			e.Wear(frame.Wear{Handle: uint32(h), Worn: s.worn})
		}
	}
}

func enter(e *frame.CellEncoder, h int, s *slot, at *frame.Motion) {
	e.Enter(&frame.Enter{
		Handle: uint32(h), Entity: s.entity, Kind: s.kind, Motion: *at,
		Pose: s.pose, Held: s.held, Name: s.name,
	})
}

// keyframe appends all that the stream's watchers know, for a new one.
func (c *cell) keyframe(e *frame.CellEncoder, stream int) span {
	bit := uint8(1) << stream
	from := len(e.Buf)
	e.Begin(c.index, true)
	for h := range c.slots {
		if s := &c.slots[h]; s.known&bit != 0 {
			enter(e, h, s, &s.sent[stream])
		}
	}
	for h := range c.slots {
		if s := &c.slots[h]; s.known&bit != 0 && s.worn != (frame.Worn{}) {
			e.Wear(frame.Wear{Handle: uint32(h), Worn: s.worn})
		}
	}
	e.End()
	return span{from, len(e.Buf)}
}
