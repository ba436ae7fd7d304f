package frame_test

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A frame begins with what only its receiver is told; then come the cells, which
// are encoded once for all who see them. This one has none.
func ExampleFrame_Decode() {
	b := frame.AppendHead(nil, &frame.Head{
		Region: world.RegionPos{X: -1, Z: 2}, Tick: 40, Own: frame.Own{HasAck: true, Ack: 7},
	})
	b = frame.AppendCount(b, 0)
	var f frame.Frame
	if err := f.Decode(b); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Region, f.Tick, f.Own.Ack, len(f.Cells))
	// Output: region -1,2 40 7 0
}
