package nodelab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestWalkerAcknowledges: what waits for an answer is what was sent after the
// input that is acknowledged, also when a home that was entered anew says that it
// has run none.
func TestWalkerAcknowledges(t *testing.T) {
	w := &walker{}
	send := func(n int) {
		for range n {
			w.seq++
			w.sent = append(w.sent, world.Input{Yaw: uint16(w.seq)})
		}
	}
	send(10)
	for _, step := range []struct {
		send int
		ack  uint32
		want []uint16
	}{
		{0, 7, []uint16{8, 9, 10}},
		{0, 7, []uint16{8, 9, 10}},
		{0, 0, []uint16{8, 9, 10}}, // entered anew
		{1, 0, []uint16{8, 9, 10, 11}},
		{0, 10, []uint16{11}},
		{2, 12, []uint16{13}},
		{0, 13, nil},
		{1, 20, nil}, // nonsense
	} {
		send(step.send)
		w.acknowledge(&frame.Own{HasAck: true, Ack: step.ack})
		if len(w.sent) != len(step.want) {
			t.Fatalf("after %d was acknowledged %d inputs wait, not %d", step.ack, len(w.sent), len(step.want))
		}
		for i, in := range w.sent {
			if in.Yaw != step.want[i] {
				t.Fatalf("after %d was acknowledged input %d waits in the place of %d", step.ack, in.Yaw, step.want[i])
			}
		}
	}
}
