package client

import (
	"fmt"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Options say what a Mirror keeps. The zero value keeps everything.
type Options struct {
	// Copy holds the blocks; nil: one of its own.
	Copy *Copy
	// Count only counts what frames say of others, instead of keeping it: for
	// crowds of bots.
	Count bool
	// Heard is called for each message after the mirror has taken it, if it is
	// not nil. It must not wait; the message is valid until it returns.
	Heard func(wire.Message)
}

// Counts are totals of what a Mirror was told.
type Counts struct {
	Bytes, Messages, Frames uint64
	Moves                   uint64 // of players, the own ones among them; only with Options.Count
	Corrections             uint64 // of the own body
	Columns                 uint64
	LastTick                uint64 // the highest seen in a frame
}

// Mirror is what a client knows: the blocks, who is there, its own body. One
// goroutine calls Run; everything else may be called by anybody.
type Mirror struct {
	conn    Conn
	opt     Options
	welcome *wire.Welcome
	copy    *Copy

	// Only Run's goroutine touches these.
	frame  frame.Frame
	tally  frame.Tally
	column wire.Column

	mu      sync.Mutex
	me      me
	edits   edits
	loaded  map[world.ColumnPos]bool
	views   map[world.RegionPos]*frame.View
	players map[uint64]wire.PlayerInfo
	self    wire.Self
	slots   [wire.MaxSlots]wire.SlotItem
	chosen  uint8

	container wire.Container // what was told last
	texts     map[world.ColumnPos][]wire.SignText
	offset    int64
	counts    Counts
	pings     pings
	last      time.Time     // when a frame came
	gap       time.Duration // the longest between two frames
	out       []byte        // encoded into again and again
}

// NewMirror returns the mirror of a connection that has just been welcomed.
func NewMirror(conn Conn, welcome *wire.Welcome, opt Options) *Mirror {
	m := &Mirror{
		conn: conn, opt: opt, welcome: welcome, copy: opt.Copy,
		loaded: map[world.ColumnPos]bool{}, views: map[world.RegionPos]*frame.View{},
		players: map[uint64]wire.PlayerInfo{}, texts: map[world.ColumnPos][]wire.SignText{}, offset: welcome.TimeOffset,
	}
	if m.copy == nil {
		m.copy = NewCopy()
	}
	m.me.body = world.Body{Pos: welcome.Pos, Yaw: welcome.Yaw, Pitch: welcome.Pitch}
	m.self.Mode = welcome.World.Mode
	m.edits.init()
	return m
}

// Run takes what the node says until the connection ends, and says why it did.
func (m *Mirror) Run() error {
	for {
		b, err := m.conn.Recv()
		if err != nil {
			return err
		}
		if err := m.take(b); err != nil {
			return err
		}
	}
}

// take takes one encoded message.
func (m *Mirror) take(b []byte) error {
	m.mu.Lock()
	m.counts.Messages++
	m.counts.Bytes += uint64(len(b))
	m.mu.Unlock()
	switch wire.TypeOf(b) {
	case wire.TypeFrame:
		return m.onFrame(b[1:])
	case wire.TypeColumn:
		return m.onColumn(b)
	}
	msg, err := wire.DecodeNode(b)
	if err != nil {
		return err
	}
	m.mu.Lock()
	err = m.onMessage(msg)
	m.mu.Unlock()
	if err == nil && m.opt.Heard != nil {
		m.opt.Heard(msg)
	}
	return err
}

func (m *Mirror) onMessage(msg wire.Message) error {
	switch msg := msg.(type) {
	case *wire.Unload:
		m.unload(msg.Column)
	case *wire.Self:
		m.self = *msg
	case *wire.Inventory:
		m.chosen = msg.Selected
		for _, s := range msg.Slots {
			m.slots[s.Slot] = s
		}
	case *wire.Container:
		m.container = *msg
	case *wire.Signs:
		m.texts[msg.Column] = msg.Texts
	case *wire.ActResult:
		m.edits.settle(m.copy, msg)
	case *wire.Players:
		if msg.Full {
			clear(m.players)
		}
		for _, p := range msg.List {
			if p.Present {
				m.players[p.Entity] = p
			} else {
				delete(m.players, p.Entity)
			}
		}
	case *wire.TimeOffset:
		m.offset = msg.Ticks
	case *wire.Pong:
		m.pings.answered(msg.Time, time.Now())
	case *wire.Refused:
		return msg
	}
	return nil
}

func (m *Mirror) onColumn(b []byte) error {
	if err := wire.DecodeInto(b, &m.column); err != nil {
		return err
	}
	p := m.column.Pos
	m.mu.Lock()
	first := !m.loaded[p]
	m.loaded[p] = true
	m.counts.Columns++
	m.mu.Unlock()
	return m.copy.put(&m.column, first)
}

func (m *Mirror) unload(p world.ColumnPos) {
	if !m.loaded[p] {
		return
	}
	delete(m.loaded, p)
	delete(m.texts, p)
	m.copy.drop(p)
	if v := m.views[p.Region()]; v != nil {
		v.Forget(uint8(p.Index()))
	}
	m.tally.Forget(p)
}

func (m *Mirror) onFrame(b []byte) error {
	if m.opt.Count {
		return m.count(b)
	}
	f := &m.frame
	if err := f.Decode(b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onHead(&f.Head)
	for i := range f.Cells {
		c := &f.Cells[i]
		for _, b := range c.Blocks {
			m.block(f.Region.Column(int(c.Index)), b)
		}
	}
	v := m.views[f.Region]
	if v == nil {
		v = new(frame.View)
		m.views[f.Region] = v
	}
	v.Apply(f)
	return nil
}

// count is onFrame for those who only count.
func (m *Mirror) count(b []byte) error {
	t := &m.tally
	if err := t.Read(b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onHead(&t.Head)
	m.counts.Moves = t.Moves
	for _, b := range t.Blocks {
		m.block(t.Region.Column(int(b.Cell)), b.Block)
	}
	return nil
}

// onHead takes the personal part of a frame.
func (m *Mirror) onHead(h *frame.Head) {
	m.counts.Frames++
	m.counts.LastTick = max(m.counts.LastTick, h.Tick)
	now := time.Now()
	if !m.last.IsZero() {
		m.gap = max(m.gap, now.Sub(m.last))
	}
	m.last = now
	if h.Own.Corrected {
		m.counts.Corrections++
	}
	if h.Own.HasAck || h.Own.Corrected {
		m.me.hear(m.copy, &h.Own, world.Mode(m.self.Mode))
	}
}

// block changes the copy. A change of the node's outruns what the client
// believed about this block.
func (m *Mirror) block(c world.ColumnPos, b frame.Block) {
	if p := frame.PlaceIn(c, b.Place); p.InWorld() && b.Block.Known() {
		m.edits.overtake(p)
		m.copy.set(p, b.Block)
	}
}

// send encodes and sends; the lock is held.
func (m *Mirror) send(msg wire.Message) error {
	m.out = wire.Append(m.out[:0], msg)
	if err := m.conn.Send(m.out); err != nil {
		return fmt.Errorf("%T: %w", msg, err)
	}
	return nil
}

// Close ends the connection.
func (m *Mirror) Close() error { return m.conn.Close() }
