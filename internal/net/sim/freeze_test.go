package sim

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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

// TestFrozenHandshake: links are opened and closed at any moments while nodes
// are frozen and cut off. When all is well again a link can be opened, or the
// one that is there works: none is left that nothing comes through.
func TestFrozenHandshake(t *testing.T) {
	for seed := range uint64(500) {
		in := ThesisInternet()
		in.Ping = 2 * time.Second
		s := NewWith(seed, Config{Internet: in})
		a, b, ma, mb := pair(s, 0)
		cut := false
		s.Cut(func(machine.Peer, machine.Peer) bool { return cut })
		for range 60 {
			n, m, to := a, ma, b
			if s.Rand().OneIn(2) {
				n, m, to = b, mb, a
			}
			switch s.Rand().Intn(6) {
			case 0, 1:
				n.Call(func() { m().env.Open(to.Peer()) })
			case 2:
				n.Call(func() { m().env.Close(to.Peer()) })
			case 3:
				n.Freeze()
			case 4:
				n.Thaw()
			case 5:
				cut = s.Rand().OneIn(2)
			}
			s.Run(time.Duration(s.Rand().Intn(int(3 * time.Second))))
		}
		cut = false
		a.Thaw()
		b.Thaw()
		s.Run(time.Minute)
		a.Call(func() { ma().env.Open(b.Peer()) })
		s.Run(time.Minute)
		ca, cb := a.connTo(b.Peer()), b.connTo(a.Peer())
		if ca != cb || ca == nil || !ca.ends[0].up || !ca.ends[1].up {
			t.Fatalf("seed %d: %v %v\n%q\n%q", seed, ca, cb, ma().log, mb().log)
		}
	}
}
