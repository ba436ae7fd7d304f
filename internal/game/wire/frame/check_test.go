package frame

import (
	"math"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A head that passes the check can be decoded, one with a place that no client takes
// does not pass.
func TestCheckHead(t *testing.T) {
	for _, c := range []struct {
		head Head
		ok   bool
	}{
		{Head{Tick: math.MaxUint64, Own: Own{HasAck: true, Ack: math.MaxUint32}}, true},
		{Head{Own: Own{Corrected: true, Position: world.Vec{X: farthest, Y: -farthest}}}, true},
		{Head{Own: Own{Corrected: true, Position: world.Vec{X: farthest + 1}}}, false},
		{Head{Own: Own{Corrected: true, Velocity: world.Vec{Z: fixed.Num(math.MinInt64)}}}, false},
		{Head{Region: world.RegionPos{X: math.MaxInt32}}, false},
	} {
		var f Frame
		_, err := f.DecodeHead(AppendHead(nil, &c.head))
		if got := c.head.Check() == nil; got != c.ok || got != (err == nil) {
			t.Errorf("%+v: passes %v, decoded with %v", c.head, got, err)
		}
	}
}
