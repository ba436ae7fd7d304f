package frame

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// AppendHead appends the personal beginning of a frame.
func AppendHead(dst []byte, h *Head) []byte {
	dst = binary.AppendVarint(dst, int64(h.Region.X))
	dst = binary.AppendVarint(dst, int64(h.Region.Z))
	dst = binary.AppendUvarint(dst, h.Tick)
	flags := byte(0)
	if h.Own.HasAck {
		flags |= flagAck
	}
	if h.Own.Corrected {
		flags |= flagCorrect
	}
	if h.Numbered {
		flags |= flagNumber
	}
	dst = append(dst, flags)
	if h.Own.HasAck {
		dst = binary.AppendUvarint(dst, uint64(h.Own.Ack))
	}
	if h.Own.Corrected {
		dst = appendVec(dst, h.Own.Position)
		dst = appendVec(dst, h.Own.Velocity)
		dst = append(dst, h.Own.Body)
	}
	if h.Numbered {
		dst = binary.LittleEndian.AppendUint16(dst, h.Number)
	}
	return dst
}

func appendVec(dst []byte, v world.Vec) []byte {
	dst = binary.AppendVarint(dst, int64(v.X))
	dst = binary.AppendVarint(dst, int64(v.Y))
	return binary.AppendVarint(dst, int64(v.Z))
}

// NoCells is the cells part of a frame in which nothing changed.
var NoCells = []byte{0}

// AppendCount appends the number of cells that follow.
func AppendCount(dst []byte, cells int) []byte { return binary.AppendUvarint(dst, uint64(cells)) }

// CellEncoder appends the sections of one cell to Buf: Begin, then any number of
// sections, each of them opened by Enters, Moves … and filled by its Add
// method, then End.
type CellEncoder struct {
	Buf   []byte
	start int // of the cell
	at    int // of the open section's count; 0: none is open
	tag   byte
	n     int
	last  int // handle of the move entry before
}

// Begin begins a cell.
func (e *CellEncoder) Begin(index uint8, keyframe bool) {
	if keyframe {
		index |= flagKey
	}
	e.start = len(e.Buf)
	e.Buf = append(e.Buf, index)
}

// End ends the cell. A cell that is no keyframe and has no sections is taken
// back; End reports whether the cell is there.
func (e *CellEncoder) End() bool {
	e.close()
	if len(e.Buf) == e.start+1 && e.Buf[e.start]&flagKey == 0 {
		e.Buf = e.Buf[:e.start]
		return false
	}
	e.Buf = append(e.Buf, tagEnd)
	return true
}

// section makes tag the open section.
func (e *CellEncoder) section(tag byte) {
	if e.at > 0 && e.tag == tag {
		e.n++
		return
	}
	e.close()
	e.Buf = append(e.Buf, tag, 0)
	e.at, e.tag, e.n, e.last = len(e.Buf)-1, tag, 1, -1
}

// close writes the open section's count into the byte that was left for it, or
// makes room for more bytes.
func (e *CellEncoder) close() {
	if e.at == 0 {
		return
	}
	var count [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(count[:], uint64(e.n))
	if size > 1 {
		e.Buf = append(e.Buf, count[:size-1]...)
		copy(e.Buf[e.at+size:], e.Buf[e.at+1:len(e.Buf)-size+1])
	}
	copy(e.Buf[e.at:], count[:size])
	e.at = 0
}

// Enter adds an entity to the cell.
func (e *CellEncoder) Enter(v *Enter) {
	e.section(tagEnter)
	b := binary.AppendUvarint(e.Buf, uint64(v.Handle))
	b = binary.AppendUvarint(b, v.Entity)
	b = append(b, v.Kind)
	b = binary.AppendVarint(b, int64(v.X))
	b = binary.AppendVarint(b, int64(v.Y))
	b = binary.AppendVarint(b, int64(v.Z))
	b = binary.AppendVarint(b, int64(v.DX))
	b = binary.AppendVarint(b, int64(v.DZ))
	b = append(b, v.Yaw, byte(v.Pitch), v.Pose)
	b = binary.AppendUvarint(b, uint64(v.Held))
	b = binary.AppendUvarint(b, uint64(len(v.Name)))
	e.Buf = append(b, v.Name...)
}

// Leave takes an entity from the cell.
func (e *CellEncoder) Leave(v Leave) {
	e.section(tagLeave)
	e.Buf = append(binary.AppendUvarint(e.Buf, uint64(v.Handle)), v.Reason)
}

// State tells what an entity holds and does.
func (e *CellEncoder) State(v State) {
	e.section(tagState)
	b := append(binary.AppendUvarint(e.Buf, uint64(v.Handle)), v.Pose)
	e.Buf = binary.AppendUvarint(b, uint64(v.Held))
}

// Wear tells what an entity wears.
func (e *CellEncoder) Wear(v Wear) {
	e.section(tagWear)
	b := binary.AppendUvarint(e.Buf, uint64(v.Handle))
	at := len(b)
	b = append(b, 0)
	for i, piece := range v.Worn {
		if piece != world.Air {
			b[at] |= 1 << i
			b = binary.AppendUvarint(b, uint64(piece))
		}
	}
	e.Buf = b
}

// Block tells of a changed block.
func (e *CellEncoder) Block(v Block) {
	e.section(tagBlocks)
	b := binary.AppendUvarint(e.Buf, uint64(v.Place))
	e.Buf = binary.AppendUvarint(b, uint64(v.Block))
}

// Event tells of something that an entity did.
func (e *CellEncoder) Event(v Event) {
	e.section(tagEvent)
	e.Buf = append(binary.AppendUvarint(e.Buf, uint64(v.Handle)), v.Event)
}

// Crack tells how far a block is broken.
func (e *CellEncoder) Crack(v Crack) {
	e.section(tagCracks)
	e.Buf = append(binary.AppendUvarint(e.Buf, uint64(v.Place)), v.Stage)
}

// Move appends the entry, if any is needed, that brings a decoder from m to the
// place and look of to, and brings m there. Handles of a cell's move entries
// must ascend.
func (e *CellEncoder) Move(handle uint32, m *Motion, to *Motion) {
	dx, dy, dz := to.X-m.X, to.Y-m.Y, to.Z-m.Z
	look := lookOf(m, to)
	if dx|dy|dz == 0 && look == LookSame {
		return
	}
	e.section(tagMove)
	flat := flatOf(m, dx, dz)
	gap := int(handle) - e.last - 1
	e.last = int(handle)
	head := byte(min(gap, 7)) | flat<<3 | look<<6
	if dy != 0 {
		head |= 1 << 5
	}
	b := append(e.Buf, head)
	if gap >= 7 {
		b = binary.AppendUvarint(b, uint64(gap-7))
	}
	switch flat {
	case FlatNear:
		b = append(b, nibbles(dx-m.DX, dz-m.DZ))
	case FlatWide:
		b = binary.AppendVarint(binary.AppendVarint(b, int64(dx)), int64(dz))
	}
	if dy != 0 {
		b = binary.AppendVarint(b, int64(dy))
	}
	switch look {
	case LookNear:
		b = append(b, nibbles(int32(int8(to.Yaw-m.Yaw)), int32(to.Pitch)-int32(m.Pitch)))
	case LookWide:
		b = append(b, to.Yaw, byte(to.Pitch))
	}
	e.Buf = b
	if flat != FlatStill {
		m.DX, m.DZ = dx, dz
	}
	m.X, m.Y, m.Z, m.Yaw, m.Pitch = to.X, to.Y, to.Z, to.Yaw, to.Pitch
}

func flatOf(m *Motion, dx, dz int32) byte {
	ax, az := dx-m.DX, dz-m.DZ
	switch {
	case dx|dz == 0:
		return FlatStill
	case ax|az == 0:
		return FlatLast
	case near(ax) && near(az):
		return FlatNear
	}
	return FlatWide
}

func lookOf(m, to *Motion) byte {
	yaw, pitch := int32(int8(to.Yaw-m.Yaw)), int32(to.Pitch)-int32(m.Pitch)
	switch {
	case yaw|pitch == 0:
		return LookSame
	case near(yaw) && near(pitch):
		return LookNear
	}
	return LookWide
}

// near reports whether v fits a nibble.
func near(v int32) bool { return uint32(v+8) < 16 }

func nibbles(lo, hi int32) byte { return byte(lo&15) | byte(hi&15)<<4 }
