package gateway

import (
	"maps"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

const (
	// maxFrame bounds a frame that may be lost: each packet of one makes that likelier.
	maxFrame = 4 << 10
	// maxAgain bounds one that is sent twice: both fit into a packet.
	maxAgain = 500
	// lossyTime is for how long frames are sent twice after the client has missed one.
	lossyTime = 5 * time.Minute
	// maxRegions bounds the regions that sentFrames remembers.
	maxRegions = 256
)

// sentFrames chooses how what is sent to a client travels. Frames may be lost, but must
// not overtake the columns that they change.
type sentFrames struct {
	written uint64                     // bytes on the reliable channel
	columns map[world.RegionPos]uint64 // of them, up to the last column of a region
	last    map[world.RegionPos][]byte // frame of a region that may have been lost
	head    frame.Frame
	column  wire.Column
}

// next is the channel of a message, while so many bytes of the reliable channel are not
// acknowledged; and what was sent there before it that may have been lost.
func (s *sentFrames) next(b []byte, unacknowledged uint64) (ch datachannel.Channel, again []byte) {
	switch wire.TypeOf(b) {
	case wire.TypeFrame:
		if _, err := s.head.DecodeHead(b[1:]); err != nil {
			break
		}
		at := s.head.Region
		again = s.last[at]
		delete(s.last, at)
		if s.written-min(s.written, unacknowledged) < s.columns[at] || len(b) > maxFrame {
			break
		}
		if len(b) <= maxAgain && len(s.last) < maxRegions {
			if s.last == nil {
				s.last = map[world.RegionPos][]byte{}
			}
			s.last[at] = b
		}
		return datachannel.Unreliable, again
	case wire.TypeColumn:
		if wire.DecodeInto(b, &s.column) == nil {
			s.wrote(s.column.Pos.Region(), unacknowledged, len(b))
		}
	}
	s.written += uint64(len(b))
	return datachannel.Reliable, nil
}

// wrote notes a column of a region, and forgets those that have arrived.
func (s *sentFrames) wrote(at world.RegionPos, unacknowledged uint64, n int) {
	arrived := s.written - min(s.written, unacknowledged)
	maps.DeleteFunc(s.columns, func(_ world.RegionPos, upTo uint64) bool { return upTo <= arrived })
	if s.columns == nil {
		s.columns = map[world.RegionPos]uint64{}
	}
	s.columns[at] = s.written + uint64(n)
}
