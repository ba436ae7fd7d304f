package client

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// TestLine: so many come in at a time; the others wait in the order in which they
// came, hear their place, and move up when somebody is in or gives up.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l line
		nobody := func(int) { t.Error("who need not wait is told to") }
		for range atOnce {
			if err := l.enter(context.Background(), nobody); err != nil {
				t.Fatal(err)
			}
		}
		const n = 4
		var places [n][]int
		var in []int
		var stop [n]context.CancelFunc
		for i := range n {
			var ctx context.Context
			ctx, stop[i] = context.WithCancel(context.Background())
			go func() {
				if l.enter(ctx, func(place int) { places[i] = append(places[i], place) }) == nil {
					in = append(in, i)
				}
			}()
			synctest.Wait()
		}
		l.leave() // 0 comes in
		synctest.Wait()
		stop[2]()
		time.Sleep(tellEvery + time.Millisecond)
		synctest.Wait()
		l.leave() // 1
		synctest.Wait()
		time.Sleep(tellEvery)
		synctest.Wait()
		if want := [n][]int{{1}, {2, 1}, {3}, {4, 2, 1}}; !slices.EqualFunc(places[:], want[:], slices.Equal) {
			t.Errorf("they heard of the places %v, not %v", places, want)
		}
		if !slices.Equal(in, []int{0, 1}) {
			t.Errorf("%v have come in", in)
		}
		for range atOnce {
			l.leave()
		}
		synctest.Wait()
		if l.leave(); !slices.Equal(in, []int{0, 1, 3}) || l.in != 0 || len(l.waiting) != 0 {
			t.Errorf("%v have come in; %d are in, %d wait", in, l.in, len(l.waiting))
		}
		stop[0]()
		stop[1]()
		stop[3]()
	})
}

// TestLineIsBounded: whom there is no room for in the line is asked to come again.
func TestLineIsBounded(t *testing.T) {
	l := line{in: atOnce, waiting: make([]chan struct{}, maxLine)}
	var why *wire.Refused
	if err := l.enter(context.Background(), nil); !errors.As(err, &why) || why.Code != wire.Busy || why.Retry == 0 {
		t.Errorf("the answer is %v", err)
	}
}

// TestBusyHome: a home that has no time to find out who comes is asked again, and the
// player gets in. The world says meanwhile that this takes its time.
func TestBusyHome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{columns: map[world.ColumnPos]*world.Column{}, busy: 4}
		loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { f.env = env; return f }})
		told := 0
		n := NewNode(Config{Node: loop, Terrain: terrain.New(1)})
		who := Login{Player: id.Of([]byte("A")), Name: "A", Waits: func(why *wire.Notice) {
			if told++; why.Code != wire.Busy && why.Code != wire.Starting {
				t.Errorf("told %+v", why)
			}
		}}
		s, err := n.Enter(context.Background(), who)
		if err != nil {
			t.Fatal(err)
		}
		if f.enters != 5 || told == 0 || n.line.in != 0 {
			t.Errorf("entered at try %d, told %d times to wait, %d still come in", f.enters, told, n.line.in)
		}
		s.Close()
		_ = loop.Stop()
	})
}

// TestBusyForGood: a world that never has the time asks the client to come again.
func TestBusyForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{busy: 1 << 30}
		loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { f.env = env; return f }})
		n := NewNode(Config{Node: loop, Terrain: terrain.New(1)})
		var why *wire.Refused
		if _, err := n.Enter(context.Background(), Login{Player: id.Of([]byte("A")), Name: "A"}); !errors.As(err, &why) || why.Code != wire.Busy || why.Retry == 0 {
			t.Errorf("the answer is %v", err)
		}
		_ = loop.Stop()
		time.Sleep(time.Minute)
	})
}
