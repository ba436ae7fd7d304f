package frame

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Decode reads a whole frame into f, which then refers to b (names). What is
// decoded takes memory in proportion to b. After an error f is worth nothing.
func (f *Frame) Decode(b []byte) error {
	d := decoder{buf: b}
	d.head(&f.Head)
	f.cells(&d)
	return d.err
}

// DecodeHead reads the personal beginning of a frame into f.Head and returns
// the cells part.
func (f *Frame) DecodeHead(b []byte) (cells []byte, err error) {
	d := decoder{buf: b}
	d.head(&f.Head)
	return b[d.at:], d.err
}

// DecodeCells reads the cells part of a frame into f.Cells.
func (f *Frame) DecodeCells(b []byte) error {
	d := decoder{buf: b}
	f.cells(&d)
	return d.err
}

// decoder reads from buf; the first error stays and ends everything.
type decoder struct {
	buf []byte
	at  int
	err error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s at byte %d of %d", ErrMalformed, what, d.at, len(d.buf))
	}
	d.at = len(d.buf)
}

func (d *decoder) u8() uint8 {
	if d.at >= len(d.buf) {
		d.fail("it ends early")
		return 0
	}
	d.at++
	return d.buf[d.at-1]
}

// uvarint reads a number of at most limit.
func (d *decoder) uvarint(limit uint64) uint64 {
	if d.at < len(d.buf) && d.buf[d.at] < 0x80 && uint64(d.buf[d.at]) <= limit {
		d.at++
		return uint64(d.buf[d.at-1])
	}
	v, n := binary.Uvarint(d.buf[d.at:])
	if n <= 0 || v > limit {
		d.fail("bad number")
		return 0
	}
	d.at += n
	return v
}

// varint reads a number of at most limit in magnitude.
func (d *decoder) varint(limit int64) int64 {
	u := d.uvarint(uint64(2 * limit))
	return int64(u>>1) ^ -int64(u&1)
}

func (d *decoder) small() int32 { return int32(d.varint(limit)) }

func (d *decoder) head(h *Head) {
	*h = Head{}
	h.Region.X = int32(d.varint(world.Limit / world.RegionSize))
	h.Region.Z = int32(d.varint(world.Limit / world.RegionSize))
	h.Tick = d.uvarint(math.MaxUint64)
	flags := d.u8()
	if flags&^(flagAck|flagCorrect|flagNumber) != 0 {
		d.fail("unknown flags")
	}
	if h.Own.HasAck = flags&flagAck != 0; h.Own.HasAck {
		h.Own.Ack = uint32(d.uvarint(math.MaxUint32))
	}
	if h.Own.Corrected = flags&flagCorrect != 0; h.Own.Corrected {
		h.Own.Position = d.vec()
		h.Own.Velocity = d.vec()
		h.Own.Body = d.u8()
	}
	if h.Numbered = flags&flagNumber != 0; h.Numbered {
		low := d.u8()
		h.Number = uint16(low) | uint16(d.u8())<<8
	}
}

// farthest bounds the places and velocities of a body.
const farthest = 2 * world.Limit << fixed.Shift

func (d *decoder) vec() (v world.Vec) {
	v.X = fixed.Num(d.varint(farthest))
	v.Y = fixed.Num(d.varint(farthest))
	v.Z = fixed.Num(d.varint(farthest))
	return v
}

func (f *Frame) cells(d *decoder) {
	f.Cells = f.Cells[:0]
	f.enters, f.moves, f.leaves, f.states = f.enters[:0], f.moves[:0], f.leaves[:0], f.states[:0]
	f.blocks, f.events, f.cracks, f.wears = f.blocks[:0], f.events[:0], f.cracks[:0], f.wears[:0]
	n := d.uvarint(world.Columns)
	seen := uint16(0)
	for range n {
		head := d.u8()
		if d.err == nil && (head&^(flagKey|cellMask) != 0 || seen>>(head&cellMask)&1 == 1) {
			d.fail("unknown or repeated cell")
		}
		if d.err != nil {
			return
		}
		seen |= 1 << (head & cellMask)
		f.Cells = append(f.Cells, Cell{Index: head & cellMask, Keyframe: head&flagKey != 0})
		f.cell(d, &f.Cells[len(f.Cells)-1])
	}
	if d.err == nil && d.at != len(d.buf) {
		d.fail("something follows its end")
	}
}

// cell reads the sections of a cell. A section's entries go to the frame's own
// slices and are seen by the cell through a slice of them; a section comes at
// most once.
func (f *Frame) cell(d *decoder, c *Cell) {
	seen := uint16(0)
	for {
		tag := d.u8()
		if tag == tagEnd {
			return
		}
		if tag > tagWear || seen>>tag&1 == 1 {
			d.fail("unknown or repeated section")
			return
		}
		seen |= 1 << tag
		n := int(d.uvarint(uint64(len(d.buf))))
		switch tag {
		case tagEnter:
			f.enters, c.Enters = section(d, f.enters, n, (*decoder).enter)
		case tagMove:
			f.moves, c.Moves = moves(d, f.moves, n)
		case tagLeave:
			f.leaves, c.Leaves = section(d, f.leaves, n, (*decoder).leave)
		case tagState:
			f.states, c.States = section(d, f.states, n, (*decoder).state)
		case tagBlocks:
			f.blocks, c.Blocks = section(d, f.blocks, n, (*decoder).block)
		case tagEvent:
			f.events, c.Events = section(d, f.events, n, (*decoder).event)
		case tagCracks:
			f.cracks, c.Cracks = section(d, f.cracks, n, (*decoder).crack)
		case tagWear:
			f.wears, c.Wears = section(d, f.wears, n, (*decoder).wear)
		}
		if d.err != nil {
			return
		}
	}
}

// section reads n entries to the end of all and returns all and the new part.
func section[T any](d *decoder, all []T, n int, read func(*decoder) T) (_, part []T) {
	from := len(all)
	for i := 0; i < n && d.err == nil; i++ {
		all = append(all, read(d))
	}
	return all, all[from:len(all):len(all)]
}

func (d *decoder) handle() uint32 { return uint32(d.uvarint(math.MaxUint16)) }

func (d *decoder) held() world.Block { return world.Block(d.uvarint(math.MaxUint16)) }

func (d *decoder) place() uint32 { return uint32(d.uvarint(world.Height<<10 - 1)) }

func (d *decoder) enter() (v Enter) {
	v.Handle = d.handle()
	v.Entity = d.uvarint(1<<53 - 1) // what a browser counts exactly
	v.Kind = d.u8()
	v.X, v.Y, v.Z = d.small(), d.small(), d.small()
	v.DX, v.DZ = d.small(), d.small()
	v.Yaw, v.Pitch, v.Pose = d.u8(), int8(d.u8()), d.u8()
	v.Held = d.held()
	n := int(d.uvarint(uint64(len(d.buf))))
	if n > len(d.buf)-d.at {
		d.fail("a name goes beyond the end")
		return v
	}
	v.Name = d.buf[d.at : d.at+n]
	d.at += n
	return v
}

func (d *decoder) leave() Leave { return Leave{d.handle(), d.u8()} }
func (d *decoder) state() State { return State{d.handle(), d.u8(), d.held()} }
func (d *decoder) block() Block { return Block{d.place(), d.held()} }
func (d *decoder) event() Event { return Event{d.handle(), d.u8()} }
func (d *decoder) crack() Crack { return Crack{d.place(), d.u8()} }

func (d *decoder) wear() (v Wear) {
	v.Handle = d.handle()
	mask := d.u8()
	if mask>>len(v.Worn) != 0 {
		d.fail("unknown piece of armour")
	}
	for i := range v.Worn {
		if mask>>i&1 == 1 {
			v.Worn[i] = d.held()
		}
	}
	return v
}

// moves is section for move entries, whose handles follow each other.
func moves(d *decoder, all []Move, n int) (_, part []Move) {
	from := len(all)
	last := -1
	for i := 0; i < n && d.err == nil; i++ {
		all = append(all, Move{})
		last = d.move(&all[len(all)-1], last)
	}
	return all, all[from:len(all):len(all)]
}

func (d *decoder) move(v *Move, last int) int {
	head := d.u8()
	gap := int(head & 7)
	if gap == 7 {
		gap += int(d.uvarint(math.MaxUint16))
	}
	last += gap + 1
	v.Handle = uint32(last)
	v.Flat, v.Look = head>>3&3, head>>6
	switch v.Flat {
	case FlatNear:
		v.DX, v.DZ = unnibble(d.u8())
	case FlatWide:
		v.DX, v.DZ = d.small(), d.small()
	}
	if head>>5&1 == 1 {
		v.DY = d.small()
	}
	switch v.Look {
	case LookNear:
		yaw, pitch := unnibble(d.u8())
		v.Yaw, v.Pitch = uint8(yaw), int8(pitch)
	case LookWide:
		v.Yaw, v.Pitch = d.u8(), int8(d.u8())
	case 3:
		d.fail("unknown kind of look")
	}
	if last > math.MaxUint16 {
		d.fail("handle out of range")
	}
	return last
}

func unnibble(b uint8) (lo, hi int32) { return int32(int8(b<<4) >> 4), int32(int8(b) >> 4) }

// Apply runs a move entry on m.
func (v *Move) Apply(m *Motion) {
	switch v.Flat {
	case FlatNear:
		m.DX += v.DX
		m.DZ += v.DZ
	case FlatWide:
		m.DX, m.DZ = v.DX, v.DZ
	}
	if v.Flat != FlatStill {
		m.X += m.DX
		m.Z += m.DZ
	}
	m.Y += v.DY
	switch v.Look {
	case LookNear:
		m.Yaw += v.Yaw
		m.Pitch += v.Pitch
	case LookWide:
		m.Yaw, m.Pitch = v.Yaw, v.Pitch
	}
}
