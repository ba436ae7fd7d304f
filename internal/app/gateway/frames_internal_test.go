package gateway

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// TestSentFrames: a frame may be lost unless it could overtake a column of its region, or
// is too large; what may have been lost is known when the next one of its region is sent.
func TestSentFrames(t *testing.T) {
	var s sentFrames
	of := func(x int32, number uint16, size int) []byte {
		b := frame.AppendHead([]byte{byte(wire.TypeFrame)}, &frame.Head{Region: world.RegionPos{X: x}, Numbered: true, Number: number})
		return append(b, make([]byte, size)...)
	}
	column := wire.Encode(&wire.Column{Pos: world.ColumnPos{X: 5}, Deflated: make([]byte, 100)}) // of region 1
	pong := wire.Encode(&wire.Pong{})
	one := of(0, 2, 0)
	for i, c := range []struct {
		b       []byte
		waiting uint64 // for acknowledgements
		over    datachannel.Channel
		again   []byte
	}{
		{pong, 0, datachannel.Reliable, nil},
		{of(0, 1, 0), 9, datachannel.Unreliable, nil}, // what is no column may be overtaken
		{one, 9, datachannel.Unreliable, of(0, 1, 0)},
		{column, 9, datachannel.Reliable, nil},
		{of(1, 1, 0), uint64(len(column)), datachannel.Reliable, nil},
		{of(0, 3, 0), uint64(len(column)), datachannel.Unreliable, one},
		{of(1, 2, 0), uint64(len(one)) + 1, datachannel.Reliable, nil},
		{of(1, 3, 0), 0, datachannel.Unreliable, nil},
		{of(0, 4, maxAgain), 0, datachannel.Unreliable, of(0, 3, 0)},
		{of(0, 5, maxFrame), 0, datachannel.Reliable, nil},
		{of(0, 6, 0), 0, datachannel.Unreliable, nil},
	} {
		if over, again := s.next(c.b, c.waiting); over != c.over || string(again) != string(c.again) {
			t.Errorf("message %d travels over %d, and again % x", i, over, again)
		}
	}
}
