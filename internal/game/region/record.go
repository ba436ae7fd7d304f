package region

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// The keys of a region's space on the disk (docs/protocols/region.md, "On
// disk"). One-byte prefixes:
//
//	h            layout version
//	c index      a column that differs from the terrain: u8 mask, payload
//	l sequence   block changes of a tick, since the columns were written
//	a            what else the area knows: mobs, scheduled block ticks
//	p player     a player whose home is here: world.Player's bytes
//	t player     where a player went: a pointer
//	v player     the player as it went there: world.Player's bytes
//	i player     where a player may have gone: a pointer
//	e region     edits ended for a neighbour that it may ask for again
//	f player     the epoch with which a player of elsewhere has acted here
//	n            numbers reserved for edits that neighbours are asked for
//	q number     an edit that a neighbour is asked for: a question
//	b place      what is in a container, unless that is nothing: world.Container's bytes
//	o entity     an item that lies here: world.Item's bytes
//	d player     how the acts of a player whose home is here have ended: a act record
//	s player     what a player whose home is here has signed: inputlog.Log
//	k index      a player who has changed blocks here, for y
//	y sequence   what somebody has changed: the history of blocks
//	m sequence   what somebody has put into containers, or taken out of them
//	w            the land that players own here: regionlog.AppendLands
//	g player     which orders about a player were executed: decision.Executed
const (
	keyHeader         = "h"
	keyColumn         = "c"
	keyLog            = "l"
	keyArea           = "a"
	keyPlayer         = "p"
	keyPointer        = "t"
	keyWent           = "v"
	keyIntent         = "i"
	keyNeighbourEdits = "e"
	keyActor          = "f"
	keyEditNumber     = "n"
	keyPendingEdit    = "q"
	keyActs           = "d"
	keyContainer      = "b"
	keyItem           = "o"
	keyOrders         = "g"
	keySigned         = "s"
	keyLands          = "w"
	keyActors         = "k"
	keyHistory        = "y"
	keyMoves          = "m"

	layoutVersion = 1
)

// ErrCorrupt is wrapped by errors about records that cannot be read.
var ErrCorrupt = errors.New("damaged record")

func playerKey(kind string, player id.ID) string { return kind + string(player[:]) }

func columnKey(i int) string { return keyColumn + string([]byte{byte(i)}) }

func logKey(seq uint64) string {
	return keyLog + string(binary.BigEndian.AppendUint64(nil, seq))
}

// pointer says that a player went to a region, with an epoch.
type pointer struct {
	to    world.RegionPos
	epoch uint64
}

func (p pointer) encode() []byte {
	b := binary.AppendVarint(nil, int64(p.to.X))
	b = binary.AppendVarint(b, int64(p.to.Z))
	return binary.AppendUvarint(b, p.epoch)
}

func decodePointer(b []byte) (p pointer, err error) {
	x, n := binary.Varint(b)
	z, m := binary.Varint(b[max(n, 0):])
	if n <= 0 || m <= 0 {
		return pointer{}, fmt.Errorf("pointer: %w", ErrCorrupt)
	}
	epoch, k := binary.Uvarint(b[n+m:])
	p = pointer{world.RegionPos{X: int32(x), Z: int32(z)}, epoch}
	if k <= 0 || n+m+k != len(b) || !inWorld(p.to) || int64(p.to.X) != x || int64(p.to.Z) != z {
		return pointer{}, fmt.Errorf("pointer: %w", ErrCorrupt)
	}
	return p, nil
}

// placeInRegion numbers the blocks of a region.
func placeInRegion(at world.Pos) uint64 {
	return uint64(at.Column().Index())<<18 | uint64(frame.Place(at))
}

// appendChange appends a block change of the region to a log record.
func appendChange(b []byte, c world.BlockChange) []byte {
	where := placeInRegion(c.At)
	return binary.AppendUvarint(binary.AppendUvarint(b, where), uint64(c.Now))
}

// decodeChanges reads a log record: changes of the region at pos.
func decodeChanges(pos world.RegionPos, b []byte) (out []BlockChange, err error) {
	for len(b) > 0 {
		where, n := binary.Uvarint(b)
		if n <= 0 || where >= world.Columns<<18 {
			return nil, fmt.Errorf("log: %w", ErrCorrupt)
		}
		block, m := binary.Uvarint(b[n:])
		if m <= 0 || block >= uint64(world.BlockLimit) || !world.Block(block).Known() {
			return nil, fmt.Errorf("log: %w", ErrCorrupt)
		}
		b = b[n+m:]
		at, _ := placeOf(pos, where)
		out = append(out, BlockChange{at, world.Block(block)})
	}
	return out, nil
}

// placeOf is the block of a region with a number.
func placeOf(pos world.RegionPos, where uint64) (world.Pos, bool) {
	if where >= world.Columns<<18 {
		return world.Pos{}, false
	}
	return frame.PlaceIn(pos.Column(int(where>>18)), uint32(where&(1<<18-1))), true
}

func encodeColumn(c *world.Column) []byte {
	mask, b := c.AppendPayload(make([]byte, 1, 1024))
	b[0] = mask
	return b
}

func decodeColumn(pos world.ColumnPos, b []byte) (*world.Column, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("%v: %w", pos, ErrCorrupt)
	}
	c, err := world.DecodeColumn(pos, b[0], b[1:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return c, nil
}
