package client

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// forgetful is a node whose regions say nothing unless a test lets them.
type forgetful struct {
	env     machine.Env
	mu      sync.Mutex
	enters  int
	busy    int               // so many times it has no time for who enters
	watches []world.RegionPos // with the columns, in order; an empty Watch is not listed
	columns map[world.ColumnPos]*world.Column
	peer    machine.Peer
	deaf    map[world.RegionPos]bool // hears no Watch of these
	mute    bool                     // does not answer an Enter
	acts    int                      // that have come
	lose    int                      // this Enter does not come: it goes on with the one before
	entry   uint32                   // of the last Enter that has come
	answers bool                     // acts get an answer
	said    []string                 // that the lobby was told
}

// hears compares what the lobby was told since the last time.
func (f *forgetful) hears(t *testing.T, want ...string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.said, want) {
		t.Errorf("the lobby has heard %q, want %q", f.said, want)
	}
	f.said = nil
}

func (f *forgetful) Start()                                 {}
func (f *forgetful) OnTimer(machine.Timer)                  {}
func (f *forgetful) OnLink(machine.Peer, machine.LinkEvent) {}
func (f *forgetful) OnDone(uint64, any, error)              {}
func (f *forgetful) OnMessage(p machine.Peer, m machine.Message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.peer = p
	switch m := m.(type) {
	case *lobby.Enter:
		f.env.Send(p, &lobby.Admitted{Player: m.Player, Name: m.Name, Entity: 1, New: true})
	case *lobby.Say:
		f.said = append(f.said, m.Text)
	case *region.To:
		switch inner := m.Msg.(type) {
		case *region.Enter:
			f.enters++
			if f.enters == f.lose {
				return
			}
			f.entry = inner.Entry
			if f.mute {
				return
			}
			if f.enters <= f.busy {
				f.env.Send(p, &region.Refused{Region: m.Region, Player: inner.Player, Code: string(wire.Busy)})
				return
			}
			f.env.Send(p, &region.Entered{Region: m.Region, Player: inner.Player, Epoch: uint32(f.enters), Position: world.Vec{X: 4096, Y: 70 << 12, Z: 4096}})
		case *region.Act:
			f.acts++
			if f.answers {
				f.env.Send(p, &region.ActResult{Region: m.Region, Player: inner.Player, Seq: inner.Seq, Entry: f.entry, OK: true})
			}
		case *region.Watch:
			f.watch(p, m.Region, inner)
		}
	}
}

// watch sends the columns that are watched, all of them each time.
func (f *forgetful) watch(p machine.Peer, r world.RegionPos, w *region.Watch) {
	if w.Rates == ([world.Columns]uint8{}) {
		return
	}
	if f.deaf[r] {
		return
	}
	f.watches = append(f.watches, r)
	out := &region.Columns{Region: r}
	for i, rate := range w.Rates {
		if c := r.Column(i); rate > 0 {
			if f.columns[c] == nil {
				f.columns[c] = &world.Column{Pos: c}
			}
			out.Columns = append(out.Columns, region.Column{Column: f.columns[c]})
		}
	}
	f.env.Send(p, out)
}

// counter is a Sink that counts messages by type.
type counter struct {
	mu sync.Mutex
	n  map[wire.Type]int
}

func (c *counter) Add(head, _ []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[wire.TypeOf(head)]++
}

func (c *counter) count(t wire.Type) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[t]
}

// playAt lets a player in at a world that f stands for, with a view of two
// columns, and counts what it is sent.
func playAt(t *testing.T, f *forgetful) (*Session, *counter) {
	t.Helper()
	loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { f.env = env; return f }})
	t.Cleanup(func() { _ = loop.Stop() })
	n := NewNode(Config{Node: loop, Terrain: terrain.New(1)})
	s, err := n.Enter(context.Background(), Login{Player: id.Of([]byte("A")), Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	got := &counter{n: map[wire.Type]int{}}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		for s.Next(ctx, got) == nil {
		}
	}()
	if err := s.Handle(wire.Encode(&wire.View{Distance: 2})); err != nil {
		t.Fatal(err)
	}
	return s, got
}

// TestSilentHomeIsEnteredAgain: after a restart of its home the session enters
// and watches from new, and the client gets its columns again.
func TestSilentHomeIsEnteredAgain(t *testing.T) {
	f := &forgetful{columns: map[world.ColumnPos]*world.Column{}}
	s, got := playAt(t, f)
	const columns = 21 // of a view of 2
	eventually(t, func() bool { return got.count(wire.TypeColumn) >= columns })
	first := got.count(wire.TypeColumn)

	s.mu.Lock()
	s.heard = time.Now().Add(-2 * silence)
	s.mu.Unlock()
	if err := s.Handle(wire.Encode(&wire.Input{Seq: 1, Steps: []wire.Step{{}}})); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return got.count(wire.TypeColumn) >= first+columns })
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.enters != 2 {
		t.Errorf("entered %d times", f.enters)
	}
	for _, r := range []world.RegionPos{{X: 0, Z: 0}, {X: -1, Z: 0}, {X: 0, Z: -1}, {X: -1, Z: -1}} {
		if !slices.Contains(f.watches, r) {
			t.Errorf("%v was never watched", r)
		}
	}
}

// TestLostWatch: columns that do not come are watched anew, or the client would
// never get them, nor any others once twelve do not come.
func TestLostWatch(t *testing.T) {
	lost := world.RegionPos{X: -1, Z: 0}
	f := &forgetful{columns: map[world.ColumnPos]*world.Column{}, deaf: map[world.RegionPos]bool{lost: true}}
	s, _ := playAt(t, f)
	missing := func() int { // of what the client should have
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.watch.waiting + len(s.watch.queue)
	}
	const lacks = 5 // of the 21 columns of a view of 2
	eventually(t, func() bool { return missing() == lacks })
	input := func(late time.Duration) {
		s.mu.Lock()
		s.watchedAt[lost], s.lookedLate = time.Now().Add(-late), time.Time{}
		s.mu.Unlock()
		if err := s.Handle(wire.Encode(&wire.Input{Seq: 1, Steps: []wire.Step{{}}})); err != nil {
			t.Fatal(err)
		}
	}
	f.mu.Lock()
	delete(f.deaf, lost)
	watches := len(f.watches)
	f.mu.Unlock()
	input(0)
	lacking := missing() // before: nobody has both locks
	if f.mu.Lock(); len(f.watches) != watches || lacking != lacks {
		t.Errorf("watched %d times at once, %d columns have not come", len(f.watches)-watches, lacking)
	}
	f.mu.Unlock()
	input(2 * lateColumns)
	eventually(t, func() bool { return missing() == 0 })
}

// TestLostAct: an act that has no answer is asked for again, and a home that says nothing
// is entered again, also when the client says nothing else.
func TestLostAct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{columns: map[world.ColumnPos]*world.Column{}}
		s, _ := playAt(t, f)
		count := func() (acts, enters int) {
			synctest.Wait()
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.acts, f.enters
		}
		if err := s.Handle(wire.Encode(&wire.Act{Seq: 1, Kind: wire.Select})); err != nil {
			t.Fatal(err)
		}
		time.Sleep(patience - time.Second)
		if acts, enters := count(); acts != 1 || enters != 1 {
			t.Errorf("at first %d acts, %d Enters", acts, enters)
		}
		time.Sleep(2 * time.Second)
		if acts, enters := count(); acts != 2 || enters != 2 {
			t.Errorf("%d acts after one that has no answer, %d Enters", acts, enters)
		}
		time.Sleep(2 * patience)
		if acts, enters := count(); acts != 4 || enters != 4 {
			t.Errorf("%d acts and %d Enters later", acts, enters)
		}
	})
}

// TestLostEnter: an Enter is lost while an answer to the one before is on its way. The
// home sends frames, and its answers to acts do not count: it is entered again, once.
func TestLostEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{columns: map[world.ColumnPos]*world.Column{}, lose: 2, answers: true}
		s, got := playAt(t, f)
		s.mu.Lock()
		s.enter(s.home)
		s.mu.Unlock()
		s.node.cfg.Node.(*transport.Loop).Call(context.Background(), func() {
			f.env.Send(f.peer, &region.Entered{Region: s.home, Player: s.player, Epoch: 2})
		})
		synctest.Wait()
		if err := s.Handle(wire.Encode(&wire.Act{Seq: 1, Kind: wire.Select})); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := got.count(wire.TypeActResult); n != 0 {
			t.Fatalf("%d answers to an Enter of before counted", n)
		}
		for n := range uint64(4 * patience / time.Second) {
			time.Sleep(time.Second)
			s.node.cfg.Node.(*transport.Loop).Call(context.Background(), func() {
				f.env.Send(f.peer, &region.Frame{Region: s.home, Tick: n, Own: region.Own{HasAck: true}})
			})
			synctest.Wait()
		}
		if n := got.count(wire.TypeActResult); n != 1 {
			t.Errorf("%d answers", n)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.enters != 3 {
			t.Errorf("%d Enters", f.enters)
		}
	})
}

func eventually(t *testing.T, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// TestCutOff: a host that has lost the session's node for a while has let the
// player go, and says so once there is a way again. The session comes in again,
// watches again, and goes on. What an earlier home says, or one that has been
// asked to let it in again already, changes nothing.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{columns: map[world.ColumnPos]*world.Column{}}
		s, got := playAt(t, f)
		synctest.Wait()
		say := func(left *region.Left) {
			s.node.cfg.Node.(*transport.Loop).Call(context.Background(), func() { f.env.Send(f.peer, left) })
			synctest.Wait()
		}
		count := func() (enters, watches int) {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.enters, len(f.watches)
		}
		state := func() (home world.RegionPos, over error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.over != nil {
				over = s.over
			}
			return s.home, over
		}
		home, _ := state()
		enters, watches := count()
		if enters != 1 || watches == 0 {
			t.Fatalf("entered %d times, watches %d times", enters, watches)
		}
		for _, c := range []struct {
			what string
			from world.RegionPos
			deaf bool // the region does not answer an Enter
			more int  // Enters
		}{
			{"the home", home, false, 1},
			{"a region that is not the home", world.RegionPos{X: home.X + 1}, false, 0},
			{"the home, again", home, true, 1},
			{"the home, while it has not let in again", home, true, 0},
		} {
			f.mu.Lock()
			f.mute = c.deaf
			f.mu.Unlock()
			say(&region.Left{Region: c.from, Player: s.player, Reason: region.LeftClosed})
			e, w := count()
			if e != enters+c.more || (w > watches) != (c.more > 0) {
				t.Errorf("%s: %d more Enters and %d watches, want %d", c.what, e-enters, w-watches, c.more)
			}
			enters, watches = e, w
			if _, over := state(); over != nil {
				t.Fatalf("%s: the session has ended: %v", c.what, over)
			}
		}
		if got.count(wire.TypeRefused) != 0 {
			t.Error("the client is told that it has ended")
		}
	})
}

// TestLinkThatEndsSaysWhy: a client learns why its session has ended.
func TestLinkThatEndsSaysWhy(t *testing.T) {
	kick := func(who string) []byte {
		return (&decision.Order{Kind: decision.Kick, Seq: 1, Subject: id.Of([]byte(who))}).Append(nil)
	}
	for name, c := range map[string]struct {
		say  machine.Message
		want wire.Code
	}{
		"kicked":   {&lobby.Refused{Code: wire.Kicked, Text: "bye", Order: kick("A")}, wire.Kicked},
		"unsigned": {&lobby.Refused{Code: wire.Kicked, Text: "bye"}, wire.Internal},
		"another":  {&lobby.Refused{Code: wire.Kicked, Text: "bye", Order: kick("B")}, wire.Internal},
		"replaced": {&lobby.Refused{Code: wire.Elsewhere}, wire.Elsewhere},
		"closed":   {nil, wire.Restart},
	} {
		t.Run(name, func(t *testing.T) {
			f := &forgetful{columns: map[world.ColumnPos]*world.Column{}}
			loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { f.env = env; return f }})
			defer loop.Stop()
			n := NewNode(Config{Node: loop, Terrain: terrain.New(1)})
			s, err := n.Enter(context.Background(), Login{Player: id.Of([]byte("A")), Name: "A"})
			if err != nil {
				t.Fatal(err)
			}
			loop.Call(context.Background(), func() {
				if c.say == nil {
					f.env.Close(f.peer)
				} else {
					f.env.Send(f.peer, c.say)
				}
			})
			for {
				err := s.Next(context.Background(), &counter{n: map[wire.Type]int{}})
				if why, ok := err.(*wire.Refused); ok && why.Code == c.want && why.Text != "" {
					return
				} else if err != nil {
					t.Fatalf("ended with %v", err)
				}
			}
		})
	}
}
