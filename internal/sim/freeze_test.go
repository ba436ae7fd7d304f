package sim

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// TestFreeze: on a frozen node nothing happens; when it goes on, all that came
// meanwhile does. One that is killed while it is frozen begins anew.
func TestFreeze(t *testing.T) {
	s := New(1)
	a, b, ma, mb := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Second)
	had := len(mb().log)
	b.Call(func() { mb().env.SetTimer(s.Now().Add(time.Second), machine.Timer{Kind: 7}) })
	s.Run(time.Millisecond)
	b.Freeze()
	a.Call(func() { ma().env.Send(b.Peer(), 1) })
	s.Run(5 * time.Second)
	if !b.Frozen() || len(mb().log) != had {
		t.Fatalf("frozen: %q", mb().log)
	}
	b.Thaw()
	s.Run(time.Millisecond)
	if len(mb().log) != had+2 {
		t.Fatalf("a message and a timer were to happen: %q", mb().log)
	}
	b.Freeze()
	a.Call(func() { ma().env.Send(b.Peer(), 2) })
	s.Run(time.Second)
	b.Restart()
	s.Run(time.Second)
	if b.Frozen() || len(mb().log) != 1 {
		t.Fatalf("begun anew: %q", mb().log)
	}
}
