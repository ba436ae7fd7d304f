package regionlog

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestCheckpointOfBefore: evidence of programs of before the lobby had a log is read, so that
// it says of which version it is.
func TestCheckpointOfBefore(t *testing.T) {
	c := &Checkpoint{World: id.Of([]byte("w")), Region: world.RegionPos{X: -3, Z: 4}, Version: 14, Key: [32]byte{5}, Time: 6, Tick: 7, Number: 8, Head: [32]byte{9}}
	c.Signature[0] = 1
	var w writer
	w.raw(c.World[:])
	w.int(-3)
	w.int(4)
	w.uint(14)
	w.raw(c.Key[:])
	w.int(6)
	w.uint(7)
	w.uint(8)
	w.raw(c.Head[:])
	w.uint(0) // no hashes
	w.raw(c.Signature[:])
	if got := c.Append(nil); !bytes.Equal(got, w.b) {
		t.Errorf("another encoding: %x", got)
	}
	for _, lobby := range []bool{false, true} {
		c.Lobby = lobby
		got, err := DecodeCheckpoint(c.Append(nil), nil)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%v: read as %+v, %v", lobby, got, err)
		}
	}
}
