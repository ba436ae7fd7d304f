package frame

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Tally reads frames without keeping what they say: it counts how often players
// were said to have moved, and hands on what a client cannot do without, its
// own head and the changes of blocks. It is for crowds of bots. It goes through
// a frame in a quarter of the time that Decode takes, and accepts some malformed
// ones. The zero Tally is ready.
type Tally struct {
	Head                                               // of the last frame
	Blocks []InCell                                    // of the last frame
	Moves  uint64                                      // movements of players, in all frames: move entries, and enters that are not news of a keyframe
	Seen   uint64                                      // entries about anybody
	kinds  map[world.RegionPos]*[world.Columns][]uint8 // by cell and handle: kind + 1, 0: nobody
}

// InCell is a block that changed, with the cell it is in.
type InCell struct {
	Cell uint8
	Block
}

const kindPlayer = 0

// Read reads a frame.
func (t *Tally) Read(b []byte) error {
	d := decoder{buf: b}
	d.head(&t.Head)
	t.Blocks = t.Blocks[:0]
	if t.kinds == nil {
		t.kinds = map[world.RegionPos]*[world.Columns][]uint8{}
	}
	region := t.kinds[t.Region]
	if region == nil {
		region = new([world.Columns][]uint8)
		t.kinds[t.Region] = region
	}
	for range d.uvarint(world.Columns) {
		head := d.u8()
		if d.err != nil {
			break
		}
		cell := head & cellMask
		key := head&flagKey != 0
		if key {
			clear(region[cell])
		}
		region[cell] = t.cell(&d, cell, key, region[cell])
	}
	return d.err
}

// Forget forgets who is in a cell, when its column is no longer watched.
func (t *Tally) Forget(c world.ColumnPos) {
	if region := t.kinds[c.Region()]; region != nil {
		region[c.Index()] = nil
	}
}

func (t *Tally) cell(d *decoder, cell uint8, key bool, kinds []uint8) []uint8 {
	for d.err == nil {
		tag := d.u8()
		if tag == tagEnd {
			break
		}
		n := int(d.uvarint(uint64(len(d.buf))))
		if tag == tagMove {
			t.moves(d, n, kinds)
			continue
		}
		for i := 0; i < n && d.err == nil; i++ {
			switch tag {
			case tagEnter:
				e := d.enter()
				for int(e.Handle) >= len(kinds) {
					kinds = append(kinds, 0)
				}
				kinds[e.Handle] = e.Kind + 1
				if t.Seen++; e.Kind == kindPlayer && !key {
					t.Moves++
				}
			case tagLeave:
				if l := d.leave(); int(l.Handle) < len(kinds) {
					kinds[l.Handle] = 0
				}
			case tagState:
				d.state()
			case tagBlocks:
				t.Blocks = append(t.Blocks, InCell{cell, d.block()})
			case tagEvent:
				d.event()
			case tagCracks:
				d.crack()
			case tagWear:
				d.wear()
			default:
				d.fail("unknown section")
			}
		}
	}
	return kinds
}

// moves goes over n move entries and counts those of players.
func (t *Tally) moves(d *decoder, n int, kinds []uint8) {
	buf, at, last := d.buf, d.at, -1
	for range n {
		if at >= len(buf) {
			d.fail("it ends early")
			return
		}
		head := buf[at]
		at++
		last += int(head&7) + 1
		if head&7 == 7 {
			d.at = at
			last += int(d.uvarint(math.MaxUint16))
			at = d.at
		}
		if last < len(kinds) && kinds[last] == kindPlayer+1 {
			t.Moves++
		}
		switch head >> 3 & 3 {
		case FlatNear:
			at++
		case FlatWide:
			at = skip(buf, skip(buf, at))
		}
		if head>>5&1 == 1 {
			at = skip(buf, at)
		}
		at += int(head >> 6) // LookNear: a byte, LookWide: two
	}
	t.Seen += uint64(n)
	d.at = min(at, len(buf))
}

// skip returns what follows a varint.
func skip(buf []byte, at int) int {
	for at < len(buf) && buf[at] >= 0x80 {
		at++
	}
	return at + 1
}
